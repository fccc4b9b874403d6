/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces the module of a domain while entries are queued in it. What can
 * fail is done before the first entry is touched. Observers are no matter of
 * these functions: the domain is one that has none, or the inner one.
 */

#ifndef OMPI_MCA_MQ_BASE_DOMAIN_MIGRATE_H
#define OMPI_MCA_MQ_BASE_DOMAIN_MIGRATE_H

#include "ompi/mca/mq/base/domain/domain.h"

/** Migrate, also from a component to itself: the domain's size may have
 * changed, or the values of parameters. */
int mca_mq_base_replace(mca_mq_base_domain_t *domain,
                        const mca_mq_base_component_t *component,
                        const char **why);

/** Migrate to another component, if it can serve the domain; see
 * mca_mq_base_domain_migrate. */
int mca_mq_base_hand_over(mca_mq_base_domain_t *domain,
                          const mca_mq_base_component_t *component,
                          const char **why);

#endif /* OMPI_MCA_MQ_BASE_DOMAIN_MIGRATE_H */
