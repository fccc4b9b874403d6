/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the component that serves a matching domain: those that the user
 * prefers, in that order; then the others, by priority; then `list`, even if it
 * was excluded.
 */

#ifndef OMPI_MCA_MQ_BASE_DOMAIN_SELECT_H
#define OMPI_MCA_MQ_BASE_DOMAIN_SELECT_H

#include "ompi/mca/mq/base/domain/domain.h"

/** Make the module of a domain whose order numbers are set. */
int mca_mq_base_domain_choose(mca_mq_base_domain_t *domain,
                              const mca_mq_domain_info_t *info);

/** Choose the component of a domain without observers again, after a change of
 * promises; see mca_mq_base_domain_assert. */
int mca_mq_base_choose_again(mca_mq_base_domain_t *domain, uint32_t assertions);

#endif /* OMPI_MCA_MQ_BASE_DOMAIN_SELECT_H */
