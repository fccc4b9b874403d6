/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_partner_static.h"

typedef mca_mq_partner_static_module_t ps_module_t;

/* Find the lane of a source (Algorithm 2). */
static inline mca_mq_base_lane_t *partner_static_lane(ps_module_t *m,
                                                      uint32_t source)
{
    return &m->lanes.lane[mca_mq_partner_static_hash_find(&m->hash, source)];
}

static size_t partner_static_footprint(const mca_mq_base_module_t *module)
{
    const ps_module_t *m = (const ps_module_t *) module;

    return sizeof(*m) + mca_mq_partner_static_hash_footprint(&m->hash) +
           m->lanes.count * sizeof(*m->lanes.lane);
}

static void partner_static_destroy(mca_mq_base_module_t *module)
{
    ps_module_t *m = (ps_module_t *) module;

    mca_mq_partner_static_hash_fini(&m->hash);
    free(m->lanes.lane);
    free(m);
}

#define MQ_NAME partner_static
#define MQ_MODULE mca_mq_partner_static_module_t
#include "ompi/mca/mq/base/kit/lanes.h"

static int make_lanes(ps_module_t *m,
                      const mca_mq_base_profile_domain_t *domain, uint32_t size)
{
    mca_mq_base_lane_t *lane = NULL;
    uint32_t *partners, count;
    int ret;

    ret = mca_mq_partner_static_select(
        domain, size, &mca_mq_partner_static_params.edge, &partners, &count);
    if (OMPI_SUCCESS == ret) {
        ret = mca_mq_partner_static_hash_init(&m->hash, partners, count);
    }
    if (OMPI_SUCCESS == ret) {
        lane = calloc((size_t) count + 1, sizeof(*lane));
        ret = NULL == lane ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    }
    mca_mq_base_lanes_init(&m->lanes, lane, count + 1);
    free(partners);
    return ret;
}

int mca_mq_partner_static_create(const mca_mq_domain_info_t *info,
                                 mca_mq_base_module_t **module)
{
    ps_module_t *m = calloc(1, sizeof(*m));
    /* NULL if a shared domain has grown beyond that of the profile: then there
     * are no partners. */
    const mca_mq_base_profile_domain_t *domain = mca_mq_base_profile_about(
        &mca_mq_partner_static_params.slot, info, NULL);
    int ret;

    *module = NULL;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->super, info->stats,
                              &mca_mq_partner_static_component);
    ret = make_lanes(m, domain, info->size);
    if (OMPI_SUCCESS != ret) {
        partner_static_destroy(&m->super);
        return ret;
    }
    *module = &m->super;
    return OMPI_SUCCESS;
}
