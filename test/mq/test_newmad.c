/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_fixture.h"

#include "ompi/mca/mq/newmad/mq_newmad.h"
#include "mq_random.h"

/* The largest figures seen. */
typedef struct newmad_watch_t {
    uint64_t grown[MCA_MQ_QUEUES][MCA_MQ_NEWMAD_KINDS];
    uint64_t slabs;
} newmad_watch_t;

static void watch(mca_mq_base_module_t *module, void *arg)
{
    const mca_mq_newmad_module_t *m = (const mca_mq_newmad_module_t *) module;
    newmad_watch_t *w = arg;

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        for (int kind = 0; kind < MCA_MQ_NEWMAD_KINDS; ++kind) {
            const mca_mq_base_table_t *table = &m->queue[queue].table[kind];

            mq_random_max(&w->grown[queue][kind], table->grown);
        }
        assert_true(mca_mq_base_fifo_is_empty(&m->queue[queue].rest));
    }
    mq_random_max(&w->slabs, m->pool.slabs);
}

static newmad_watch_t run_random(uint64_t operations, uint32_t assertions)
{
    newmad_watch_t w;

    memset(&w, 0, sizeof(w));
    mq_random_component("newmad", mq_random_operations(operations), assertions,
                        watch, &w);
    return w;
}

UNIT_TEST(newmad_agrees_with_the_model)
{
    newmad_watch_t w = run_random(1000000, 0);

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        for (int kind = 0; kind < MCA_MQ_NEWMAD_KINDS; ++kind) {
            assert_true(w.grown[queue][kind] > 0);
        }
    }
    assert_true(w.slabs > 10);
}

UNIT_TEST(tables_of_kinds_not_used_cost_nothing)
{
    newmad_watch_t w = run_random(200000, MCA_MQ_ASSERT_EXACT);

    /* Internal receives may be from any source. */
    for (int kind = MCA_MQ_NEWMAD_ANY_TAG; kind < MCA_MQ_NEWMAD_KINDS; ++kind) {
        assert_int_equal(0, w.grown[MCA_MQ_POSTED][kind]);
    }
}

UNIT_TEST(memory_comes_with_use_and_goes_after_a_burst)
{
    enum { BURST = 200000 };
    /* One kind has a single key. */
    const size_t kept =
        3 * MCA_MQ_BASE_TABLE_HOT * sizeof(mca_mq_base_table_slot_t) +
        MCA_MQ_BASE_TABLE_MIN * sizeof(mca_mq_base_table_slot_t) +
        sizeof(mca_mq_newmad_slab_t);
    mq_fixture_t *f = mq_fixture_new("newmad", 1 << 20, BURST);
    size_t before = mq_fixture_bytes(f);

    assert_int_equal(sizeof(mca_mq_newmad_module_t), before);
    for (int i = 0; i < BURST; ++i) {
        mq_fixture_arrive(f, i, i);
    }
    for (int i = 0; i < BURST; ++i) {
        assert_ptr_equal(
            &f->entry[i],
            mq_fixture_match_unexpected(f, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG));
    }
    assert_null(
        mq_fixture_match_unexpected(f, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG));
    assert_true(mq_fixture_bytes(f) <= before + kept);
    mq_fixture_free(f);
}

UNIT_MAIN(mq_test_start, mq_test_stop)
