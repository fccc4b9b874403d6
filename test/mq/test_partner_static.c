/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_random.h"

#include "ompi/mca/mq/partner_static/mq_partner_static.h"

/* The largest figures seen. */
typedef struct watch_t {
    uint32_t partners;
    bool partner_in_use[MCA_MQ_QUEUES];
    bool others_in_use[MCA_MQ_QUEUES];
    bool any_posted;
} watch_t;

static void watch(mca_mq_base_module_t *module, void *arg)
{
    const mca_mq_base_lanes_t *lanes =
        &((const mca_mq_partner_static_module_t *) module)->lanes;
    watch_t *w = arg;

    for (uint32_t i = 0; i < lanes->count; ++i) {
        bool *in_use = 0 == i ? w->others_in_use : w->partner_in_use;

        in_use[MCA_MQ_POSTED] |=
            !mca_mq_base_fifo_is_empty(&lanes->lane[i].posted);
        in_use[MCA_MQ_UNEXPECTED] |=
            !mca_mq_base_fifo_is_empty(&lanes->lane[i].unexpected);
    }
    if (w->partners < lanes->count - 1) {
        w->partners = lanes->count - 1;
    }
    w->any_posted |= !mca_mq_base_fifo_is_empty(&lanes->any_posted);
}

static watch_t run_random(const char *metric, const char *alpha,
                          uint64_t operations)
{
    watch_t w = {.partners = 0};

    mca_mq_base_job.size = 1;
    mq_test_parameter("mq_partner_static_profile", mq_test_any_profile());
    mq_test_parameter("mq_partner_static_metric", metric);
    mq_test_parameter("mq_partner_static_alpha", alpha);
    mq_random_component("partner_static", mq_random_operations(operations), 0,
                        watch, &w);
    mq_test_parameter("mq_partner_static_profile", "");
    mq_test_parameter("mq_partner_static_metric", NULL);
    mq_test_parameter("mq_partner_static_alpha", NULL);
    mca_mq_base_job.size = 0;
    assert_true(w.any_posted);
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        assert_true(w.partner_in_use[queue]);
        assert_true(w.others_in_use[queue]);
    }
    return w;
}

UNIT_TEST(partner_static_agrees_with_the_model)
{
    assert_true(run_random(NULL, NULL, 1000000).partners > 50);
}

UNIT_TEST(it_agrees_with_all_metrics)
{
    assert_true(run_random("median", NULL, 200000).partners > 10);
    assert_true(run_random("upper_fence", NULL, 200000).partners > 10);
    assert_true(run_random("upper_fence", "-1.5", 200000).partners > 10);
}

static uint64_t random_state = 1;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1;
    return (uint32_t) ((random_state >> 32) * limit >> 32);
}

#define KEYS_MAX 70000

/* Each key has a number of its own, and what is no key has none. */
static void check_hash(const uint32_t *keys, uint32_t count)
{
    mca_mq_partner_static_hash_t hash;
    uint32_t occupied = 0, next = 0;

    assert_int_equal(OMPI_SUCCESS,
                     mca_mq_partner_static_hash_init(&hash, keys, count));
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(i + 1,
                         mca_mq_partner_static_hash_find(&hash, keys[i]));
    }
    /* No two in one place. */
    for (uint32_t i = 0; i < hash.columns; ++i) {
        occupied += 0 != hash.table[i];
    }
    assert_int_equal(count, occupied);
    /* All keys there could be up to some beyond the largest, and huge ones. */
    for (uint32_t key = 0; key < 100000; ++key) {
        if (next < count && keys[next] == key) {
            ++next;
        } else {
            assert_int_equal(0, mca_mq_partner_static_hash_find(&hash, key));
        }
    }
    assert_int_equal(0, mca_mq_partner_static_hash_find(&hash, INT32_MAX));
    assert_int_equal(0, mca_mq_partner_static_hash_find(&hash, 0x7ffffffe));
    assert_true(mca_mq_partner_static_hash_footprint(&hash) <=
                ((size_t) count * 3 + 3000) * sizeof(uint32_t));
    mca_mq_partner_static_hash_fini(&hash);
}

/* Keys below limit, each there with this chance (of 1000). */
static uint32_t random_keys(uint32_t *keys, uint32_t limit, uint32_t chance)
{
    uint32_t count = 0;

    for (uint32_t key = 0; key < limit && count < KEYS_MAX; ++key) {
        if (below(1000) < chance) {
            keys[count++] = key;
        }
    }
    return count;
}

UNIT_TEST(the_hash_has_no_collisions)
{
    static const uint32_t chances[] = {1, 10, 100, 500, 900, 1000};
    static uint32_t keys[KEYS_MAX];

    check_hash(keys, 0);
    for (uint32_t limit = 1; limit < 80000; limit = 3 * limit + below(3)) {
        for (int i = 0; i < 6; ++i) {
            check_hash(keys, random_keys(keys, limit, chances[i]));
        }
    }
    /* Squares of powers of two, where a row begins; multiples. */
    for (uint32_t i = 0; i < 9; ++i) {
        keys[i] = UINT32_C(1) << (2 * i);
        check_hash(keys, i + 1);
    }
    for (uint32_t i = 0; i < 300; ++i) {
        keys[i] = 256 * i;
    }
    check_hash(keys, 300);
}

static mca_mq_base_edge_t edge_of(int metric, double alpha)
{
    return (mca_mq_base_edge_t){.metric = metric, .alpha = {.value = alpha}};
}

/* Posted: 10, 20, 30 of peers 1, 2, 3. Unexpected: 90 of peer 8. */
static uint32_t selected(uint32_t size, const mca_mq_base_edge_t *edge,
                         uint32_t *of)
{
    mca_mq_base_profile_peer_t peers[] = {
        {.source = 1, .added = {10, 0}},
        {.source = 2, .added = {20, 0}},
        {.source = 3, .added = {30, 0}},
        {.source = 8, .added = {0, 90}},
    };
    mca_mq_base_profile_domain_t domain = {.num_peers = 4, .peers = peers};
    uint32_t *sources, count;

    assert_int_equal(OMPI_SUCCESS, mca_mq_partner_static_select(
                                       &domain, size, edge, &sources, &count));
    memcpy(of, sources, count * sizeof(*of));
    free(sources);
    return count;
}

UNIT_TEST(partners_are_those_above_the_edge_point)
{
    mca_mq_base_edge_t average = edge_of(MCA_MQ_BASE_METRIC_AVERAGE, 0);
    mca_mq_base_edge_t fence = edge_of(MCA_MQ_BASE_METRIC_UPPER_FENCE, 1.5);
    uint32_t of[8];

    /* The average of the posted is 60 / 100. */
    assert_int_equal(4, selected(100, &average, of));
    assert_int_equal(1, of[0]);
    assert_int_equal(8, of[3]);
    /* It is 60 / 4, and there is no rank 8. */
    assert_int_equal(2, selected(4, &average, of));
    assert_int_equal(2, of[0]);
    assert_int_equal(3, of[1]);
    /* Of 0, 10, 20, 30: Q1 is 7.5, Q3 is 22.5, the fence 45. */
    assert_int_equal(0, selected(4, &fence, of));
    /* Of six zeros, 10, 20, 30: Q1 is 0, Q3 is 10, the fence is 25. */
    assert_int_equal(2, selected(9, &fence, of));
    assert_int_equal(3, of[0]);
    assert_int_equal(8, of[1]);
}

UNIT_TEST(partners_have_lists_of_their_own)
{
    static const char profile[] =
        "mq-profile 1\njob 2\nrank 0\nrank 1\ndomain 5 1000000 list\n"
        "peer 4 100 0 9 9 9\npeer 999999 0 200 9 9 9\nend\n";
    mca_mq_domain_info_t info = {.size = 1000000, .context = 5};
    mca_mq_entry_t receive[3] = {
        {.envelope = {5, 7, 1}},
        {.envelope = {5, 999999, 1}},
        {.envelope = {5, 4, 1}},
    };
    const mca_mq_partner_static_module_t *m;
    mca_mq_base_domain_t domain;

    mca_mq_base_job = (mca_mq_base_job_t){1, 2};
    mq_test_parameter("mq_partner_static_profile", mq_test_file(profile));
    assert_int_equal(OMPI_SUCCESS, mq_test_open("partner_static"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
    m = (const mca_mq_partner_static_module_t *) domain.module;
    assert_int_equal(3, m->lanes.count);
    for (int i = 0; i < 3; ++i) {
        assert_null(mca_mq_base_post(&domain, &receive[i]));
    }
    assert_ptr_equal(&receive[0], m->lanes.lane[0].posted.head);
    assert_ptr_equal(&receive[1], m->lanes.lane[2].posted.head);
    assert_ptr_equal(&receive[2], m->lanes.lane[1].posted.head);
    assert_true(domain.module->mq_footprint(domain.module) < 16384);
    mca_mq_base_domain_fini(&domain);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_partner_static_profile", "");
    mca_mq_base_job = (mca_mq_base_job_t){0, 0};
}

UNIT_MAIN(mq_test_start, mq_test_stop)
