/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_fixture.h"

#include "mq_random.h"

/* One setting of the parameters; NULL: the default. */
typedef struct adaptive_setting_t {
    const char *threshold;
    const char *window;
    const char *target;
} adaptive_setting_t;

static void set_parameters(const adaptive_setting_t *setting)
{
    mq_test_parameter("mq_adaptive_threshold", setting->threshold);
    mq_test_parameter("mq_adaptive_window", setting->window);
    mq_test_parameter("mq_adaptive_target", setting->target);
}

/* How often each component was seen to serve. */
typedef struct adaptive_watch_t {
    const char *target;
    unsigned before;
    unsigned after;
} adaptive_watch_t;

static void watch(mca_mq_base_module_t *module, void *arg)
{
    const char *name = module->mq_component->mqm_version.mca_component_name;
    adaptive_watch_t *w = arg;

    if (strcmp(name, "adaptive") == 0) {
        ++w->before;
    } else {
        assert_string_equal(w->target, name);
        ++w->after;
    }
}

static adaptive_watch_t run_random(const adaptive_setting_t *setting,
                                   uint64_t operations)
{
    adaptive_watch_t w = {
        .target = setting->target == NULL ? "bin" : setting->target,
    };

    set_parameters(setting);
    mq_random_component("adaptive", operations, 0, watch, &w);
    return w;
}

UNIT_TEST(adaptive_agrees_with_the_model)
{
    static const adaptive_setting_t setting = {NULL, NULL, NULL};
    adaptive_watch_t w = run_random(&setting, mq_random_operations(1000000));

    assert_true(w.before > 0);
    assert_true(w.after > 0);
}

/* Many domains, so that many switches meet with something queued. */
UNIT_TEST(it_agrees_with_tiny_thresholds_and_both_targets)
{
    static const adaptive_setting_t settings[] = {
        {"1", "1", "bin"},
        {"1", "1", "source_array"},
        {"2", "3", "bin"},
        {"5", "10", "source_array"},
        {"20", "50", "source_array"},
        {"100", "7", "bin"},
    };
    const size_t count = sizeof(settings) / sizeof(settings[0]);

    for (size_t i = 0; i < 10 * count; ++i) {
        adaptive_watch_t w = run_random(&settings[i % count],
                                        mq_random_operations(1000000) / 16);

        assert_true(w.after > 0);
    }
}

UNIT_TEST(it_stays_a_list_where_searches_are_short)
{
    static const adaptive_setting_t setting = {"1000000", NULL, NULL};
    adaptive_watch_t w =
        run_random(&setting, mq_random_operations(1000000) / 5);

    assert_true(w.before > 0);
    assert_int_equal(0, w.after);
}

static mq_fixture_t *fixture_new(const char *threshold, const char *window,
                                 const char *target)
{
    const adaptive_setting_t setting = {threshold, window, target};

    set_parameters(&setting);
    return mq_fixture_new("adaptive", 100, 20000);
}

static void assert_served_by(const mq_fixture_t *f, const char *name)
{
    assert_string_equal(name, mca_mq_base_domain_name(&f->domain));
    assert_int_equal(strcmp(name, "adaptive") != 0, f->domain.migrations);
}

/* All queued: exact and with wildcards, both queues; then a long search. */
static void order_survives_a_switch(const char *target)
{
    mq_fixture_t *f = fixture_new("1", "19", target);
    mca_mq_entry_t *receive[6], *message[3];

    for (int i = 0; i < 2; ++i) {
        receive[3 * i] = mq_fixture_post(f, 1, 5);
        receive[3 * i + 1] = mq_fixture_post(f, MCA_MQ_ANY_SOURCE, 5);
        receive[3 * i + 2] = mq_fixture_post(f, 1, MCA_MQ_ANY_TAG);
    }
    message[0] = mq_fixture_arrive(f, 3, 9);
    message[1] = mq_fixture_arrive(f, 4, 9);
    message[2] = mq_fixture_arrive(f, 3, 9);
    assert_served_by(f, "adaptive");
    /* The searches so far traversed 3 * 6; the limit is 19. */
    assert_ptr_equal(receive[0], mq_fixture_match_posted(f, 1, 5));
    assert_served_by(f, "adaptive");
    assert_ptr_equal(receive[1], mq_fixture_match_posted(f, 2, 5));
    assert_served_by(f, target);

    assert_ptr_equal(receive[2], mq_fixture_match_posted(f, 1, 5));
    assert_ptr_equal(receive[3], mq_fixture_match_posted(f, 1, 5));
    assert_ptr_equal(receive[4], mq_fixture_match_posted(f, 1, 5));
    assert_ptr_equal(receive[5], mq_fixture_match_posted(f, 1, 5));
    assert_null(mq_fixture_match_posted(f, 1, 5));
    assert_ptr_equal(message[0], mq_fixture_match_unexpected(
                                     f, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG));
    assert_ptr_equal(message[2], mq_fixture_match_unexpected(f, 3, 9));
    assert_ptr_equal(message[1],
                     mq_fixture_match_unexpected(f, MCA_MQ_ANY_SOURCE, 9));
    assert_served_by(f, target);
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        assert_int_equal(0, f->stats.queue[queue].length);
    }
    assert_int_equal(6, f->stats.queue[MCA_MQ_POSTED].length_max);
    assert_int_equal(6, f->stats.queue[MCA_MQ_POSTED].hits);
    assert_int_equal(3, f->stats.queue[MCA_MQ_UNEXPECTED].hits);
    mq_fixture_free(f);
}

UNIT_TEST(order_survives_a_switch_to_each_target)
{
    order_survives_a_switch("bin");
    order_survives_a_switch("source_array");
}

/* What arrives and what is posted during the switch is queued in the new. */
UNIT_TEST(arrive_and_post_switch_too)
{
    mq_fixture_t *f = fixture_new("1", "5", NULL);
    mca_mq_entry_t *first, *last;

    for (int i = 0; i < 6; ++i) {
        mq_fixture_post(f, 1, i);
    }
    assert_served_by(f, "adaptive");
    first = mq_fixture_arrive(f, 2, 0);
    assert_served_by(f, "bin");
    assert_ptr_equal(first, mq_fixture_match_unexpected(f, 2, 0));
    mq_fixture_free(f);

    f = fixture_new("1", "5", NULL);
    for (int i = 0; i < 6; ++i) {
        mq_fixture_arrive(f, 1, i);
    }
    last = mq_fixture_post(f, 2, 0);
    assert_served_by(f, "bin");
    assert_ptr_equal(last, mq_fixture_match_posted(f, 2, 0));
    mq_fixture_free(f);
}

UNIT_TEST(short_queues_do_not_switch)
{
    mq_fixture_t *f = fixture_new(NULL, NULL, NULL);

    for (int i = 0; i < 5; ++i) {
        mq_fixture_post(f, 1, i);
    }
    for (int i = 0; i < 10000; ++i) {
        mq_fixture_post(f, 1, 100);
        assert_non_null(mq_fixture_match_posted(f, 1, 100));
    }
    assert_served_by(f, "adaptive");
    assert_true(mq_fixture_bytes(f) < 256);
    mq_fixture_free(f);
}

/* More than threshold * window: the rest of the window cannot change it. */
UNIT_TEST(one_very_long_search_is_enough)
{
    mq_fixture_t *f = fixture_new(NULL, NULL, NULL);

    for (int i = 0; i < 4001; ++i) {
        mq_fixture_post(f, 1, i);
    }
    assert_served_by(f, "adaptive");
    assert_non_null(mq_fixture_match_posted(f, 1, 4000));
    assert_served_by(f, "bin");
    mq_fixture_free(f);
}

UNIT_TEST(a_probe_counts_but_does_not_switch)
{
    mq_fixture_t *f = fixture_new("1", "10", NULL);
    mca_mq_base_module_t *module = f->domain.module;

    for (int i = 0; i < 8; ++i) {
        mq_fixture_arrive(f, 1, i);
    }
    for (int i = 0; i < 100; ++i) {
        assert_ptr_equal(&f->entry[7], mq_fixture_probe(f, 1, 7));
        assert_ptr_equal(module, f->domain.module);
    }
    module->mq_withdraw_unexpected(module, &f->entry[7]);
    assert_served_by(f, "adaptive");
    assert_null(mq_fixture_match_unexpected(f, 1, 7));
    assert_served_by(f, "bin");
    mq_fixture_free(f);
}

static void long_searches(mq_fixture_t *f)
{
    for (int i = 0; i < 100; ++i) {
        mq_fixture_post(f, 1, i);
    }
    for (int i = 99; i >= 0; --i) {
        assert_ptr_equal(&f->entry[f->used - 100 + (size_t) i],
                         mq_fixture_match_posted(f, 1, i));
    }
}

UNIT_TEST(without_a_target_it_stays_a_list)
{
    mq_fixture_t *f;

    set_parameters(&(adaptive_setting_t){"1", "1", NULL});
    f = mq_fixture_new("^bin", 100, 1000);
    assert_int_equal(OMPI_SUCCESS,
                     mca_mq_base_domain_migrate(
                         &f->domain, mca_mq_base_find("adaptive"), NULL));
    long_searches(f);
    long_searches(f);
    assert_string_equal("adaptive", mca_mq_base_domain_name(&f->domain));
    assert_int_equal(1, f->domain.migrations);
    mq_fixture_free(f);
}

UNIT_TEST(without_a_domain_it_stays_a_list)
{
    mca_mq_domain_info_t info = {.size = 100, .context = MQ_FIXTURE_CONTEXT};
    const mca_mq_base_component_t *component;
    mq_fixture_t *f = fixture_new("1", "1", NULL);
    mca_mq_base_module_t *module;

    component = f->domain.module->mq_component;
    assert_int_equal(OMPI_SUCCESS, component->mqm_create(&info, &module));
    mca_mq_base_domain_fini(&f->domain);
    f->domain.module = module;
    memset(&f->stats, 0, sizeof(f->stats));
    long_searches(f);
    assert_ptr_equal(module, f->domain.module);
    assert_served_by(f, "adaptive");
    mq_fixture_free(f);
}

UNIT_MAIN(mq_test_start, mq_test_stop)
