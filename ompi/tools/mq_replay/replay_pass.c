/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "replay_state.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "sequence/replay_util.h"

/* ---- entries and domains ---- */

static void make_entries(replay_state_t *state)
{
    uint32_t wanted =
        (state->sequence->pool.used + REPLAY_CHUNK - 1) / REPLAY_CHUNK;

    if (wanted <= state->num_chunks) {
        return;
    }
    state->chunks =
        replay_realloc(state->chunks, wanted, sizeof(*state->chunks));
    while (state->num_chunks < wanted) {
        state->chunks[state->num_chunks++] =
            replay_realloc(NULL, REPLAY_CHUNK, sizeof(mca_mq_entry_t));
    }
}

static void measure_footprint(replay_state_t *state, replay_live_t *live)
{
    mca_mq_base_module_t *module = live->domain.module;

    state->footprint -= live->footprint;
    live->footprint = module->mq_footprint(module);
    state->footprint += live->footprint;
    if (state->footprint > state->footprint_peak) {
        state->footprint_peak = state->footprint;
    }
    state->since_footprint = 0;
}

/* Migrate a domain to the component to be measured. */
static bool migrate(replay_state_t *state, mca_mq_base_domain_t *domain)
{
    static char why[160];

    if (REPLAY_OBSERVED == state->pass) {
        return true;
    }
    if (NULL == state->choice) {
        return OMPI_SUCCESS ==
               mca_mq_base_domain_migrate(domain, state->component, NULL);
    }
    if (OMPI_SUCCESS ==
        mca_mq_base_domain_prefer(domain, state->choice, why, sizeof(why))) {
        return true;
    }
    state->declined = why;
    return false;
}

static bool begin(replay_state_t *state, uint32_t id)
{
    const replay_domain_t *domain = &state->sequence->domains[id];
    mca_mq_domain_info_t info = {
        .size = domain->size,
        .context = domain->context,
        .assertions = domain->assertions,
        .stats = REPLAY_COUNTED == state->pass ? &state->stats : NULL,
    };
    replay_live_t *live = replay_realloc(NULL, 1, sizeof(*live));

    live->footprint = 0;
    live->idle = 0;
    if (OMPI_SUCCESS != mca_mq_base_domain_init(&live->domain, &info)) {
        free(live);
        return false;
    }
    state->live[id] = live;
    if (!migrate(state, &live->domain)) {
        return false;
    }
    measure_footprint(state, live);
    live->idle = live->footprint;
    state->footprint_idle += live->idle;
    if (state->footprint_idle > state->footprint_idle_peak) {
        state->footprint_idle_peak = state->footprint_idle;
    }
    return true;
}

static void finish(replay_state_t *state, uint32_t id)
{
    replay_live_t *live = state->live[id];

    if (NULL != live) {
        state->footprint -= live->footprint;
        state->footprint_idle -= live->idle;
        mca_mq_base_domain_fini(&live->domain);
        free(live);
        state->live[id] = NULL;
    }
}

/* ---- a pass ---- */

static replay_path_t path_of(const replay_op_t *op)
{
    bool queues = REPLAY_NONE != op->entry;

    switch (op->kind) {
    case MCA_MQ_BASE_ARRIVE:
        return queues                     ? REPLAY_ARRIVE_QUEUED
               : REPLAY_NONE != op->found ? REPLAY_ARRIVE_FOUND
                                          : REPLAY_SEARCH;
    case MCA_MQ_BASE_POST:
        return queues ? REPLAY_POST_QUEUED : REPLAY_POST_FOUND;
    case MCA_MQ_BASE_INSERT_POSTED:
    case MCA_MQ_BASE_INSERT_UNEXPECTED:
        return REPLAY_INSERT;
    case MCA_MQ_BASE_WITHDRAW_POSTED:
    case MCA_MQ_BASE_WITHDRAW_UNEXPECTED:
        return REPLAY_WITHDRAW;
    default:
        return REPLAY_SEARCH;
    }
}

static void lay_out(replay_state_t *state, const replay_op_t *ops)
{
    replay_batch_t *batch = &state->batch;

    for (unsigned i = 0; i < batch->count; ++i) {
        const replay_op_t *op = &ops[i];
        mca_mq_entry_t *entry = REPLAY_NONE == op->entry
                                    ? &batch->receive[i]
                                    : replay_entry_of(state, op->entry);

        batch->domain[i] = &state->live[op->domain]->domain;
        batch->envelope[i] = op->envelope;
        batch->entry[i] = entry;
        batch->made[i].domain = batch->domain[i];
        batch->made[i].entry = REPLAY_NONE == op->entry ? NULL : entry;
        /* Queued entries have their envelopes, and must not be changed. */
        if (MCA_MQ_BASE_WITHDRAW_POSTED != op->kind &&
            MCA_MQ_BASE_WITHDRAW_UNEXPECTED != op->kind) {
            entry->envelope = op->envelope;
        }
    }
}

static uint64_t traversed(const replay_state_t *state)
{
    const mca_mq_queue_stats_t *queue = state->stats.queue;

    return queue[MCA_MQ_POSTED].traversed_hit +
           queue[MCA_MQ_POSTED].traversed_miss +
           queue[MCA_MQ_UNEXPECTED].traversed_hit +
           queue[MCA_MQ_UNEXPECTED].traversed_miss;
}

static void run_counted(replay_state_t *state, const replay_op_t *ops,
                        replay_path_t path)
{
    uint64_t before = traversed(state);

    replay_batch_run(&state->batch, ops->kind);
    state->operations += state->batch.count;
    if (replay_is_search(path)) {
        state->searches += state->batch.count;
        state->traversed += traversed(state) - before;
    }
    state->since_footprint += state->batch.count;
    if (state->since_footprint >= REPLAY_BATCH) {
        measure_footprint(state, state->live[ops->domain]);
    }
}

/* Are these operations excluded from timing (--skip)? */
static bool is_skipped(const replay_state_t *state, const replay_op_t *ops)
{
    const replay_sequence_t *sequence = state->sequence;

    return sequence->before + (uint64_t) (ops - sequence->ops) < sequence->skip;
}

static void run_timed(replay_state_t *state, const replay_op_t *ops,
                      replay_path_t path)
{
    double ns = (double) replay_batch_time(&state->batch, ops->kind) -
                state->timer_cost;

    if (is_skipped(state, ops)) {
        return;
    }
    ns = ns < 0 ? 0 : ns;
    state->path[path].ns += ns;
    state->path[path].operations += state->batch.count;
    if (replay_is_search(path)) {
        replay_histogram_add(&state->histogram, ns / state->batch.count,
                             state->batch.count);
    }
}

static void run_single(replay_state_t *state, const replay_op_t *ops,
                       replay_path_t path)
{
    double ns = (double) replay_batch_time(&state->batch, ops->kind) -
                state->timer_cost;
    uint64_t at = state->at_search;

    if (!replay_is_search(path) || is_skipped(state, ops)) {
        return;
    }
    ns = ns < 0 ? 0 : ns > UINT32_MAX ? UINT32_MAX : ns;
    ++state->at_search;
    if (at >= state->num_least) {
        state->longest = ns > state->longest ? ns : state->longest;
    } else if (ns < state->least[at]) {
        state->least[at] = (uint32_t) (ns + 0.5);
    }
}

/* Number of operations from here on that form a batch. */
static unsigned batch_length(const replay_state_t *state,
                             const replay_op_t *ops, size_t left,
                             replay_path_t path)
{
    unsigned most = REPLAY_SINGLE == state->pass ? 1 : REPLAY_BATCH, count = 1;

    while (count < most && count < left && ops[count].kind == ops->kind &&
           path_of(&ops[count]) == path) {
        ++count;
    }
    return count;
}

static unsigned run_batch(replay_state_t *state, const replay_op_t *ops,
                          size_t left)
{
    replay_path_t path = path_of(ops);

    state->batch.count = batch_length(state, ops, left, path);
    lay_out(state, ops);
    switch (state->pass) {
    case REPLAY_OBSERVED:
        replay_batch_run(&state->batch, ops->kind);
        break;
    case REPLAY_COUNTED:
        run_counted(state, ops, path);
        break;
    case REPLAY_TIMED:
        run_timed(state, ops, path);
        break;
    case REPLAY_SINGLE:
        run_single(state, ops, path);
        break;
    }
    replay_check(state, ops);
    return state->batch.count;
}

static bool run_part(replay_state_t *state)
{
    const replay_sequence_t *sequence = state->sequence;

    make_entries(state);
    for (size_t i = 0; i < sequence->num_ops;) {
        const replay_op_t *op = &sequence->ops[i];

        if (op->kind < MCA_MQ_BASE_OPERATIONS) {
            i += run_batch(state, op, sequence->num_ops - i);
            continue;
        }
        if (MCA_MQ_BASE_TRACE_FINISH == op->kind) {
            finish(state, op->domain);
        } else if (!begin(state, op->domain)) {
            return false;
        }
        ++i;
    }
    if (sequence->verify) {
        replay_check_queues(state);
    }
    return true;
}

static const char *pass_name(replay_pass_t pass)
{
    static const char *const names[] = {
        [REPLAY_OBSERVED] = "recording a profile",
        [REPLAY_COUNTED] = "counting",
        [REPLAY_TIMED] = "timing batches",
        [REPLAY_SINGLE] = "timing single operations",
    };

    return names[pass];
}

bool replay_pass(replay_state_t *state, replay_pass_t pass)
{
    replay_sequence_t *sequence = state->sequence;
    bool good = true;

    state->pass = pass;
    state->at_search = 0;
    state->footprint = 0;
    replay_sequence_rewind(sequence);
    while (good && replay_sequence_next(sequence)) {
        good = run_part(state);
        replay_progress(replay_state_name(state), pass_name(pass),
                        sequence->before + sequence->num_ops, sequence->length);
    }
    for (uint32_t id = 0; id < sequence->num_domains; ++id) {
        finish(state, id);
    }
    return good;
}

replay_state_t *replay_state_new(replay_sequence_t *sequence,
                                 const mca_mq_base_component_t *component)
{
    replay_state_t *state = calloc(1, sizeof(*state));

    if (NULL == state) {
        replay_die("out of memory");
    }
    state->sequence = sequence;
    state->component = component;
    state->live = calloc(sequence->num_domains, sizeof(*state->live));
    if (NULL == state->live && 0 != sequence->num_domains) {
        replay_die("out of memory");
    }
    return state;
}

void replay_state_free(replay_state_t *state)
{
    for (uint32_t i = 0; i < state->num_chunks; ++i) {
        free(state->chunks[i]);
    }
    free(state->chunks);
    free(state->live);
    free(state->least);
    free(state);
}
