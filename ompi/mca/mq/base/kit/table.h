/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A hash table from envelopes to queues: for each key, a ring of the items with
 * that key, oldest first. For components that find entries by key.
 *
 *     hash ----v
 *     slots  | . | h1 . | h2 . | . | h3 . | . |
 *                  |                   |
 *                 item <-> item       item        a ring per key; the head
 *                                                 is the oldest
 *
 * The slots are one array with open addressing and linear probing, at most half
 * full. A slot holds the full 64-bit hash, so that envelopes are hardly ever
 * compared unless they are equal, and the table can be resized without reading
 * the items. Items point to each other, never to slots, so slots can move.
 *
 *     look-up, insertion, removal   O(1), no allocation but for a new array
 *     memory    none before the first insertion; then 16 bytes a slot, 32 to
 *               64 bytes a key
 *
 * The array doubles when it would become more than half full; a large one (more
 * than MCA_MQ_BASE_TABLE_HOT slots) shrinks to a quarter when less than a
 * sixteenth of it is in use. Resizing is incremental: the table keeps the old
 * and the new array for a while, and each later insertion or removal moves a
 * few slots, so that it is finished long before the next resizing. Meanwhile a
 * look-up that fails reads both arrays.
 *
 * When the last key is removed, a large array is freed at once. One of medium
 * size stays, because the next burst may be like the last one; it is freed when
 * the table has been emptied MCA_MQ_BASE_TABLE_PATIENCE times without having
 * been an eighth in use. A small one (no more than MCA_MQ_BASE_TABLE_KEEP
 * slots) is never freed.
 *
 * Hashing: the three words of an envelope enter a 64 by 64 to 128-bit product,
 * whose halves are folded, and a second product; the upper bits select the
 * slot. That distributes tags with any stride well, without division, in about
 * 3 ns.
 *
 * The table does not know the type of its items: the caller passes a function
 * that compares an item with a key. If that is a constant, it is inlined.
 */

#ifndef OMPI_MCA_MQ_BASE_KIT_TABLE_H
#define OMPI_MCA_MQ_BASE_KIT_TABLE_H

#include "opal/prefetch.h"

#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

/**
 * An item is three link words, for example the first three of an entry: the
 * next (younger) item of its ring, the previous one, and the hash in the head,
 * 0 in the others. The ring is closed.
 */
#define MCA_MQ_BASE_TABLE_NEXT 0
#define MCA_MQ_BASE_TABLE_BACK 1
#define MCA_MQ_BASE_TABLE_HASH 2
#define MCA_MQ_BASE_TABLE_LINKS 3

/** Slots of a new table. */
#define MCA_MQ_BASE_TABLE_MIN ((size_t) 16)
/** Most slots that an empty table keeps for good; 16 KiB. */
#define MCA_MQ_BASE_TABLE_KEEP ((size_t) 1024)
/** Most slots that an empty table keeps for the next burst; 1 MiB. */
#define MCA_MQ_BASE_TABLE_HOT ((size_t) 65536)
/** How often the table is emptied before such an array is freed. */
#define MCA_MQ_BASE_TABLE_PATIENCE 64

typedef struct mca_mq_base_table_slot_t {
    uint64_t hash;
    void **head; /**< NULL: free */
} mca_mq_base_table_slot_t;

/** An array of slots, and how a hash selects one. */
typedef struct mca_mq_base_table_array_t {
    mca_mq_base_table_slot_t *slots; /**< NULL: none */
    size_t mask;                     /**< slots - 1 */
    int shift;                       /**< 64 - log2(slots) */
} mca_mq_base_table_array_t;

/** All zero: an empty table. */
typedef struct mca_mq_base_table_t {
    mca_mq_base_table_array_t now;
    size_t count;  /**< keys, in both arrays */
    size_t limit;  /**< keys at which it has to grow */
    size_t low;    /**< keys below which a removal may shrink it */
    unsigned idle; /**< times it was emptied without having been well used */
    /** The array from which slots are moved; its slots are NULL if there is
     * none. */
    mca_mq_base_table_array_t old;
    size_t moved;     /**< slots of old that have been moved */
    size_t step;      /**< slots moved with each operation */
    size_t first;     /**< size of the next initial array; 0: the minimum */
    uint64_t grown;   /**< times it grew, for tests */
    uint64_t shrunk;  /**< times it shrank or was freed, for tests */
    uint64_t refused; /**< insertions refused for lack of memory */
} mca_mq_base_table_t;

_Static_assert(sizeof(void *) >= sizeof(uint64_t), "a link word holds a hash");

/** Does this item have this key? */
typedef bool (*mca_mq_base_table_same_fn_t)(void *const *item,
                                            const mca_mq_envelope_t *key);

/** Visitor of items. The table must not change. */
typedef void (*mca_mq_base_table_visit_fn_t)(void **item, void *arg);

/** Free the memory; the table is empty afterwards. Items belong to the
 * caller. */
OMPI_DECLSPEC void mca_mq_base_table_fini(mca_mq_base_table_t *table);

/** Call visit for every item; items of one key are visited oldest first. */
OMPI_DECLSPEC void mca_mq_base_table_each(const mca_mq_base_table_t *table,
                                          mca_mq_base_table_visit_fn_t visit,
                                          void *arg);

/** Call visit for every entry, if all items are the first link words of
 * entries. */
OMPI_DECLSPEC void mca_mq_base_table_each_entry(
    const mca_mq_base_table_t *table, mca_mq_visit_fn_t visit, void *arg);

/** Bytes allocated. */
OMPI_DECLSPEC size_t
mca_mq_base_table_footprint(const mca_mq_base_table_t *table);

/** The entry whose first link words are this item. */
static inline __attribute__((always_inline)) mca_mq_entry_t *
mca_mq_base_table_entry_of(void *const *item)
{
    return (mca_mq_entry_t *) ((char *) (uintptr_t) item -
                               offsetof(mca_mq_entry_t, link));
}

/** Does the entry of an item have this envelope? */
static inline __attribute__((always_inline)) bool mca_mq_base_table_same(
    void *const *item, const mca_mq_envelope_t *key)
{
    const mca_mq_envelope_t *envelope =
        &mca_mq_base_table_entry_of(item)->envelope;

    return envelope->tag == key->tag && envelope->source == key->source &&
           envelope->context == key->context;
}

/* Slow paths of the functions below. */

/** Prepare an insertion that has to move slots or grow the table. Returns false
 * if there is no memory for one more key. */
OMPI_DECLSPEC bool mca_mq_base_table_prepare(mca_mq_base_table_t *table);
/** After the removal of a key: move slots, shrink. */
OMPI_DECLSPEC void mca_mq_base_table_settle(mca_mq_base_table_t *table);
/** Look-up in the old array. */
OMPI_DECLSPEC void **mca_mq_base_table_find_old(
    const mca_mq_base_table_t *table, uint64_t hash,
    mca_mq_base_table_same_fn_t same, const mca_mq_envelope_t *key,
    uint64_t *compared);
/** Close the gap that a removal left in the new array. */
OMPI_DECLSPEC void mca_mq_base_table_close_gap(mca_mq_base_table_t *table,
                                               size_t gap);
/** Replace or, with NULL, remove the head of a ring that is in the old
 * array. */
OMPI_DECLSPEC void mca_mq_base_table_replace_old(mca_mq_base_table_t *table,
                                                 uint64_t hash, void **head,
                                                 void **by);

/** Hash of an envelope, which may have wildcards. Never 0. */
static inline uint64_t mca_mq_base_table_hash(uint32_t context, int32_t source,
                                              int32_t tag)
{
    uint64_t word = (uint64_t) (uint32_t) source << 32 | (uint32_t) tag;
    unsigned __int128 product =
        (unsigned __int128) (word ^ UINT64_C(0xa0761d6478bd642f)) *
        ((uint64_t) context * UINT64_C(0x9e3779b97f4a7c15) ^
         UINT64_C(0xe7037ed1a0b428db));
    uint64_t folded = (uint64_t) product ^ (uint64_t) (product >> 64);

    return folded * UINT64_C(0xd6e8feb86659fd93) | 1;
}

static inline uint64_t mca_mq_base_table_hash_of(
    const mca_mq_envelope_t *envelope)
{
    return mca_mq_base_table_hash(envelope->context, envelope->source,
                                  envelope->tag);
}

/**
 * Find the oldest item with a key, or NULL.
 *
 * @param[in]     hash      of the key
 * @param[in,out] compared  increased by the number of items compared
 */
static inline __attribute__((always_inline)) void **mca_mq_base_table_find(
    const mca_mq_base_table_t *table, uint64_t hash,
    mca_mq_base_table_same_fn_t same, const mca_mq_envelope_t *key,
    uint64_t *compared)
{
    const mca_mq_base_table_slot_t *slots = table->now.slots;
    size_t i;

    if (0 == table->count) {
        return NULL;
    }
    for (i = hash >> table->now.shift; NULL != slots[i].head;
         i = (i + 1) & table->now.mask) {
        if (hash == slots[i].hash) {
            ++*compared;
            if (OPAL_LIKELY(same(slots[i].head, key))) {
                return slots[i].head;
            }
        }
    }
    if (OPAL_UNLIKELY(NULL != table->old.slots)) {
        return mca_mq_base_table_find_old(table, hash, same, key, compared);
    }
    return NULL;
}

/**
 * Make room for the next insertion.
 *
 * @return false if there is no memory for it
 */
static inline bool mca_mq_base_table_reserve(mca_mq_base_table_t *table)
{
    return OPAL_LIKELY(table->count < table->limit &&
                       NULL == table->old.slots) ||
           mca_mq_base_table_prepare(table);
}

/** Append an item to a ring. */
static inline void mca_mq_base_table_append(void **head, void **item)
{
    void **tail = (void **) head[MCA_MQ_BASE_TABLE_BACK];

    item[MCA_MQ_BASE_TABLE_NEXT] = head;
    item[MCA_MQ_BASE_TABLE_BACK] = tail;
    item[MCA_MQ_BASE_TABLE_HASH] = NULL;
    tail[MCA_MQ_BASE_TABLE_NEXT] = item;
    head[MCA_MQ_BASE_TABLE_BACK] = item;
}

/**
 * Insert an item, the youngest with its key, after mca_mq_base_table_reserve
 * has returned true.
 */
static inline __attribute__((always_inline)) void mca_mq_base_table_add(
    mca_mq_base_table_t *table, uint64_t hash, mca_mq_base_table_same_fn_t same,
    const mca_mq_envelope_t *key, void **item)
{
    mca_mq_base_table_slot_t *slots = table->now.slots;
    uint64_t compared;
    void **head;
    size_t i;

    for (i = hash >> table->now.shift; NULL != slots[i].head;
         i = (i + 1) & table->now.mask) {
        if (hash == slots[i].hash && OPAL_LIKELY(same(slots[i].head, key))) {
            mca_mq_base_table_append(slots[i].head, item);
            return;
        }
    }
    if (OPAL_UNLIKELY(NULL != table->old.slots)) {
        head = mca_mq_base_table_find_old(table, hash, same, key, &compared);
        if (NULL != head) {
            mca_mq_base_table_append(head, item);
            return;
        }
    }
    slots[i].hash = hash;
    slots[i].head = item;
    item[MCA_MQ_BASE_TABLE_NEXT] = item;
    item[MCA_MQ_BASE_TABLE_BACK] = item;
    item[MCA_MQ_BASE_TABLE_HASH] = (void *) (uintptr_t) hash;
    ++table->count;
}

/* Replace the head of a ring, or remove the key if the ring becomes empty. */
static inline void mca_mq_base_table_replace(mca_mq_base_table_t *table,
                                             void **head, void **by)
{
    uint64_t hash = (uintptr_t) head[MCA_MQ_BASE_TABLE_HASH];
    mca_mq_base_table_slot_t *slots = table->now.slots;
    size_t i = hash >> table->now.shift;

    while (head != slots[i].head && NULL != slots[i].head) {
        i = (i + 1) & table->now.mask;
    }
    if (OPAL_UNLIKELY(NULL == slots[i].head)) {
        mca_mq_base_table_replace_old(table, hash, head, by);
    } else if (NULL != by) {
        slots[i].head = by;
    } else if (NULL == slots[(i + 1) & table->now.mask].head) {
        slots[i].head = NULL;
    } else {
        mca_mq_base_table_close_gap(table, i);
    }
}

/** Remove an item. */
static inline void mca_mq_base_table_remove(mca_mq_base_table_t *table,
                                            void **item)
{
    void **next = (void **) item[MCA_MQ_BASE_TABLE_NEXT];
    void **back = (void **) item[MCA_MQ_BASE_TABLE_BACK];
    void *hash = item[MCA_MQ_BASE_TABLE_HASH];

    if (next == item) {
        mca_mq_base_table_replace(table, item, NULL);
        --table->count;
        if (OPAL_UNLIKELY(table->count < table->low ||
                          NULL != table->old.slots)) {
            mca_mq_base_table_settle(table);
        }
        return;
    }
    next[MCA_MQ_BASE_TABLE_BACK] = back;
    back[MCA_MQ_BASE_TABLE_NEXT] = next;
    if (NULL != hash) {
        next[MCA_MQ_BASE_TABLE_HASH] = hash;
        mca_mq_base_table_replace(table, item, next);
    }
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_KIT_TABLE_H */
