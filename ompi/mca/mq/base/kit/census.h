/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which peers have so many more entries than the others that they deserve a
 * queue of their own: line 1 of Algorithm 1 in Ghazimirsaeed, Mirsadeghi,
 * Afsahi, "Communication-aware message matching in MPI" (2018).
 *
 * The peers above an edge point are those; the edge point is a statistic of
 * the numbers of entries of all peers. Where most peers are alike, it is the
 * largest number itself, and nobody lies above it; then those that have this
 * number are partners, for a queue that many peers fill alike is as long as one
 * that few do. Quartiles are interpolated linearly
 * between the two nearest of the sorted numbers (type 7 of Hyndman and Fan
 * 1996). The upper fence is Q3 + alpha * (Q3 - Q1), as in statistics; the paper
 * prints a minus, which a negative alpha gives.
 */

#ifndef OMPI_MCA_MQ_BASE_KIT_CENSUS_H
#define OMPI_MCA_MQ_BASE_KIT_CENSUS_H

#include "ompi/mca/mq/base/param/param.h"

BEGIN_C_DECLS

/** How the edge point is calculated. */
enum {
    MCA_MQ_BASE_METRIC_AVERAGE = 1,
    MCA_MQ_BASE_METRIC_MEDIAN,
    MCA_MQ_BASE_METRIC_UPPER_FENCE
};

/** The parameters it depends on. */
typedef struct mca_mq_base_edge_t {
    int metric;
    mca_mq_base_real_t alpha; /**< of the upper fence */
} mca_mq_base_edge_t;

/** A peer and its entries. */
typedef struct mca_mq_base_census_peer_t {
    uint64_t key;
    uint64_t elements;
} mca_mq_base_census_peer_t;

/** The peers that have entries. The caller's, who fills it in. */
typedef struct mca_mq_base_census_t {
    mca_mq_base_census_peer_t *peers;
    uint64_t count;
    uint64_t elements;   /**< of all */
    uint64_t population; /**< peers that the edge point is calculated of; those
                              beyond count have no entries */
} mca_mq_base_census_t;

/** Register the parameters metric (default average) and alpha (0) of a
 * component. Registration reports what is not allowed. */
OMPI_DECLSPEC void mca_mq_base_edge_params(
    const mca_base_component_t *component, mca_mq_base_edge_t *edge);

/** Sort the peers, those with the most elements first; of equal ones, the
 * smaller key. */
OMPI_DECLSPEC void mca_mq_base_census_sort(mca_mq_base_census_t *census);

/** How many peers lie above the edge point, or on it if none does. The census
 * is sorted: they are its first. */
OMPI_DECLSPEC uint64_t mca_mq_base_census_above(
    const mca_mq_base_census_t *census, const mca_mq_base_edge_t *edge);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_KIT_CENSUS_H */
