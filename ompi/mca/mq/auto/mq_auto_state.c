/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks, votes and moves. See mq_auto.h.
 */

#include "ompi_config.h"

#include <stdio.h>
#include <stdlib.h>

#include "opal/util/output.h"

#include "ompi/constants.h"
#include "mq_auto_state.h"

typedef mca_mq_auto_state_t state_t;
typedef mca_mq_auto_way_t way_t;

/* Windows for which an algorithm is not tried again after its first failure. */
#define BARRED 16

/* Looks visit on average at most one entry per this many operations. */
#define OPERATIONS_PER_ENTRY 8

/* Cost of a move: ns per entry, and per lane. */
#define NS_PER_ENTRY 100.0
#define NS_PER_LANE 2.0

static const char *const names[MCA_MQ_AUTO_WAYS] = {
    [MCA_MQ_AUTO_INDEXED] = "indexed",
    [MCA_MQ_AUTO_BIN] = "bin",
    [MCA_MQ_AUTO_LANES] = "source_array",
};

void mca_mq_auto_release(void *arg)
{
    state_t *state = arg;

    if (0 == --state->users) {
        free(state);
    }
}

/* ---- moves ---- */

/* Record the last decision, when and why, for statistics. */
static void remark(const state_t *state, const char *why)
{
    mca_mq_base_domain_t *domain = state->domain;

    snprintf(domain->remark, sizeof(domain->remark), "%s since move %u: %s",
             names[state->way], state->moves, why);
    opal_output_verbose(
        MCA_BASE_VERBOSE_COMPONENT, ompi_mq_base_framework.framework_output,
        "mq: context %u, %u ranks: auto: %s", (unsigned) domain->info.context,
        (unsigned) domain->info.size, domain->remark);
}

static void begin_window(state_t *state)
{
    state->looks = 0;
    state->mean = (mca_mq_base_look_t){.length = 0};
}

/* Change the algorithm. Returns whether the domain has a new module. */
static bool move(state_t *state, way_t way, const char *why)
{
    way_t before = state->way;

    state->way = way;
    if (OMPI_SUCCESS != mca_mq_base_domain_renew(state->domain)) {
        state->way = before;
        state->barred[way] = BARRED;
        return false;
    }
    ++state->moves;
    state->votes = 0;
    begin_window(state);
    remark(state, why);
    return true;
}

/* ---- looks ---- */

void mca_mq_auto_wait_for_next(state_t *state, uint64_t length)
{
    uint64_t mean = state->params.interval / MCA_MQ_AUTO_LOOKS;
    uint64_t cheap = OPERATIONS_PER_ENTRY * length;

    /* Empty lanes are visited, too. */
    if (MCA_MQ_AUTO_LANES == state->way) {
        cheap += state->domain->info.size;
    }
    if (mean < cheap && 0 == state->params.test_moves) {
        mean = cheap;
    }
    state->random = state->random * UINT64_C(6364136223846793005) +
                    UINT64_C(1442695040888963407);
    state->left = 1 + mean / 2 + (state->random >> 33) % (mean + 1);
}

static void add(state_t *state, const mca_mq_base_look_t *look)
{
    mca_mq_base_look_t *mean = &state->mean;
    double share = 1.0 / ++state->looks;

    mean->length += (look->length - mean->length) * share;
    mean->lane += (look->lane - mean->lane) * share;
    mean->same += (look->same - mean->same) * share;
    mean->wild += (look->wild - mean->wild) * share;
}

static bool can_serve(const state_t *state, way_t way)
{
    return 0 == state->barred[way] &&
           (MCA_MQ_AUTO_LANES != way || state->lanes_fit);
}

/* The algorithm that saves most; the present one unless the gain exceeds
 * MARGIN. */
static way_t best_way(const state_t *state,
                      const double saves[MCA_MQ_AUTO_WAYS])
{
    way_t best = state->way;

    for (int way = 0; way < MCA_MQ_AUTO_WAYS; ++way) {
        double least = saves[best];

        if (best == state->way) {
            least += MCA_MQ_AUTO_MARGIN;
        }
        if (saves[way] > least && can_serve(state, way)) {
            best = way;
        }
    }
    return best;
}

/* The saving of an algorithm compared with the best of the others. */
static double beyond_others(const state_t *state,
                            const double saves[MCA_MQ_AUTO_WAYS], way_t way)
{
    double most = saves[MCA_MQ_AUTO_INDEXED];

    for (int other = 0; other < MCA_MQ_AUTO_WAYS; ++other) {
        if (other != (int) way && saves[other] > most &&
            can_serve(state, other)) {
            most = saves[other];
        }
    }
    return saves[way] - most;
}

/* The more often the domain has moved, the more votes are needed. */
static unsigned votes_wanted(const state_t *state)
{
    unsigned extra = state->moves < 2 ? 0 : state->moves - 1;

    return 2u << (extra < 24 ? extra : 24);
}

static double cost_of_move(const state_t *state, way_t way)
{
    double cost = NS_PER_ENTRY * state->mean.length;

    if (MCA_MQ_AUTO_LANES == way) {
        cost += NS_PER_LANE * state->domain->info.size;
    }
    return cost;
}

static void explain(const mca_mq_base_look_t *mean, double saves, char *text,
                    size_t size)
{
    snprintf(text, size,
             "%.0f entries, %.1f per source, %.1f per envelope, %.0f %% wild: "
             "%.1f ns less",
             mean->length, mean->lane, mean->same, 100 * mean->wild, saves);
}

/* Evaluate a complete window. Returns whether the domain has a new module. */
static bool decide(state_t *state)
{
    double saves[MCA_MQ_AUTO_WAYS];
    char why[96];
    way_t way;

    mca_mq_auto_judge(&state->mean, saves);
    /* Algorithms that failed here are expected to save less. */
    for (int i = 0; i < MCA_MQ_AUTO_WAYS; ++i) {
        saves[i] /= 1 + state->failed[i];
    }
    way = best_way(state, saves);
    for (int i = 0; i < MCA_MQ_AUTO_WAYS; ++i) {
        state->barred[i] -= 0 != state->barred[i];
    }
    state->votes = way == state->vote ? state->votes + 1 : 1;
    state->vote = way;
    if (way != state->way && state->votes >= votes_wanted(state) &&
        (saves[way] - saves[state->way]) * state->params.interval >=
            cost_of_move(state, way)) {
        explain(&state->mean, saves[way] - saves[state->way], why, sizeof(why));
        state->saves = beyond_others(state, saves, way);
        return move(state, way, why);
    }
    begin_window(state);
    return false;
}

/* Take a look. Returns whether the domain has a new module. */
static bool look(state_t *state)
{
    mca_mq_base_look_t found;

    mca_mq_base_look(state->domain->module, &found);
    mca_mq_auto_wait_for_next(state, (uint64_t) found.length);
    if (0 != state->params.test_moves) {
        return move(state, (state->random >> 33) % MCA_MQ_AUTO_WAYS,
                    "requested by test_moves");
    }
    /* A short queue tells nothing. */
    if (found.length < MCA_MQ_BASE_LOOK_SHORT) {
        return false;
    }
    add(state, &found);
    return MCA_MQ_AUTO_LOOKS == state->looks && decide(state);
}

uint64_t mca_mq_auto_look_at_indexed(void *arg, uint64_t order)
{
    state_t *state = arg;
    bool began = 0 != state->order;

    state->order = order;
    if (began && look(state)) {
        return 0;
    }
    /* An entry takes two operations: one queues it, another one finds it. */
    return order + (state->left + 1) / 2;
}

/* ---- the guard ---- */

void mca_mq_auto_guard_init(mca_mq_auto_guard_t *guard, state_t *state)
{
    *guard = (mca_mq_auto_guard_t){
        .limit = 0 != state->params.test_moves ? 0 : MCA_MQ_AUTO_LIMIT,
        .state = state,
    };
}

/* Entries that a search may compare on average. */
static double compared_at_most(const state_t *state)
{
    return MCA_MQ_AUTO_COMPARED + state->saves / MCA_MQ_AUTO_NS_COMPARED;
}

/* Return to indexed. Returns whether the domain has a new module. */
static bool return_to_indexed(mca_mq_auto_guard_t *guard)
{
    state_t *state = guard->state;
    way_t from = state->way;
    unsigned times = state->failed[from];
    char why[96];

    snprintf(why, sizeof(why), "searches of %s compared %.1f entries each",
             names[from], (double) guard->traversed / (double) guard->searches);
    if (!move(state, MCA_MQ_AUTO_INDEXED, why)) {
        return false;
    }
    state->failed[from] += times < 12;
    state->barred[from] = (uint64_t) BARRED << 4 * times;
    return true;
}

void mca_mq_auto_check(mca_mq_auto_guard_t *guard)
{
    state_t *state = guard->state;

    if (0 == state->params.test_moves &&
        (double) guard->traversed >
            compared_at_most(state) * (double) guard->searches &&
        return_to_indexed(guard)) {
        return;
    }
    state->left -=
        guard->searches < state->left ? guard->searches : state->left;
    guard->searches = 0;
    guard->traversed = 0;
    if (0 == state->left) {
        (void) look(state);
    }
}
