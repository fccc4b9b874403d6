/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lloyd's algorithm in one dimension: points and centres are sorted, so a
 * cluster is an interval, and an iteration passes over both once.
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "mq_kmeans.h"

#define ITERATIONS_MAX 300

typedef struct lloyd_t {
    mca_mq_kmeans_point_t *points; /* ascending */
    uint32_t count;
    uint32_t k;     /* less than count */
    double *centre; /* ascending */
    double *weight; /* of a cluster; 0: empty */
    double *moment; /* sum of weight * value */
} lloyd_t;

static double distance(double a, double b)
{
    return a < b ? b - a : a - b;
}

static void begin(lloyd_t *l)
{
    for (uint32_t j = 0; j < l->k; ++j) {
        uint64_t at = (2 * (uint64_t) j + 1) * l->count / (2 * l->k);

        l->centre[j] = l->points[at].value;
    }
}

/* Assign every point to the nearest centre. */
static void assign(lloyd_t *l)
{
    uint32_t j = 0;

    for (uint32_t i = 0; i < l->count; ++i) {
        double value = l->points[i].value;

        while (j + 1 < l->k && distance(value, l->centre[j + 1]) <
                                   distance(value, l->centre[j])) {
            ++j;
        }
        l->points[i].cluster = j;
    }
}

static void weigh(lloyd_t *l)
{
    for (uint32_t j = 0; j < l->k; ++j) {
        l->weight[j] = 0;
        l->moment[j] = 0;
    }
    for (uint32_t i = 0; i < l->count; ++i) {
        const mca_mq_kmeans_point_t *point = &l->points[i];

        l->weight[point->cluster] += (double) point->weight;
        l->moment[point->cluster] += (double) point->weight * point->value;
    }
}

/* Move the centres of clusters with points. Did any move? */
static bool move(lloyd_t *l)
{
    bool moved = false;

    for (uint32_t j = 0; j < l->k; ++j) {
        if (l->weight[j] > 0) {
            double mean = l->moment[j] / l->weight[j];

            moved = moved || mean != l->centre[j];
            l->centre[j] = mean;
        }
    }
    return moved;
}

static int ascending(const void *left, const void *right)
{
    double l = *(const double *) left, r = *(const double *) right;

    return (l > r) - (l < r);
}

static const mca_mq_kmeans_point_t *farthest(const lloyd_t *l)
{
    const mca_mq_kmeans_point_t *best = NULL;
    double most = -1;

    for (uint32_t i = 0; i < l->count; ++i) {
        const mca_mq_kmeans_point_t *point = &l->points[i];
        double away = distance(point->value, l->centre[point->cluster]);

        if (away > most) {
            most = away;
            best = point;
        }
    }
    return best;
}

/* Restart one empty cluster. Was there any? There are fewer clusters with
 * points than points, so the farthest point is not a centre. */
static bool refill(lloyd_t *l)
{
    for (uint32_t j = 0; j < l->k; ++j) {
        if (0 == l->weight[j]) {
            l->centre[j] = farthest(l)->value;
            qsort(l->centre, l->k, sizeof(*l->centre), ascending);
            return true;
        }
    }
    return false;
}

static void iterate(lloyd_t *l)
{
    bool moved = true;

    begin(l);
    for (int i = 0; moved && i < ITERATIONS_MAX; ++i) {
        assign(l);
        weigh(l);
        moved = move(l);
        moved = refill(l) || moved;
    }
}

/* Number the clusters that have points; returns their number. */
static uint32_t number(mca_mq_kmeans_point_t *points, uint32_t count)
{
    uint32_t clusters = 0, before = UINT32_MAX;

    for (uint32_t i = 0; i < count; ++i) {
        clusters += points[i].cluster != before;
        before = points[i].cluster;
        points[i].cluster = clusters - 1;
    }
    return clusters;
}

uint32_t mca_mq_kmeans_lloyd(mca_mq_kmeans_point_t *points, uint32_t count,
                             uint32_t k)
{
    lloyd_t l = {.points = points, .count = count, .k = k};
    double *memory;

    if (k >= count) {
        for (uint32_t i = 0; i < count; ++i) {
            points[i].cluster = i;
        }
        return count;
    }
    memory = malloc(3 * (size_t) k * sizeof(*memory));
    if (NULL == memory) {
        return 0;
    }
    l.centre = memory;
    l.weight = memory + k;
    l.moment = memory + 2 * (size_t) k;
    iterate(&l);
    free(memory);
    return number(points, count);
}
