/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Applies the user's choice to a domain without observers; see
 * mca_mq_base_domain_prefer.
 */

#ifndef OMPI_MCA_MQ_BASE_DOMAIN_PREFER_H
#define OMPI_MCA_MQ_BASE_DOMAIN_PREFER_H

#include <stddef.h>

#include "ompi/mca/mq/base/domain/domain.h"

/** Use a component, with values of its parameters. */
int mca_mq_base_prefer(mca_mq_base_domain_t *domain, const char *choice,
                       char *why, size_t size);

/** Return to the choice for all domains. */
int mca_mq_base_prefer_none(mca_mq_base_domain_t *domain);

#endif /* OMPI_MCA_MQ_BASE_DOMAIN_PREFER_H */
