/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "mq_auto.h"

mca_mq_auto_params_t mca_mq_auto_params = {.interval = 65536, .memory = 1024};

static int auto_register(void)
{
    const mca_base_component_t *self = &mca_mq_auto_component.mqm_version;
    mca_mq_auto_params_t *params = &mca_mq_auto_params;

    params->interval = 65536;
    mca_mq_base_param_uint(
        self, "interval",
        "Number of operations in a window, during which the queues are "
        "examined four times, at random. The algorithm changes when two "
        "windows agree",
        OPAL_INFO_LVL_9, 4, 1 << 30, &params->interval);
    params->memory = 1024;
    mca_mq_base_param_uint(
        self, "memory",
        "Largest array of lists by source, in KiB, that a communicator may "
        "have; it takes 32 bytes per rank",
        OPAL_INFO_LVL_5, 0, 1 << 20, &params->memory);
    params->test_moves = 0;
    mca_mq_base_param_uint(
        self, "test_moves",
        "For testing. 1: change the algorithm at random at each examination",
        OPAL_INFO_LVL_9, 0, 1, &params->test_moves);
    return OMPI_SUCCESS;
}

static bool auto_query(const mca_mq_domain_info_t *info, const char **why)
{
    (void) info;
    *why = "needs the component indexed, which is excluded";
    return NULL != mca_mq_base_find("indexed");
}

const mca_mq_base_component_t mca_mq_auto_component = {
    .mqm_version =
        {
            MCA_MQ_BASE_VERSION_1_0_0,
            .mca_component_name = "auto",
            MCA_MQ_COMPONENT_RELEASE,
            .mca_register_component_params = auto_register,
        },
    .mqm_abi = MCA_MQ_ABI,
    .mqm_flags = MCA_MQ_COMPONENT_USES_EXACT,
    /* Below indexed, above all others. */
    .mqm_priority = 60,
    .mqm_query = auto_query,
    .mqm_create = mca_mq_auto_create,
};
MCA_MQ_OMPI_COMPONENT(auto);
