/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * kmeans: a list per cluster of sources that fill the queues equally.
 *
 *     profile: source -> entries       cluster (index of a lane)
 *         0 -> 0   ------------------> 0   includes sources without entries
 *         1 -> 40  ------------------> 1   few
 *         2 -> 44  ------------------> 1
 *         3 -> 900 ------------------> 2   many
 *
 * The lanes, and receives from any source, are those of base/kit/lanes.h.
 *
 *     search      one look into a table, then O(entries of the cluster +
 *                 receives from any source); from any source: O(unexpected
 *                 messages)
 *     insertion   O(1)
 *     removal     O(1)
 *     memory      2 bytes per rank and domain, which come zeroed from the
 *                 system and are touched only for sources of the profile; 32
 *                 bytes per cluster
 *     creation    O(p log p) for p peers in the profile, and O(k + p) for each
 *                 iteration, 300 at most
 *
 * Wins over a list where the profile fits the run and sources differ much:
 * entries of sources with few of them are no longer behind those of sources
 * with many. Loses where all sources are alike (one cluster: a list) and where
 * a single source has a long queue.
 *
 * Source: Ghazimirsaeed, Afsahi, "Accelerating MPI message matching by a data
 * clustering strategy" (2017), section 4. Choices that it leaves open:
 *
 * - The clustered number is that of a peer's entries in both queues together,
 *   so that one look-up serves both. Ranks of the domain that are not in the
 *   profile have 0 entries, and belong to a cluster like all others.
 * - Lloyd's algorithm. It begins with centres at evenly spaced positions among
 *   the sorted distinct numbers, so that all centres differ, and the clusters
 *   depend only on the profile. A number halfway between two centres belongs to
 *   the smaller one. It ends when no centre moves, or after 300 iterations.
 * - An empty cluster gets the number that is farthest from its centre, and the
 *   smallest if there are several.
 * - If there are at most k distinct numbers, each is a cluster of its own,
 *   which is optimal. So communicators of fewer than k ranks are served, too.
 *   But if the user sets k larger than the job, that is an error.
 * - In a domain of many contexts, sources of equal rank share a list.
 * - Receives from any source search a list of all messages (the paper: all
 *   clusters).
 */

#ifndef OMPI_MCA_MQ_KMEANS_H
#define OMPI_MCA_MQ_KMEANS_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/lanes.h"
#include "ompi/mca/mq/base/record/profile.h"

BEGIN_C_DECLS

/** Largest k. */
#define MCA_MQ_KMEANS_MAX 65535

/** The parameters mq_kmeans_*. */
typedef struct mca_mq_kmeans_params_t {
    unsigned k;
    mca_mq_base_profile_slot_t slot;
} mca_mq_kmeans_params_t;

extern mca_mq_kmeans_params_t mca_mq_kmeans_params;

typedef struct mca_mq_kmeans_module_t {
    mca_mq_base_module_t super;
    mca_mq_base_lanes_t lanes; /**< one per cluster */
    uint32_t size;
    uint16_t *cluster; /**< cluster of each rank */
} mca_mq_kmeans_module_t;

OMPI_DECLSPEC extern const mca_mq_base_component_t mca_mq_kmeans_component;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_kmeans_create(const mca_mq_domain_info_t *info,
                         mca_mq_base_module_t **module);

/* mq_kmeans_lloyd.c */

/** A number to be clustered. */
typedef struct mca_mq_kmeans_point_t {
    double value;
    uint64_t weight;  /**< number of occurrences, at least 1 */
    uint32_t cluster; /**< result: number of the cluster, ascending from 0 */
} mca_mq_kmeans_point_t;

/**
 * Cluster numbers by Lloyd's algorithm, in one dimension.
 *
 * @param[in,out] points  with different values, in ascending order
 * @param[in]     count   at least 1
 * @param[in]     k       at least 1
 *
 * @return number of clusters, none of them empty: count if that is at most k,
 *         else k, or fewer if the last iteration left some empty; 0 if out of
 *         memory
 */
uint32_t mca_mq_kmeans_lloyd(mca_mq_kmeans_point_t *points, uint32_t count,
                             uint32_t k);

END_C_DECLS

#endif /* OMPI_MCA_MQ_KMEANS_H */
