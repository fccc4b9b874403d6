/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <assert.h>
#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_kmeans.h"

typedef mca_mq_kmeans_module_t kmeans_module_t;
typedef mca_mq_kmeans_point_t point_t;

static inline mca_mq_base_lane_t *kmeans_lane(kmeans_module_t *m,
                                              uint32_t source)
{
    assert(source < m->size);
    return &m->lanes.lane[m->cluster[source]];
}

static size_t kmeans_footprint(const mca_mq_base_module_t *module)
{
    const kmeans_module_t *m = (const kmeans_module_t *) module;

    return sizeof(*m) + m->size * sizeof(*m->cluster) +
           m->lanes.count * sizeof(*m->lanes.lane);
}

static void kmeans_destroy(mca_mq_base_module_t *module)
{
    kmeans_module_t *m = (kmeans_module_t *) module;

    free(m->lanes.lane);
    free(m->cluster);
    free(m);
}

#define MQ_NAME kmeans
#define MQ_MODULE mca_mq_kmeans_module_t
#include "ompi/mca/mq/base/kit/lanes.h"

/* The numbers to be clustered. */
typedef struct points_t {
    point_t *points;
    uint32_t count;
} points_t;

static double entries(const mca_mq_base_profile_peer_t *peer)
{
    return (double) peer->added[MCA_MQ_POSTED] +
           (double) peer->added[MCA_MQ_UNEXPECTED];
}

static int by_value(const void *left, const void *right)
{
    double l = ((const point_t *) left)->value;
    double r = ((const point_t *) right)->value;

    return (l > r) - (l < r);
}

/* Merge equal numbers. */
static void unite(points_t *p)
{
    uint32_t kept = 0;

    for (uint32_t i = 1; i < p->count; ++i) {
        if (p->points[i].value == p->points[kept].value) {
            p->points[kept].weight += p->points[i].weight;
        } else {
            p->points[++kept] = p->points[i];
        }
    }
    p->count = kept + 1;
}

/* Number of peers of the profile that are ranks of the domain: these come
 * first. */
static uint32_t num_peers(const mca_mq_base_profile_domain_t *domain,
                          uint32_t size)
{
    uint32_t count = NULL == domain ? 0 : domain->num_peers;

    while (count > 0 && domain->peers[count - 1].source >= size) {
        --count;
    }
    return count;
}

static bool points_of(points_t *p, const mca_mq_base_profile_domain_t *domain,
                      uint32_t size)
{
    uint32_t peers = num_peers(domain, size);

    p->points = malloc(((size_t) peers + 1) * sizeof(*p->points));
    if (NULL == p->points) {
        return false;
    }
    for (p->count = 0; p->count < peers; ++p->count) {
        p->points[p->count] =
            (point_t){entries(&domain->peers[p->count]), 1, 0};
    }
    if (peers < size) {
        p->points[p->count++] = (point_t){0, size - peers, 0};
    }
    qsort(p->points, p->count, sizeof(*p->points), by_value);
    unite(p);
    return true;
}

static uint16_t cluster_of(const points_t *p, double value)
{
    point_t key = {.value = value};
    const point_t *point =
        bsearch(&key, p->points, p->count, sizeof(key), by_value);

    return (uint16_t) point->cluster;
}

/* Fill in the clusters of the peers. The table is zeroed: ranks without entries
 * are in the first cluster, if there are any. */
static void fill_in(kmeans_module_t *m, const points_t *p,
                    const mca_mq_base_profile_domain_t *domain)
{
    uint32_t peers = num_peers(domain, m->size);

    for (uint32_t i = 0; i < peers; ++i) {
        uint16_t cluster = cluster_of(p, entries(&domain->peers[i]));

        if (0 != cluster) {
            m->cluster[domain->peers[i].source] = cluster;
        }
    }
}

static bool cluster(kmeans_module_t *m,
                    const mca_mq_base_profile_domain_t *domain)
{
    mca_mq_base_lane_t *lane = NULL;
    uint32_t clusters = 0;
    points_t p;

    if (!points_of(&p, domain, m->size)) {
        return false;
    }
    clusters = mca_mq_kmeans_lloyd(p.points, p.count, mca_mq_kmeans_params.k);
    if (0 != clusters) {
        lane = calloc(clusters, sizeof(*lane));
    }
    mca_mq_base_lanes_init(&m->lanes, lane, clusters);
    if (NULL != lane) {
        fill_in(m, &p, domain);
    }
    free(p.points);
    return NULL != lane;
}

int mca_mq_kmeans_create(const mca_mq_domain_info_t *info,
                         mca_mq_base_module_t **module)
{
    kmeans_module_t *m = calloc(1, sizeof(*m));
    /* NULL if a shared domain has grown beyond that of the profile: then there
     * is one cluster. */
    const mca_mq_base_profile_domain_t *domain =
        mca_mq_base_profile_about(&mca_mq_kmeans_params.slot, info, NULL);

    *module = NULL;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->super, info->stats, &mca_mq_kmeans_component);
    m->size = info->size;
    m->cluster = calloc(m->size, sizeof(*m->cluster));
    if (NULL == m->cluster || !cluster(m, domain)) {
        kmeans_destroy(&m->super);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *module = &m->super;
    return OMPI_SUCCESS;
}
