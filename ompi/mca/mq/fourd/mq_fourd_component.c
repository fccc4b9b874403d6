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
#include "mq_fourd.h"

mca_mq_fourd_params_t mca_mq_fourd_params;

static int fourd_register(void)
{
    const mca_base_component_t *self =
        &mca_mq_fourd_component.super.mqm_version;
    mca_mq_fourd_params_t *params = &mca_mq_fourd_params;

    params->min_size = 1024;
    mca_mq_base_param_uint(
        self, "min_size",
        "Size, in ranks, of the smallest communicator that gets a list for "
        "each source. Smaller ones use a single list",
        OPAL_INFO_LVL_5, 1, INT_MAX, &params->min_size);
    params->reuse = 64;
    mca_mq_base_param_uint(self, "reuse",
                           "Free the arrays of the cubes, if they take more "
                           "than 8 KiB and nothing is queued, after this many "
                           "insertions per array since they were last freed",
                           OPAL_INFO_LVL_9, 1, INT_MAX, &params->reuse);
    return OMPI_SUCCESS;
}

const mca_mq_fourd_component_t mca_mq_fourd_component = {
    .super =
        {
            .mqm_version =
                {
                    MCA_MQ_BASE_VERSION_1_0_0,
                    .mca_component_name = "fourd",
                    MCA_MQ_COMPONENT_RELEASE,
                    .mca_register_component_params = fourd_register,
                },
            .mqm_abi = MCA_MQ_ABI,
            /* Special purpose: large jobs. */
            .mqm_priority = 25,
            .mqm_create = mca_mq_fourd_create,
        },
    .figures = mca_mq_fourd_figures,
};
