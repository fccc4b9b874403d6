/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The primitives of `list` (see base/kit/template.h), for this component and
 * for others that are sometimes a list. The module of such a component begins
 * with a mca_mq_list_module_t.
 */

#ifndef OMPI_MCA_MQ_LIST_PRIMITIVES_H
#define OMPI_MCA_MQ_LIST_PRIMITIVES_H

#include "ompi/mca/mq/list/mq_list.h"

static inline mca_mq_entry_t *list_find_posted(
    mca_mq_list_module_t *m, mca_mq_base_nowhere_t place,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    (void) place;
    return mca_mq_base_fifo_find_receive(&m->posted, envelope, traversed,
                                         MCA_MQ_BASE_PLANE_A);
}

static inline mca_mq_entry_t *list_find_unexpected(
    mca_mq_list_module_t *m, mca_mq_base_nowhere_t place,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    (void) place;
    return mca_mq_base_fifo_find_message(&m->unexpected, envelope, traversed,
                                         MCA_MQ_BASE_PLANE_A);
}

static inline void list_add_posted(mca_mq_list_module_t *m,
                                   mca_mq_base_nowhere_t place,
                                   mca_mq_entry_t *entry)
{
    (void) place;
    mca_mq_base_fifo_append(&m->posted, entry, MCA_MQ_BASE_PLANE_A);
}

static inline void list_add_unexpected(mca_mq_list_module_t *m,
                                       mca_mq_base_nowhere_t place,
                                       mca_mq_entry_t *entry)
{
    (void) place;
    mca_mq_base_fifo_append(&m->unexpected, entry, MCA_MQ_BASE_PLANE_A);
}

static inline void list_remove_posted(mca_mq_list_module_t *m,
                                      mca_mq_entry_t *entry)
{
    mca_mq_base_fifo_remove(&m->posted, entry, MCA_MQ_BASE_PLANE_A);
}

static inline void list_remove_unexpected(mca_mq_list_module_t *m,
                                          mca_mq_entry_t *entry)
{
    mca_mq_base_fifo_remove(&m->unexpected, entry, MCA_MQ_BASE_PLANE_A);
}

static inline void list_each(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                             mca_mq_visit_fn_t visit, void *arg)
{
    mca_mq_list_module_t *m = (mca_mq_list_module_t *) module;

    mca_mq_base_fifo_each(MCA_MQ_POSTED == queue ? &m->posted : &m->unexpected,
                          visit, arg, MCA_MQ_BASE_PLANE_A);
}

/* Make both queues empty. */
static inline void list_init(mca_mq_list_module_t *m)
{
    mca_mq_base_fifo_init(&m->posted);
    mca_mq_base_fifo_init(&m->unexpected);
}

#endif /* OMPI_MCA_MQ_LIST_PRIMITIVES_H */
