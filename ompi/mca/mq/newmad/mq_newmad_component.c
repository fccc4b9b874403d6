/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/mca/mq/mq_ompi_compat.h"
#include "mq_newmad.h"

/* Special purpose: unexpected messages pay for wildcards even if none are
 * used. */
#define NEWMAD_PRIORITY 39

static bool newmad_query(const mca_mq_domain_info_t *info, int *priority,
                         const char **why)
{
    (void) info;
    *priority = NEWMAD_PRIORITY;
    *why = NULL;
    return true;
}

const mca_mq_base_component_t mca_mq_newmad_component = {
    .mqm_version =
        {
            MCA_MQ_BASE_VERSION_1_0_0,
            .mca_component_name = "newmad",
            MCA_MQ_COMPONENT_RELEASE,
        },
    .mqm_abi = MCA_MQ_ABI,
    .mqm_query = newmad_query,
    .mqm_create = mca_mq_newmad_create,
};
MCA_MQ_OMPI_COMPONENT(newmad);
