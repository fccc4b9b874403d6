/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "opal/util/output.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/base/domain/inner.h"
#include "ompi/mca/mq/base/domain/wish.h"

static int output(void)
{
    return mca_mq_base_framework->framework_output;
}

bool mca_mq_base_can_serve(const mca_mq_base_component_t *component,
                           const mca_mq_domain_info_t *info, const char **why)
{
    const char *reason = NULL;

    if (NULL == component->mqm_query || component->mqm_query(info, &reason)) {
        return true;
    }
    if (NULL == reason) {
        reason = "no reason given";
    }
    opal_output_verbose(MCA_BASE_VERBOSE_COMPONENT, output(),
                        "mq: context %u, %u ranks: %s declines: %s",
                        (unsigned) info->context, (unsigned) info->size,
                        mca_mq_base_name(component), reason);
    if (NULL != why) {
        *why = reason;
    }
    return false;
}

int mca_mq_base_create(const mca_mq_base_component_t *component,
                       const mca_mq_domain_info_t *info, const char *because,
                       mca_mq_base_module_t **module)
{
    int ret = mca_mq_base_wish_create(component, info, module);

    if (OMPI_SUCCESS == ret) {
        opal_output_verbose(MCA_BASE_VERBOSE_COMPONENT, output(),
                            "mq: context %u, %u ranks: %s serves, %s",
                            (unsigned) info->context, (unsigned) info->size,
                            mca_mq_base_name(component), because);
    } else {
        opal_output_verbose(MCA_BASE_VERBOSE_COMPONENT, output(),
                            "mq: context %u, %u ranks: %s could not be "
                            "created, error %d",
                            (unsigned) info->context, (unsigned) info->size,
                            mca_mq_base_name(component), ret);
    }
    return ret;
}
