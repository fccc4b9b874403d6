/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The pool of fragments: memory for payloads that are too long for the slots of
 * a ring.
 *
 *     sender                      shared                       receiver
 *     pool: which are free        ring:   |record|record| ...  reads the ring,
 *     and which are held                      |      |         copies a
 *     fills a fragment  --------> fragments: [16 KiB][16 KiB] . it out
 *                                 ^                            |
 *     free again once the reader has passed the record <-------+
 *
 * Each process has one pool for all its receivers, so that a pair of processes
 * needs no memory of its own. It is in its area of the board (shm/area.h); only
 * the owner writes to it. A record in the receiver's ring holds the index of the
 * fragment with the next part of a message. The receiver copies the data out
 * before it goes on to the next record, even if the message has no receive yet. The
 * reader position, which it publishes anyway, therefore tells the owner which
 * fragments are free: no message and no cache line are spent on that.
 *
 * Fragments are used in turn, not the last one freed first. A line that was
 * used a moment ago is in the innermost cache of the receiver's core, from
 * where it is slower to get than from further out: a stream of 4 KiB fragments
 * through 16 KiB of memory took up to twice the time of one through 256 KiB.
 *
 * A receiver that does not poll holds at most three quarters of the pool. A
 * sender that gets no fragment writes the data inline, into the ring itself, if
 * none of its own fragments are in use there: no send has to wait for the
 * receiver of another one.
 */

#ifndef MCA_PML_CHAMPION_SHM_RING_POOL_H
#define MCA_PML_CHAMPION_SHM_RING_POOL_H

#include "ompi/mca/pml/champion/shm/ring.h"
#include "ompi/mca/pml/champion/shm/fifo.h"

#pragma GCC visibility push(hidden)

enum {
    /** Bytes of a fragment. Through the same memory 4 KiB each took twice the
     * time; see docs/decisions/shm.md. */
    MCA_PML_CHAMPION_RING_FRAGMENT = 16384,
    /** Maximum number of fragments of a process. */
    MCA_PML_CHAMPION_RING_FRAGMENTS_MAX = 1024
};

/** In place of a fragment's index: none. */
#define MCA_PML_CHAMPION_RING_NO_FRAGMENT UINT32_MAX

typedef unsigned char
    mca_pml_champion_ring_fragment_t[MCA_PML_CHAMPION_RING_FRAGMENT];

/** The fragments that one ring's records refer to, oldest first. */
typedef struct mca_pml_champion_ring_held_t {
    mca_pml_champion_ring_writer_t *ring;       /**< or NULL */
    const mca_pml_champion_fifo_writer_t *fifo; /**< if ring is NULL */
    uint32_t first, last;                       /**< undefined if count is 0 */
    uint32_t count;
    /** Next ring in pool->holders. */
    struct mca_pml_champion_ring_held_t *next;
    bool listed;
} mca_pml_champion_ring_held_t;

/** The owner's state; private memory. */
typedef struct mca_pml_champion_ring_pool_t {
    mca_pml_champion_ring_fragment_t *fragment; /**< NULL: there is no pool */
    uint32_t count;
    /** Number of free fragments, and index in turn of the first one. */
    uint32_t free, next_free;
    /** Circular list of the free fragments. The tables are one allocation,
     * which begins here. */
    uint32_t *turn;
    /** For each fragment that is held: the next one of the ring, and the reader
     * position at which it becomes free. */
    uint32_t *next, *position;
    mca_pml_champion_ring_held_t *holders; /**< rings that may hold fragments */
} mca_pml_champion_ring_pool_t;

/** Create a pool of `count` fragments, at least 1, in that memory. False if there
 * is no memory for the private part. */
bool mca_pml_champion_ring_pool_create(mca_pml_champion_ring_pool_t *pool,
                                       mca_pml_champion_ring_fragment_t *memory,
                                       uint32_t count);

/** Free the pool, if there is one. */
void mca_pml_champion_ring_pool_destroy(mca_pml_champion_ring_pool_t *pool);

/** Return the fragment to fill next for a ring, or NO_FRAGMENT. It stays free
 * until pool_hold() is called. */
uint32_t mca_pml_champion_ring_pool_next(mca_pml_champion_ring_pool_t *pool,
                                         mca_pml_champion_ring_held_t *held);

/** Is there room for so many more fragments of the ring? */
bool mca_pml_champion_ring_pool_has(mca_pml_champion_ring_pool_t *pool,
                                    mca_pml_champion_ring_held_t *held,
                                    uint32_t count);

/** Mark a fragment as held, after the record that refers to it was published:
 * it becomes free when the reader has passed that record. */
void mca_pml_champion_ring_pool_hold(mca_pml_champion_ring_pool_t *pool,
                                     mca_pml_champion_ring_held_t *held,
                                     uint32_t fragment);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_RING_POOL_H */
