/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces the module of a domain while entries are queued in it. Everything
 * that can fail is done before the first entry is touched. These functions know
 * nothing of observers: the domain is one without, or the inner one.
 */

#ifndef OMPI_MCA_MQ_BASE_DOMAIN_MIGRATE_H
#define OMPI_MCA_MQ_BASE_DOMAIN_MIGRATE_H

#include "ompi/mca/mq/base/domain/domain.h"

/** Migrate, possibly from a component to itself, because the domain's size or
 * the values of parameters have changed. */
int mca_mq_base_replace(mca_mq_base_domain_t *domain,
                        const mca_mq_base_component_t *component,
                        const char **why);

/** Migrate to another component if it can serve the domain; see
 * mca_mq_base_domain_migrate. */
int mca_mq_base_hand_over(mca_mq_base_domain_t *domain,
                          const mca_mq_base_component_t *component,
                          const char **why);

#endif /* OMPI_MCA_MQ_BASE_DOMAIN_MIGRATE_H */
