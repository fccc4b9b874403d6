/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gives a domain without observers what its user wishes; see
 * mca_mq_base_domain_prefer.
 */

#ifndef OMPI_MCA_MQ_BASE_DOMAIN_PREFER_H
#define OMPI_MCA_MQ_BASE_DOMAIN_PREFER_H

#include <stddef.h>

#include "ompi/mca/mq/base/domain/domain.h"

/** A component, and values of its parameters. */
int mca_mq_base_prefer(mca_mq_base_domain_t *domain, const char *choice,
                       char *why, size_t size);

/** Back to what is wanted for all domains. */
int mca_mq_base_prefer_none(mca_mq_base_domain_t *domain);

#endif /* OMPI_MCA_MQ_BASE_DOMAIN_PREFER_H */
