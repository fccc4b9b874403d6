/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_fixture.h"

#include "ompi/mca/mq/base/kit/look.h"
#include "ompi/mca/mq/base/domain/observe.h"
#include "mq_random.h"

#define RANKS 512
#define ENTRIES 2000000

/* ---- the contract ---- */

/* The ways that were seen to serve, by their operations: indexed has several
 * kinds. */
typedef struct auto_ways_t {
    mca_mq_module_footprint_fn_t seen[8];
    int count;
} auto_ways_t;

static void watch(mca_mq_base_module_t *module, void *arg)
{
    auto_ways_t *ways = arg;

    assert_string_equal("auto",
                        module->mq_component->mqm_version.mca_component_name);
    for (int i = 0; i < ways->count; ++i) {
        if (ways->seen[i] == module->mq_footprint) {
            return;
        }
    }
    assert_true(ways->count < 8);
    ways->seen[ways->count++] = module->mq_footprint;
}

static int run_random(const char *test_moves, uint32_t assertions,
                      uint64_t operations)
{
    auto_ways_t ways = {.count = 0};

    mq_test_parameter("mq_auto_interval", "8");
    mq_test_parameter("mq_auto_test_moves", test_moves);
    mq_random_component("auto", operations, assertions, watch, &ways);
    mq_test_parameter("mq_auto_interval", NULL);
    mq_test_parameter("mq_auto_test_moves", NULL);
    return ways.count;
}

UNIT_TEST(auto_agrees_with_the_model)
{
    run_random(NULL, 0, mq_random_operations(1000000));
}

UNIT_TEST(it_agrees_while_it_moves_all_the_time)
{
    assert_int_equal(3, run_random("1", 0, mq_random_operations(1000000)));
}

UNIT_TEST(it_agrees_without_wildcards)
{
    assert_int_equal(3, run_random("1", MCA_MQ_ASSERT_EXACT,
                                   mq_random_operations(1000000) / 2));
}

/* ---- decisions ---- */

static mq_fixture_t *fixture_new(const char *interval, const char *memory)
{
    mq_fixture_t *f;

    mq_test_parameter("mq_auto_interval", interval);
    mq_test_parameter("mq_auto_memory", memory);
    f = mq_fixture_new("auto", RANKS, ENTRIES);
    assert_string_equal("auto", mca_mq_base_domain_name(&f->domain));
    return f;
}

static void fixture_free(mq_fixture_t *f)
{
    mq_fixture_free(f);
    mq_test_parameter("mq_auto_interval", NULL);
    mq_test_parameter("mq_auto_memory", NULL);
}

static void assert_way(const mq_fixture_t *f, const char *name)
{
    const char *remark = mca_mq_base_domain_remark(&f->domain);

    if (0 != strncmp(remark, name, strlen(name))) {
        fail_msg("expected %s, but: %s", name, remark);
    }
}

static void assert_never_moved(const mq_fixture_t *f)
{
    assert_string_equal("", mca_mq_base_domain_remark(&f->domain));
    assert_int_equal(0, f->domain.migrations);
}

/* Receives from many sources, one each; the messages come in another order. */
static void round_of_many_sources(mq_fixture_t *f)
{
    for (int i = 0; i < 400; ++i) {
        mq_fixture_post(f, i, 0);
    }
    for (int i = 0; i < 400; ++i) {
        assert_non_null(mq_fixture_match_posted(f, i * 171 % 400, 0));
    }
}

/* Two sources with many each, which do not come in the order of the receives:
 * lanes are no help. */
static void round_of_few_sources(mq_fixture_t *f)
{
    for (int i = 0; i < 128; ++i) {
        mq_fixture_post(f, i % 2, i / 2);
    }
    for (int i = 127; i >= 0; --i) {
        int at = i * 27 % 128;

        assert_non_null(mq_fixture_match_posted(f, at % 2, at / 2));
    }
}

static void rounds_of(void (*round)(mq_fixture_t *), mq_fixture_t *f, int count)
{
    for (int i = 0; i < count; ++i) {
        round(f);
    }
}

UNIT_TEST(short_queues_are_left_alone)
{
    mq_fixture_t *f = fixture_new("64", NULL);

    for (int round = 0; round < 20000; ++round) {
        for (int i = 0; i < 8; ++i) {
            mq_fixture_post(f, i, 0);
        }
        for (int i = 7; i >= 0; --i) {
            assert_non_null(mq_fixture_match_posted(f, i, 0));
        }
    }
    assert_never_moved(f);
    fixture_free(f);
}

UNIT_TEST(long_queues_in_order_are_left_alone)
{
    mq_fixture_t *f = fixture_new("64", NULL);

    for (int round = 0; round < 500; ++round) {
        for (int i = 0; i < 400; ++i) {
            mq_fixture_post(f, i, 0);
        }
        for (int i = 0; i < 400; ++i) {
            assert_non_null(mq_fixture_match_posted(f, i, 0));
        }
    }
    assert_never_moved(f);
    fixture_free(f);
}

static char some_state;

UNIT_TEST(many_sources_get_a_list_each)
{
    mq_fixture_t *f = fixture_new("16384", NULL);

    rounds_of(round_of_many_sources, f, 400);
    assert_way(f, "source_array");
    assert_int_equal(1, f->domain.migrations);
    fixture_free(f);
}

static void *begin_nothing(const mca_mq_domain_info_t *info)
{
    return &some_state;
}

static void see_nothing(void *state, const mca_mq_base_event_t *event)
{
}

static void end_nothing(void *state)
{
}

UNIT_TEST(a_domain_that_is_observed_is_looked_at_as_rarely)
{
    static const mca_mq_base_observer_t observer = {begin_nothing, see_nothing,
                                                    end_nothing, true};
    mq_fixture_t *f = fixture_new("16384", NULL);

    assert_int_equal(OMPI_SUCCESS,
                     mca_mq_base_domain_observe(&f->domain, &observer));
    rounds_of(round_of_many_sources, f, 16384 / 800);
    assert_string_equal("", mca_mq_base_domain_remark(&f->domain));
    rounds_of(round_of_many_sources, f, 400);
    assert_way(f, "source_array");
    fixture_free(f);
}

UNIT_TEST(nothing_is_decided_by_a_single_window)
{
    mq_fixture_t *f = fixture_new("16384", NULL);

    rounds_of(round_of_many_sources, f, 16384 / 800);
    assert_never_moved(f);
    fixture_free(f);
}

UNIT_TEST(lists_that_take_too_much_memory_are_not_considered)
{
    mq_fixture_t *f = fixture_new("16384", "8");

    for (int round = 0; round < 400; ++round) {
        round_of_many_sources(f);
        assert_true(mq_fixture_bytes(f) < RANKS * 32 + 64 * 1024);
    }
    assert_null(strstr(mca_mq_base_domain_remark(&f->domain), "source_array"));
    fixture_free(f);
}

UNIT_TEST(bins_serve_where_sources_do_not_tell_messages_apart)
{
    mq_fixture_t *f = fixture_new("16384", NULL);

    rounds_of(round_of_few_sources, f, 3000);
    assert_way(f, "bin");
    fixture_free(f);
}

/* A few long searches: the guard waits for no window. */
UNIT_TEST(a_list_that_becomes_long_is_given_up_at_once)
{
    mq_fixture_t *f = fixture_new("16384", NULL);

    rounds_of(round_of_many_sources, f, 400);
    assert_way(f, "source_array");
    for (int i = 0; i < 5000; ++i) {
        mq_fixture_post(f, 7, i);
    }
    for (int i = 4999; i >= 4990; --i) {
        assert_non_null(mq_fixture_match_posted(f, 7, i));
    }
    assert_way(f, "indexed");
    for (int i = 0; i < 4990; ++i) {
        assert_non_null(mq_fixture_match_posted(f, 7, i));
    }
    fixture_free(f);
}

/* So are bins, for receives that have to look at all messages. */
UNIT_TEST(wildcards_end_what_they_do_not_suit)
{
    mq_fixture_t *f = fixture_new("16384", NULL);
    unsigned before;

    rounds_of(round_of_many_sources, f, 400);
    assert_way(f, "source_array");
    before = f->domain.migrations;
    for (int i = 0; i < 5000; ++i) {
        mq_fixture_arrive(f, i % RANKS, i);
    }
    for (int i = 4999; i >= 4990; --i) {
        assert_non_null(mq_fixture_match_unexpected(f, MCA_MQ_ANY_SOURCE, i));
    }
    assert_way(f, "indexed");
    assert_int_equal(before + 1, f->domain.migrations);
    fixture_free(f);
}

/* Phases that want different things, for ever: moves become rare. */
UNIT_TEST(it_does_not_oscillate)
{
    mq_fixture_t *f = fixture_new("4096", NULL);

    for (int phase = 0; phase < 60; ++phase) {
        rounds_of(phase % 2 ? round_of_few_sources : round_of_many_sources, f,
                  64);
    }
    assert_true(f->domain.migrations > 0);
    assert_true(f->domain.migrations <= 12);
    fixture_free(f);
}

UNIT_TEST(promises_keep_what_was_decided)
{
    mq_fixture_t *f = fixture_new("16384", NULL);

    rounds_of(round_of_many_sources, f, 400);
    assert_way(f, "source_array");
    mq_fixture_post(f, 3, 3);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_assert(
                                       &f->domain, MCA_MQ_ASSERT_EXACT));
    assert_string_equal("auto", mca_mq_base_domain_name(&f->domain));
    assert_non_null(mq_fixture_match_posted(f, 3, 3));
    fixture_free(f);
}

UNIT_TEST(it_needs_indexed)
{
    mca_mq_domain_info_t info = {.size = 4, .context = 1};
    mca_mq_base_domain_t domain;

    assert_int_equal(OMPI_SUCCESS, mq_test_open("^indexed"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
    assert_string_not_equal("auto", mca_mq_base_domain_name(&domain));
    mca_mq_base_domain_fini(&domain);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
}

/* ---- looks ---- */

static mca_mq_base_look_t look_at(int length, int sources, int tags)
{
    static mca_mq_base_looking_t looking;
    mca_mq_base_look_t look;

    mca_mq_base_look_begin(&looking);
    for (int i = 0; i < length; ++i) {
        mca_mq_envelope_t envelope = {
            .context = 5,
            .source = i % sources,
            .tag = i / sources % tags,
        };

        mca_mq_base_look_add(&looking, &envelope);
    }
    mca_mq_base_look_end(&looking, &look);
    return look;
}

static void assert_about(double expected, double got)
{
    if (got < expected * 0.8 - 0.2 || got > expected * 1.2 + 0.2) {
        fail_msg("expected about %.2f, got %.2f", expected, got);
    }
}

UNIT_TEST(a_look_tells_sources_and_envelopes_apart)
{
    mca_mq_base_look_t look = look_at(0, 1, 1);

    assert_true(0 == look.length && 0 == look.lane && 0 == look.same);
    look = look_at(100, 100, 1);
    assert_about(1, look.lane);
    assert_about(1, look.same);
    look = look_at(100, 1, 100);
    assert_about(100, look.lane);
    assert_about(1, look.same);
    look = look_at(100, 1, 1);
    assert_about(100, look.lane);
    assert_about(100, look.same);
    look = look_at(20000, 2000, 1);
    assert_about(10, look.lane);
    assert_about(10, look.same);
    look = look_at(20000, 50, 400);
    assert_about(400, look.lane);
    assert_about(1, look.same);
}

UNIT_MAIN(mq_test_start, mq_test_stop)
