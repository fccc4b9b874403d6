/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The primitives of `bin` (see base/kit/template.h), for this component and
 * for those that are bins for a time. The module of such a component begins
 * with a mca_mq_bin_module_t.
 */

#ifndef OMPI_MCA_MQ_BIN_PRIMITIVES_H
#define OMPI_MCA_MQ_BIN_PRIMITIVES_H

#include <stdlib.h>

#include "ompi/mca/mq/bin/mq_bin.h"

typedef mca_mq_bin_module_t bin_module_t;
typedef mca_mq_bin_side_t bin_side_t;

#define PLANE_BIN                                                              \
    MCA_MQ_BASE_PLANE_A /* also used by the list of posted
                                         receives */
#define PLANE_ALL MCA_MQ_BASE_PLANE_B

/* Number of the bin; MCA_MQ_BIN_NONE for a receive with a wildcard. */
static inline uint32_t bin_locate(bin_module_t *m,
                                  const mca_mq_envelope_t *envelope)
{
    if (OPAL_UNLIKELY(MCA_MQ_ANY_SOURCE == envelope->source ||
                      MCA_MQ_ANY_TAG == envelope->tag)) {
        return MCA_MQ_BIN_NONE;
    }
    return mca_mq_bin_of(envelope, m->count);
}

static inline mca_mq_entry_t *bin_find_posted(bin_module_t *m, uint32_t place,
                                              const mca_mq_envelope_t *envelope,
                                              uint64_t *traversed)
{
    mca_mq_entry_t *exact = NULL;

    if (OPAL_LIKELY(NULL != m->posted.bins)) {
        exact = mca_mq_base_fifo_find_receive(&m->posted.bins[place], envelope,
                                              traversed, PLANE_BIN);
    }
    if (OPAL_LIKELY(mca_mq_base_fifo_is_empty(&m->posted.list))) {
        return exact;
    }
    return mca_mq_base_fifo_older_match(&m->posted.list, MCA_MQ_POSTED,
                                        envelope, exact, traversed, PLANE_BIN);
}

static inline mca_mq_entry_t *bin_find_unexpected(
    bin_module_t *m, uint32_t place, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    if (MCA_MQ_BIN_NONE == place || NULL == m->unexpected.bins) {
        return mca_mq_base_fifo_find_message(&m->unexpected.list, envelope,
                                             traversed, PLANE_ALL);
    }
    return mca_mq_base_fifo_find_message(&m->unexpected.bins[place], envelope,
                                         traversed, PLANE_BIN);
}

/* Bins are made only if no exact entry is queued, so that exact entries are
 * either all in bins or all in the list. */
static __attribute__((noinline)) bool make_bins(const bin_module_t *m,
                                                bin_side_t *side)
{
    if (0 == side->strays) {
        side->bins = calloc(m->count, sizeof(*side->bins));
    }
    return NULL != side->bins;
}

/* Put an entry into its bin; false if it has none. */
static inline bool add_to_bin(const bin_module_t *m, bin_side_t *side,
                              uint32_t place, mca_mq_entry_t *entry)
{
    if (OPAL_UNLIKELY(NULL == side->bins) && !make_bins(m, side)) {
        ++side->strays;
        return false;
    }
    mca_mq_base_fifo_ready(&side->bins[place]);
    mca_mq_base_fifo_append(&side->bins[place], entry, PLANE_BIN);
    return true;
}

static inline void bin_add_posted(bin_module_t *m, uint32_t place,
                                  mca_mq_entry_t *entry)
{
    entry->where = place;
    if (MCA_MQ_BIN_NONE == place || !add_to_bin(m, &m->posted, place, entry)) {
        mca_mq_base_fifo_append(&m->posted.list, entry, PLANE_BIN);
    }
}

static inline void bin_add_unexpected(bin_module_t *m, uint32_t place,
                                      mca_mq_entry_t *entry)
{
    entry->where = place;
    (void) add_to_bin(m, &m->unexpected, place, entry);
    mca_mq_base_fifo_append(&m->unexpected.list, entry, PLANE_ALL);
}

static inline void bin_remove_posted(bin_module_t *m, mca_mq_entry_t *entry)
{
    if (MCA_MQ_BIN_NONE == entry->where) {
        mca_mq_base_fifo_remove(&m->posted.list, entry, PLANE_BIN);
    } else if (OPAL_LIKELY(NULL != m->posted.bins)) {
        mca_mq_base_fifo_remove(&m->posted.bins[entry->where], entry,
                                PLANE_BIN);
    } else {
        mca_mq_base_fifo_remove(&m->posted.list, entry, PLANE_BIN);
        --m->posted.strays;
    }
}

static inline void bin_remove_unexpected(bin_module_t *m, mca_mq_entry_t *entry)
{
    if (OPAL_LIKELY(NULL != m->unexpected.bins)) {
        mca_mq_base_fifo_remove(&m->unexpected.bins[entry->where], entry,
                                PLANE_BIN);
    } else {
        --m->unexpected.strays;
    }
    mca_mq_base_fifo_remove(&m->unexpected.list, entry, PLANE_ALL);
}

static void bin_each(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                     mca_mq_visit_fn_t visit, void *arg)
{
    bin_module_t *m = (bin_module_t *) module;

    if (MCA_MQ_UNEXPECTED == queue) {
        mca_mq_base_fifo_each(&m->unexpected.list, visit, arg, PLANE_ALL);
        return;
    }
    mca_mq_base_fifo_each(&m->posted.list, visit, arg, PLANE_BIN);
    for (uint32_t i = 0; NULL != m->posted.bins && i < m->count; ++i) {
        mca_mq_base_fifo_each(&m->posted.bins[i], visit, arg, PLANE_BIN);
    }
}

static inline void bin_side_init(bin_side_t *side)
{
    mca_mq_base_fifo_init(&side->list);
    side->bins = NULL;
    side->strays = 0;
}

/** Memory of the bins, bytes. */
static inline size_t bin_arrays(const bin_module_t *m)
{
    size_t arrays = (NULL != m->posted.bins) + (NULL != m->unexpected.bins);

    return arrays * m->count * sizeof(*m->posted.bins);
}

static inline void bin_init(bin_module_t *m, uint32_t count)
{
    bin_side_init(&m->posted);
    bin_side_init(&m->unexpected);
    m->count = count;
}

static inline void bin_fini(bin_module_t *m)
{
    free(m->posted.bins);
    free(m->unexpected.bins);
}

#endif /* OMPI_MCA_MQ_BIN_PRIMITIVES_H */
