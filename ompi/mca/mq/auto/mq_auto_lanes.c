/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A domain served by a lane per source, with a guard. The operations are those
 * of the component source_array.
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_auto_ways.h"

#include "ompi/mca/mq/base/kit/lanes.h"

typedef struct auto_lanes_t {
    mca_mq_base_module_t super;
    mca_mq_base_lanes_t lanes;
    mca_mq_auto_guard_t guard;
    mca_mq_base_lane_t source[];
} auto_lanes_t;

static inline mca_mq_base_lane_t *lanes_lane(auto_lanes_t *m, uint32_t source)
{
    assert(source < m->lanes.count);
    return &m->source[source];
}

size_t mca_mq_auto_lanes_bytes(uint32_t size)
{
    return sizeof(auto_lanes_t) + size * sizeof(mca_mq_base_lane_t);
}

static size_t lanes_footprint(const mca_mq_base_module_t *module)
{
    return mca_mq_auto_lanes_bytes(
               ((const auto_lanes_t *) module)->lanes.count) +
           sizeof(mca_mq_auto_state_t);
}

static void lanes_destroy(mca_mq_base_module_t *module)
{
    mca_mq_auto_release(((auto_lanes_t *) module)->guard.state);
    free(module);
}

#define MQ_NAME lanes
#define MQ_MODULE auto_lanes_t
#define MQ_SEARCHED(m, traversed) mca_mq_auto_searched(&(m)->guard, traversed)
#define MQ_AFTER(m) mca_mq_auto_ended(&(m)->guard)
#include "ompi/mca/mq/base/kit/lanes.h"

int mca_mq_auto_lanes_create(const mca_mq_domain_info_t *info,
                             mca_mq_auto_state_t *state,
                             mca_mq_base_module_t **module)
{
    auto_lanes_t *m = calloc(1, mca_mq_auto_lanes_bytes(info->size));

    *module = (mca_mq_base_module_t *) m;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->super, info->stats, &mca_mq_auto_component);
    mca_mq_base_lanes_init(&m->lanes, m->source, info->size);
    mca_mq_auto_guard_init(&m->guard, state);
    return OMPI_SUCCESS;
}

const mca_mq_auto_guard_t *mca_mq_auto_lanes_guard(
    const mca_mq_base_module_t *module)
{
    return lanes_destroy == module->mq_destroy
               ? &((const auto_lanes_t *) module)->guard
               : NULL;
}
