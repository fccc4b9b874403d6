/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "replay_state.h"

#include <stdlib.h>

#include "sequence/replay_util.h"

static mca_mq_entry_t *make(void *arg)
{
    const replay_made_t *made = arg;

    if (NULL != made->entry) {
        mca_mq_base_stamp(made->domain, made->entry);
    }
    return made->entry;
}

static void do_arrive(replay_batch_t *batch)
{
    for (unsigned i = 0; i < batch->count; ++i) {
        batch->found[i] = mca_mq_base_arrive(
            batch->domain[i], &batch->envelope[i], make, &batch->made[i]);
    }
}

static void do_post(replay_batch_t *batch)
{
    for (unsigned i = 0; i < batch->count; ++i) {
        batch->found[i] = mca_mq_base_post(batch->domain[i], batch->entry[i]);
    }
}

#define DO_MATCH(name, function)                                               \
    static void name(replay_batch_t *batch)                                    \
    {                                                                          \
        for (unsigned i = 0; i < batch->count; ++i) {                          \
            mca_mq_base_module_t *module = batch->domain[i]->module;           \
                                                                               \
            batch->found[i] = module->function(module, &batch->envelope[i]);   \
        }                                                                      \
    }

DO_MATCH(do_match_posted, mq_match_posted)
DO_MATCH(do_match_unexpected, mq_match_unexpected)
DO_MATCH(do_probe, mq_probe)

#define DO_ENTRY(name, function, stamp)                                        \
    static void name(replay_batch_t *batch)                                    \
    {                                                                          \
        for (unsigned i = 0; i < batch->count; ++i) {                          \
            mca_mq_base_module_t *module = batch->domain[i]->module;           \
                                                                               \
            if (stamp) {                                                       \
                mca_mq_base_stamp(batch->domain[i], batch->entry[i]);          \
            }                                                                  \
            module->function(module, batch->entry[i]);                         \
            batch->found[i] = NULL;                                            \
        }                                                                      \
    }

DO_ENTRY(do_insert_posted, mq_insert_posted, true)
DO_ENTRY(do_insert_unexpected, mq_insert_unexpected, true)
DO_ENTRY(do_withdraw_posted, mq_withdraw_posted, false)
DO_ENTRY(do_withdraw_unexpected, mq_withdraw_unexpected, false)

static void do_nothing(replay_batch_t *batch)
{
    (void) batch;
}

static void (*const do_kind[])(replay_batch_t *batch) = {
    [MCA_MQ_BASE_ARRIVE] = do_arrive,
    [MCA_MQ_BASE_POST] = do_post,
    [MCA_MQ_BASE_MATCH_POSTED] = do_match_posted,
    [MCA_MQ_BASE_MATCH_UNEXPECTED] = do_match_unexpected,
    [MCA_MQ_BASE_PROBE] = do_probe,
    [MCA_MQ_BASE_INSERT_POSTED] = do_insert_posted,
    [MCA_MQ_BASE_INSERT_UNEXPECTED] = do_insert_unexpected,
    [MCA_MQ_BASE_WITHDRAW_POSTED] = do_withdraw_posted,
    [MCA_MQ_BASE_WITHDRAW_UNEXPECTED] = do_withdraw_unexpected,
    [MCA_MQ_BASE_OPERATIONS] = do_nothing,
};

void replay_batch_run(replay_batch_t *batch, uint32_t kind)
{
    do_kind[kind](batch);
}

uint64_t replay_batch_time(replay_batch_t *batch, uint32_t kind)
{
    uint64_t began = replay_now();

    do_kind[kind](batch);
    return replay_now() - began;
}

static int by_size(const void *left, const void *right)
{
    const uint64_t *l = left, *r = right;

    return (*l > *r) - (*l < *r);
}

double replay_timer_cost(void)
{
    enum { TRIES = 20000, GOOD = TRIES * 9 / 10 };
    static uint64_t cost[TRIES];
    static replay_batch_t batch;
    uint64_t sum = 0;

    for (int i = 0; i < TRIES; ++i) {
        cost[i] = replay_batch_time(&batch, MCA_MQ_BASE_OPERATIONS);
    }
    /* Ignore the slowest, which were interrupted. */
    qsort(cost, TRIES, sizeof(cost[0]), by_size);
    for (int i = 0; i < GOOD; ++i) {
        sum += cost[i];
    }
    return (double) sum / GOOD;
}
