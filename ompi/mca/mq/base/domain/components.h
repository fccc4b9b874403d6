/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The open components.
 */

#ifndef OMPI_MCA_MQ_BASE_DOMAIN_COMPONENTS_H
#define OMPI_MCA_MQ_BASE_DOMAIN_COMPONENTS_H

#include "ompi_config.h"

#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_framework.h"

#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

/** The framework of these components; set when it is registered. */
extern const mca_base_framework_t *mca_mq_base_framework;

/** Find an open component by name; NULL if there is none. */
OMPI_DECLSPEC const mca_mq_base_component_t *mca_mq_base_find(const char *name);

/** Name of a component. */
static inline const char *mca_mq_base_name(
    const mca_mq_base_component_t *component)
{
    return component->mqm_version.mca_component_name;
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_DOMAIN_COMPONENTS_H */
