/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/mca/mq/mq_ompi_compat.h"
#include "mq_source_array.h"

const mca_mq_base_component_t mca_mq_source_array_component = {
    .mqm_version =
        {
            MCA_MQ_BASE_VERSION_1_0_0,
            .mca_component_name = "source_array",
            MCA_MQ_COMPONENT_RELEASE,
        },
    .mqm_abi = MCA_MQ_ABI,
    /* General purpose, except for its memory. */
    .mqm_priority = 40,
    .mqm_create = mca_mq_source_array_create,
};
MCA_MQ_OMPI_COMPONENT(source_array);
