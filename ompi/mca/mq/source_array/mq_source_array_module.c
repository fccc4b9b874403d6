/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <assert.h>
#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_source_array.h"

/* A source that is not a rank of the domain is an error of the caller, and
 * would corrupt memory. */
static inline mca_mq_base_lane_t *source_array_lane(
    mca_mq_source_array_module_t *m, uint32_t source)
{
    assert(source < m->lanes.count);
    return &m->source[source];
}

static size_t bytes(uint32_t size)
{
    return sizeof(mca_mq_source_array_module_t) +
           size * sizeof(mca_mq_base_lane_t);
}

static size_t source_array_footprint(const mca_mq_base_module_t *module)
{
    return bytes(((const mca_mq_source_array_module_t *) module)->lanes.count);
}

static void source_array_destroy(mca_mq_base_module_t *module)
{
    free(module);
}

#define MQ_NAME source_array
#define MQ_MODULE mca_mq_source_array_module_t
#include "ompi/mca/mq/base/kit/lanes.h"

int mca_mq_source_array_create(const mca_mq_domain_info_t *info,
                               mca_mq_base_module_t **module)
{
    mca_mq_source_array_module_t *m = calloc(1, bytes(info->size));

    *module = (mca_mq_base_module_t *) m;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->super, info->stats,
                              &mca_mq_source_array_component);
    mca_mq_base_lanes_init(&m->lanes, m->source, info->size);
    return OMPI_SUCCESS;
}
