/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The hash table of `indexed`: from envelopes to FIFOs of entries.
 *
 *     slots   | . | h1 . | . | h2 . | h3 . | . |     . : free, no head
 *                   |          |      |
 *                 entry      entry  entry            oldest of its envelope
 *                   |                 |
 *                 entry             entry            next words; the oldest
 *                                                    one's previous word is
 *                                                    the newest one
 *
 * Open addressing with linear probing, at most half full, small tables a
 * quarter: then the first slot is nearly always the right one, and branches are
 * predicted. A slot holds the full 64-bit hash of its key, so that a search
 * reads one cache line of slots and then the entry itself, and a slot can be
 * moved without reading its entries. The key itself is in the oldest entry.
 * Removal moves later slots back and leaves no tombstones. All entries of a key
 * share one slot, so their number does not lengthen probes.
 *
 * Resizing is incremental: a growing or shrinking table has two arrays for a
 * while, and each insertion and removal moves a few slots, always up to a free
 * slot, so that no probe sequence is ever cut in two. Moved slots read as free.
 * Large arrays come from mmap, which zeroes them page by page on first use, and
 * moved parts are returned to the system.
 *
 * Keys are (context, source, tag), with possible wildcards. The kind of a table
 * determines an entry's key: in kind ANY_SOURCE it is (context, any source, the
 * entry's tag). In kind EXACT a wildcard is a value like any other: so posted
 * receives of all classes share one table.
 */

#ifndef OMPI_MCA_MQ_INDEXED_TABLE_H
#define OMPI_MCA_MQ_INDEXED_TABLE_H

#include "opal/prefetch.h"

#include "ompi/mca/mq/mq.h"
#include "mq_indexed_nodes.h"

BEGIN_C_DECLS

/** Kinds of keys, and classes of receives. Bit 0 stands for any tag, bit 1 for
 * any source. */
enum {
    MCA_MQ_INDEXED_EXACT = 0,
    MCA_MQ_INDEXED_ANY_TAG = 1,
    MCA_MQ_INDEXED_ANY_SOURCE = 2,
    MCA_MQ_INDEXED_ANY_BOTH = 3,
    MCA_MQ_INDEXED_KINDS = 4
};

/** Slots of the smallest table. */
#define MCA_MQ_INDEXED_MIN_SLOTS 64

typedef struct mca_mq_indexed_slot_t {
    uint64_t hash;
    mca_mq_entry_t *head; /**< oldest entry of the key; NULL: free */
} mca_mq_indexed_slot_t;

/** All zero: an empty table without memory. */
typedef struct mca_mq_indexed_table_t {
    mca_mq_indexed_slot_t *slots;
    size_t mask;      /**< slots - 1 */
    size_t keys;      /**< in both arrays */
    size_t limit;     /**< number of keys above which it grows */
    size_t grow_at;   /**< number of keys above which .._grow is called */
    size_t shrink_at; /**< number of keys below which it shrinks */
    size_t full_at;   /**< number of keys at which it is full */
    /** The slot of the last search, whose entry is likely to be removed
     * next. */
    mca_mq_indexed_slot_t *hint;
    mca_mq_indexed_slot_t *old; /**< NULL: no resizing in progress */
    size_t old_mask;
    size_t old_at;   /**< next slot to be moved */
    size_t old_left; /**< slots still to be moved */
    /** Most slots that are kept when the queue has drained, because the next
     * burst is likely to be like the last one. */
    size_t kept;
    unsigned idle;  /**< times it was reset without having been well used */
    uint64_t grown; /**< resizings begun, ever */
    uint64_t shrunk;
} mca_mq_indexed_table_t;

/** Random words of the process that key the hash. */
typedef struct mca_mq_indexed_seed_t {
    uint64_t word[3];
} mca_mq_indexed_seed_t;

/** Make sure that there are slots. False if out of memory. */
bool mca_mq_indexed_table_ready(mca_mq_indexed_table_t *table);

/** Forget all entries, and free memory except what the next burst will need if
 * it is like the last one. */
void mca_mq_indexed_table_reset(mca_mq_indexed_table_t *table);

/** Forget all entries and free all memory. */
void mca_mq_indexed_table_fini(mca_mq_indexed_table_t *table);

/** Begin to resize if it is due and memory permits. */
void mca_mq_indexed_table_grow(mca_mq_indexed_table_t *table);
void mca_mq_indexed_table_shrink(mca_mq_indexed_table_t *table);

/** Continue the resizing in progress. */
void mca_mq_indexed_table_step(mca_mq_indexed_table_t *table);

/** Bytes allocated. */
size_t mca_mq_indexed_table_footprint(const mca_mq_indexed_table_t *table);

/** Call visit for every entry of a table of kind EXACT; keys in no particular
 * order, entries of a key oldest first. */
void mca_mq_indexed_table_each(const mca_mq_indexed_table_t *table,
                               mca_mq_visit_fn_t visit, void *arg);

/** Distances of keys from their home slots: sum and maximum. For tests. */
void mca_mq_indexed_table_displacement(const mca_mq_indexed_table_t *table,
                                       size_t *sum, size_t *most);

/** Both halves of a product folded into one word, every bit of which depends on
 * every bit of both factors. */
static inline uint64_t mca_mq_indexed_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128) a * b;

    return (uint64_t) product ^ (uint64_t) (product >> 64);
}

/** Keyed hash: without the seed nobody can choose envelopes that collide. */
static inline uint64_t mca_mq_indexed_hash(const mca_mq_indexed_seed_t *seed,
                                           const mca_mq_envelope_t *envelope)
{
    uint64_t peer =
        (uint64_t) envelope->context << 32 | (uint32_t) envelope->source;

    return mca_mq_indexed_fold(
        mca_mq_indexed_fold(peer ^ seed->word[0],
                            (uint32_t) envelope->tag ^ seed->word[1]),
        seed->word[2]);
}

/** The key of a message's or a receive's envelope in a table of this kind. */
static inline mca_mq_envelope_t mca_mq_indexed_key(
    const mca_mq_envelope_t *envelope, int kind)
{
    mca_mq_envelope_t key = *envelope;

    if (kind & MCA_MQ_INDEXED_ANY_TAG) {
        key.tag = MCA_MQ_ANY_TAG;
    }
    if (kind & MCA_MQ_INDEXED_ANY_SOURCE) {
        key.source = MCA_MQ_ANY_SOURCE;
    }
    return key;
}

static inline bool mca_mq_indexed_same(const mca_mq_envelope_t *a,
                                       const mca_mq_envelope_t *b)
{
    return a->context == b->context && a->source == b->source &&
           a->tag == b->tag;
}

/** The link words of an entry in tables of this kind: next and previous. */
static inline void **mca_mq_indexed_links(const mca_mq_indexed_nodes_t *nodes,
                                          mca_mq_entry_t *entry, int kind)
{
    return MCA_MQ_INDEXED_EXACT == kind
               ? entry->link
               : mca_mq_indexed_node(nodes, entry->where)->link[kind - 1];
}

/** Find the slot of a key in one of the arrays, or the free one where it would
 * be. */
static inline mca_mq_indexed_slot_t *mca_mq_indexed_probe(
    mca_mq_indexed_slot_t *slots, size_t mask, uint64_t hash,
    const mca_mq_envelope_t *key, int kind, uint64_t *traversed)
{
    mca_mq_indexed_slot_t *slot;
    mca_mq_envelope_t other;

    for (size_t i = hash;; ++i) {
        slot = &slots[i & mask];
        if (NULL == slot->head) {
            return slot;
        }
        if (OPAL_LIKELY(hash == slot->hash)) {
            ++*traversed;
            other = mca_mq_indexed_key(&slot->head->envelope, kind);
            if (OPAL_LIKELY(mca_mq_indexed_same(&other, key))) {
                return slot;
            }
        }
    }
}

/**
 * Find the slot of a key, or a free one for it: then its head is NULL.
 *
 * @param[in] key  with the wildcards of the kind
 * @param[out] traversed  increased by the number of entries compared
 */
static inline mca_mq_indexed_slot_t *mca_mq_indexed_slot(
    mca_mq_indexed_table_t *table, uint64_t hash, const mca_mq_envelope_t *key,
    int kind, uint64_t *traversed)
{
    mca_mq_indexed_slot_t *slot, *old;

    slot = mca_mq_indexed_probe(table->slots, table->mask, hash, key, kind,
                                traversed);
    if (OPAL_UNLIKELY(NULL != table->old) && NULL == slot->head) {
        old = mca_mq_indexed_probe(table->old, table->old_mask, hash, key, kind,
                                   traversed);
        return NULL == old->head ? slot : old;
    }
    return slot;
}

/** Find the oldest entry of a key, or NULL. */
static inline mca_mq_entry_t *mca_mq_indexed_find(mca_mq_indexed_table_t *table,
                                                  uint64_t hash,
                                                  const mca_mq_envelope_t *key,
                                                  int kind, uint64_t *traversed)
{
    mca_mq_indexed_slot_t *slot =
        mca_mq_indexed_slot(table, hash, key, kind, traversed);

    table->hint = slot;
    return slot->head;
}

/** Append an entry to the FIFO of a slot. */
static inline void mca_mq_indexed_append(mca_mq_indexed_slot_t *slot,
                                         mca_mq_entry_t *entry,
                                         const mca_mq_indexed_nodes_t *nodes,
                                         int kind)
{
    void **head = mca_mq_indexed_links(nodes, slot->head, kind);
    void **link = mca_mq_indexed_links(nodes, entry, kind);
    mca_mq_entry_t *tail = head[1];

    link[0] = NULL;
    link[1] = tail;
    mca_mq_indexed_links(nodes, tail, kind)[0] = entry;
    head[1] = entry;
}

/** Begin a FIFO with the first entry of a key. */
static inline void mca_mq_indexed_begin(mca_mq_indexed_table_t *table,
                                        mca_mq_indexed_slot_t *slot,
                                        uint64_t hash, mca_mq_entry_t *entry,
                                        const mca_mq_indexed_nodes_t *nodes,
                                        int kind)
{
    void **link = mca_mq_indexed_links(nodes, entry, kind);

    link[0] = NULL;
    link[1] = entry;
    slot->hash = hash;
    slot->head = entry;
    if (OPAL_UNLIKELY(++table->keys > table->grow_at)) {
        mca_mq_indexed_table_grow(table);
    }
}

/**
 * Insert an entry into the table, which has slots.
 *
 * @return false if the table is full and could not grow
 */
static inline bool mca_mq_indexed_put(
    mca_mq_indexed_table_t *table, uint64_t hash, const mca_mq_envelope_t *key,
    mca_mq_entry_t *entry, const mca_mq_indexed_nodes_t *nodes, int kind)
{
    uint64_t traversed = 0;
    mca_mq_indexed_slot_t *slot =
        mca_mq_indexed_slot(table, hash, key, kind, &traversed);

    if (NULL != slot->head) {
        mca_mq_indexed_append(slot, entry, nodes, kind);
    } else if (OPAL_UNLIKELY(table->keys >= table->full_at)) {
        mca_mq_indexed_table_grow(table);
        return false;
    } else {
        mca_mq_indexed_begin(table, slot, hash, entry, nodes, kind);
    }
    if (OPAL_UNLIKELY(NULL != table->old)) {
        mca_mq_indexed_table_step(table);
    }
    return true;
}

/** Free a slot, and move later slots that it has displaced. */
static inline void mca_mq_indexed_vacate(mca_mq_indexed_slot_t *slots,
                                         size_t mask, size_t free)
{
    for (size_t i = (free + 1) & mask; NULL != slots[i].head;
         i = (i + 1) & mask) {
        if (((i - slots[i].hash) & mask) >= ((i - free) & mask)) {
            slots[free] = slots[i];
            free = i;
        }
    }
    slots[free].head = NULL;
}

/** Remove a key without entries. */
static inline void mca_mq_indexed_end(mca_mq_indexed_table_t *table,
                                      mca_mq_indexed_slot_t *slot)
{
    size_t at =
        (size_t) ((uintptr_t) slot - (uintptr_t) table->slots) / sizeof(*slot);

    if (OPAL_LIKELY(NULL == table->old || at <= table->mask)) {
        mca_mq_indexed_vacate(table->slots, table->mask, at);
    } else {
        mca_mq_indexed_vacate(table->old, table->old_mask,
                              (size_t) (slot - table->old));
    }
    --table->keys;
    if (OPAL_UNLIKELY(table->keys < table->shrink_at)) {
        mca_mq_indexed_table_shrink(table);
    }
}

/** Find the slot of a key that is in the table; the hash is computed only if it
 * is not the slot found last. */
static inline mca_mq_indexed_slot_t *mca_mq_indexed_slot_of(
    mca_mq_indexed_table_t *table, const mca_mq_indexed_seed_t *seed,
    mca_mq_entry_t *entry, mca_mq_entry_t *head, int kind)
{
    mca_mq_indexed_slot_t *slot = table->hint;
    mca_mq_envelope_t key;
    uint64_t traversed = 0;

    if (OPAL_LIKELY(NULL != slot && NULL != head && slot->head == head)) {
        return slot;
    }
    key = mca_mq_indexed_key(&entry->envelope, kind);
    return mca_mq_indexed_slot(table, mca_mq_indexed_hash(seed, &key), &key,
                               kind, &traversed);
}

/** Remove an entry from its table. */
static inline void mca_mq_indexed_take(mca_mq_indexed_table_t *table,
                                       const mca_mq_indexed_seed_t *seed,
                                       mca_mq_entry_t *entry,
                                       const mca_mq_indexed_nodes_t *nodes,
                                       int kind)
{
    void **link = mca_mq_indexed_links(nodes, entry, kind), **before;
    mca_mq_entry_t *next = link[0], *previous = link[1];
    mca_mq_indexed_slot_t *slot;

    before = mca_mq_indexed_links(nodes, previous, kind);
    if (previous == entry) {
        slot = mca_mq_indexed_slot_of(table, seed, entry, entry, kind);
        mca_mq_indexed_end(table, slot);
    } else if (NULL == before[0]) {
        slot = mca_mq_indexed_slot_of(table, seed, entry, entry, kind);
        slot->head = next;
        mca_mq_indexed_links(nodes, next, kind)[1] = previous;
    } else if (NULL != next) {
        before[0] = next;
        mca_mq_indexed_links(nodes, next, kind)[1] = previous;
    } else {
        slot = mca_mq_indexed_slot_of(table, seed, entry, NULL, kind);
        before[0] = NULL;
        mca_mq_indexed_links(nodes, slot->head, kind)[1] = previous;
    }
    if (OPAL_UNLIKELY(NULL != table->old)) {
        mca_mq_indexed_table_step(table);
    }
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_INDEXED_TABLE_H */
