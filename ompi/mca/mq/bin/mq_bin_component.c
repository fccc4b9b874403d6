/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "mq_bin.h"

mca_mq_bin_params_t mca_mq_bin_params;

static int bin_register(void)
{
    mca_mq_bin_params.count = 256;
    mca_mq_base_param_uint(
        &mca_mq_bin_component.mqm_version, "count",
        "Number of bins per queue, 16 bytes each, over which entries without "
        "wildcards are spread. Any number, not only powers of two",
        OPAL_INFO_LVL_4, 1, MCA_MQ_BIN_COUNT_MAX, &mca_mq_bin_params.count);
    return OMPI_SUCCESS;
}

const mca_mq_base_component_t mca_mq_bin_component = {
    .mqm_version =
        {
            MCA_MQ_BASE_VERSION_1_0_0,
            .mca_component_name = "bin",
            MCA_MQ_COMPONENT_RELEASE,
            .mca_register_component_params = bin_register,
        },
    .mqm_abi = MCA_MQ_ABI,
    /* General, for long queues. */
    .mqm_priority = 35,
    .mqm_create = mca_mq_bin_create,
};
MCA_MQ_OMPI_COMPONENT(bin);
