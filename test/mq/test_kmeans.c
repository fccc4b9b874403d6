/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_random.h"

#include <stdio.h>

#include "ompi/mca/mq/kmeans/mq_kmeans.h"

/* The largest figures seen. */
typedef struct watch_t {
    uint32_t clusters;
    uint32_t lanes_in_use; /* at one time */
    bool any_posted;
} watch_t;

static void watch(mca_mq_base_module_t *module, void *arg)
{
    const mca_mq_base_lanes_t *lanes =
        &((const mca_mq_kmeans_module_t *) module)->lanes;
    watch_t *w = arg;
    uint32_t in_use = 0;

    for (uint32_t i = 0; i < lanes->count; ++i) {
        in_use += !mca_mq_base_fifo_is_empty(&lanes->lane[i].posted) &&
                  !mca_mq_base_fifo_is_empty(&lanes->lane[i].unexpected);
    }
    w->clusters = lanes->count > w->clusters ? lanes->count : w->clusters;
    w->lanes_in_use = in_use > w->lanes_in_use ? in_use : w->lanes_in_use;
    w->any_posted =
        w->any_posted || !mca_mq_base_fifo_is_empty(&lanes->any_posted);
}

static watch_t run_random(const char *k, uint64_t operations)
{
    watch_t w = {.clusters = 0};

    mca_mq_base_job.size = 100000;
    mq_test_parameter("mq_kmeans_profile", mq_test_any_profile());
    mq_test_parameter("mq_kmeans_k", k);
    mq_random_component("kmeans", mq_random_operations(operations), 0, watch,
                        &w);
    mq_test_parameter("mq_kmeans_k", NULL);
    mq_test_parameter("mq_kmeans_profile", "");
    mca_mq_base_job.size = 0;
    return w;
}

UNIT_TEST(kmeans_agrees_with_the_model)
{
    watch_t w = run_random(NULL, 1000000);

    assert_int_equal(16, w.clusters);
    assert_true(w.lanes_in_use > 5);
    assert_true(w.any_posted);
}

UNIT_TEST(it_agrees_with_few_and_with_many_clusters)
{
    unsigned long clusters;

    assert_int_equal(1, run_random("1", 200000).clusters);
    assert_int_equal(2, run_random("2", 200000).clusters);
    /* As many as there are different numbers. */
    clusters = run_random("65535", 200000).clusters;
    assert_true(20 <= clusters && clusters <= 62);
}

static uint64_t random_state = 1;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1;
    return (uint32_t) ((random_state >> 32) * limit >> 32);
}

#define POINTS_MAX 200

/* Different values in ascending order. */
static uint32_t random_points(mca_mq_kmeans_point_t *points)
{
    uint32_t count = 1 + below(POINTS_MAX - 1);
    double value = 0;

    for (uint32_t i = 0; i < count; ++i) {
        points[i] = (mca_mq_kmeans_point_t){value, 1 + below(5), 77};
        value += 1 + (0 == below(10) ? below(100000) : below(10));
    }
    return count;
}

/* Every point is next to the mean of its own cluster: what Lloyd's algorithm
 * has when it ends. */
static void assert_settled(const mca_mq_kmeans_point_t *points, uint32_t count,
                           uint32_t clusters)
{
    double sum[POINTS_MAX] = {0}, weight[POINTS_MAX] = {0};

    for (uint32_t i = 0; i < count; ++i) {
        assert_true(points[i].cluster < clusters);
        sum[points[i].cluster] += points[i].value * (double) points[i].weight;
        weight[points[i].cluster] += (double) points[i].weight;
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t own = points[i].cluster;
        double to_own = points[i].value - sum[own] / weight[own];

        for (uint32_t j = 0; j < clusters; ++j) {
            double to_other = points[i].value - sum[j] / weight[j];

            assert_true(weight[j] > 0);
            assert_true(to_own * to_own <= to_other * to_other * 1.000001);
        }
    }
}

UNIT_TEST(lloyd_settles_without_empty_clusters)
{
    mca_mq_kmeans_point_t points[POINTS_MAX];

    for (int i = 0; i < 20000; ++i) {
        uint32_t count = random_points(points), k = 1 + below(POINTS_MAX);
        uint32_t clusters = mca_mq_kmeans_lloyd(points, count, k);

        assert_int_equal(k < count ? k : count, clusters);
        assert_int_equal(0, points[0].cluster);
        for (uint32_t j = 1; j < count; ++j) {
            assert_true(points[j].cluster - points[j - 1].cluster <= 1);
        }
        assert_settled(points, count, clusters);
    }
}

UNIT_TEST(the_same_numbers_give_the_same_clusters)
{
    mca_mq_kmeans_point_t first[POINTS_MAX], again[POINTS_MAX];

    for (int i = 0; i < 1000; ++i) {
        uint32_t count = random_points(first), k = 1 + below(20);

        memcpy(again, first, sizeof(first));
        mca_mq_kmeans_lloyd(first, count, k);
        mca_mq_kmeans_lloyd(again, count, k);
        for (uint32_t j = 0; j < count; ++j) {
            assert_int_equal(first[j].cluster, again[j].cluster);
        }
    }
}

UNIT_TEST(groups_far_apart_are_found)
{
    static const double values[] = {0, 1, 2, 500, 501, 10000, 10001, 10003};
    static const uint32_t expected[] = {0, 0, 0, 1, 1, 2, 2, 2};
    mca_mq_kmeans_point_t points[8];

    for (int i = 0; i < 8; ++i) {
        points[i] = (mca_mq_kmeans_point_t){values[i], 1, 0};
    }
    assert_int_equal(3, mca_mq_kmeans_lloyd(points, 8, 3));
    for (int i = 0; i < 8; ++i) {
        assert_int_equal(expected[i], points[i].cluster);
    }
}

static const char *served_with(const char *profile, uint32_t size)
{
    const char *name;

    mca_mq_base_job = (mca_mq_base_job_t){0, 4};
    mq_test_parameter("mq_kmeans_profile", mq_test_file(profile));
    assert_int_equal(OMPI_SUCCESS, mq_test_open("kmeans,list"));
    name = mq_test_served_by(size);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_kmeans_profile", "");
    mca_mq_base_job.size = 0;
    return name;
}

UNIT_TEST(it_serves_what_is_in_the_profile)
{
    static const char profile[] =
        "mq-profile 1\njob 4\nrank 0\ndomain 0 4 list\n"
        "peer 1 5 0 5 0 5\npeer 3 0 9 0 9 9\nend\n";

    assert_string_equal("kmeans", served_with(profile, 4));
    assert_string_equal("list", served_with(profile, 3));
}

UNIT_TEST(clusters_follow_the_profile)
{
    static const char profile[] =
        "mq-profile 1\njob 1\nrank 0\ndomain 5 1000 list\n"
        "peer 1 5 5 5 0 5\npeer 3 0 10 0 9 9\npeer 7 200 0 9 9 9\nend\n";
    mca_mq_domain_info_t info = {.size = 1000, .context = 5};
    mca_mq_base_domain_t domain;
    const mca_mq_kmeans_module_t *m;

    mca_mq_base_job = (mca_mq_base_job_t){0, 1};
    mq_test_parameter("mq_kmeans_profile", mq_test_file(profile));
    assert_int_equal(OMPI_SUCCESS, mq_test_open("kmeans"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
    m = (const mca_mq_kmeans_module_t *) domain.module;
    assert_int_equal(3, m->lanes.count);
    for (uint32_t i = 0; i < 1000; ++i) {
        assert_int_equal(i == 7 ? 2 : i == 1 || i == 3, m->cluster[i]);
    }
    assert_int_equal(sizeof(*m) + 1000 * 2 + 3 * 32,
                     domain.module->mq_footprint(domain.module));
    mca_mq_base_domain_fini(&domain);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_kmeans_profile", "");
    mca_mq_base_job.size = 0;
}

UNIT_TEST(more_clusters_than_ranks_are_refused)
{
    const char *said;

    mca_mq_base_job = (mca_mq_base_job_t){0, 4};
    mq_test_parameter("mq_kmeans_k", "5");
    assert_int_equal(OMPI_ERR_BAD_PARAM, mq_test_open_caught("list", &said));
    assert_non_null(strstr(said, "mq_kmeans_k"));
    assert_non_null(strstr(said, "1 to 4"));
    mq_test_parameter("mq_kmeans_k", "4");
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_kmeans_k", NULL);
    mca_mq_base_job.size = 0;
}

UNIT_MAIN(mq_test_start, mq_test_stop)
