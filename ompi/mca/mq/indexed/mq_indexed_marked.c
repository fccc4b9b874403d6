/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations while both queues are short and messages do not arrive in the
 * order of the receives: those of the variant small, with marked receives.
 */

#include "ompi_config.h"

#include "mq_indexed.h"

/* After some searches in a row that found the oldest receive, it is tried
 * first; after many, marking stops. */
static mca_mq_entry_t *find_oldest(mca_mq_indexed_module_t *m,
                                   const mca_mq_envelope_t *envelope,
                                   uint64_t *traversed)
{
    mca_mq_indexed_side_t *side = &m->posted;
    mca_mq_entry_t *first = mca_mq_base_fifo_first(&side->list);

    ++*traversed;
    if (!mca_mq_matches(&first->envelope, envelope)) {
        return NULL;
    }
    if (++side->oldest >= MCA_MQ_INDEXED_UNMARK_AFTER) {
        mca_mq_indexed_unmark(m);
    }
    return first;
}

static inline mca_mq_entry_t *marked_find_posted(
    mca_mq_indexed_module_t *m, mca_mq_base_nowhere_t place,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    mca_mq_indexed_side_t *side = &m->posted;
    mca_mq_entry_t *entry;

    (void) place;
    if (mca_mq_base_fifo_is_empty(&side->list)) {
        return NULL;
    }
    if (OPAL_UNLIKELY(MCA_MQ_INDEXED_UNMARKED == side->live)) {
        return mca_mq_indexed_list_find_receive(side, envelope, traversed);
    }
    if (OPAL_UNLIKELY(side->oldest >= MCA_MQ_INDEXED_IN_ORDER)) {
        entry = find_oldest(m, envelope, traversed);
        if (NULL != entry) {
            return entry;
        }
    }
    entry = mca_mq_indexed_marks_find_receive(side->marks, side->live, envelope,
                                              traversed);
    side->oldest =
        entry == mca_mq_base_fifo_first(&side->list) ? side->oldest + 1 : 0;
    return entry;
}

static inline mca_mq_entry_t *marked_find_unexpected(
    mca_mq_indexed_module_t *m, mca_mq_base_nowhere_t place,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    (void) place;
    return mca_mq_indexed_list_find_unexpected(m, envelope, traversed);
}

static inline void marked_add_posted(mca_mq_indexed_module_t *m,
                                     mca_mq_base_nowhere_t place,
                                     mca_mq_entry_t *entry)
{
    (void) place;
    mca_mq_indexed_list_add_marked(m, &m->posted, entry);
}

static inline void marked_remove_posted(mca_mq_indexed_module_t *m,
                                        mca_mq_entry_t *entry)
{
    mca_mq_indexed_list_remove_marked(&m->posted, entry);
}

static inline void marked_remove_unexpected(mca_mq_indexed_module_t *m,
                                            mca_mq_entry_t *entry)
{
    mca_mq_indexed_slots_remove(m, entry);
}

#define marked_add_unexpected mca_mq_indexed_list_add_unexpected
#define marked_each mca_mq_indexed_each
#define marked_footprint mca_mq_indexed_footprint
#define marked_destroy mca_mq_indexed_destroy

#define MQ_NAME marked
#define MQ_MODULE mca_mq_indexed_module_t
#include "ompi/mca/mq/base/kit/template.h"

void mca_mq_indexed_use_marked(mca_mq_indexed_module_t *m)
{
    mca_mq_base_template_init(&m->super, m->super.mq_stats, m->watch.component);
}
