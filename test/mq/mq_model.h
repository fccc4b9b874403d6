/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The naive model that every component is compared with: each queue is an
 * array in order of age, searched from its beginning with a matching function
 * of the model's own. Nothing in it depends on the component's code.
 */

#ifndef TEST_MQ_MODEL_H
#define TEST_MQ_MODEL_H

#include "ompi/mca/mq/mq.h"

typedef struct mq_model_queue_t {
    mca_mq_entry_t **entries; /**< oldest first */
    size_t length;
    size_t size;
    /** What a component has to count too; traversed_* is what a single list
     * would count. */
    mca_mq_queue_stats_t stats;
} mq_model_queue_t;

typedef struct mq_model_t {
    mq_model_queue_t queue[MCA_MQ_QUEUES];
} mq_model_t;

void mq_model_init(mq_model_t *model);
void mq_model_fini(mq_model_t *model);

/** The oldest match, which stays queued; or NULL. Counted as one search. */
mca_mq_entry_t *mq_model_search(mq_model_t *model, mca_mq_queue_t queue,
                                const mca_mq_envelope_t *envelope);

/** Queue an entry. */
void mq_model_insert(mq_model_t *model, mca_mq_queue_t queue,
                     mca_mq_entry_t *entry);

/** Take an entry out that is queued. */
void mq_model_remove(mq_model_t *model, mca_mq_queue_t queue,
                     const mca_mq_entry_t *entry);

#endif /* TEST_MQ_MODEL_H */
