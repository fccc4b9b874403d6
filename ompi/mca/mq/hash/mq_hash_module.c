/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_hash.h"

typedef mca_mq_hash_module_t hash_module_t;
typedef mca_mq_hash_queue_t hash_queue_t;

/* A ring uses the first three link words, the list the first two. */
#define PLANE MCA_MQ_BASE_PLANE_A

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Values of `where`. */
enum { IN_TABLE, IN_REST };

static inline uint64_t hash_locate(hash_module_t *m,
                                   const mca_mq_envelope_t *envelope)
{
    (void) m;
    return mca_mq_base_table_hash_of(envelope);
}

static ALWAYS_INLINE mca_mq_entry_t *find_in_table(
    const hash_queue_t *queue, uint64_t hash, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    void **item = mca_mq_base_table_find(
        &queue->table, hash, mca_mq_base_table_same, envelope, traversed);

    return NULL == item ? NULL : mca_mq_base_table_entry_of(item);
}

static ALWAYS_INLINE bool has_rest(const hash_queue_t *queue)
{
    return OPAL_UNLIKELY(!mca_mq_base_fifo_is_empty(&queue->rest));
}

static ALWAYS_INLINE uint64_t order_of(const mca_mq_entry_t *found)
{
    return NULL == found ? UINT64_MAX : found->order;
}

static inline mca_mq_entry_t *hash_find_posted(
    hash_module_t *m, uint64_t hash, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    const hash_queue_t *posted = &m->queue[MCA_MQ_POSTED];
    mca_mq_entry_t *found;

    found = find_in_table(posted, hash, envelope, traversed);
    if (has_rest(posted)) {
        found = mca_mq_base_fifo_older_match(&posted->rest, MCA_MQ_POSTED,
                                             envelope, found, traversed, PLANE);
    }
    return found;
}

/* Search for the oldest message for an internal receive from any source. */
typedef struct any_source_t {
    const mca_mq_envelope_t *receive;
    mca_mq_entry_t *found;
    uint64_t traversed;
} any_source_t;

static void try_item(void **item, void *arg)
{
    mca_mq_entry_t *entry = mca_mq_base_table_entry_of(item);
    any_source_t *search = arg;

    ++search->traversed;
    if (mca_mq_matches(search->receive, &entry->envelope) &&
        entry->order < order_of(search->found)) {
        search->found = entry;
    }
}

static __attribute__((noinline)) mca_mq_entry_t *find_from_any(
    const hash_queue_t *unexpected, const mca_mq_envelope_t *receive,
    uint64_t *traversed)
{
    any_source_t search = {receive, NULL, 0};

    mca_mq_base_table_each(&unexpected->table, try_item, &search);
    *traversed += search.traversed;
    return search.found;
}

static inline mca_mq_entry_t *hash_find_unexpected(
    hash_module_t *m, uint64_t hash, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    const hash_queue_t *unexpected = &m->queue[MCA_MQ_UNEXPECTED];
    mca_mq_entry_t *found;

    found = OPAL_UNLIKELY(MCA_MQ_ANY_SOURCE == envelope->source)
                ? find_from_any(unexpected, envelope, traversed)
                : find_in_table(unexpected, hash, envelope, traversed);
    if (has_rest(unexpected)) {
        found =
            mca_mq_base_fifo_older_match(&unexpected->rest, MCA_MQ_UNEXPECTED,
                                         envelope, found, traversed, PLANE);
    }
    return found;
}

static inline void add(hash_queue_t *queue, uint64_t hash,
                       mca_mq_entry_t *entry)
{
    if (OPAL_LIKELY(MCA_MQ_ANY_SOURCE != entry->envelope.source &&
                    mca_mq_base_table_reserve(&queue->table))) {
        entry->where = IN_TABLE;
        mca_mq_base_table_add(&queue->table, hash, mca_mq_base_table_same,
                              &entry->envelope, entry->link);
    } else {
        entry->where = IN_REST;
        mca_mq_base_fifo_append(&queue->rest, entry, PLANE);
    }
}

static inline void hash_add_posted(hash_module_t *m, uint64_t hash,
                                   mca_mq_entry_t *entry)
{
    add(&m->queue[MCA_MQ_POSTED], hash, entry);
}

static inline void hash_add_unexpected(hash_module_t *m, uint64_t hash,
                                       mca_mq_entry_t *entry)
{
    add(&m->queue[MCA_MQ_UNEXPECTED], hash, entry);
}

static inline void take_out(hash_queue_t *queue, mca_mq_entry_t *entry)
{
    if (OPAL_LIKELY(IN_TABLE == entry->where)) {
        mca_mq_base_table_remove(&queue->table, entry->link);
    } else {
        mca_mq_base_fifo_remove(&queue->rest, entry, PLANE);
    }
}

static inline void hash_remove_posted(hash_module_t *m, mca_mq_entry_t *entry)
{
    take_out(&m->queue[MCA_MQ_POSTED], entry);
}

static inline void hash_remove_unexpected(hash_module_t *m,
                                          mca_mq_entry_t *entry)
{
    take_out(&m->queue[MCA_MQ_UNEXPECTED], entry);
}

static void hash_each(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                      mca_mq_visit_fn_t visit, void *arg)
{
    hash_queue_t *q = &((hash_module_t *) module)->queue[queue];

    mca_mq_base_table_each_entry(&q->table, visit, arg);
    mca_mq_base_fifo_each(&q->rest, visit, arg, PLANE);
}

static size_t hash_footprint(const mca_mq_base_module_t *module)
{
    const hash_module_t *m = (const hash_module_t *) module;
    size_t bytes = sizeof(*m);

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        bytes += mca_mq_base_table_footprint(&m->queue[queue].table);
    }
    return bytes;
}

static void hash_destroy(mca_mq_base_module_t *module)
{
    hash_module_t *m = (hash_module_t *) module;

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_base_table_fini(&m->queue[queue].table);
    }
    free(m);
}

#define MQ_NAME hash
#define MQ_MODULE mca_mq_hash_module_t
#define MQ_PLACE uint64_t
#include "ompi/mca/mq/base/kit/template.h"

int mca_mq_hash_create(const mca_mq_domain_info_t *info,
                       mca_mq_base_module_t **module)
{
    hash_module_t *m = calloc(1, sizeof(*m));

    *module = (mca_mq_base_module_t *) m;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->super, info->stats, &mca_mq_hash_component);
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_base_fifo_init(&m->queue[queue].rest);
    }
    return OMPI_SUCCESS;
}
