/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The pool of fragments: no fragment is reused before the reader of its ring
 * has passed its record, and no ring can take all fragments from the others.
 */

#include "ompi/mca/pml/champion/shm/fifo.h"
#include "ompi/mca/pml/champion/shm/ring_pool.h"

#include "pml_random.h"
#include "pml_test.h"

/* The last of the rings is a FIFO. */
enum { FRAGMENTS = 16, RINGS = 3, FIFO = 2, NONE = -1 };
enum { FIFO_SLOTS = MCA_PML_CHAMPION_FIFO_SLOTS_MIN };

/* A ring with both its sides, and what the reader must find. */
typedef struct pair_t {
    mca_pml_champion_ring_t *ring;
    mca_pml_champion_ring_writer_t writer;
    mca_pml_champion_fifo_writer_t fifo;
    mca_pml_champion_ring_reader_t reader;
    mca_pml_champion_ring_held_t held;
} pair_t;

typedef struct world_t {
    mca_pml_champion_ring_fragment_t *memory;
    mca_pml_champion_ring_pool_t pool;
    pair_t pair[RINGS];
    int owner[FRAGMENTS]; /* the ring that holds it, or NONE */
} world_t;

static void world_init(world_t *world)
{
    memset(world, 0, sizeof(*world));
    world->memory = calloc(FRAGMENTS, sizeof(*world->memory));
    assert_non_null(world->memory);
    assert_true(mca_pml_champion_ring_pool_create(&world->pool, world->memory,
                                                  FRAGMENTS));
    for (int i = 0; i < FRAGMENTS; ++i) {
        world->owner[i] = NONE;
    }
    for (int i = 0; i < RINGS; ++i) {
        pair_t *pair = &world->pair[i];

        pair->ring = aligned_alloc(
            64, (mca_pml_champion_fifo_size(FIFO_SLOTS) + 63) / 64 * 64);
        assert_non_null(pair->ring);
        memset(pair->ring, 0, mca_pml_champion_fifo_size(FIFO_SLOTS));
        if (FIFO == i) {
            mca_pml_champion_fifo_writer_init(&pair->fifo, pair->ring,
                                              FIFO_SLOTS, 0);
            mca_pml_champion_ring_reader_init(&pair->reader, pair->ring,
                                              FIFO_SLOTS);
            pair->held.fifo = &pair->fifo;
        } else {
            mca_pml_champion_ring_writer_init(&pair->writer, pair->ring);
            mca_pml_champion_ring_reader_init(&pair->reader, pair->ring,
                                              MCA_PML_CHAMPION_RING_SLOTS);
            pair->held.ring = &pair->writer;
        }
    }
}

static void world_fini(world_t *world)
{
    for (int i = 0; i < RINGS; ++i) {
        free(world->pair[i].ring);
    }
    mca_pml_champion_ring_pool_destroy(&world->pool);
    assert_null(world->pool.fragment);
    free(world->memory);
}

/* Send a fragment through a ring; false if the pool has none free. */
static bool put(world_t *world, int ring)
{
    pair_t *pair = &world->pair[ring];
    const uint32_t fragment =
        mca_pml_champion_ring_pool_next(&world->pool, &pair->held);
    mca_pml_champion_ring_slot_t *slot;

    if (MCA_PML_CHAMPION_RING_NO_FRAGMENT == fragment) {
        return false;
    }
    assert_in_range(fragment, 0, FRAGMENTS - 1);
    assert_int_equal(NONE, world->owner[fragment]);
    slot = FIFO == ring
               ? mca_pml_champion_fifo_reserve(&pair->fifo, sizeof(fragment))
               : mca_pml_champion_ring_reserve(&pair->writer, sizeof(fragment));
    if (NULL == slot) {
        return false;
    }
    world->owner[fragment] = ring;
    memset(world->pool.fragment[fragment], ring,
           MCA_PML_CHAMPION_RING_FRAGMENT);
    memcpy(slot->data, &fragment, sizeof(fragment));
    if (FIFO == ring) {
        mca_pml_champion_fifo_publish(&pair->fifo, slot, 1, sizeof(fragment));
    } else {
        mca_pml_champion_ring_publish(&pair->writer, slot, 1, sizeof(fragment));
    }
    mca_pml_champion_ring_pool_hold(&world->pool, &pair->held, fragment);
    return true;
}

static bool get(world_t *world, int ring)
{
    pair_t *pair = &world->pair[ring];
    mca_pml_champion_ring_record_t record;
    uint32_t fragment;

    if (!mca_pml_champion_ring_ready(&pair->reader)) {
        return false;
    }
    assert_true(mca_pml_champion_ring_look(&pair->reader, &record));
    memcpy(&fragment, record.slot->data, sizeof(fragment));
    assert_int_equal(ring, world->owner[fragment]);
    assert_int_equal(
        ring,
        world->pool.fragment[fragment][MCA_PML_CHAMPION_RING_FRAGMENT - 1]);
    world->owner[fragment] = NONE;
    mca_pml_champion_ring_advance(&pair->reader, record.slots);
    mca_pml_champion_ring_publish_position(&pair->reader);
    return true;
}

UNIT_TEST(no_fragment_is_used_before_it_was_read)
{
    uint64_t seed = pml_random();
    uint32_t sent = 0, refused = 0, rooms = 0;
    world_t world;

    world_init(&world);
    while (sent < 20000) {
        int ring = (int) (pml_random_from(&seed) % RINGS);
        uint32_t puts = pml_random_from(&seed) % FRAGMENTS;
        uint32_t gets = pml_random_from(&seed) % FRAGMENTS;
        bool room = mca_pml_champion_ring_pool_has(
            &world.pool, &world.pair[ring].held, puts);

        rooms += room && 0 != puts;
        for (; 0 != puts; --puts) {
            bool done = put(&world, ring);

            assert_true(done || !room);
            sent += done;
            refused += !done;
        }
        ring = (int) (pml_random_from(&seed) % RINGS);
        while (0 != gets-- && get(&world, ring)) {
            continue;
        }
    }
    assert_true(refused > 100);
    assert_true(rooms > 100);
    world_fini(&world);
}

UNIT_TEST(a_ring_that_nobody_reads_leaves_some_to_others)
{
    uint32_t kept = 0;
    world_t world;

    world_init(&world);
    while (put(&world, 0)) {
        ++kept;
    }
    assert_in_range(kept, FRAGMENTS / 2, FRAGMENTS - 2);
    assert_false(
        mca_pml_champion_ring_pool_has(&world.pool, &world.pair[0].held, 1));
    assert_true(
        mca_pml_champion_ring_pool_has(&world.pool, &world.pair[1].held, 1));
    for (int i = 0; i < 1000; ++i) {
        assert_true(put(&world, 1));
        assert_true(get(&world, 1));
        assert_false(put(&world, 0));
    }
    while (get(&world, 0)) {
        --kept;
    }
    assert_int_equal(0, kept);
    world_fini(&world);
}

/* Others write to the FIFO, too, as many slots as make its position wrap, while
 * this process holds a fragment that was read. */
UNIT_TEST(others_do_not_hide_that_a_fragment_was_read)
{
    world_t world;

    for (uint32_t i = 0; i < 8; ++i) {
        const uint32_t by_others =
            i * (UINT32_MAX / 8) / FIFO_SLOTS * FIFO_SLOTS;
        pair_t *pair = &world.pair[FIFO];

        world_init(&world);
        assert_true(put(&world, FIFO));
        assert_true(get(&world, FIFO));
        __atomic_store_n(&pair->ring->read, pair->ring->read + by_others,
                         __ATOMIC_RELAXED);
        assert_true(mca_pml_champion_ring_pool_has(&world.pool, &pair->held,
                                                   FRAGMENTS * 3 / 4 + 1));
        world_fini(&world);
    }
}

UNIT_TEST(fragments_are_used_in_turn)
{
    world_t world;

    world_init(&world);
    for (uint32_t i = 0; i < 10 * FRAGMENTS; ++i) {
        assert_int_equal(i % FRAGMENTS, mca_pml_champion_ring_pool_next(
                                            &world.pool, &world.pair[0].held));
        assert_true(put(&world, 0));
        assert_true(get(&world, 0));
    }
    world_fini(&world);
}

int main(void)
{
    pml_random_begin();
    return unit_run(NULL, NULL);
}
