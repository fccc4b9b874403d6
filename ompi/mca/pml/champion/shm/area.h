/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The area that a process has on the board (core/board.h). The others of its
 * node write there for the process to read, and read its fragments:
 *
 *     small nodes   ring of each place          | fragments
 *     large nodes   pair of each place | FIFO   | fragments
 *
 * Its inbox, which all others read with each message, is in its entry of the
 * board.
 *
 * The area is as large on each place; the leader of the board chooses its kind.
 * The part before the fragments is reserved from the beginning, fragments when
 * they are used. This code is independent of MPI and UCX.
 */

#ifndef MCA_PML_CHAMPION_SHM_AREA_H
#define MCA_PML_CHAMPION_SHM_AREA_H

#include "ompi/mca/pml/champion/shm/fifo.h"
#include "ompi/mca/pml/champion/shm/ring_pool.h"

#pragma GCC visibility push(hidden)

enum {
    /** Most places of a node with rings: bits of `opened`. */
    MCA_PML_CHAMPION_PAIRS_MAX = 64,
    /** Bytes of a part of an area is a multiple of this. */
    MCA_PML_CHAMPION_AREA_PAGE = 4096,
    /** Bytes before the first fragment. Of a page: the buffers of programs begin
     * at pages, or close behind, and copies between two such addresses are
     * slower. */
    MCA_PML_CHAMPION_AREA_BEFORE = 64
};

/** News for a process from all others, and from it for them. Two cache lines:
 * one that others read with each message, and one that they write seldom. */
typedef struct mca_pml_champion_inbox_t {
    uint32_t asleep; /**< MCA_PML_CHAMPION_SLEEPER_..., or 0. Atomic */
    char bell[12];   /**< wakes the process; see core/wake.h */
    unsigned char unused[64 - 16];
    uint64_t opened; /**< a bit for each place whose ring is in use. Atomic */
    /** Changes when something was sent by UCX (core/inflight.h). Atomic. */
    uint32_t doorbell;
    unsigned char unused_too[64 - 12];
} mca_pml_champion_inbox_t;

_Static_assert(128 == sizeof(mca_pml_champion_inbox_t), "two cache lines");

/** The shape of an area: that of the board, or a part of it. */
typedef struct mca_pml_champion_area_shape_t {
    uint32_t places;
    uint32_t slots;     /**< of the FIFO; 0: there are rings */
    uint32_t fragments; /**< may be 0 */
} mca_pml_champion_area_shape_t;

static inline size_t mca_pml_champion_area_pages(size_t bytes)
{
    return (bytes + MCA_PML_CHAMPION_AREA_PAGE - 1) /
           MCA_PML_CHAMPION_AREA_PAGE * MCA_PML_CHAMPION_AREA_PAGE;
}

/** Where the FIFO is, bytes from the beginning of the area. */
static inline size_t mca_pml_champion_area_fifo_at(
    const mca_pml_champion_area_shape_t *shape)
{
    return mca_pml_champion_area_pages(shape->places *
                                       sizeof(mca_pml_champion_pair_t));
}

/** Where the part that is reserved when it is needed begins. */
static inline size_t mca_pml_champion_area_reserved(
    const mca_pml_champion_area_shape_t *shape)
{
    return 0 == shape->slots ? shape->places * sizeof(mca_pml_champion_ring_t)
                             : mca_pml_champion_area_pages(
                                   mca_pml_champion_area_fifo_at(shape) +
                                   mca_pml_champion_fifo_size(shape->slots));
}

/** Bytes of that part. */
static inline size_t mca_pml_champion_area_later(
    const mca_pml_champion_area_shape_t *shape)
{
    return MCA_PML_CHAMPION_AREA_BEFORE +
           (size_t) shape->fragments * MCA_PML_CHAMPION_RING_FRAGMENT;
}

/** Bytes of an area. */
static inline size_t mca_pml_champion_area_size(
    const mca_pml_champion_area_shape_t *shape)
{
    return mca_pml_champion_area_reserved(shape) +
           mca_pml_champion_area_later(shape);
}

/** The ring that the process at `place` writes, if there are rings. */
static inline mca_pml_champion_ring_t *mca_pml_champion_area_ring(
    void *area, uint32_t place)
{
    return (mca_pml_champion_ring_t *) area + place;
}

/** The FIFO, if there is one. */
static inline mca_pml_champion_ring_t *mca_pml_champion_area_fifo(
    void *area, const mca_pml_champion_area_shape_t *shape)
{
    return (void *) ((char *) area + mca_pml_champion_area_fifo_at(shape));
}

/** News of its reader for the process at `place`. */
static inline mca_pml_champion_pair_t *mca_pml_champion_area_pair(
    void *area, const mca_pml_champion_area_shape_t *shape, uint32_t place)
{
    return 0 == shape->slots ? &mca_pml_champion_area_ring(area, place)->pair
                             : (mca_pml_champion_pair_t *) area + place;
}

/** The fragments of the process that has this area. */
static inline mca_pml_champion_ring_fragment_t *mca_pml_champion_area_fragments(
    void *area, const mca_pml_champion_area_shape_t *shape)
{
    return (void *) ((char *) area + mca_pml_champion_area_reserved(shape) +
                     MCA_PML_CHAMPION_AREA_BEFORE);
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_AREA_H */
