/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/mca/mq/base/kit/census.h"

static const mca_base_var_enum_value_t metrics[] = {
    {MCA_MQ_BASE_METRIC_AVERAGE, "average"},
    {MCA_MQ_BASE_METRIC_MEDIAN, "median"},
    {MCA_MQ_BASE_METRIC_UPPER_FENCE, "upper_fence"},
    {0, NULL},
};

void mca_mq_base_edge_params(const mca_base_component_t *component,
                             mca_mq_base_edge_t *edge)
{
    edge->metric = MCA_MQ_BASE_METRIC_AVERAGE;
    mca_mq_base_param_enum(component, "metric",
                           "Statistic over the peers' numbers of entries that "
                           "a peer must exceed to become a partner. If no peer "
                           "exceeds it, those that equal it become partners",
                           OPAL_INFO_LVL_5, metrics, &edge->metric);
    edge->alpha.value = 0.0;
    mca_mq_base_param_real(
        component, "alpha",
        "Factor of the metric upper_fence, which is Q3 + alpha * (Q3 - Q1). A "
        "negative value gives the minus sign printed in the paper",
        OPAL_INFO_LVL_9, -1000.0, 1000.0, &edge->alpha);
}

static int by_elements(const void *left, const void *right)
{
    const mca_mq_base_census_peer_t *l = left, *r = right;

    return l->elements != r->elements
               ? (l->elements < r->elements) - (l->elements > r->elements)
               : (l->key > r->key) - (l->key < r->key);
}

void mca_mq_base_census_sort(mca_mq_base_census_t *census)
{
    qsort(census->peers, census->count, sizeof(*census->peers), by_elements);
}

/* The elements of the i-th peer of the population, in ascending order. */
static double nth(const mca_mq_base_census_t *census, uint64_t i)
{
    uint64_t from_top = census->population - 1 - i;

    return from_top < census->count ? (double) census->peers[from_top].elements
                                    : 0.0;
}

/* The p-quantile of the elements of the population. */
static double quantile(const mca_mq_base_census_t *census, double p)
{
    double at = p * (double) (census->population - 1);
    uint64_t i = (uint64_t) at;
    double low = nth(census, i);

    if (i + 1 >= census->population) {
        return low;
    }
    return low + (at - (double) i) * (nth(census, i + 1) - low);
}

static double edge_point(const mca_mq_base_census_t *census,
                         const mca_mq_base_edge_t *edge)
{
    double q1, q3;

    switch (edge->metric) {
    case MCA_MQ_BASE_METRIC_MEDIAN:
        return quantile(census, 0.5);
    case MCA_MQ_BASE_METRIC_UPPER_FENCE:
        q1 = quantile(census, 0.25);
        q3 = quantile(census, 0.75);
        return q3 + edge->alpha.value * (q3 - q1);
    default:
        return (double) census->elements / (double) census->population;
    }
}

/* Is a peer with so many elements a partner, if the maximum is `most`? */
static bool is_above(double elements, double point, double most)
{
    return elements > point || (elements >= most && most >= point);
}

uint64_t mca_mq_base_census_above(const mca_mq_base_census_t *census,
                                  const mca_mq_base_edge_t *edge)
{
    uint64_t count = 0;
    double point, most;

    if (0 == census->count) {
        return 0;
    }
    point = edge_point(census, edge);
    most = (double) census->peers[0].elements;
    while (count < census->count &&
           is_above((double) census->peers[count].elements, point, most)) {
        ++count;
    }
    return count;
}
