/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Visits entries in order of age, whatever order a component keeps. Collects
 * and sorts, so not for the hot path.
 */

#ifndef OMPI_MCA_MQ_BASE_KIT_VISIT_H
#define OMPI_MCA_MQ_BASE_KIT_VISIT_H

#include "ompi_config.h"

#include <stddef.h>

#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

/** The entries of a queue, or of one context in it. */
typedef struct mca_mq_base_collection_t {
    const uint32_t *context; /**< NULL: all */
    mca_mq_entry_t **entries;
    size_t count;
} mca_mq_base_collection_t;

/**
 * Collect entries in order of age.
 *
 * @param[out] collection  the caller frees its entries
 *
 * @return OMPI_SUCCESS, or OMPI_ERR_OUT_OF_RESOURCE with nothing collected
 */
int mca_mq_base_collect(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                        const uint32_t *context,
                        mca_mq_base_collection_t *collection);

/**
 * Visit the entries of a queue in order of age.
 *
 * @param[in] module   the module
 * @param[in] queue    which queue
 * @param[in] context  only entries of this context, or NULL: all
 * @param[in] visit    called for each; must not call into the module
 * @param[in] arg  passed to visit
 *
 * @return OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE (then none was visited)
 */
OMPI_DECLSPEC int mca_mq_base_visit(mca_mq_base_module_t *module,
                                    mca_mq_queue_t queue,
                                    const uint32_t *context,
                                    mca_mq_visit_fn_t visit, void *arg);

/**
 * Remove the entries of a queue, in order of age, and pass each to dispose,
 * which then owns it and may free it. If out of memory, this takes quadratic
 * time.
 */
OMPI_DECLSPEC void mca_mq_base_purge(mca_mq_base_module_t *module,
                                     mca_mq_queue_t queue,
                                     const uint32_t *context,
                                     mca_mq_visit_fn_t dispose, void *arg);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_KIT_VISIT_H */
