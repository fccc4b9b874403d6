/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A hash table from 64-bit keys to pointers, flat: one array of slots, open
 * addressing with linear probing.
 *
 *     hash(k) ----v
 *     | . | a | b | k | . | c | . | . |      . is free: its value is NULL
 *
 * The array has a power of two of slots and is at most half full, so a look-up
 * touches one cache line as a rule and two at worst but for bad luck. Keys are
 * spread by multiplication with 2^64 divided by the golden ratio (Knuth, The
 * Art of Computer Programming 3, 6.4), which suits keys packed from small
 * integers. Removal moves the following slots back instead of leaving a
 * tombstone, so look-ups do not grow slower with time.
 *
 *     look-up     O(1), no allocation
 *     put         O(1), doubles the array when it would be more than half full
 *     remove      O(1), no allocation
 *     memory      none while it never had a key; 16 bytes a slot then
 *
 * Not thread-safe.
 */

#ifndef OPAL_FLAT_HASH_H
#define OPAL_FLAT_HASH_H

#include "opal_config.h"

#include <stddef.h>
#include <stdint.h>

BEGIN_C_DECLS

typedef struct opal_flat_hash_slot_t {
    uint64_t key;
    void *value; /**< NULL: the slot is free */
} opal_flat_hash_slot_t;

/** All zero: an empty table. */
typedef struct opal_flat_hash_t {
    opal_flat_hash_slot_t *slots;
    size_t count; /**< keys */
    size_t mask;  /**< slots - 1 */
    int shift;    /**< 64 - log2(slots) */
} opal_flat_hash_t;

/** Slots of a table that has any. */
#define OPAL_FLAT_HASH_MIN_SLOTS 16

/** Make an empty table, which has no memory yet. */
OPAL_DECLSPEC void opal_flat_hash_init(opal_flat_hash_t *hash);

/** Free the table's memory; it is empty then. Values are the caller's. */
OPAL_DECLSPEC void opal_flat_hash_fini(opal_flat_hash_t *hash);

/**
 * Make room, so that the next puts need no memory.
 *
 * @param[in] count  keys that the table will have
 *
 * @return OPAL_SUCCESS or OPAL_ERR_OUT_OF_RESOURCE (nothing changed)
 */
OPAL_DECLSPEC int opal_flat_hash_reserve(opal_flat_hash_t *hash, size_t count);

/**
 * Set the value of a key, new or not.
 *
 * @param[in] value  not NULL
 *
 * @return OPAL_SUCCESS or OPAL_ERR_OUT_OF_RESOURCE (nothing changed)
 */
OPAL_DECLSPEC int opal_flat_hash_put(opal_flat_hash_t *hash, uint64_t key,
                                     void *value);

/** Remove a key. Returns its value, or NULL if it was not there. */
OPAL_DECLSPEC void *opal_flat_hash_remove(opal_flat_hash_t *hash, uint64_t key);

/**
 * Walk over all keys, in no order. The table must not change meanwhile.
 *
 * @param[in,out] cursor  0 at first
 * @param[out]    key     the next key; may be NULL
 *
 * @return its value, NULL at the end
 */
OPAL_DECLSPEC void *opal_flat_hash_next(const opal_flat_hash_t *hash,
                                        size_t *cursor, uint64_t *key);

/** Bytes allocated. */
OPAL_DECLSPEC size_t opal_flat_hash_footprint(const opal_flat_hash_t *hash);

/** First slot to look at for a key. */
static inline size_t opal_flat_hash_slot(const opal_flat_hash_t *hash,
                                         uint64_t key)
{
    return (size_t) ((key * UINT64_C(0x9e3779b97f4a7c15)) >> hash->shift);
}

/** The value of a key, or NULL. */
static inline void *opal_flat_hash_get(const opal_flat_hash_t *hash,
                                       uint64_t key)
{
    size_t i;

    if (0 == hash->count) {
        return NULL;
    }
    for (i = opal_flat_hash_slot(hash, key); NULL != hash->slots[i].value;
         i = (i + 1) & hash->mask) {
        if (key == hash->slots[i].key) {
            return hash->slots[i].value;
        }
    }
    return NULL;
}

END_C_DECLS

#endif /* OPAL_FLAT_HASH_H */
