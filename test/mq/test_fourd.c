/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_fixture.h"

#include "ompi/mca/mq/fourd/mq_fourd.h"
#include "mq_random.h"

#define POINTER sizeof(void *)
#define SOURCE sizeof(mca_mq_fourd_source_t)

static mca_mq_fourd_figures_t figures_of(const mca_mq_base_module_t *module)
{
    const mca_mq_fourd_component_t *component =
        (const mca_mq_fourd_component_t *) module->mq_component;
    mca_mq_fourd_figures_t figures;

    component->figures(module, &figures);
    return figures;
}

/* What was seen in a run. */
typedef struct fourd_watch_t {
    mca_mq_fourd_figures_t most;
    unsigned lists; /* domains that had no cubes */
} fourd_watch_t;

static void watch(mca_mq_base_module_t *module, void *arg)
{
    mca_mq_fourd_figures_t now = figures_of(module);
    fourd_watch_t *w = arg;

    assert_int_equal(0, now.strays);
    assert_int_equal(sizeof(mca_mq_fourd_module_t) + now.bytes,
                     module->mq_footprint(module));
    mq_random_max(&w->most.arrays, now.arrays);
    mq_random_max(&w->most.trims, now.trims);
    w->lists += ((mca_mq_fourd_module_t *) module)->is_list;
}

static fourd_watch_t run_random(const char *min_size, const char *reuse)
{
    fourd_watch_t w = {.lists = 0};

    mq_test_parameter("mq_fourd_min_size", min_size);
    mq_test_parameter("mq_fourd_reuse", reuse);
    mq_random_component("fourd", mq_random_operations(1000000), 0, watch, &w);
    mq_test_parameter("mq_fourd_min_size", NULL);
    mq_test_parameter("mq_fourd_reuse", NULL);
    return w;
}

UNIT_TEST(fourd_agrees_with_the_model)
{
    fourd_watch_t w = run_random(NULL, NULL);

    assert_true(w.most.arrays > 10);
    assert_true(w.lists > 0);
}

UNIT_TEST(it_agrees_with_cubes_of_any_size)
{
    fourd_watch_t w = run_random("1", "1");

    assert_true(w.most.arrays > 10);
    assert_true(w.most.trims > 0);
    assert_int_equal(0, w.lists);
}

UNIT_TEST(a_million_idle_ranks_cost_nothing)
{
    mq_fixture_t *f = mq_fixture_new("fourd", 1000000, 100);
    size_t idle = mq_fixture_bytes(f);

    assert_true(idle < 300);
    /* Nor do searches, nor receives from any source. */
    for (int32_t source = 0; source < 1000000; source += 10007) {
        assert_null(mq_fixture_match_posted(f, source, 1));
        assert_null(mq_fixture_match_unexpected(f, source, 1));
    }
    mq_fixture_post(f, MCA_MQ_ANY_SOURCE, 1);
    assert_int_equal(idle, mq_fixture_bytes(f));
    mq_fixture_free(f);
}

/* 20 bits: 32 elements in each dimension. */
UNIT_TEST(cubes_are_allocated_at_first_use)
{
    mq_fixture_t *f = mq_fixture_new("fourd", 1000000, 100);
    size_t bytes = mq_fixture_bytes(f);

    mq_fixture_post(f, 0, 1);
    bytes += 3 * 32 * POINTER + 32 * SOURCE;
    assert_int_equal(bytes, mq_fixture_bytes(f));
    assert_int_equal(4, figures_of(f->domain.module).arrays);
    /* Another in the line, either queue; another line, plane, cube. */
    mq_fixture_post(f, 31, 1);
    mq_fixture_arrive(f, 7, 2);
    assert_int_equal(bytes, mq_fixture_bytes(f));
    mq_fixture_post(f, 32, 1);
    bytes += 32 * SOURCE;
    assert_int_equal(bytes, mq_fixture_bytes(f));
    mq_fixture_arrive(f, 32 * 32, 1);
    bytes += 32 * POINTER + 32 * SOURCE;
    assert_int_equal(bytes, mq_fixture_bytes(f));
    mq_fixture_arrive(f, 999999, 1);
    bytes += 2 * 32 * POINTER + 32 * SOURCE;
    assert_int_equal(bytes, mq_fixture_bytes(f));
    mq_fixture_free(f);
}

UNIT_TEST(a_small_communicator_has_a_list)
{
    mq_fixture_t *f = mq_fixture_new("fourd", 1023, 1000);
    size_t idle = mq_fixture_bytes(f);

    for (int i = 0; i < 1000; ++i) {
        mq_fixture_post(f, i, 1);
    }
    assert_int_equal(idle, mq_fixture_bytes(f));
    assert_non_null(mq_fixture_match_posted(f, 999, 1));
    assert_int_equal(1000, f->stats.queue[MCA_MQ_POSTED].traversed_max);
    mq_fixture_free(f);
}

UNIT_TEST(other_sources_are_skipped)
{
    mq_fixture_t *f = mq_fixture_new("fourd", 1024, 2048);

    for (int i = 0; i < 1024; ++i) {
        mq_fixture_post(f, i, 1);
        mq_fixture_arrive(f, i, 2);
    }
    for (int i = 1023; i >= 0; --i) {
        assert_ptr_equal(&f->entry[2 * i], mq_fixture_match_posted(f, i, 1));
        assert_ptr_equal(&f->entry[2 * i + 1],
                         mq_fixture_match_unexpected(f, i, 2));
    }
    assert_int_equal(1, f->stats.queue[MCA_MQ_POSTED].traversed_max);
    assert_int_equal(1, f->stats.queue[MCA_MQ_UNEXPECTED].traversed_max);
    mq_fixture_free(f);
}

UNIT_TEST(a_burst_does_not_hold_its_memory)
{
    enum { SOURCES = 10000, ROUNDS = 3 };
    mq_fixture_t *f = mq_fixture_new("fourd", 1000000, ROUNDS * SOURCES);
    size_t idle = mq_fixture_bytes(f);

    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < SOURCES; ++i) {
            mq_fixture_arrive(f, i, 1);
        }
        assert_true(mq_fixture_bytes(f) > SOURCES * SOURCE);
        for (int i = 0; i < SOURCES; ++i) {
            assert_int_equal(0, figures_of(f->domain.module).trims);
            assert_non_null(mq_fixture_match_unexpected(f, i, 1));
        }
    }
    /* 32 entries a line, three times. */
    assert_int_equal(1, figures_of(f->domain.module).trims);
    assert_int_equal(idle, mq_fixture_bytes(f));
    mq_fixture_free(f);
}

/* The arrays of some partners, between which queues are empty. */
UNIT_TEST(giving_back_is_rare)
{
    enum { MESSAGES = 100000, PARTNERS = 20 };
    mq_fixture_t *f = mq_fixture_new("fourd", 1000000, MESSAGES);
    mca_mq_fourd_figures_t figures;

    for (int i = 0; i < MESSAGES; ++i) {
        int32_t source = (i % PARTNERS) * 40000;

        mq_fixture_arrive(f, source, 1);
        assert_non_null(mq_fixture_match_unexpected(f, source, 1));
    }
    figures = figures_of(f->domain.module);
    assert_true(figures.trims > 0);
    assert_true(figures.trims < MESSAGES / (2 * PARTNERS * 16));
    mq_fixture_free(f);
}

UNIT_TEST(a_receive_from_any_source_keeps_its_place)
{
    mq_fixture_t *f = mq_fixture_new("fourd", 5000, 10);
    mca_mq_entry_t *first, *any, *last;

    first = mq_fixture_post(f, 4999, 5);
    any = mq_fixture_post(f, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG);
    last = mq_fixture_post(f, 4999, 5);
    assert_ptr_equal(first, mq_fixture_match_posted(f, 4999, 5));
    assert_ptr_equal(any, mq_fixture_match_posted(f, 4999, 5));
    assert_ptr_equal(last, mq_fixture_match_posted(f, 4999, 5));
    assert_null(mq_fixture_match_posted(f, 4999, 5));
    mq_fixture_free(f);
}

UNIT_MAIN(mq_test_start, mq_test_stop)
