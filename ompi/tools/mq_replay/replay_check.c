/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "replay_state.h"

#include <stdio.h>
#include <stdlib.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/kit/visit.h"
#include "sequence/replay_util.h"

static void print_entry(const char *who, const mca_mq_entry_t *entry)
{
    if (NULL == entry) {
        fprintf(stderr, "mq_replay:   %s: nothing\n", who);
        return;
    }
    fprintf(stderr,
            "mq_replay:   %s: context %u, source %d, tag %d, order "
            "%llu\n",
            who, entry->envelope.context, entry->envelope.source,
            entry->envelope.tag, (unsigned long long) entry->order);
}

static void begin_complaint(const replay_state_t *state, uint64_t operation)
{
    replay_progress_end();
    fprintf(stderr,
            "mq_replay: %s is wrong, in operation %llu (from 0) of "
            "'%s'",
            replay_state_name(state), (unsigned long long) operation,
            state->sequence->name);
}

static void differs(const replay_state_t *state, const replay_op_t *op,
                    unsigned place)
{
    uint64_t operation =
        state->sequence->before + (uint64_t) (op - state->sequence->ops);

    begin_complaint(state, operation);
    fprintf(stderr, ", %s: context %u, source %d, tag %d\n",
            replay_kind_name(op->kind), op->envelope.context,
            op->envelope.source, op->envelope.tag);
    print_entry("it finds", state->batch.found[place]);
    print_entry("the model finds", REPLAY_NONE == op->found
                                       ? NULL
                                       : replay_entry_of(state, op->found));
    if (state->sequence->is_recorded && !state->sequence->verify) {
        fputs("mq_replay:   unless the trace is wrong: --verify tells\n",
              stderr);
    }
    exit(REPLAY_EXIT_DIFFERS);
}

void replay_check(const replay_state_t *state, const replay_op_t *ops)
{
    for (unsigned i = 0; i < state->batch.count; ++i) {
        const mca_mq_entry_t *expected =
            REPLAY_NONE == ops[i].found ? NULL
                                        : replay_entry_of(state, ops[i].found);

        if (expected != state->batch.found[i]) {
            differs(state, &ops[i], i);
        }
    }
}

/* State of a comparison of a queue with the model's. */
typedef struct walk_t {
    const replay_state_t *state;
    uint32_t slot; /* next entry in the model */
    bool differs;
} walk_t;

static void walk_step(mca_mq_entry_t *entry, void *arg)
{
    walk_t *walk = arg;

    if (REPLAY_NONE == walk->slot ||
        entry != replay_entry_of(walk->state, walk->slot)) {
        walk->differs = true;
        return;
    }
    walk->slot = walk->state->sequence->pool.slots[walk->slot].all.next;
}

static void check_queue(const replay_state_t *state, uint32_t id,
                        mca_mq_queue_t queue)
{
    const replay_domain_t *domain = &state->sequence->domains[id];
    walk_t walk = {state, domain->model.queue[queue].all.first, false};

    if (OMPI_SUCCESS != mca_mq_base_visit(state->live[id]->domain.module, queue,
                                          NULL, walk_step, &walk)) {
        replay_die("out of memory");
    }
    if (walk.differs || REPLAY_NONE != walk.slot) {
        begin_complaint(state,
                        state->sequence->before + state->sequence->num_ops);
        fprintf(stderr,
                ": the contents of its %s queue of domain %u are not "
                "those of the model\n",
                MCA_MQ_POSTED == queue ? "posted" : "unexpected", id);
        exit(REPLAY_EXIT_DIFFERS);
    }
}

void replay_check_queues(const replay_state_t *state)
{
    for (uint32_t id = 0; id < state->sequence->num_domains; ++id) {
        if (NULL != state->live[id]) {
            check_queue(state, id, MCA_MQ_POSTED);
            check_queue(state, id, MCA_MQ_UNEXPECTED);
        }
    }
}
