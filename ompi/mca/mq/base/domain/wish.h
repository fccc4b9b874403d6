/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The user's choice of a component for one domain, with values of its
 * parameters for this domain only: NAME:PARAMETER=VALUE,PARAMETER=VALUE.
 */

#ifndef OMPI_MCA_MQ_BASE_DOMAIN_WISH_H
#define OMPI_MCA_MQ_BASE_DOMAIN_WISH_H

#include <stdbool.h>
#include <stddef.h>

#include "ompi/mca/mq/base/domain/components.h"
#include "ompi/mca/mq/base/domain/domain.h"
#include "ompi/mca/mq/base/param/param.h"

/** More parameters than a component will ever have. */
#define MCA_MQ_BASE_WISH_VALUES_MAX 32

/** A parsed choice. */
typedef struct mca_mq_base_wish_t {
    const mca_mq_base_component_t *component;
    mca_mq_base_value_t values[MCA_MQ_BASE_WISH_VALUES_MAX];
    int count;
} mca_mq_base_wish_t;

/**
 * Parse a choice.
 *
 * @param[out] why  if not OMPI_SUCCESS: the reason, in a buffer of size bytes
 *
 * @return OMPI_SUCCESS; OMPI_ERR_BAD_PARAM if there is no such component,
 *         parameter or value; OMPI_ERR_OUT_OF_RESOURCE
 */
int mca_mq_base_wish_read(const char *choice, mca_mq_base_wish_t *wish,
                          char *why, size_t size);

/** Is this the component that the user has chosen for the domain? */
bool mca_mq_base_is_chosen(const mca_mq_base_domain_t *domain,
                           const mca_mq_base_component_t *component);

/** Make a module, with the parameters that the user has chosen for the domain,
 * if any. */
int mca_mq_base_wish_create(const mca_mq_base_component_t *component,
                            const mca_mq_domain_info_t *info,
                            mca_mq_base_module_t **module);

#endif /* OMPI_MCA_MQ_BASE_DOMAIN_WISH_H */
