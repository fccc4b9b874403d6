/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fragments: where the payloads are that are too long for a ring's slots.
 *
 *     sender                      shared                       receiver
 *     pool: which are free        ring:   |record|record| ...  reads the ring,
 *     and who holds the others                |      |         copies a
 *     copies a piece  ----------> fragments: [4 KiB][4 KiB]... piece out
 *                                 ^                            |
 *     free again once the ring's reader is past its record <---+
 *
 * Each process has one pool, for all to whom it sends, so that a pair needs no
 * memory of its own. Only its owner writes to it; others map it for reading.
 * A record in the receiver's ring says which fragment has the next piece of a
 * message. The reader copies it out before it goes on, whether there is a
 * receive or not, so that the position which it publishes anyway gives the
 * fragments back: no word and no cache line travels for that.
 *
 * Fragments are used in turn, not the last one first. A line that has been
 * used a moment ago is in the fastest cache of the other core, from where it
 * comes slower than from further out: a stream of 4 KiB pieces through 16 KiB
 * of memory took up to twice the time of one through 256 KiB.
 *
 * A receiver that does not look holds at most three quarters of the pool. A
 * sender that gets no fragment writes the piece into the ring itself, as far as
 * nothing of its own is under way there: nobody waits for somebody else's
 * receiver.
 */

#ifndef MCA_PML_CHAMPION_RING_RING_POOL_H
#define MCA_PML_CHAMPION_RING_RING_POOL_H

#include "ompi/mca/pml/champion/ring/ring.h"
#include "ompi/mca/pml/champion/ring/ring_segment.h"

#pragma GCC visibility push(hidden)

enum {
    /** Bytes of a fragment. */
    MCA_PML_CHAMPION_RING_FRAGMENT = 4096,
    /** Most fragments that a process has. */
    MCA_PML_CHAMPION_RING_FRAGMENTS_MAX = 4096
};

/** No fragment. */
#define MCA_PML_CHAMPION_RING_NO_FRAGMENT UINT32_MAX

/** The fragments of a process as they are in shared memory. */
typedef struct mca_pml_champion_ring_fragments_t {
    mca_pml_champion_ring_part_t part;
    unsigned char unused[64 - sizeof(mca_pml_champion_ring_part_t)];
    unsigned char fragment[][MCA_PML_CHAMPION_RING_FRAGMENT];
} mca_pml_champion_ring_fragments_t;

_Static_assert(64 == offsetof(mca_pml_champion_ring_fragments_t, fragment),
               "fragments begin at cache lines");

/** The fragments whose records are in one ring, oldest first. */
typedef struct mca_pml_champion_ring_held_t {
    mca_pml_champion_ring_writer_t *writer;
    uint32_t first, last; /**< not valid if there are none */
    uint32_t count;
    struct mca_pml_champion_ring_held_t *next; /**< that holds some, too */
    bool listed;
} mca_pml_champion_ring_held_t;

/** Owner's side; its own memory. */
typedef struct mca_pml_champion_ring_pool_t {
    mca_pml_champion_ring_fragments_t *shared; /**< NULL: there is no pool */
    uint32_t count;
    uint32_t free, next_free; /**< so many in turn, from there on */
    uint32_t *turn;           /**< the free ones */
    /** Of each that is held: the next one of the same ring, and where that
     * ring's reader has to be. */
    uint32_t *next, *position;
    mca_pml_champion_ring_held_t *holders; /**< rings that may hold some */
    mca_pml_champion_ring_segment_t segment;
    mca_pml_champion_ring_name_t name;
} mca_pml_champion_ring_pool_t;

/** Bytes of so many fragments in shared memory. */
static inline size_t mca_pml_champion_ring_fragments_size(uint32_t count)
{
    return sizeof(mca_pml_champion_ring_fragments_t) +
           (size_t) count * MCA_PML_CHAMPION_RING_FRAGMENT;
}

/** Make a pool of so many fragments, 1 at least. False if that cannot be. */
bool mca_pml_champion_ring_pool_create(mca_pml_champion_ring_pool_t *pool,
                                       uint32_t count);

/** Give it back, if there is one. */
void mca_pml_champion_ring_pool_destroy(mca_pml_champion_ring_pool_t *pool);

/** A fragment to be filled for that ring, or NO_FRAGMENT. It is not taken
 * before the call of _hold. */
uint32_t mca_pml_champion_ring_pool_next(mca_pml_champion_ring_pool_t *pool,
                                         mca_pml_champion_ring_held_t *held);

/** The record that names it has been published: it is held until the reader is
 * past it. */
void mca_pml_champion_ring_pool_hold(mca_pml_champion_ring_pool_t *pool,
                                     mca_pml_champion_ring_held_t *held,
                                     uint32_t fragment);

/** Does the ring still hold fragments? This looks how far its reader is. */
bool mca_pml_champion_ring_pool_holds(mca_pml_champion_ring_pool_t *pool,
                                      mca_pml_champion_ring_held_t *held);

/** The ring is closed; it holds nothing, or the pool is not used any more. */
void mca_pml_champion_ring_pool_forget(mca_pml_champion_ring_pool_t *pool,
                                       mca_pml_champion_ring_held_t *held);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RING_POOL_H */
