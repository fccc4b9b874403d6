/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Kinds are constants wherever a table is accessed, so that the compiler
 * specialises each look-up for its key.
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_newmad.h"

typedef mca_mq_newmad_module_t newmad_module_t;
typedef mca_mq_newmad_queue_t newmad_queue_t;
typedef mca_mq_newmad_node_t newmad_node_t;

#define PLANE MCA_MQ_BASE_PLANE_A
/* Index of the link word with an unexpected message's node; the first three are
 * its item. */
#define NODE MCA_MQ_BASE_TABLE_LINKS
/* `where` of an entry in the list; otherwise it is the kind of a receive, or
 * whether a message is internal. */
#define IN_REST UINT32_MAX

#define ALWAYS_INLINE inline __attribute__((always_inline))

static ALWAYS_INLINE bool is_internal(const mca_mq_envelope_t *message)
{
    return message->tag < 0;
}

static ALWAYS_INLINE unsigned kind_of(const mca_mq_envelope_t *receive)
{
    return (MCA_MQ_ANY_SOURCE == receive->source ? MCA_MQ_NEWMAD_ANY_SOURCE
                                                 : 0u) |
           (MCA_MQ_ANY_TAG == receive->tag ? MCA_MQ_NEWMAD_ANY_TAG : 0u);
}

/* A message's key in the table of a kind. */
static ALWAYS_INLINE mca_mq_envelope_t key_of(const mca_mq_envelope_t *message,
                                              unsigned kind)
{
    return (mca_mq_envelope_t){
        .context = message->context,
        .source = kind & MCA_MQ_NEWMAD_ANY_SOURCE ? MCA_MQ_ANY_SOURCE
                                                  : message->source,
        .tag = kind & MCA_MQ_NEWMAD_ANY_TAG ? MCA_MQ_ANY_TAG : message->tag,
    };
}

/* The node of an item that is in a node. */
static ALWAYS_INLINE newmad_node_t *node_of(void *const *item, unsigned kind)
{
    return (newmad_node_t *) ((char *) (uintptr_t) item -
                              (kind - 1) * sizeof(void *) *
                                  MCA_MQ_BASE_TABLE_LINKS);
}

static ALWAYS_INLINE bool same_1(void *const *item,
                                 const mca_mq_envelope_t *key)
{
    return mca_mq_matches(key, &node_of(item, 1)->of.entry->envelope);
}

static ALWAYS_INLINE bool same_2(void *const *item,
                                 const mca_mq_envelope_t *key)
{
    return mca_mq_matches(key, &node_of(item, 2)->of.entry->envelope);
}

static ALWAYS_INLINE bool same_3(void *const *item,
                                 const mca_mq_envelope_t *key)
{
    return mca_mq_matches(key, &node_of(item, 3)->of.entry->envelope);
}

/* Comparison of message items, by kind. */
static const mca_mq_base_table_same_fn_t same_message[] = {
    mca_mq_base_table_same, same_1, same_2, same_3};

static inline uint64_t newmad_locate(newmad_module_t *m,
                                     const mca_mq_envelope_t *envelope)
{
    (void) m;
    return mca_mq_base_table_hash_of(envelope);
}

static ALWAYS_INLINE mca_mq_entry_t *older(mca_mq_entry_t *one,
                                           mca_mq_entry_t *other)
{
    return NULL == one || (NULL != other && other->order < one->order) ? other
                                                                       : one;
}

/* Find the oldest receive of one kind for a message. */
static ALWAYS_INLINE mca_mq_entry_t *find_receive(
    const newmad_queue_t *posted, uint64_t hash, unsigned kind,
    const mca_mq_envelope_t *message, uint64_t *traversed)
{
    mca_mq_envelope_t key = key_of(message, kind);
    void **item;

    item = mca_mq_base_table_find(&posted->table[kind], hash,
                                  mca_mq_base_table_same, &key, traversed);
    return NULL == item ? NULL : mca_mq_base_table_entry_of(item);
}

/* The older of found and the oldest receive of a kind with wildcards. */
static ALWAYS_INLINE mca_mq_entry_t *find_wild(const newmad_queue_t *posted,
                                               unsigned kind,
                                               const mca_mq_envelope_t *message,
                                               mca_mq_entry_t *found,
                                               uint64_t *traversed)
{
    mca_mq_envelope_t key = key_of(message, kind);

    if (0 == posted->table[kind].count) {
        return found;
    }
    return older(found, find_receive(posted, mca_mq_base_table_hash_of(&key),
                                     kind, message, traversed));
}

static __attribute__((noinline)) mca_mq_entry_t *find_all_wild(
    const newmad_queue_t *posted, const mca_mq_envelope_t *message,
    mca_mq_entry_t *found, uint64_t *traversed)
{
    found =
        find_wild(posted, MCA_MQ_NEWMAD_ANY_SOURCE, message, found, traversed);
    if (!is_internal(message)) {
        found =
            find_wild(posted, MCA_MQ_NEWMAD_ANY_TAG, message, found, traversed);
        found =
            find_wild(posted, MCA_MQ_NEWMAD_ANY_SOURCE | MCA_MQ_NEWMAD_ANY_TAG,
                      message, found, traversed);
    }
    return mca_mq_base_fifo_older_match(&posted->rest, MCA_MQ_POSTED, message,
                                        found, traversed, PLANE);
}

/* Are there only exact receives, all of them in the table? */
static ALWAYS_INLINE bool is_exact(const newmad_queue_t *posted)
{
    return 0 == (posted->table[1].count | posted->table[2].count |
                 posted->table[3].count) &&
           mca_mq_base_fifo_is_empty(&posted->rest);
}

static inline mca_mq_entry_t *newmad_find_posted(
    newmad_module_t *m, uint64_t hash, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    const newmad_queue_t *posted = &m->queue[MCA_MQ_POSTED];
    mca_mq_entry_t *found = find_receive(posted, hash, 0, envelope, traversed);

    if (OPAL_LIKELY(is_exact(posted))) {
        return found;
    }
    return find_all_wild(posted, envelope, found, traversed);
}

/* Find the oldest message for a receive of one kind. */
static ALWAYS_INLINE mca_mq_entry_t *find_message(
    const newmad_queue_t *unexpected, uint64_t hash, unsigned kind,
    const mca_mq_envelope_t *receive, uint64_t *traversed)
{
    void **item;

    item = mca_mq_base_table_find(&unexpected->table[kind], hash,
                                  same_message[kind], receive, traversed);
    if (NULL == item) {
        return NULL;
    }
    return 0 == kind ? mca_mq_base_table_entry_of(item)
                     : node_of(item, kind)->of.entry;
}

static __attribute__((noinline)) mca_mq_entry_t *find_message_wild(
    const newmad_queue_t *unexpected, uint64_t hash,
    const mca_mq_envelope_t *receive, uint64_t *traversed)
{
    switch (kind_of(receive)) {
    case 1:
        return find_message(unexpected, hash, 1, receive, traversed);
    case 2:
        return find_message(unexpected, hash, 2, receive, traversed);
    default:
        return find_message(unexpected, hash, 3, receive, traversed);
    }
}

static inline mca_mq_entry_t *newmad_find_unexpected(
    newmad_module_t *m, uint64_t hash, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    const newmad_queue_t *unexpected = &m->queue[MCA_MQ_UNEXPECTED];
    mca_mq_entry_t *found;

    found = OPAL_LIKELY(0 == kind_of(envelope))
                ? find_message(unexpected, hash, 0, envelope, traversed)
                : find_message_wild(unexpected, hash, envelope, traversed);
    if (OPAL_LIKELY(mca_mq_base_fifo_is_empty(&unexpected->rest))) {
        return found;
    }
    return mca_mq_base_fifo_older_match(&unexpected->rest, MCA_MQ_UNEXPECTED,
                                        envelope, found, traversed, PLANE);
}

static ALWAYS_INLINE void add_rest(newmad_queue_t *queue, mca_mq_entry_t *entry)
{
    entry->where = IN_REST;
    mca_mq_base_fifo_append(&queue->rest, entry, PLANE);
}

static inline void newmad_add_posted(newmad_module_t *m, uint64_t hash,
                                     mca_mq_entry_t *entry)
{
    newmad_queue_t *posted = &m->queue[MCA_MQ_POSTED];
    unsigned kind = kind_of(&entry->envelope);
    mca_mq_base_table_t *table = &posted->table[kind];

    if (OPAL_UNLIKELY(!mca_mq_base_table_reserve(table))) {
        add_rest(posted, entry);
        return;
    }
    entry->where = kind;
    mca_mq_base_table_add(table, hash, mca_mq_base_table_same, &entry->envelope,
                          entry->link);
}

/* Is there room in all tables to which the message belongs? */
static ALWAYS_INLINE bool reserve(newmad_queue_t *unexpected, bool internal)
{
    return mca_mq_base_table_reserve(&unexpected->table[0]) &&
           mca_mq_base_table_reserve(&unexpected->table[1]) &&
           (internal || (mca_mq_base_table_reserve(&unexpected->table[2]) &&
                         mca_mq_base_table_reserve(&unexpected->table[3])));
}

static ALWAYS_INLINE void add_wild(newmad_queue_t *unexpected,
                                   newmad_node_t *node, unsigned kind)
{
    mca_mq_envelope_t key = key_of(&node->of.entry->envelope, kind);

    mca_mq_base_table_add(&unexpected->table[kind],
                          mca_mq_base_table_hash_of(&key), same_message[kind],
                          &key, node->item[kind - 1]);
}

static void newmad_add_unexpected(newmad_module_t *m, uint64_t hash,
                                  mca_mq_entry_t *entry)
{
    newmad_queue_t *unexpected = &m->queue[MCA_MQ_UNEXPECTED];
    bool internal = is_internal(&entry->envelope);
    newmad_node_t *node = NULL;

    if (OPAL_LIKELY(reserve(unexpected, internal))) {
        node = mca_mq_newmad_node_get(&m->pool);
    }
    if (OPAL_UNLIKELY(NULL == node)) {
        add_rest(unexpected, entry);
        return;
    }
    entry->where = internal;
    entry->link[NODE] = node;
    node->of.entry = entry;
    mca_mq_base_table_add(&unexpected->table[0], hash, mca_mq_base_table_same,
                          &entry->envelope, entry->link);
    add_wild(unexpected, node, 1);
    if (!internal) {
        add_wild(unexpected, node, 2);
        add_wild(unexpected, node, 3);
    }
}

static inline void newmad_remove_posted(newmad_module_t *m,
                                        mca_mq_entry_t *entry)
{
    newmad_queue_t *posted = &m->queue[MCA_MQ_POSTED];

    if (OPAL_UNLIKELY(IN_REST == entry->where)) {
        mca_mq_base_fifo_remove(&posted->rest, entry, PLANE);
    } else {
        mca_mq_base_table_remove(&posted->table[entry->where], entry->link);
    }
}

static void newmad_remove_unexpected(newmad_module_t *m, mca_mq_entry_t *entry)
{
    newmad_queue_t *unexpected = &m->queue[MCA_MQ_UNEXPECTED];
    newmad_node_t *node = (newmad_node_t *) entry->link[NODE];

    if (OPAL_UNLIKELY(IN_REST == entry->where)) {
        mca_mq_base_fifo_remove(&unexpected->rest, entry, PLANE);
        return;
    }
    mca_mq_base_table_remove(&unexpected->table[0], entry->link);
    mca_mq_base_table_remove(&unexpected->table[1], node->item[0]);
    if (!entry->where) {
        mca_mq_base_table_remove(&unexpected->table[2], node->item[1]);
        mca_mq_base_table_remove(&unexpected->table[3], node->item[2]);
    }
    mca_mq_newmad_node_put(&m->pool, node);
}

static void newmad_each(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                        mca_mq_visit_fn_t visit, void *arg)
{
    newmad_queue_t *q = &((newmad_module_t *) module)->queue[queue];
    /* All messages are in the first table. */
    int kinds = MCA_MQ_POSTED == queue ? MCA_MQ_NEWMAD_KINDS : 1;

    for (int kind = 0; kind < kinds; ++kind) {
        mca_mq_base_table_each_entry(&q->table[kind], visit, arg);
    }
    mca_mq_base_fifo_each(&q->rest, visit, arg, PLANE);
}

static size_t newmad_footprint(const mca_mq_base_module_t *module)
{
    const newmad_module_t *m = (const newmad_module_t *) module;
    size_t bytes = sizeof(*m) + m->pool.slabs * sizeof(mca_mq_newmad_slab_t);

    for (int i = 0; i < MCA_MQ_QUEUES * MCA_MQ_NEWMAD_KINDS; ++i) {
        bytes += mca_mq_base_table_footprint(
            &m->queue[i / MCA_MQ_NEWMAD_KINDS].table[i % MCA_MQ_NEWMAD_KINDS]);
    }
    return bytes;
}

static void newmad_destroy(mca_mq_base_module_t *module)
{
    newmad_module_t *m = (newmad_module_t *) module;

    mca_mq_newmad_pool_fini(&m->pool);
    for (int i = 0; i < MCA_MQ_QUEUES * MCA_MQ_NEWMAD_KINDS; ++i) {
        mca_mq_base_table_fini(
            &m->queue[i / MCA_MQ_NEWMAD_KINDS].table[i % MCA_MQ_NEWMAD_KINDS]);
    }
    free(m);
}

#define MQ_NAME newmad
#define MQ_MODULE mca_mq_newmad_module_t
#define MQ_PLACE uint64_t
#include "ompi/mca/mq/base/kit/template.h"

int mca_mq_newmad_create(const mca_mq_domain_info_t *info,
                         mca_mq_base_module_t **module)
{
    newmad_module_t *m = calloc(1, sizeof(*m));

    *module = (mca_mq_base_module_t *) m;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->super, info->stats, &mca_mq_newmad_component);
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_base_fifo_init(&m->queue[queue].rest);
    }
    return OMPI_SUCCESS;
}
