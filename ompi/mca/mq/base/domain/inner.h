/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions on domains without observers, or on the inner domain of one with
 * observers: which component serves it. Inquiries and new modules are reported
 * at verbose level.
 */

#ifndef OMPI_MCA_MQ_BASE_DOMAIN_INNER_H
#define OMPI_MCA_MQ_BASE_DOMAIN_INNER_H

#include "ompi/mca/mq/base/domain/components.h"
#include "ompi/mca/mq/base/domain/domain.h"

/* serve.c: one component and one domain. */

/** Can a component serve such a domain? If not, *why is the reason, static
 * text; why may be NULL. */
bool mca_mq_base_can_serve(const mca_mq_base_component_t *component,
                           const mca_mq_domain_info_t *info, const char **why);

/** Make a module. */
int mca_mq_base_create(const mca_mq_base_component_t *component,
                       const mca_mq_domain_info_t *info, const char *because,
                       mca_mq_base_module_t **module);

/* migrate.c: replaces the module while entries are queued in it. Everything
 * that can fail is done before the first entry is touched. */

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

/* select.c: chooses the component: those that the user prefers, in that order;
 * then the others, by priority; then `list`, even if it was excluded. */

/** Make the module of a domain whose order numbers are set. */
int mca_mq_base_domain_choose(mca_mq_base_domain_t *domain,
                              const mca_mq_domain_info_t *info);

/** Choose again, after a change of promises; see mca_mq_base_domain_assert. */
int mca_mq_base_choose_again(mca_mq_base_domain_t *domain, uint32_t assertions);

#endif /* OMPI_MCA_MQ_BASE_DOMAIN_INNER_H */
