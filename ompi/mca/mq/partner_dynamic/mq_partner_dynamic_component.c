/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <limits.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "mq_partner_dynamic.h"

mca_mq_partner_dynamic_params_t mca_mq_partner_dynamic_params;

static const mca_base_var_enum_value_t idle_peers[] = {
    {MCA_MQ_PARTNER_DYNAMIC_IDLE_COUNT, "count"},
    {MCA_MQ_PARTNER_DYNAMIC_IDLE_IGNORE, "ignore"},
    {0, NULL},
};

static int partner_dynamic_register(void)
{
    const mca_base_component_t *self =
        &mca_mq_partner_dynamic_component.super.mqm_version;
    mca_mq_partner_dynamic_params_t *params = &mca_mq_partner_dynamic_params;

    params->threshold = 100;
    mca_mq_base_param_uint(
        self, "threshold",
        "Number of entries in a shared queue at which the peers that fill it "
        "become partners, with queues of their own",
        OPAL_INFO_LVL_4, 1, INT_MAX, &params->threshold);
    mca_mq_base_edge_params(self, &params->edge);
    params->idle_peers = MCA_MQ_PARTNER_DYNAMIC_IDLE_IGNORE;
    mca_mq_base_param_enum(
        self, "idle_peers",
        "Whether peers without entries count towards the metric (count) or not "
        "(ignore). With count, nearly every peer that has an entry exceeds any "
        "metric in large communicators",
        OPAL_INFO_LVL_9, idle_peers, &params->idle_peers);
    params->cap.value = 0.0;
    mca_mq_base_param_real(
        self, "cap",
        "Allow at most cap * sqrt(ranks) partners per queue; 0: no limit. A "
        "partner makes room for others once nothing was queued for it during "
        "16 bursts",
        OPAL_INFO_LVL_5, 0.0, 1e6, &params->cap);
    return OMPI_SUCCESS;
}

const mca_mq_partner_dynamic_component_t mca_mq_partner_dynamic_component = {
    .super =
        {
            .mqm_version =
                {
                    MCA_MQ_BASE_VERSION_1_0_0,
                    .mca_component_name = "partner_dynamic",
                    MCA_MQ_COMPONENT_RELEASE,
                    .mca_register_component_params = partner_dynamic_register,
                },
            .mqm_abi = MCA_MQ_ABI,
            /* General purpose. */
            .mqm_priority = 50,
            .mqm_create = mca_mq_partner_dynamic_create,
        },
    .figures = mca_mq_partner_dynamic_figures,
};
