/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations while both queues are lists, of which one is long: those of a
 * list, with accounting of the comparisons.
 */

#include "ompi_config.h"

#include "mq_indexed.h"

static inline mca_mq_entry_t *medium_find_posted(
    mca_mq_indexed_module_t *m, mca_mq_base_nowhere_t place,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    mca_mq_entry_t *entry;

    (void) place;
    entry = mca_mq_indexed_list_find_receive(&m->posted, envelope, traversed);
    mca_mq_indexed_searched(m, MCA_MQ_POSTED, *traversed);
    return entry;
}

static inline mca_mq_entry_t *medium_find_unexpected(
    mca_mq_indexed_module_t *m, mca_mq_base_nowhere_t place,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    mca_mq_entry_t *entry;

    (void) place;
    entry = mca_mq_indexed_list_find_unexpected(m, envelope, traversed);
    mca_mq_indexed_searched(m, MCA_MQ_UNEXPECTED, *traversed);
    return entry;
}

static inline void medium_remove_posted(mca_mq_indexed_module_t *m,
                                        mca_mq_entry_t *entry)
{
    mca_mq_indexed_list_remove(&m->posted, entry);
    if (OPAL_UNLIKELY(mca_mq_base_fifo_is_empty(&m->posted.list))) {
        mca_mq_indexed_calm(m, MCA_MQ_POSTED);
    }
}

static inline void medium_remove_unexpected(mca_mq_indexed_module_t *m,
                                            mca_mq_entry_t *entry)
{
    mca_mq_indexed_slots_remove(m, entry);
    if (OPAL_UNLIKELY(0 == m->slots.live)) {
        mca_mq_indexed_calm(m, MCA_MQ_UNEXPECTED);
    }
}

#define medium_add_posted mca_mq_indexed_list_add_posted
#define medium_add_unexpected mca_mq_indexed_list_add_unexpected
#define medium_each mca_mq_indexed_each
#define medium_footprint mca_mq_indexed_footprint
#define medium_destroy mca_mq_indexed_destroy

#define MQ_NAME medium
#define MQ_MODULE mca_mq_indexed_module_t
#include "ompi/mca/mq/base/kit/template.h"

void mca_mq_indexed_use_medium(mca_mq_indexed_module_t *m)
{
    mca_mq_base_template_init(&m->super, m->super.mq_stats, m->watch.component);
}
