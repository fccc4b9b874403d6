/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/shm/ring_pool.h"

#include <stdlib.h>

bool mca_pml_champion_ring_pool_create(mca_pml_champion_ring_pool_t *pool,
                                       mca_pml_champion_ring_fragment_t *memory,
                                       uint32_t count)
{
    uint32_t *tables = malloc(3 * count * sizeof(*tables));

    if (NULL == tables) {
        return false;
    }
    *pool = (mca_pml_champion_ring_pool_t){
        .fragment = memory,
        .count = count,
        .free = count,
        .turn = tables,
        .next = tables + count,
        .position = tables + 2 * count,
    };
    for (uint32_t i = 0; i < count; ++i) {
        pool->turn[i] = i;
    }
    return true;
}

void mca_pml_champion_ring_pool_destroy(mca_pml_champion_ring_pool_t *pool)
{
    free(pool->turn);
    *pool = (mca_pml_champion_ring_pool_t){0};
}

/* How far the reader has come, and where the last record ends. */
static uint32_t read_of(const mca_pml_champion_ring_held_t *held)
{
    return NULL != held->ring
               ? mca_pml_champion_ring_refresh(held->ring)
               : __atomic_load_n(&held->fifo->fifo->read, __ATOMIC_ACQUIRE);
}

static uint32_t written_of(const mca_pml_champion_ring_held_t *held)
{
    return NULL != held->ring ? mca_pml_champion_ring_written(held->ring)
                              : held->fifo->written;
}

/* Slots of the ring, or of the FIFO. */
static uint32_t num_slots(const mca_pml_champion_ring_held_t *held)
{
    return NULL != held->ring ? (uint32_t) MCA_PML_CHAMPION_RING_SLOTS
                              : held->fifo->num_slots;
}

/* Make the fragments free that the ring's reader has passed. Those that it has
 * not are at most a lap ahead of it, however much others have written since. */
static void reclaim(mca_pml_champion_ring_pool_t *pool,
                    mca_pml_champion_ring_held_t *held)
{
    uint32_t read;

    if (0 == held->count) {
        return;
    }
    read = read_of(held);
    while (0 != held->count &&
           pool->position[held->first] - read - 1 >= num_slots(held)) {
        uint32_t last = pool->next_free + pool->free;

        pool->turn[last < pool->count ? last : last - pool->count] =
            held->first;
        ++pool->free;
        held->first = pool->next[held->first];
        --held->count;
    }
}

static void reclaim_all(mca_pml_champion_ring_pool_t *pool)
{
    for (mca_pml_champion_ring_held_t *held = pool->holders; NULL != held;
         held = held->next) {
        reclaim(pool, held);
    }
}

/* Are there so many fragments for a ring, and may it hold them as well? */
static bool has(const mca_pml_champion_ring_pool_t *pool,
                const mca_pml_champion_ring_held_t *held, uint32_t count)
{
    return pool->free >= count &&
           held->count + count <= pool->count * 3 / 4 + 1;
}

uint32_t mca_pml_champion_ring_pool_next(mca_pml_champion_ring_pool_t *pool,
                                         mca_pml_champion_ring_held_t *held)
{
    if (OPAL_UNLIKELY(!has(pool, held, 1))) {
        reclaim(pool, held);
        if (0 == pool->free) {
            reclaim_all(pool);
        }
        if (!has(pool, held, 1)) {
            return MCA_PML_CHAMPION_RING_NO_FRAGMENT;
        }
    }
    return pool->turn[pool->next_free];
}

bool mca_pml_champion_ring_pool_has(mca_pml_champion_ring_pool_t *pool,
                                    mca_pml_champion_ring_held_t *held,
                                    uint32_t count)
{
    if (!has(pool, held, count)) {
        reclaim(pool, held);
    }
    return has(pool, held, count);
}

void mca_pml_champion_ring_pool_hold(mca_pml_champion_ring_pool_t *pool,
                                     mca_pml_champion_ring_held_t *held,
                                     uint32_t fragment)
{
    pool->next_free =
        pool->next_free + 1 == pool->count ? 0 : pool->next_free + 1;
    --pool->free;
    pool->position[fragment] = written_of(held);
    if (0 == held->count) {
        held->first = fragment;
    } else {
        pool->next[held->last] = fragment;
    }
    held->last = fragment;
    ++held->count;
    if (OPAL_UNLIKELY(!held->listed)) {
        held->listed = true;
        held->next = pool->holders;
        pool->holders = held;
    }
}
