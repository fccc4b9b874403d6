/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One component and one domain: asks whether it can serve, and makes its
 * module. Both are reported at verbose level.
 */

#ifndef OMPI_MCA_MQ_BASE_DOMAIN_SERVE_H
#define OMPI_MCA_MQ_BASE_DOMAIN_SERVE_H

#include <stdbool.h>

#include "ompi/mca/mq/base/domain/components.h"

/**
 * Ask a component whether it can serve a domain.
 *
 * @param[out] why  may be NULL
 */
bool mca_mq_base_can_serve(const mca_mq_base_component_t *component,
                           const mca_mq_domain_info_t *info, const char **why);

/** Make a module. */
int mca_mq_base_create(const mca_mq_base_component_t *component,
                       const mca_mq_domain_info_t *info, const char *because,
                       mca_mq_base_module_t **module);

#endif /* OMPI_MCA_MQ_BASE_DOMAIN_SERVE_H */
