/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "mq_indexed.h"

static void unmark_all(mca_mq_indexed_module_t *m)
{
    mca_mq_entry_t *entry = mca_mq_base_fifo_first(&m->unexpected.list);

    for (; NULL != entry;
         entry = mca_mq_base_fifo_next(entry, MCA_MQ_INDEXED_LIST)) {
        entry->where = MCA_MQ_INDEXED_NO_MARK;
    }
    m->live = MCA_MQ_INDEXED_UNMARKED;
}

/* Give slots anew to all that are in the list; there are few. */
static void mark_all(mca_mq_indexed_module_t *m)
{
    mca_mq_entry_t *entry = mca_mq_base_fifo_first(&m->unexpected.list);
    uint32_t slot = 0;

    for (; NULL != entry;
         entry = mca_mq_base_fifo_next(entry, MCA_MQ_INDEXED_LIST)) {
        mca_mq_indexed_marks_set(m->marks, slot, entry);
        entry->where = slot++;
    }
    m->live = (1u << slot) - 1;
}

void mca_mq_indexed_marks_again(mca_mq_indexed_module_t *m)
{
    uint64_t length = mca_mq_indexed_length(m, &m->unexpected);

    if (length <= MCA_MQ_INDEXED_MARKS_FEW && NULL != m->marks) {
        mark_all(m);
    } else {
        unmark_all(m);
    }
}

void mca_mq_indexed_mark_slow(mca_mq_indexed_module_t *m, mca_mq_entry_t *entry)
{
    uint64_t length = mca_mq_indexed_length(m, &m->unexpected);

    entry->where = MCA_MQ_INDEXED_NO_MARK;
    if (length > MCA_MQ_INDEXED_MARKS_FEW) {
        m->live = MCA_MQ_INDEXED_UNMARKED;
        return;
    }
    if (NULL == m->marks && 0 != length) {
        m->marks = malloc(sizeof(*m->marks));
    }
    if (NULL == m->marks) {
        return; /* marked it never was */
    }
    mark_all(m);
    mca_mq_indexed_mark(m, entry);
}
