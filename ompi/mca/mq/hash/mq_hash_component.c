/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/mca/mq/mq_ompi_compat.h"
#include "mq_hash.h"

static bool hash_query(const mca_mq_domain_info_t *info, const char **why)
{
    *why = "needs mpi_assert_no_any_source and mpi_assert_no_any_tag";
    return mca_mq_is_exact(info->assertions);
}

const mca_mq_base_component_t mca_mq_hash_component = {
    .mqm_version =
        {
            MCA_MQ_BASE_VERSION_1_0_0,
            .mca_component_name = "hash",
            MCA_MQ_COMPONENT_RELEASE,
        },
    .mqm_abi = MCA_MQ_ABI,
    .mqm_flags = MCA_MQ_COMPONENT_EXACT_ONLY,
    /* Special purpose: for communicators with assertions. */
    .mqm_priority = 30,
    .mqm_query = hash_query,
    .mqm_create = mca_mq_hash_create,
};
MCA_MQ_OMPI_COMPONENT(hash);
