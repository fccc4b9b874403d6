/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Modules for the algorithms other than `indexed`, each with a guard.
 */

#ifndef OMPI_MCA_MQ_AUTO_WAYS_H
#define OMPI_MCA_MQ_AUTO_WAYS_H

#include "mq_auto_state.h"

BEGIN_C_DECLS

/** Make a module of bins, or lanes, with a guard for this state. */
int mca_mq_auto_bin_create(const mca_mq_domain_info_t *info,
                           mca_mq_auto_state_t *state,
                           mca_mq_base_module_t **module);
int mca_mq_auto_lanes_create(const mca_mq_domain_info_t *info,
                             mca_mq_auto_state_t *state,
                             mca_mq_base_module_t **module);

/** Memory of a module with lanes, bytes. */
size_t mca_mq_auto_lanes_bytes(uint32_t size);

/** The guard of a module of this kind; NULL for other modules. */
const mca_mq_auto_guard_t *mca_mq_auto_bin_guard(
    const mca_mq_base_module_t *module);
const mca_mq_auto_guard_t *mca_mq_auto_lanes_guard(
    const mca_mq_base_module_t *module);

END_C_DECLS

#endif /* OMPI_MCA_MQ_AUTO_WAYS_H */
