/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "test_indexed.h"

#include "mq_random.h"

/* The largest figures seen. */
typedef struct indexed_watch_t {
    mca_mq_indexed_figures_t most[MCA_MQ_QUEUES];
} indexed_watch_t;

static void watch(mca_mq_base_module_t *module, void *arg)
{
    indexed_watch_t *w = arg;

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_indexed_figures_t now = figures_of(module, queue);
        mca_mq_indexed_figures_t *most = &w->most[queue];

        assert_int_equal(0, now.unhashed);
        assert_int_equal(now.entered, now.left + now.hashed);
        mq_random_max(&most->entered, now.entered);
        mq_random_max(&most->left, now.left);
        mq_random_max(&most->waited, now.waited);
        mq_random_max(&most->settled, now.settled);
        mq_random_max(&most->grown, now.grown);
        mq_random_max(&most->shrunk, now.shrunk);
        mq_random_max(&most->keys, now.keys);
        mq_random_max(&most->dropped, now.dropped);
        for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
            mq_random_max(&most->passed[kind], now.passed[kind]);
            mq_random_max(&most->indexed[kind], now.indexed[kind]);
        }
    }
}

/* What is promised for the domains. */
static uint32_t assertions;

/* Of the random choices. */
static unsigned turn;

/* Compare with the model; the watch tells what was reached. */
static indexed_watch_t run_random(const char *small, size_t depth,
                                  uint64_t operations)
{
    indexed_watch_t w;
    mq_random_config_t config = {
        .component = "indexed",
        .operations = mq_random_operations(operations),
        .depth = depth,
        .turn = turn,
        .assertions = assertions,
        .watch = watch,
        .watch_arg = &w,
    };

    memset(&w, 0, sizeof(w));
    set_parameters(small, keep, ordered);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("indexed"));
    mq_random_run(&config);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    set_parameters(NULL, NULL, NULL);
    return w;
}

static void assert_all_paths_were_taken(const indexed_watch_t *w)
{
    const mca_mq_indexed_figures_t *unexpected = &w->most[MCA_MQ_UNEXPECTED];

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        assert_true(w->most[queue].entered > 1);
        assert_true(w->most[queue].left > 0);
        assert_true(w->most[queue].grown > 1);
        assert_true(w->most[queue].shrunk > 0);
    }
    for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
        assert_true(unexpected->passed[kind] > 0);
        assert_true(unexpected->indexed[kind] > 0);
    }
    assert_true(unexpected->dropped > 0);
}

UNIT_TEST(indexed_agrees_with_the_model)
{
    indexed_watch_t w = run_random(NULL, 1000, 1000000);

    assert_all_paths_were_taken(&w);
}

UNIT_TEST(it_agrees_when_it_keeps_its_tables)
{
    indexed_watch_t w;

    keep = NULL;
    w = run_random("4", 1000, 500000);
    keep = "0";
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        assert_true(w.most[queue].grown > 1);
        assert_int_equal(0, w.most[queue].shrunk);
        assert_true(w.most[queue].left > 0);
    }
}

UNIT_TEST(it_agrees_without_wildcards)
{
    indexed_watch_t w;

    assertions = MCA_MQ_ASSERT_EXACT;
    for (int small = 0; small < 2; ++small) {
        w = run_random(small ? NULL : "0", 1000, 500000);
        for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
            assert_true(w.most[queue].entered > 1);
            assert_true(w.most[queue].left > 0);
            assert_true(w.most[queue].grown > 1);
        }
        /* Internal receives from any source. */
        assert_true(
            w.most[MCA_MQ_UNEXPECTED].passed[MCA_MQ_INDEXED_ANY_SOURCE] > 0);
        assert_int_equal(
            0, w.most[MCA_MQ_UNEXPECTED].passed[MCA_MQ_INDEXED_ANY_TAG]);
    }
    assertions = 0;
}

UNIT_TEST(it_agrees_when_lists_may_be_longer)
{
    static const char *const small[] = {"1", "4", "12"};
    indexed_watch_t w;

    for (int i = 0; i < 3; ++i) {
        ordered = i == 1 ? "20" : "300";
        w = run_random(small[i], 1000, 500000);
        ordered = "0";
        for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
            assert_true(w.most[queue].waited > 0);
            assert_true(w.most[queue].entered > 0);
            assert_true(w.most[queue].left > 0);
        }
    }
}

UNIT_TEST(it_agrees_when_lists_have_no_bound)
{
    static const char *const small[] = {"1", "4", NULL};
    indexed_watch_t w;

    ordered = NULL;
    for (int i = 0; i < 3; ++i) {
        w = run_random(small[i], 1000, 500000);
        for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
            assert_true(w.most[queue].waited > 0);
            assert_true(w.most[queue].settled > 0);
            assert_true(w.most[queue].left > 0);
        }
    }
    ordered = "0";
}

UNIT_TEST(it_agrees_when_everything_is_hashed)
{
    indexed_watch_t w = run_random("0", 1000, 1000000);

    assert_all_paths_were_taken(&w);
}

UNIT_TEST(it_agrees_with_other_limits)
{
    static const char *const limits[] = {"1", "2", "5", "64"};

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); ++i) {
        run_random(limits[i], 200, 200000);
    }
}

/* So deep that resizing takes many operations, and indexes catch up. A turn may
 * have only one of the queues deep at the end of a phase, when it is looked at. */
UNIT_TEST(it_agrees_with_deep_queues)
{
    enum { TURNS = 8, DEEP = 10000 };
    bool deep[MCA_MQ_QUEUES] = {false, false};

    for (turn = 0; turn < TURNS && !(deep[0] && deep[1]); ++turn) {
        indexed_watch_t w = run_random(NULL, 20000, 1500000);

        assert_all_paths_were_taken(&w);
        for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
            deep[queue] = deep[queue] || w.most[queue].keys > DEEP;
        }
    }
    turn = 0;
    assert_true(deep[MCA_MQ_POSTED] && deep[MCA_MQ_UNEXPECTED]);
}

UNIT_MAIN(mq_test_start, mq_test_stop)
