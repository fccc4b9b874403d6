/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "mq_partner_static.h"

mca_mq_partner_static_params_t mca_mq_partner_static_params;

static int partner_static_register(void)
{
    const mca_base_component_t *self =
        &mca_mq_partner_static_component.mqm_version;

    mca_mq_base_profile_param(self, &mca_mq_partner_static_params.slot);
    mca_mq_base_edge_params(self, &mca_mq_partner_static_params.edge);
    return OMPI_SUCCESS;
}

static bool partner_static_query(const mca_mq_domain_info_t *info,
                                 const char **why)
{
    return NULL != mca_mq_base_profile_about(&mca_mq_partner_static_params.slot,
                                             info, why);
}

const mca_mq_base_component_t mca_mq_partner_static_component = {
    .mqm_version =
        {
            MCA_MQ_BASE_VERSION_1_0_0,
            .mca_component_name = "partner_static",
            MCA_MQ_COMPONENT_RELEASE,
            .mca_register_component_params = partner_static_register,
        },
    .mqm_abi = MCA_MQ_ABI,
    /* Special purpose. */
    .mqm_priority = 30,
    .mqm_query = partner_static_query,
    .mqm_create = mca_mq_partner_static_create,
};
