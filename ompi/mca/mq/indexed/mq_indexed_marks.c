/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "mq_indexed.h"

static void unmark_all(mca_mq_indexed_side_t *side)
{
    mca_mq_entry_t *entry = mca_mq_base_fifo_first(&side->list);

    for (; NULL != entry;
         entry = mca_mq_base_fifo_next(entry, MCA_MQ_INDEXED_LIST)) {
        entry->where = MCA_MQ_INDEXED_NO_MARK;
    }
    side->live = MCA_MQ_INDEXED_UNMARKED;
}

/* Assign new slots to all entries of a list; they are few. */
static void mark_all(mca_mq_indexed_side_t *side)
{
    mca_mq_entry_t *entry = mca_mq_base_fifo_first(&side->list);
    uint32_t slot = 0;

    for (; NULL != entry;
         entry = mca_mq_base_fifo_next(entry, MCA_MQ_INDEXED_LIST)) {
        mca_mq_indexed_marks_set(side->marks, slot, entry);
        entry->where = slot++;
    }
    side->live = (1u << slot) - 1;
}

void mca_mq_indexed_marks_again(mca_mq_indexed_module_t *m,
                                mca_mq_indexed_side_t *side)
{
    uint64_t length = mca_mq_indexed_length(m, side);

    if (length <= MCA_MQ_INDEXED_MARKS_FEW && NULL != side->marks) {
        mark_all(side);
    } else {
        unmark_all(side);
    }
}

/* Mark an entry that is about to be queued, if possible. */
static void mark_again(mca_mq_indexed_module_t *m, mca_mq_indexed_side_t *side,
                       mca_mq_entry_t *entry)
{
    uint64_t length = mca_mq_indexed_length(m, side);

    entry->where = MCA_MQ_INDEXED_NO_MARK;
    if (length > MCA_MQ_INDEXED_MARKS_FEW) {
        side->live = MCA_MQ_INDEXED_UNMARKED;
        return;
    }
    mark_all(side);
    mca_mq_indexed_mark(side, entry, (uint32_t) length);
}

void mca_mq_indexed_add_slow(mca_mq_indexed_module_t *m,
                             mca_mq_indexed_side_t *side, mca_mq_entry_t *entry)
{
    mark_again(m, side, entry);
    mca_mq_indexed_list_add(m, side, entry);
}
