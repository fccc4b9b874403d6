/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/mca/mq/mq_ompi_compat.h"
#include "mq_source_array.h"

/* General purpose, except for its memory. */
#define SOURCE_ARRAY_PRIORITY 40

static bool source_array_query(const mca_mq_domain_info_t *info, int *priority,
                               const char **why)
{
    (void) info;
    *priority = SOURCE_ARRAY_PRIORITY;
    *why = NULL;
    return true;
}

const mca_mq_base_component_t mca_mq_source_array_component = {
    .mqm_version =
        {
            MCA_MQ_BASE_VERSION_1_0_0,
            .mca_component_name = "source_array",
            MCA_MQ_COMPONENT_RELEASE,
        },
    .mqm_abi = MCA_MQ_ABI,
    .mqm_query = source_array_query,
    .mqm_create = mca_mq_source_array_create,
};
MCA_MQ_OMPI_COMPONENT(source_array);
