/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdio.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "ompi/mca/mq/base/param/param.h"
#include "mq_kmeans.h"

mca_mq_kmeans_params_t mca_mq_kmeans_params;

/* The default must do for jobs of all sizes. */
static void check_k(const mca_base_component_t *self)
{
    unsigned k = mca_mq_kmeans_params.k, ranks = mca_mq_base_job.size;
    char value[16], allowed[64];

    if (0 == ranks || k <= ranks || !mca_mq_base_param_is_set(self, "k")) {
        return;
    }
    snprintf(value, sizeof(value), "%u", k);
    snprintf(allowed, sizeof(allowed), "1 to %u, the ranks of the job", ranks);
    mca_mq_base_param_complain("mq_kmeans_k", value, allowed);
}

static int kmeans_register(void)
{
    const mca_base_component_t *self = &mca_mq_kmeans_component.mqm_version;
    mca_mq_kmeans_params_t *params = &mca_mq_kmeans_params;

    params->k = 16;
    mca_mq_base_param_uint(
        self, "k",
        "Number of clusters of peers; each cluster has queues of its own. If "
        "set, it must not exceed the number of ranks in the job. If the peers' "
        "numbers of entries have fewer distinct values, each value makes a "
        "cluster",
        OPAL_INFO_LVL_4, 1, MCA_MQ_KMEANS_MAX, &params->k);
    check_k(self);
    mca_mq_base_profile_param(self, &params->slot);
    return OMPI_SUCCESS;
}

static bool kmeans_query(const mca_mq_domain_info_t *info, const char **why)
{
    return NULL !=
           mca_mq_base_profile_about(&mca_mq_kmeans_params.slot, info, why);
}

const mca_mq_base_component_t mca_mq_kmeans_component = {
    .mqm_version =
        {
            MCA_MQ_BASE_VERSION_1_0_0,
            .mca_component_name = "kmeans",
            MCA_MQ_COMPONENT_RELEASE,
            .mca_register_component_params = kmeans_register,
        },
    .mqm_abi = MCA_MQ_ABI,
    /* Special purpose. */
    .mqm_priority = 25,
    .mqm_query = kmeans_query,
    .mqm_create = mca_mq_kmeans_create,
};
