/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Selects the peers that have so many more entries than the others that they
 * deserve a queue of their own: line 1 of Algorithm 1 in Ghazimirsaeed,
 * Mirsadeghi, Afsahi, "Communication-aware message matching in MPI" (2018).
 *
 * These are the peers above an edge point, a statistic over the numbers of
 * entries of all peers. Where most peers are alike, it equals the largest
 * number, and no peer lies above it. Then the peers with this number are
 * partners: a queue filled evenly by many peers is as long as one filled by
 * few. Quartiles are interpolated linearly between the two nearest sorted
 * numbers (type 7 of Hyndman and Fan 1996). The upper fence is Q3 + alpha * (Q3
 * - Q1), as usual in statistics; the paper prints a minus, which a negative
 * alpha gives.
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

/** Parameters of the edge point. */
typedef struct mca_mq_base_edge_t {
    int metric;
    mca_mq_base_real_t alpha; /**< factor of the upper fence */
} mca_mq_base_edge_t;

/** A peer and its number of entries. */
typedef struct mca_mq_base_census_peer_t {
    uint64_t key;
    uint64_t elements;
} mca_mq_base_census_peer_t;

/** The peers that have entries. Owned and filled in by the caller. */
typedef struct mca_mq_base_census_t {
    mca_mq_base_census_peer_t *peers;
    uint64_t count;
    uint64_t elements;   /**< sum over all peers */
    uint64_t population; /**< number of peers for the edge point; those beyond
                              count have no entries */
} mca_mq_base_census_t;

/** Register the parameters metric (default average) and alpha (default 0) of a
 * component. Reports values that are not allowed. */
OMPI_DECLSPEC void mca_mq_base_edge_params(
    const mca_base_component_t *component, mca_mq_base_edge_t *edge);

/** Sort the peers by descending number of elements, then by ascending key. */
OMPI_DECLSPEC void mca_mq_base_census_sort(mca_mq_base_census_t *census);

/** Number of peers above the edge point, or on it if none is above. The census
 * must be sorted; these peers come first. */
OMPI_DECLSPEC uint64_t mca_mq_base_census_above(
    const mca_mq_base_census_t *census, const mca_mq_base_edge_t *edge);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_KIT_CENSUS_H */
