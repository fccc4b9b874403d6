/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Domains that change their component while entries are queued.
 */

#include "mq_fixture.h"

#include <stdio.h>

#include "ompi/mca/mq/base/domain/observe.h"
#include "mq_random.h"

/* All that are open, in a list that mq_random takes. */
static const char *const *all_components(void)
{
    static const char *names[64];
    mca_base_component_list_item_t *item;
    size_t count = 0;

    OPAL_LIST_FOREACH(item, &ompi_mq_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        assert_true(count < sizeof(names) / sizeof(names[0]) - 1);
        names[count++] = item->cli_component->mca_component_name;
    }
    names[count] = NULL;
    assert_true(count >= 3);
    return names;
}

/* Those that serve only with a profile have one. */
static void profile_for_all(const char *path)
{
    mca_mq_base_job.size = NULL == path ? 0 : 1000;
    mq_test_parameter("mq_kmeans_profile", NULL == path ? "" : path);
    mq_test_parameter("mq_partner_static_profile", NULL == path ? "" : path);
}

static void run(uint32_t assertions)
{
    mq_random_config_t config = {
        .component = "list",
        .operations = mq_random_operations(1000000),
        .depth = 1000,
        .assertions = assertions,
    };

    profile_for_all(mq_test_any_profile());
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    config.migrate = all_components();
    mq_random_run(&config);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    profile_for_all(NULL);
}

UNIT_TEST(domains_migrate_between_all_components)
{
    run(0);
}

UNIT_TEST(domains_without_wildcards_migrate_between_all)
{
    run(MCA_MQ_ASSERT_EXACT);
}

/* The same with limits so small that every path of a component counts. */
UNIT_TEST(domains_migrate_with_tiny_limits)
{
    static const char *const limits[][2] = {
        {"mq_adaptive_threshold", "1"},
        {"mq_adaptive_window", "2"},
        {"mq_auto_interval", "4"},
        {"mq_auto_test_moves", "1"},
        {"mq_bin_count", "3"},
        {"mq_fourd_min_size", "2"},
        {"mq_fourd_reuse", "1"},
        {"mq_fuzzy_width", "scalar"},
        {"mq_indexed_keep", "0"},
        {"mq_indexed_small", "0"},
        {"mq_kmeans_k", "3"},
        {"mq_partner_dynamic_threshold", "2"},
        {NULL, NULL},
    };

    for (int i = 0; limits[i][0] != NULL; ++i) {
        mq_test_parameter(limits[i][0], limits[i][1]);
    }
    run(0);
    for (int i = 0; limits[i][0] != NULL; ++i) {
        mq_test_parameter(limits[i][0], NULL);
    }
}

static mca_mq_entry_t *nothing(void *arg)
{
    return NULL;
}

static void migrate(mca_mq_base_domain_t *domain, const char *name)
{
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_migrate(
                                       domain, mca_mq_base_find(name), NULL));
}

UNIT_TEST(order_and_figures_survive)
{
    mq_fixture_t *f = mq_fixture_new("list", 4, 2);
    const mca_mq_queue_stats_t *stats = &f->stats.queue[MCA_MQ_POSTED];

    mq_fixture_post(f, MCA_MQ_ANY_SOURCE, 1);
    mq_fixture_post(f, 2, MCA_MQ_ANY_TAG);
    migrate(&f->domain, "source_array");
    assert_string_equal("source_array", mca_mq_base_domain_name(&f->domain));
    assert_int_equal(1, f->domain.migrations);
    assert_int_equal(2, stats->length);
    assert_int_equal(2, stats->length_max);
    assert_ptr_equal(&f->entry[0], mq_fixture_match_posted(f, 2, 1));
    assert_ptr_equal(&f->entry[1], mq_fixture_match_posted(f, 2, 1));
    assert_int_equal(0, stats->length);
    /* To itself is no migration. */
    migrate(&f->domain, "source_array");
    assert_int_equal(1, f->domain.migrations);
    mq_fixture_free(f);
}

UNIT_TEST(a_shared_domain_grows)
{
    mca_mq_domain_info_t small = {.size = 2, .context = 1};
    mca_mq_domain_info_t large = {.size = 1000, .context = 2};
    mca_mq_entry_t receive = {.envelope = {1, 1, 5}};
    mca_mq_entry_t other = {.envelope = {2, 999, 5}};
    mca_mq_envelope_t message = {1, 1, 5}, far = {2, 999, 5};
    mca_mq_base_domain_t *domain;

    mq_test_parameter("mq_base_scope", "process");
    assert_int_equal(OMPI_SUCCESS, mq_test_open("source_array"));
    assert_true(mca_mq_base_is_process_scope());
    domain = mca_mq_base_domain_share(&small);
    assert_non_null(domain);
    assert_null(mca_mq_base_post(domain, &receive));
    assert_ptr_equal(domain, mca_mq_base_domain_share(&large));
    assert_null(mca_mq_base_post(domain, &other));
    assert_ptr_equal(&other, mca_mq_base_arrive(domain, &far, nothing, NULL));
    assert_ptr_equal(&receive,
                     mca_mq_base_arrive(domain, &message, nothing, NULL));
    mca_mq_base_domain_unshare(domain);
    mca_mq_base_domain_unshare(domain);
    assert_null(domain->module);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_base_scope", NULL);
}

/* An observer that counts, and checks what it is told. */
static uint64_t observed_events, observed_traversed;
static int observed_begun, observed_ended;

static void *observer_begin(const mca_mq_domain_info_t *info)
{
    assert_true(info->size > 0);
    ++observed_begun;
    return &observed_events;
}

static void observer_event(void *state, const mca_mq_base_event_t *event)
{
    assert_ptr_equal(&observed_events, state);
    assert_true(event->operation < MCA_MQ_BASE_OPERATIONS);
    assert_true(event->found == NULL || event->queued == NULL);
    ++observed_events;
    observed_traversed += event->traversed;
}

static void observer_end(void *state)
{
    assert_ptr_equal(&observed_events, state);
    ++observed_ended;
}

static const mca_mq_base_observer_t observer = {
    .begin = observer_begin,
    .event = observer_event,
    .end = observer_end,
};

UNIT_TEST(observed_domains_migrate_as_others_do)
{
    mq_random_config_t config = {
        .component = "list",
        .operations = mq_random_operations(200000),
        .depth = 300,
    };

    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    mca_mq_base_observer_add(&observer);
    config.migrate = all_components();
    mq_random_run(&config);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    assert_true(observed_events > config.operations / 2);
    assert_true(observed_traversed > 0);
    assert_true(observed_begun > 0);
    assert_int_equal(observed_begun, observed_ended);
}

UNIT_TEST(observed_domains_count_their_own_migrations)
{
    mca_mq_domain_info_t info = {.size = 4, .context = 7};
    mca_mq_envelope_t message = {7, 1, 1};
    mca_mq_base_domain_t domain;
    mca_mq_base_module_t *module;
    mca_mq_entry_t receive[2] = {
        {.envelope = {7, 1, 0}},
        {.envelope = {7, 1, 1}},
    };

    mq_test_parameter("mq_adaptive_threshold", "1");
    mq_test_parameter("mq_adaptive_window", "1");
    assert_int_equal(OMPI_SUCCESS, mq_test_open("adaptive"));
    mca_mq_base_observer_add(&observer);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
    module = domain.module;
    assert_null(mca_mq_base_post(&domain, &receive[0]));
    assert_null(mca_mq_base_post(&domain, &receive[1]));
    assert_string_equal("adaptive", mca_mq_base_domain_name(&domain));
    assert_ptr_equal(&receive[1],
                     mca_mq_base_arrive(&domain, &message, nothing, NULL));
    assert_ptr_equal(module, domain.module);
    assert_string_equal("bin", mca_mq_base_domain_name(&domain));
    assert_int_equal(1, domain.migrations);
    mca_mq_base_domain_fini(&domain);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_adaptive_threshold", NULL);
    mq_test_parameter("mq_adaptive_window", NULL);
}

/* Whichever component serves: what was queued is found as before, in order; the
 * domain's own choice stays; what is asked for twice is done once. */
static void observe_in_use(const char *name)
{
    static const mca_mq_base_observer_t on_demand = {
        .begin = observer_begin,
        .event = observer_event,
        .end = observer_end,
        .on_demand = true,
    };
    mca_mq_domain_info_t info = {.size = 4, .context = 7};
    mca_mq_envelope_t message = {7, 2, 1};
    mca_mq_base_domain_t domain, other;
    mca_mq_entry_t receive[3] = {
        {.envelope = {7, MCA_MQ_ANY_SOURCE, 1}},
        {.envelope = {7, 2, MCA_MQ_ANY_TAG}},
        {.envelope = {7, 2, 1}},
    };
    char why[100];

    observed_events = 0;
    observed_begun = observed_ended = 0;
    assert_int_equal(OMPI_SUCCESS, mq_test_open(name));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_prefer(
                                       &domain, "partner_dynamic:threshold=7",
                                       why, sizeof(why)));
    for (int i = 0; i < 2; ++i) {
        assert_null(mca_mq_base_post(&domain, &receive[i]));
    }
    assert_int_equal(OMPI_SUCCESS,
                     mca_mq_base_domain_observe(&domain, &on_demand));
    assert_int_equal(OMPI_SUCCESS,
                     mca_mq_base_domain_observe(&domain, &on_demand));
    assert_int_equal(1, observed_begun);
    assert_string_equal("partner_dynamic:threshold=7",
                        mca_mq_base_domain_choice(&domain));
    assert_null(mca_mq_base_post(&domain, &receive[2]));
    for (int i = 0; i < 3; ++i) {
        assert_ptr_equal(&receive[i],
                         mca_mq_base_arrive(&domain, &message, nothing, NULL));
    }
    assert_int_equal(4, observed_events);
    migrate(&domain, "source_array");
    /* Others are not watched. */
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&other, &info));
    assert_null(other.observed);
    mca_mq_base_domain_fini(&other);
    mca_mq_base_domain_fini(&domain);
    assert_int_equal(1, observed_begun);
    assert_int_equal(1, observed_ended);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
}

UNIT_TEST(a_domain_in_use_can_be_observed)
{
    observe_in_use("list");
    observe_in_use("indexed");
    observe_in_use("adaptive");
}

UNIT_MAIN(mq_test_start, mq_test_stop)
