/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/fourd/mq_fourd.h"
#include "mq_fixture.h"
#include "mq_random.h"
#include "mq_test.h"

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
    w->most.arrays = w->most.arrays > now.arrays ? w->most.arrays : now.arrays;
    w->most.trims = w->most.trims > now.trims ? w->most.trims : now.trims;
    w->lists += ((mca_mq_fourd_module_t *) module)->is_list;
}

static fourd_watch_t run_random(const char *min_size, const char *reuse)
{
    fourd_watch_t w = {.lists = 0};
    mq_random_config_t config = {
        .component = "fourd",
        .operations = mq_random_operations(1000000),
        .depth = 1000,
        .watch = watch,
        .watch_arg = &w,
    };

    mq_test_parameter("mq_fourd_min_size", min_size);
    mq_test_parameter("mq_fourd_reuse", reuse);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("fourd"));
    mq_random_run(&config);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_fourd_min_size", NULL);
    mq_test_parameter("mq_fourd_reuse", NULL);
    return w;
}

static void fourd_agrees_with_the_model(void **state)
{
    fourd_watch_t w = run_random(NULL, NULL);

    (void) state;
    assert_true(w.most.arrays > 10);
    assert_true(w.lists > 0);
}

static void it_agrees_with_cubes_of_any_size(void **state)
{
    fourd_watch_t w = run_random("1", "1");

    (void) state;
    assert_true(w.most.arrays > 10);
    assert_true(w.most.trims > 0);
    assert_int_equal(0, w.lists);
}

static void a_million_idle_ranks_cost_nothing(void **state)
{
    mq_fixture_t *f = mq_fixture_new("fourd", 1000000, 100);
    size_t idle = mq_fixture_bytes(f);

    (void) state;
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
static void cubes_are_allocated_at_first_use(void **state)
{
    mq_fixture_t *f = mq_fixture_new("fourd", 1000000, 100);
    size_t bytes = mq_fixture_bytes(f);

    (void) state;
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

static void a_small_communicator_has_a_list(void **state)
{
    mq_fixture_t *f = mq_fixture_new("fourd", 1023, 1000);
    size_t idle = mq_fixture_bytes(f);

    (void) state;
    for (int i = 0; i < 1000; ++i) {
        mq_fixture_post(f, i, 1);
    }
    assert_int_equal(idle, mq_fixture_bytes(f));
    assert_non_null(mq_fixture_match_posted(f, 999, 1));
    assert_int_equal(1000, f->stats.queue[MCA_MQ_POSTED].traversed_max);
    mq_fixture_free(f);
}

static void other_sources_are_skipped(void **state)
{
    mq_fixture_t *f = mq_fixture_new("fourd", 1024, 2048);

    (void) state;
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

static void a_burst_does_not_hold_its_memory(void **state)
{
    enum { SOURCES = 10000, ROUNDS = 3 };
    mq_fixture_t *f = mq_fixture_new("fourd", 1000000, ROUNDS * SOURCES);
    size_t idle = mq_fixture_bytes(f);

    (void) state;
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
static void giving_back_is_rare(void **state)
{
    enum { MESSAGES = 100000, PARTNERS = 20 };
    mq_fixture_t *f = mq_fixture_new("fourd", 1000000, MESSAGES);
    mca_mq_fourd_figures_t figures;

    (void) state;
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

static void a_receive_from_any_source_keeps_its_place(void **state)
{
    mq_fixture_t *f = mq_fixture_new("fourd", 5000, 10);
    mca_mq_entry_t *first, *any, *last;

    (void) state;
    first = mq_fixture_post(f, 4999, 5);
    any = mq_fixture_post(f, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG);
    last = mq_fixture_post(f, 4999, 5);
    assert_ptr_equal(first, mq_fixture_match_posted(f, 4999, 5));
    assert_ptr_equal(any, mq_fixture_match_posted(f, 4999, 5));
    assert_ptr_equal(last, mq_fixture_match_posted(f, 4999, 5));
    assert_null(mq_fixture_match_posted(f, 4999, 5));
    mq_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fourd_agrees_with_the_model),
        cmocka_unit_test(it_agrees_with_cubes_of_any_size),
        cmocka_unit_test(a_million_idle_ranks_cost_nothing),
        cmocka_unit_test(cubes_are_allocated_at_first_use),
        cmocka_unit_test(a_small_communicator_has_a_list),
        cmocka_unit_test(other_sources_are_skipped),
        cmocka_unit_test(a_burst_does_not_hold_its_memory),
        cmocka_unit_test(giving_back_is_rare),
        cmocka_unit_test(a_receive_from_any_source_keeps_its_place),
    };

    return cmocka_run_group_tests(tests, mq_test_start, mq_test_stop);
}
