/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <limits.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "mq_adaptive.h"

mca_mq_adaptive_params_t mca_mq_adaptive_params;

static const mca_base_var_enum_value_t targets[] = {
    {MCA_MQ_ADAPTIVE_BIN, "bin"},
    {MCA_MQ_ADAPTIVE_SOURCE_ARRAY, "source_array"},
    {0, NULL},
};

static int adaptive_register(void)
{
    const mca_base_component_t *self = &mca_mq_adaptive_component.mqm_version;
    mca_mq_adaptive_params_t *params = &mca_mq_adaptive_params;

    params->threshold = 4;
    mca_mq_base_param_uint(
        self, "threshold",
        "Give up the list when searches traverse more entries than this on "
        "average, taken over mq_adaptive_window searches",
        OPAL_INFO_LVL_4, 1, INT_MAX, &params->threshold);
    params->window = 1000;
    mca_mq_base_param_uint(
        self, "window",
        "Number of searches over which the average is taken. The list is given "
        "up earlier if fewer searches have already traversed more entries than "
        "a whole window may",
        OPAL_INFO_LVL_9, 1, INT_MAX, &params->window);
    params->target = MCA_MQ_ADAPTIVE_BIN;
    mca_mq_base_param_enum(self, "target", "Component that replaces the list",
                           OPAL_INFO_LVL_5, targets, &params->target);
    return OMPI_SUCCESS;
}

const mca_mq_base_component_t mca_mq_adaptive_component = {
    .mqm_version =
        {
            MCA_MQ_BASE_VERSION_1_0_0,
            .mca_component_name = "adaptive",
            MCA_MQ_COMPONENT_RELEASE,
            .mca_register_component_params = adaptive_register,
        },
    .mqm_abi = MCA_MQ_ABI,
    /* Above its targets, to which it switches where they pay. */
    .mqm_priority = 38,
    .mqm_create = mca_mq_adaptive_create,
};
MCA_MQ_OMPI_COMPONENT(adaptive);
