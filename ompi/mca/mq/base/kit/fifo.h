/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A queue of entries in order of age, linked through the entries themselves.
 *
 *     fifo            entry           entry
 *     head ---------> next ---------> next ---------> NULL
 *        ^----------- back   ^------- back
 *     tail --------------------------^ (the next field of the last)
 *
 * `back` is the address of the pointer that points to the entry, so an entry
 * can be removed without a search and without testing whether it is the first.
 * Appending and removing take four and five memory accesses and no
 * unpredictable branch; nothing is allocated.
 *
 * An entry has four link words, so it can be in two queues at a time: a plane
 * is the first of the two words that a queue uses, MCA_MQ_BASE_PLANE_A or _B.
 * All entries of a queue use one plane, which should be a constant.
 *
 * A queue must not move while it has entries, because they point back into it.
 */

#ifndef OMPI_MCA_MQ_BASE_KIT_FIFO_H
#define OMPI_MCA_MQ_BASE_KIT_FIFO_H

#include <assert.h>

#include "opal/prefetch.h"

#include "ompi/mca/mq/mq.h"

#define MCA_MQ_BASE_PLANE_A 0 /**< link[0] and link[1] */
#define MCA_MQ_BASE_PLANE_B 2 /**< link[2] and link[3] */

typedef struct mca_mq_base_fifo_t {
    void *head;  /**< oldest entry, or NULL */
    void **tail; /**< where the next entry is linked; NULL: not ready */
} mca_mq_base_fifo_t;

/** The place of an envelope (see base/kit/template.h) if each queue is one of
 * these. */
typedef struct mca_mq_base_nowhere_t {
    char unused;
} mca_mq_base_nowhere_t;

/** Make an empty queue. */
static inline void mca_mq_base_fifo_init(mca_mq_base_fifo_t *fifo)
{
    fifo->head = NULL;
    fifo->tail = &fifo->head;
}

/**
 * Make a zeroed queue ready for appending. A zeroed queue reads as empty, so
 * large arrays of queues from calloc cost no memory until they are used.
 */
static inline void mca_mq_base_fifo_ready(mca_mq_base_fifo_t *fifo)
{
    if (OPAL_UNLIKELY(NULL == fifo->tail)) {
        fifo->tail = &fifo->head;
    }
}

static inline bool mca_mq_base_fifo_is_empty(const mca_mq_base_fifo_t *fifo)
{
    return NULL == fifo->head;
}

/** The oldest entry, or NULL. */
static inline mca_mq_entry_t *mca_mq_base_fifo_first(
    const mca_mq_base_fifo_t *fifo)
{
    return (mca_mq_entry_t *) fifo->head;
}

/** The newest entry of a queue that is not empty. */
static inline mca_mq_entry_t *mca_mq_base_fifo_last(
    const mca_mq_base_fifo_t *fifo, int plane)
{
    return (mca_mq_entry_t *) ((uintptr_t) (fifo->tail - plane) -
                               offsetof(mca_mq_entry_t, link));
}

/** The entry after this one, or NULL. */
static inline mca_mq_entry_t *mca_mq_base_fifo_next(const mca_mq_entry_t *entry,
                                                    int plane)
{
    return (mca_mq_entry_t *) entry->link[plane];
}

/** Append an entry to a queue that is ready. */
static inline void mca_mq_base_fifo_append(mca_mq_base_fifo_t *fifo,
                                           mca_mq_entry_t *entry, int plane)
{
    void **tail = fifo->tail;

    assert(tail != &entry->link[plane]); /* otherwise it is queued already */
    entry->link[plane] = NULL;
    entry->link[plane + 1] = tail;
    fifo->tail = &entry->link[plane];
    *tail = entry;
}

/** Remove an entry from its queue. */
static inline void mca_mq_base_fifo_remove(mca_mq_base_fifo_t *fifo,
                                           mca_mq_entry_t *entry, int plane)
{
    mca_mq_entry_t *next = (mca_mq_entry_t *) entry->link[plane];
    void **back = (void **) entry->link[plane + 1];

    assert(entry == *back); /* otherwise it is not queued */
    *back = next;
    if (NULL == next) {
        fifo->tail = back;
    } else {
        next->link[plane + 1] = back;
    }
}

/** Value of `before` for a search of all entries; as a constant it costs
 * nothing. */
#define MCA_MQ_BASE_ALL UINT64_MAX

static inline bool mca_mq_base_fifo_older(const mca_mq_entry_t *entry,
                                          uint64_t before)
{
    return MCA_MQ_BASE_ALL == before || entry->order < before;
}

/**
 * Find the oldest entry that matches.
 *
 * @param[in] queue  which queue this is, so whether its entries are receives or
 *                   messages; a constant
 * @param[in] envelope  of a message, if these are receives; or of a receive
 * @param[in] before  consider only entries with a smaller order number
 * @param[in,out] traversed  increased by the number of entries compared
 */
static inline __attribute__((always_inline)) mca_mq_entry_t *
mca_mq_base_fifo_search(const mca_mq_base_fifo_t *fifo, mca_mq_queue_t queue,
                        const mca_mq_envelope_t *envelope, uint64_t before,
                        uint64_t *traversed, int plane)
{
    mca_mq_entry_t *entry;

    for (entry = mca_mq_base_fifo_first(fifo);
         NULL != entry && mca_mq_base_fifo_older(entry, before);
         entry = mca_mq_base_fifo_next(entry, plane)) {
        ++*traversed;
        if (MCA_MQ_POSTED == queue
                ? mca_mq_matches(&entry->envelope, envelope)
                : mca_mq_matches(envelope, &entry->envelope)) {
            return entry;
        }
    }
    return NULL;
}

/** Find the oldest receive that matches a message. */
static inline mca_mq_entry_t *mca_mq_base_fifo_find_receive(
    const mca_mq_base_fifo_t *fifo, const mca_mq_envelope_t *envelope,
    uint64_t *traversed, int plane)
{
    return mca_mq_base_fifo_search(fifo, MCA_MQ_POSTED, envelope,
                                   MCA_MQ_BASE_ALL, traversed, plane);
}

/** Find the oldest message that matches a receive. */
static inline mca_mq_entry_t *mca_mq_base_fifo_find_message(
    const mca_mq_base_fifo_t *fifo, const mca_mq_envelope_t *envelope,
    uint64_t *traversed, int plane)
{
    return mca_mq_base_fifo_search(fifo, MCA_MQ_UNEXPECTED, envelope,
                                   MCA_MQ_BASE_ALL, traversed, plane);
}

/** The older one of found, an entry of another list or NULL, and of the oldest
 * match in this one. */
static inline __attribute__((always_inline)) mca_mq_entry_t *
mca_mq_base_fifo_older_match(const mca_mq_base_fifo_t *fifo,
                             mca_mq_queue_t queue,
                             const mca_mq_envelope_t *envelope,
                             mca_mq_entry_t *found, uint64_t *traversed,
                             int plane)
{
    mca_mq_entry_t *other = mca_mq_base_fifo_search(
        fifo, queue, envelope, NULL == found ? UINT64_MAX : found->order,
        traversed, plane);

    return NULL == other ? found : other;
}

/** Call visit for every entry, oldest first. */
static inline void mca_mq_base_fifo_each(const mca_mq_base_fifo_t *fifo,
                                         mca_mq_visit_fn_t visit, void *arg,
                                         int plane)
{
    mca_mq_entry_t *entry;

    for (entry = mca_mq_base_fifo_first(fifo); NULL != entry;
         entry = mca_mq_base_fifo_next(entry, plane)) {
        visit(entry, arg);
    }
}

#endif /* OMPI_MCA_MQ_BASE_KIT_FIFO_H */
