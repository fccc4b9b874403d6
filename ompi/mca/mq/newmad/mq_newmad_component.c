/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/mca/mq/mq_ompi_compat.h"
#include "mq_newmad.h"

const mca_mq_base_component_t mca_mq_newmad_component = {
    .mqm_version =
        {
            MCA_MQ_BASE_VERSION_1_0_0,
            .mca_component_name = "newmad",
            MCA_MQ_COMPONENT_RELEASE,
        },
    .mqm_abi = MCA_MQ_ABI,
    /* Special purpose: unexpected messages pay for wildcards even if none are
     * used. */
    .mqm_priority = 39,
    .mqm_create = mca_mq_newmad_create,
};
MCA_MQ_OMPI_COMPONENT(newmad);
