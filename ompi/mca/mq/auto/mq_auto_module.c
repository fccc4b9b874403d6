/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the module for the algorithm that serves a domain now. See mq_auto.h.
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/indexed/mq_indexed.h"
#include "mq_auto_ways.h"

typedef mca_mq_auto_state_t state_t;

static const mca_mq_indexed_component_t *indexed(void)
{
    return (const mca_mq_indexed_component_t *) mca_mq_base_find("indexed");
}

static int indexed_create(const mca_mq_domain_info_t *info, state_t *state,
                          mca_mq_base_module_t **module)
{
    const mca_mq_indexed_watch_t watch = {
        .component = &mca_mq_auto_component,
        .look = mca_mq_auto_look_at_indexed,
        .gone = mca_mq_auto_release,
        .arg = state,
    };
    int ret = indexed()->super.mqm_create(info, module);

    if (OMPI_SUCCESS == ret) {
        state->order = 0;
        indexed()->watch(*module, &watch,
                         NULL == state->domain ? UINT64_MAX : 0);
    }
    return ret;
}

/* The state of the domain's previous module, if that is one of auto. */
static state_t *inherited(const mca_mq_domain_info_t *info)
{
    const mca_mq_base_module_t *before =
        NULL == info->domain ? NULL : info->domain->module;
    const mca_mq_auto_guard_t *guard;

    if (NULL == before || &mca_mq_auto_component != before->mq_component) {
        return NULL;
    }
    guard = mca_mq_auto_bin_guard(before);
    if (NULL == guard) {
        guard = mca_mq_auto_lanes_guard(before);
    }
    return NULL == guard ? indexed()->watcher(before) : guard->state;
}

static state_t *state_for(const mca_mq_domain_info_t *info)
{
    state_t *state = inherited(info);

    if (NULL == state) {
        state = calloc(1, sizeof(*state));
    }
    if (NULL != state) {
        state->domain = info->domain;
        state->params = mca_mq_auto_params;
        if (0 == state->users && NULL != state->domain) {
            mca_mq_auto_wait_for_next(state, 0);
        }
        /* The domain may have grown. */
        state->lanes_fit = mca_mq_auto_lanes_bytes(info->size) <=
                           (size_t) state->params.memory * 1024;
        if (MCA_MQ_AUTO_LANES == state->way && !state->lanes_fit) {
            state->way = MCA_MQ_AUTO_INDEXED;
        }
    }
    return state;
}

int mca_mq_auto_create(const mca_mq_domain_info_t *info,
                       mca_mq_base_module_t **module)
{
    state_t *state = state_for(info);
    int ret;

    *module = NULL;
    if (NULL == state) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    ++state->users;
    switch (state->way) {
    case MCA_MQ_AUTO_BIN:
        ret = mca_mq_auto_bin_create(info, state, module);
        break;
    case MCA_MQ_AUTO_LANES:
        ret = mca_mq_auto_lanes_create(info, state, module);
        break;
    default:
        ret = indexed_create(info, state, module);
        break;
    }
    if (OMPI_SUCCESS != ret) {
        mca_mq_auto_release(state);
    }
    return ret;
}
