/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/partner_dynamic/mq_partner_dynamic.h"
#include "mq_random.h"
#include "mq_test.h"

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

static void keep_max(uint64_t *most, uint64_t now)
{
    if (*most < now) {
        *most = now;
    }
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
        keep_max(&w->most[queue].level_ups, now.level_ups);
        keep_max(&w->most[queue].levels, now.levels);
        keep_max(&w->most[queue].partners, now.partners);
    }
}

/* Compare with the model; the watch tells what was reached. */
static pd_watch_t run_random(const pd_setting_t *setting, uint64_t operations)
{
    pd_watch_t w = {.cap = setting->cap == NULL ? 0 : atof(setting->cap)};
    mq_random_config_t config = {
        .component = "partner_dynamic",
        .operations = mq_random_operations(operations),
        .depth = 1000,
        .watch = watch,
        .watch_arg = &w,
    };

    set_parameters(setting);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("partner_dynamic"));
    mq_random_run(&config);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
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

static void partner_dynamic_agrees_with_the_model(void **state)
{
    static const pd_setting_t setting = {NULL, NULL, NULL, NULL, NULL};
    pd_watch_t w = run_random(&setting, 1000000);

    (void) state;
    assert_partners_were_made(&w);
}

static void it_agrees_with_tiny_thresholds_and_all_metrics(void **state)
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

    (void) state;
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); ++i) {
        pd_watch_t w = run_random(&settings[i], 200000);

        assert_partners_were_made(&w);
    }
}

/* A domain of its own for tests of single properties. */
typedef struct pd_fixture_t {
    mca_mq_base_domain_t domain;
    mca_mq_entry_t entry[4096];
    unsigned used;
} pd_fixture_t;

static pd_fixture_t *fixture_new(const pd_setting_t *setting, uint32_t size)
{
    mca_mq_domain_info_t info = {.size = size, .context = 0, .stats = NULL};
    pd_fixture_t *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    set_parameters(setting);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("partner_dynamic"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&f->domain, &info));
    return f;
}

static void fixture_free(pd_fixture_t *f)
{
    mca_mq_base_domain_fini(&f->domain);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    free(f);
}

static mca_mq_entry_t *post(pd_fixture_t *f, int32_t source, int32_t tag)
{
    mca_mq_entry_t *entry = &f->entry[f->used++];

    memset(entry, 0xa5, sizeof(*entry));
    entry->envelope = (mca_mq_envelope_t){0, source, tag};
    assert_null(mca_mq_base_post(&f->domain, entry));
    return entry;
}

static mca_mq_entry_t *match(pd_fixture_t *f, int32_t source, int32_t tag)
{
    mca_mq_envelope_t envelope = {0, source, tag};

    return f->domain.module->mq_match_posted(f->domain.module, &envelope);
}

static mca_mq_partner_dynamic_figures_t posted(pd_fixture_t *f)
{
    return figures_of(f->domain.module, MCA_MQ_POSTED);
}

static void peers_above_the_average_become_partners(void **state)
{
    static const pd_setting_t setting = {"10", "average", "ignore", NULL, NULL};
    pd_fixture_t *f = fixture_new(&setting, 100);

    (void) state;
    /* 6, 3 and 1 entries: the average is 3.33. */
    for (int i = 0; i < 6; ++i) {
        post(f, 7, i);
    }
    post(f, 8, 0);
    post(f, 8, 1);
    post(f, 8, 2);
    assert_int_equal(0, posted(f).partners);
    post(f, 9, 0);
    assert_int_equal(1, posted(f).partners);
    assert_int_equal(1, posted(f).level_ups);
    assert_int_equal(2, posted(f).levels);
    fixture_free(f);
}

static void idle_peers_lower_the_average(void **state)
{
    static const pd_setting_t setting = {"10", "average", "count", NULL, NULL};
    pd_fixture_t *f = fixture_new(&setting, 100);

    (void) state;
    for (int i = 0; i < 10; ++i) {
        post(f, i % 3, i);
    }
    assert_int_equal(3, posted(f).partners);
    fixture_free(f);
}

/* 2, 4, 6, 8 entries: the median is 5, Q1 is 3.5, Q3 is 6.5. */
static uint64_t partners_of_2_4_6_8(const char *metric, const char *alpha)
{
    const pd_setting_t setting = {"20", metric, NULL, alpha, NULL};
    pd_fixture_t *f = fixture_new(&setting, 100);
    uint64_t partners;

    for (int source = 1; source <= 4; ++source) {
        for (int i = 0; i < 2 * source; ++i) {
            post(f, source, i);
        }
    }
    partners = posted(f).partners;
    fixture_free(f);
    return partners;
}

static void the_metrics_are_those_documented(void **state)
{
    (void) state;
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

static void peers_that_are_alike_become_partners(void **state)
{
    static const char *const metrics[] = {"average", "median", "upper_fence"};

    (void) state;
    for (int i = 0; i < 3; ++i) {
        const pd_setting_t setting = {"20", metrics[i], NULL, NULL, NULL};
        pd_fixture_t *f = fixture_new(&setting, 100);

        /* Five with 4 each; then one that is alone. */
        for (int tag = 0; tag < 20; ++tag) {
            post(f, tag % 5, tag);
        }
        assert_int_equal(5, posted(f).partners);
        for (int tag = 0; tag < 20; ++tag) {
            post(f, 5, tag);
        }
        assert_int_equal(6, posted(f).partners);
        fixture_free(f);
    }
}

static void the_cap_takes_the_largest_first(void **state)
{
    /* 0.2 * sqrt(25) is 1 partner. */
    static const pd_setting_t setting = {"10", "average", NULL, NULL, "0.2"};
    pd_fixture_t *f = fixture_new(&setting, 25);
    mca_mq_entry_t *entry;

    (void) state;
    for (int i = 0; i < 10; ++i) {
        post(f, i < 4 ? 1 : 2, i);
    }
    assert_int_equal(1, posted(f).partners);
    /* Source 2 is it: what is posted for it now is in no level. */
    entry = post(f, 2, 100);
    for (int i = 0; i < 10; ++i) {
        assert_non_null(match(f, i < 4 ? 1 : 2, i));
    }
    assert_int_equal(1, posted(f).levels);
    assert_ptr_equal(entry, match(f, 2, 100));
    fixture_free(f);
}

/* Sources from `first` on, `count` of them, four receives for each in turn;
 * then the messages. */
static void burst_of(pd_fixture_t *f, int first, int count)
{
    f->used = 0;
    for (int source = first; source < first + count; ++source) {
        for (int tag = 0; tag < 4; ++tag) {
            post(f, source, tag);
        }
    }
    for (int source = first; source < first + count; ++source) {
        for (int tag = 0; tag < 4; ++tag) {
            assert_non_null(match(f, source, tag));
        }
    }
}

/* Peers that take turns, more than the cap allows: one that is given up
 * because its turn has not come would have been of use later. */
static void partners_under_a_cap_stay_while_they_are_used(void **state)
{
    /* 4 * sqrt(64) is 32 partners. */
    static const pd_setting_t setting = {"10", NULL, NULL, NULL, "4"};
    pd_fixture_t *f = fixture_new(&setting, 64);
    uint64_t level_ups;

    (void) state;
    burst_of(f, 0, 64);
    assert_int_equal(32, posted(f).partners);
    level_ups = posted(f).level_ups;
    for (int round = 0; round < 100; ++round) {
        burst_of(f, 0, 64);
    }
    assert_int_equal(32, posted(f).partners);
    assert_int_equal(level_ups, posted(f).level_ups);
    fixture_free(f);
}

static void partners_of_an_earlier_phase_make_room(void **state)
{
    static const pd_setting_t setting = {"10", NULL, NULL, NULL, "4"};
    pd_fixture_t *f = fixture_new(&setting, 64);
    uint64_t level_ups;

    (void) state;
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
        post(f, 32 + i % 32, i);
    }
    assert_int_equal(level_ups, posted(f).level_ups);
    assert_int_equal(1, posted(f).levels);
    assert_true(posted(f).partners <= 32);
    fixture_free(f);
}

static void drained_levels_are_taken_out_and_partners_stay(void **state)
{
    static const pd_setting_t setting = {"1", "average", NULL, NULL, NULL};
    pd_fixture_t *f = fixture_new(&setting, 1000);
    size_t before = f->domain.module->mq_footprint(f->domain.module);

    (void) state;
    for (int i = 0; i < 1000; ++i) {
        post(f, i, 0);
    }
    assert_int_equal(1001, posted(f).levels);
    /* From the middle, then the rest. */
    for (int i = 300; i < 700; ++i) {
        assert_non_null(match(f, i, 0));
    }
    assert_int_equal(601, posted(f).levels);
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(i < 300 || i >= 700, match(f, i, 0) != NULL);
    }
    assert_int_equal(1, posted(f).levels);
    assert_int_equal(1000, posted(f).partners);
    /* Their entries make no levels any more. */
    for (int i = 0; i < 1000; ++i) {
        post(f, i, 1);
    }
    assert_int_equal(1000, posted(f).level_ups);
    /* A record and at most four slots for each partner remain. */
    assert_true(f->domain.module->mq_footprint(f->domain.module) <=
                before + 1000 * (104 + 4 * 16));
    fixture_free(f);
}

static void partners_of_contexts_that_ended_are_given_up(void **state)
{
    static const pd_setting_t setting = {"1", "average", NULL, NULL, NULL};
    pd_fixture_t *f = fixture_new(&setting, 4);
    mca_mq_entry_t entry, *found;
    mca_mq_base_module_t *module = f->domain.module;

    (void) state;
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
    fixture_free(f);
}

static void a_receive_from_any_source_keeps_its_place(void **state)
{
    static const pd_setting_t setting = {"1", "average", NULL, NULL, NULL};
    pd_fixture_t *f = fixture_new(&setting, 10);
    mca_mq_entry_t *first, *any, *last;

    (void) state;
    first = post(f, 3, 5);
    any = post(f, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG);
    last = post(f, 3, 5);
    assert_true(posted(f).partners > 0);
    assert_ptr_equal(first, match(f, 3, 5));
    assert_ptr_equal(any, match(f, 3, 5));
    assert_ptr_equal(last, match(f, 3, 5));
    assert_null(match(f, 3, 5));
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partner_dynamic_agrees_with_the_model),
        cmocka_unit_test(it_agrees_with_tiny_thresholds_and_all_metrics),
        cmocka_unit_test(peers_above_the_average_become_partners),
        cmocka_unit_test(idle_peers_lower_the_average),
        cmocka_unit_test(the_metrics_are_those_documented),
        cmocka_unit_test(peers_that_are_alike_become_partners),
        cmocka_unit_test(the_cap_takes_the_largest_first),
        cmocka_unit_test(partners_under_a_cap_stay_while_they_are_used),
        cmocka_unit_test(partners_of_an_earlier_phase_make_room),
        cmocka_unit_test(drained_levels_are_taken_out_and_partners_stay),
        cmocka_unit_test(partners_of_contexts_that_ended_are_given_up),
        cmocka_unit_test(a_receive_from_any_source_keeps_its_place),
    };

    return cmocka_run_group_tests(tests, mq_test_start, mq_test_stop);
}
