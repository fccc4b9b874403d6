/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting of what happens to a queue, for the counting variants of the
 * operations (see base/kit/template.h) and for observers.
 */

#ifndef OMPI_MCA_MQ_BASE_KIT_COUNT_H
#define OMPI_MCA_MQ_BASE_KIT_COUNT_H

#include "ompi/mca/mq/mq.h"

/** One search of a queue ended; entry is what it found, or NULL. */
static inline void mca_mq_base_count_search(mca_mq_queue_stats_t *stats,
                                            const mca_mq_entry_t *entry,
                                            uint64_t traversed)
{
    if (NULL != entry) {
        ++stats->hits;
        stats->traversed_hit += traversed;
    } else {
        ++stats->misses;
        stats->traversed_miss += traversed;
    }
    if (traversed > stats->traversed_max) {
        stats->traversed_max = traversed;
    }
}

/** An entry was queued. */
static inline void mca_mq_base_count_insert(mca_mq_queue_stats_t *stats)
{
    if (++stats->length > stats->length_max) {
        stats->length_max = stats->length;
    }
}

/** An entry left the queue. */
static inline void mca_mq_base_count_remove(mca_mq_queue_stats_t *stats)
{
    --stats->length;
}

#endif /* OMPI_MCA_MQ_BASE_KIT_COUNT_H */
