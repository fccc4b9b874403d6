/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_fixture.h"

#include <math.h>

#include "ompi/mca/mq/partner_dynamic/mq_partner_dynamic.h"
#include "mq_random.h"

/* One setting of the parameters; NULL: the default. */
typedef struct pd_setting_t {
    const char *threshold;
    const char *metric;
    const char *idle_peers;
    const char *alpha;
    const char *cap;
} pd_setting_t;

/* The largest figures seen, and the cap they were seen under. */
typedef struct pd_watch_t {
    mca_mq_partner_dynamic_figures_t most[MCA_MQ_QUEUES];
    double cap;
} pd_watch_t;

static void set_parameters(const pd_setting_t *setting)
{
    mq_test_parameter("mq_partner_dynamic_threshold", setting->threshold);
    mq_test_parameter("mq_partner_dynamic_metric", setting->metric);
    mq_test_parameter("mq_partner_dynamic_idle_peers", setting->idle_peers);
    mq_test_parameter("mq_partner_dynamic_alpha", setting->alpha);
    mq_test_parameter("mq_partner_dynamic_cap", setting->cap);
}

static mca_mq_partner_dynamic_figures_t figures_of(
    const mca_mq_base_module_t *module, mca_mq_queue_t queue)
{
    const mca_mq_partner_dynamic_component_t *component =
        (const mca_mq_partner_dynamic_component_t *) module->mq_component;
    mca_mq_partner_dynamic_figures_t figures;

    component->figures(module, queue, &figures);
    return figures;
}

static void watch(mca_mq_base_module_t *module, void *arg)
{
    const mca_mq_partner_dynamic_module_t *m =
        (const mca_mq_partner_dynamic_module_t *) module;
    pd_watch_t *w = arg;

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_partner_dynamic_figures_t now = figures_of(module, queue);

        assert_true(now.levels >= 1);
        assert_true(now.levels <= now.level_ups + 1);
        if (w->cap > 0) {
            assert_true(now.partners <= ceil(w->cap * sqrt(m->size)));
        }
        mq_random_max(&w->most[queue].level_ups, now.level_ups);
        mq_random_max(&w->most[queue].levels, now.levels);
        mq_random_max(&w->most[queue].partners, now.partners);
    }
}

/* Compare with the model; the watch tells what was reached. */
static pd_watch_t run_random(const pd_setting_t *setting, uint64_t operations)
{
    pd_watch_t w = {.cap = setting->cap == NULL ? 0 : atof(setting->cap)};

    set_parameters(setting);
    mq_random_component("partner_dynamic", mq_random_operations(operations), 0,
                        watch, &w);
    return w;
}

static void assert_partners_were_made(const pd_watch_t *w)
{
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        assert_true(w->most[queue].level_ups > 0);
        assert_true(w->most[queue].levels > 1);
        assert_true(w->most[queue].partners > 0);
    }
}

UNIT_TEST(partner_dynamic_agrees_with_the_model)
{
    static const pd_setting_t setting = {NULL, NULL, NULL, NULL, NULL};
    pd_watch_t w = run_random(&setting, 1000000);

    assert_partners_were_made(&w);
}

UNIT_TEST(it_agrees_with_tiny_thresholds_and_all_metrics)
{
    static const pd_setting_t settings[] = {
        {"1", "average", NULL, NULL, NULL},
        {"2", "average", NULL, NULL, NULL},
        {"2", "average", "ignore", NULL, NULL},
        {"1", "median", NULL, NULL, NULL},
        {"2", "median", "ignore", NULL, NULL},
        {"1", "upper_fence", NULL, NULL, NULL},
        {"2", "upper_fence", NULL, "1.5", NULL},
        {"5", "upper_fence", "ignore", "-1.5", NULL},
        {"1", "average", NULL, NULL, "0.1"},
        {"2", "average", NULL, NULL, "1"},
        {"10", "median", NULL, NULL, "2.5"},
        {"25", "average", NULL, NULL, NULL},
    };

    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); ++i) {
        pd_watch_t w = run_random(&settings[i], 200000);

        assert_partners_were_made(&w);
    }
}

static mq_fixture_t *fixture_new(const pd_setting_t *setting, uint32_t size)
{
    set_parameters(setting);
    return mq_fixture_new("partner_dynamic", size, 4096);
}

static mca_mq_partner_dynamic_figures_t posted(mq_fixture_t *f)
{
    return figures_of(f->domain.module, MCA_MQ_POSTED);
}

UNIT_TEST(peers_above_the_average_become_partners)
{
    static const pd_setting_t setting = {"10", "average", "ignore", NULL, NULL};
    mq_fixture_t *f = fixture_new(&setting, 100);

    /* 6, 3 and 1 entries: the average is 3.33. */
    for (int i = 0; i < 6; ++i) {
        mq_fixture_post(f, 7, i);
    }
    mq_fixture_post(f, 8, 0);
    mq_fixture_post(f, 8, 1);
    mq_fixture_post(f, 8, 2);
    assert_int_equal(0, posted(f).partners);
    mq_fixture_post(f, 9, 0);
    assert_int_equal(1, posted(f).partners);
    assert_int_equal(1, posted(f).level_ups);
    assert_int_equal(2, posted(f).levels);
    mq_fixture_free(f);
}

UNIT_TEST(idle_peers_lower_the_average)
{
    static const pd_setting_t setting = {"10", "average", "count", NULL, NULL};
    mq_fixture_t *f = fixture_new(&setting, 100);

    for (int i = 0; i < 10; ++i) {
        mq_fixture_post(f, i % 3, i);
    }
    assert_int_equal(3, posted(f).partners);
    mq_fixture_free(f);
}

/* 2, 4, 6, 8 entries: the median is 5, Q1 is 3.5, Q3 is 6.5. */
static uint64_t partners_of_2_4_6_8(const char *metric, const char *alpha)
{
    const pd_setting_t setting = {"20", metric, NULL, alpha, NULL};
    mq_fixture_t *f = fixture_new(&setting, 100);
    uint64_t partners;

    for (int source = 1; source <= 4; ++source) {
        for (int i = 0; i < 2 * source; ++i) {
            mq_fixture_post(f, source, i);
        }
    }
    partners = posted(f).partners;
    mq_fixture_free(f);
    return partners;
}

UNIT_TEST(the_metrics_are_those_documented)
{
    assert_int_equal(2, partners_of_2_4_6_8("median", NULL));
    assert_int_equal(2, partners_of_2_4_6_8("average", NULL));
    assert_int_equal(1, partners_of_2_4_6_8("upper_fence", NULL));
    assert_int_equal(1, partners_of_2_4_6_8("upper_fence", "0.4"));
    /* The fence is 8, then above it. */
    assert_int_equal(1, partners_of_2_4_6_8("upper_fence", "0.5"));
    assert_int_equal(0, partners_of_2_4_6_8("upper_fence", "0.6"));
    assert_int_equal(2, partners_of_2_4_6_8("upper_fence", "-0.5"));
    assert_int_equal(3, partners_of_2_4_6_8("upper_fence", "-1"));
}

UNIT_TEST(peers_that_are_alike_become_partners)
{
    static const char *const metrics[] = {"average", "median", "upper_fence"};

    for (int i = 0; i < 3; ++i) {
        const pd_setting_t setting = {"20", metrics[i], NULL, NULL, NULL};
        mq_fixture_t *f = fixture_new(&setting, 100);

        /* Five with 4 each; then one that is alone. */
        for (int tag = 0; tag < 20; ++tag) {
            mq_fixture_post(f, tag % 5, tag);
        }
        assert_int_equal(5, posted(f).partners);
        for (int tag = 0; tag < 20; ++tag) {
            mq_fixture_post(f, 5, tag);
        }
        assert_int_equal(6, posted(f).partners);
        mq_fixture_free(f);
    }
}

UNIT_TEST(the_cap_takes_the_largest_first)
{
    /* 0.2 * sqrt(25) is 1 partner. */
    static const pd_setting_t setting = {"10", "average", NULL, NULL, "0.2"};
    mq_fixture_t *f = fixture_new(&setting, 25);
    mca_mq_entry_t *entry;

    for (int i = 0; i < 10; ++i) {
        mq_fixture_post(f, i < 4 ? 1 : 2, i);
    }
    assert_int_equal(1, posted(f).partners);
    /* Source 2 is it: what is posted for it now is in no level. */
    entry = mq_fixture_post(f, 2, 100);
    for (int i = 0; i < 10; ++i) {
        assert_non_null(mq_fixture_match_posted(f, i < 4 ? 1 : 2, i));
    }
    assert_int_equal(1, posted(f).levels);
    assert_ptr_equal(entry, mq_fixture_match_posted(f, 2, 100));
    mq_fixture_free(f);
}

/* Sources from `first` on, `count` of them, four receives for each in turn;
 * then the messages. */
static void burst_of(mq_fixture_t *f, int first, int count)
{
    f->used = 0;
    for (int source = first; source < first + count; ++source) {
        for (int tag = 0; tag < 4; ++tag) {
            mq_fixture_post(f, source, tag);
        }
    }
    for (int source = first; source < first + count; ++source) {
        for (int tag = 0; tag < 4; ++tag) {
            assert_non_null(mq_fixture_match_posted(f, source, tag));
        }
    }
}

/* Peers that take turns, more than the cap allows: one that is given up
 * because its turn has not come would have been of use later. */
UNIT_TEST(partners_under_a_cap_stay_while_they_are_used)
{
    /* 4 * sqrt(64) is 32 partners. */
    static const pd_setting_t setting = {"10", NULL, NULL, NULL, "4"};
    mq_fixture_t *f = fixture_new(&setting, 64);
    uint64_t level_ups;

    burst_of(f, 0, 64);
    assert_int_equal(32, posted(f).partners);
    level_ups = posted(f).level_ups;
    for (int round = 0; round < 100; ++round) {
        burst_of(f, 0, 64);
    }
    assert_int_equal(32, posted(f).partners);
    assert_int_equal(level_ups, posted(f).level_ups);
    mq_fixture_free(f);
}

UNIT_TEST(partners_of_an_earlier_phase_make_room)
{
    static const pd_setting_t setting = {"10", NULL, NULL, NULL, "4"};
    mq_fixture_t *f = fixture_new(&setting, 64);
    uint64_t level_ups;

    for (int round = 0; round < 4; ++round) {
        burst_of(f, 0, 32);
    }
    assert_true(posted(f).partners >= 28);
    for (int round = 0; round < 100; ++round) {
        burst_of(f, 32, 32);
    }
    /* What is queued for those of the later phase makes no level any more. */
    level_ups = posted(f).level_ups;
    f->used = 0;
    for (int i = 0; i < 128; ++i) {
        mq_fixture_post(f, 32 + i % 32, i);
    }
    assert_int_equal(level_ups, posted(f).level_ups);
    assert_int_equal(1, posted(f).levels);
    assert_true(posted(f).partners <= 32);
    mq_fixture_free(f);
}

UNIT_TEST(drained_levels_are_taken_out_and_partners_stay)
{
    static const pd_setting_t setting = {"1", "average", NULL, NULL, NULL};
    mq_fixture_t *f = fixture_new(&setting, 1000);
    size_t before = mq_fixture_bytes(f);

    for (int i = 0; i < 1000; ++i) {
        mq_fixture_post(f, i, 0);
    }
    assert_int_equal(1001, posted(f).levels);
    /* From the middle, then the rest. */
    for (int i = 300; i < 700; ++i) {
        assert_non_null(mq_fixture_match_posted(f, i, 0));
    }
    assert_int_equal(601, posted(f).levels);
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(i < 300 || i >= 700,
                         mq_fixture_match_posted(f, i, 0) != NULL);
    }
    assert_int_equal(1, posted(f).levels);
    assert_int_equal(1000, posted(f).partners);
    /* Their entries make no levels any more. */
    for (int i = 0; i < 1000; ++i) {
        mq_fixture_post(f, i, 1);
    }
    assert_int_equal(1000, posted(f).level_ups);
    /* A record and at most four slots for each partner remain. */
    assert_true(mq_fixture_bytes(f) <= before + 1000 * (104 + 4 * 16));
    mq_fixture_free(f);
}

UNIT_TEST(partners_of_contexts_that_ended_are_given_up)
{
    static const pd_setting_t setting = {"1", "average", NULL, NULL, NULL};
    mq_fixture_t *f = fixture_new(&setting, 4);
    mca_mq_entry_t entry, *found;
    mca_mq_base_module_t *module = f->domain.module;

    for (uint32_t context = 0; context < 100000; ++context) {
        memset(&entry, 0xa5, sizeof(entry));
        entry.envelope = (mca_mq_envelope_t){context, (int32_t) context % 4, 7};
        assert_null(mca_mq_base_post(&f->domain, &entry));
        found = module->mq_match_posted(module, &entry.envelope);
        assert_ptr_equal(&entry, found);
    }
    assert_true(posted(f).level_ups > 10000);
    assert_true(posted(f).partners <= 64);
    assert_true(module->mq_footprint(module) < 8192);
    mq_fixture_free(f);
}

UNIT_TEST(a_receive_from_any_source_keeps_its_place)
{
    static const pd_setting_t setting = {"1", "average", NULL, NULL, NULL};
    mq_fixture_t *f = fixture_new(&setting, 10);
    mca_mq_entry_t *first, *any, *last;

    first = mq_fixture_post(f, 3, 5);
    any = mq_fixture_post(f, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG);
    last = mq_fixture_post(f, 3, 5);
    assert_true(posted(f).partners > 0);
    assert_ptr_equal(first, mq_fixture_match_posted(f, 3, 5));
    assert_ptr_equal(any, mq_fixture_match_posted(f, 3, 5));
    assert_ptr_equal(last, mq_fixture_match_posted(f, 3, 5));
    assert_null(mq_fixture_match_posted(f, 3, 5));
    mq_fixture_free(f);
}

UNIT_MAIN(mq_test_start, mq_test_stop)
