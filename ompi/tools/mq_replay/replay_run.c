/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "replay_run.h"

#include <string.h>

#include "replay_state.h"
#include "sequence/replay_util.h"

/* Passes are repeated this often, but not beyond REPEAT_WITHIN ns; the best one
 * counts. */
#define TIMED_PASSES 5
#define SINGLE_PASSES 3
#define REPEAT_WITHIN UINT64_C(1000000000)

/* Most searches for which the smallest time is kept, to limit memory. */
#define SINGLES_MAX (UINT32_C(1) << 26)

const char *const replay_path_names[REPLAY_PATHS] = {
    [REPLAY_POST_FOUND] = "post_found",
    [REPLAY_POST_QUEUED] = "post_queued",
    [REPLAY_ARRIVE_FOUND] = "arrive_found",
    [REPLAY_ARRIVE_QUEUED] = "arrive_queued",
    [REPLAY_SEARCH] = "search",
    [REPLAY_INSERT] = "insert",
    [REPLAY_WITHDRAW] = "withdraw",
};

static void count(replay_state_t *state, replay_result_t *result)
{
    const mca_mq_queue_stats_t *queue = state->stats.queue;

    result->operations = state->operations;
    result->traversals_mean =
        0 == state->searches
            ? 0
            : (double) state->traversed / (double) state->searches;
    result->traversals_max = queue[MCA_MQ_POSTED].traversed_max;
    if (queue[MCA_MQ_UNEXPECTED].traversed_max > result->traversals_max) {
        result->traversals_max = queue[MCA_MQ_UNEXPECTED].traversed_max;
    }
    result->memory_peak = state->footprint_peak;
    result->memory_idle = state->footprint_idle_peak;
}

static double mean(const replay_state_t *state, bool (*is_of)(replay_path_t))
{
    double ns = 0, operations = 0;

    for (int i = 0; i < REPLAY_PATHS; ++i) {
        if (is_of(i)) {
            ns += state->path[i].ns;
            operations += (double) state->path[i].operations;
        }
    }
    return 0 == operations ? 0 : ns / operations;
}

static bool is_any(replay_path_t path)
{
    (void) path;
    return true;
}

/* Withdrawals are rare, and part of no mean. */
static bool is_counted(replay_path_t path)
{
    return REPLAY_WITHDRAW != path;
}

/* Time some passes and keep the best: disturbances only make a pass slower. */
static bool take_times(replay_state_t *state, replay_result_t *result)
{
    uint64_t began = replay_now();
    double best = 0;

    for (int i = 0; i < TIMED_PASSES; ++i) {
        memset(state->path, 0, sizeof(state->path));
        memset(&state->histogram, 0, sizeof(state->histogram));
        if (!replay_pass(state, REPLAY_TIMED)) {
            return false;
        }
        if (0 == i || mean(state, is_any) < best) {
            best = mean(state, is_any);
            memcpy(result->path, state->path, sizeof(state->path));
            result->total_ns_mean = mean(state, is_counted);
            result->search_ns_mean = mean(state, replay_is_search);
            result->insert_ns_mean = mean(state, replay_is_insert);
            result->search_ns_p99 =
                replay_histogram_quantile(&state->histogram, 0.99);
        }
        if (replay_now() - began > REPEAT_WITHIN) {
            break;
        }
    }
    return true;
}

static bool take_single_times(replay_state_t *state, replay_result_t *result)
{
    uint64_t began = replay_now();

    state->num_least = state->searches < SINGLES_MAX ? state->searches : 0;
    state->least =
        replay_realloc(NULL, state->num_least + 1, sizeof(*state->least));
    memset(state->least, 0xff, state->num_least * sizeof(*state->least));
    for (int i = 0; i < SINGLE_PASSES; ++i) {
        if (!replay_pass(state, REPLAY_SINGLE)) {
            return false;
        }
        if (replay_now() - began > REPEAT_WITHIN) {
            break;
        }
    }
    result->search_ns_max = state->longest;
    for (uint64_t i = 0; i < state->num_least; ++i) {
        /* Skipped operations have no time. */
        if (UINT32_MAX != state->least[i] &&
            state->least[i] > result->search_ns_max) {
            result->search_ns_max = state->least[i];
        }
    }
    if (result->search_ns_max < result->search_ns_p99) {
        result->search_ns_max = result->search_ns_p99;
    }
    return true;
}

static void measure(replay_state_t *state, replay_result_t *result)
{
    state->timer_cost = replay_timer_cost();
    state->declined = "out of memory";
    if (!replay_pass(state, REPLAY_COUNTED)) {
        result->declined = state->declined;
    } else {
        count(state, result);
        if (!take_times(state, result) || !take_single_times(state, result)) {
            result->declined = state->declined;
        }
    }
    replay_state_free(state);
}

void replay_measure(replay_sequence_t *sequence,
                    const mca_mq_base_component_t *component,
                    replay_result_t *result)
{
    measure(replay_state_new(sequence, component), result);
}

void replay_measure_choice(replay_sequence_t *sequence, const char *choice,
                           replay_result_t *result)
{
    replay_state_t *state = replay_state_new(sequence, NULL);

    state->choice = choice;
    measure(state, result);
}

void replay_run_observed(replay_sequence_t *sequence)
{
    replay_state_t *state = replay_state_new(sequence, NULL);

    if (!replay_pass(state, REPLAY_OBSERVED)) {
        replay_die("out of memory");
    }
    replay_state_free(state);
}
