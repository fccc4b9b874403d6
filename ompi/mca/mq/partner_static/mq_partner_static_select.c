/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_partner_static.h"

/* Collect the peers of the profile that have entries in a queue. */
static void census_take(mca_mq_base_census_t *census,
                        const mca_mq_base_profile_domain_t *domain,
                        uint32_t size, mca_mq_queue_t queue)
{
    census->count = 0;
    census->elements = 0;
    census->population = size;
    for (uint32_t i = 0; i < domain->num_peers; ++i) {
        const mca_mq_base_profile_peer_t *peer = &domain->peers[i];

        if (0 != peer->added[queue] && peer->source < size) {
            census->peers[census->count++] = (mca_mq_base_census_peer_t){
                .key = peer->source,
                .elements = peer->added[queue],
            };
            census->elements += peer->added[queue];
        }
    }
    mca_mq_base_census_sort(census);
}

static int ascending(const void *left, const void *right)
{
    uint32_t l = *(const uint32_t *) left, r = *(const uint32_t *) right;

    return (l > r) - (l < r);
}

static uint32_t sort_and_unite(uint32_t *sources, uint32_t count)
{
    uint32_t kept = 0;

    qsort(sources, count, sizeof(*sources), ascending);
    for (uint32_t i = 0; i < count; ++i) {
        if (0 == kept || sources[kept - 1] != sources[i]) {
            sources[kept++] = sources[i];
        }
    }
    return kept;
}

int mca_mq_partner_static_select(const mca_mq_base_profile_domain_t *domain,
                                 uint32_t size, const mca_mq_base_edge_t *edge,
                                 uint32_t **sources, uint32_t *count)
{
    size_t peers = NULL == domain ? 0 : domain->num_peers;
    mca_mq_base_census_t census = {
        .peers = malloc((peers + 1) * sizeof(*census.peers)),
    };
    uint32_t found = 0;

    *count = 0;
    *sources = malloc((2 * peers + 1) * sizeof(**sources));
    if (NULL == census.peers || NULL == *sources) {
        free(census.peers);
        free(*sources);
        *sources = NULL;
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int queue = 0; queue < MCA_MQ_QUEUES && 0 != peers; ++queue) {
        uint64_t above;

        census_take(&census, domain, size, (mca_mq_queue_t) queue);
        above = mca_mq_base_census_above(&census, edge);
        for (uint64_t i = 0; i < above; ++i) {
            (*sources)[found++] = (uint32_t) census.peers[i].key;
        }
    }
    free(census.peers);
    *count = sort_and_unite(*sources, found);
    return OMPI_SUCCESS;
}
