/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "opal_config.h"

#include <stdlib.h>
#include <string.h>

#include "opal/class/opal_flat_hash.h"
#include "opal/constants.h"

void opal_flat_hash_init(opal_flat_hash_t *hash)
{
    memset(hash, 0, sizeof(*hash));
}

void opal_flat_hash_fini(opal_flat_hash_t *hash)
{
    free(hash->slots);
    opal_flat_hash_init(hash);
}

static size_t slots_of(const opal_flat_hash_t *hash)
{
    return NULL == hash->slots ? 0 : hash->mask + 1;
}

/* The slot that has the key, or the free one where it belongs. */
static opal_flat_hash_slot_t *find(const opal_flat_hash_t *hash, uint64_t key)
{
    size_t i = opal_flat_hash_slot(hash, key);

    while (NULL != hash->slots[i].value && key != hash->slots[i].key) {
        i = (i + 1) & hash->mask;
    }
    return &hash->slots[i];
}

static int resize(opal_flat_hash_t *hash, size_t slots, int shift)
{
    opal_flat_hash_t old = *hash;

    hash->slots = calloc(slots, sizeof(*hash->slots));
    if (NULL == hash->slots) {
        hash->slots = old.slots;
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    hash->mask = slots - 1;
    hash->shift = shift;
    for (size_t i = 0; i < slots_of(&old); ++i) {
        if (NULL != old.slots[i].value) {
            *find(hash, old.slots[i].key) = old.slots[i];
        }
    }
    free(old.slots);
    return OPAL_SUCCESS;
}

int opal_flat_hash_reserve(opal_flat_hash_t *hash, size_t count)
{
    size_t slots = OPAL_FLAT_HASH_MIN_SLOTS;
    int shift = 60;

    if (count <= slots_of(hash) / 2) {
        return OPAL_SUCCESS;
    }
    while (slots / 2 < count) {
        if (slots > SIZE_MAX / 2 / sizeof(*hash->slots)) {
            return OPAL_ERR_OUT_OF_RESOURCE;
        }
        slots *= 2;
        --shift;
    }
    return resize(hash, slots, shift);
}

int opal_flat_hash_put(opal_flat_hash_t *hash, uint64_t key, void *value)
{
    opal_flat_hash_slot_t *slot;
    int ret;

    if (NULL != opal_flat_hash_get(hash, key)) {
        find(hash, key)->value = value;
        return OPAL_SUCCESS;
    }
    ret = opal_flat_hash_reserve(hash, hash->count + 1);
    if (OPAL_SUCCESS != ret) {
        return ret;
    }
    slot = find(hash, key);
    slot->key = key;
    slot->value = value;
    ++hash->count;
    return OPAL_SUCCESS;
}

/* Close the gap at `gap`: a later key of the same run of used slots may move
 * into it unless its own first slot lies behind the gap. */
static void close_gap(opal_flat_hash_t *hash, size_t gap)
{
    size_t i = gap, home;

    for (;;) {
        i = (i + 1) & hash->mask;
        if (NULL == hash->slots[i].value) {
            break;
        }
        home = opal_flat_hash_slot(hash, hash->slots[i].key);
        if (((i - home) & hash->mask) >= ((i - gap) & hash->mask)) {
            hash->slots[gap] = hash->slots[i];
            gap = i;
        }
    }
    hash->slots[gap].value = NULL;
}

void *opal_flat_hash_remove(opal_flat_hash_t *hash, uint64_t key)
{
    opal_flat_hash_slot_t *slot;
    void *value;

    if (0 == hash->count) {
        return NULL;
    }
    slot = find(hash, key);
    value = slot->value;
    if (NULL != value) {
        close_gap(hash, (size_t) (slot - hash->slots));
        --hash->count;
    }
    return value;
}

void *opal_flat_hash_next(const opal_flat_hash_t *hash, size_t *cursor,
                          uint64_t *key)
{
    const opal_flat_hash_slot_t *slot;

    while (*cursor < slots_of(hash)) {
        slot = &hash->slots[(*cursor)++];
        if (NULL != slot->value) {
            if (NULL != key) {
                *key = slot->key;
            }
            return slot->value;
        }
    }
    return NULL;
}

size_t opal_flat_hash_footprint(const opal_flat_hash_t *hash)
{
    return slots_of(hash) * sizeof(*hash->slots);
}
