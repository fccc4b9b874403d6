/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Iallreduce and MPI_Allreduce of long data between nodes: a ring. Each
 * process sends to the next one and receives from the one before, nothing else,
 * so that no link has to carry what several send at a time.
 *
 * A block for each process goes around twice. First it starts at the process of
 * its number; each of the others reduces its own part into it. The last one has
 * the result, which goes on from there. Blocks are cut into segments, which
 * follow each other: while one is reduced the next one travels.
 *
 * Source: the bucket algorithms of Chan, Heimlich, Purkayastha, van de Geijn,
 * Collective communication: theory, practice, and experience (2007).
 */

#include "coll_champion_plan.h"

#define NONE MCA_COLL_CHAMPION_NONE

typedef mca_coll_champion_plan_t plan_t;

/* The state of a ring while it is made. */
typedef struct ring_t {
    plan_t *plan;
    const char *mine; /* equals all: in place */
    char *all;
    int next, previous, rank, size;
    const mca_coll_champion_cut_t *cut;
    char *theirs; /* in place: what is received to be reduced */
    mca_coll_champion_window_t parts, results;
    uint32_t *sent; /* the first time around, by block and segment */
} ring_t;

/* Tags are below twice this number. */
static int tag_of(const ring_t *ring, int block, size_t segment, bool result)
{
    return (int) (segment + ring->cut->segments *
                                (size_t) (result ? ring->size + block : block));
}

static uint32_t *sent_of(const ring_t *ring, int block, size_t segment)
{
    return &ring->sent[ring->cut->segments * (size_t) block + segment];
}

/* Send a segment to the next process, when `before` is complete. */
static uint32_t pass_on(ring_t *ring, int block, size_t segment, bool result,
                        const char *from, uint32_t before)
{
    const mca_coll_champion_part_t part =
        mca_coll_champion_part(ring->cut, block, segment);
    const uint32_t sent = mca_coll_champion_send(
        ring->plan, ring->next, tag_of(ring, block, segment, result),
        from + part.offset, part.bytes);

    mca_coll_champion_after(ring->plan, sent, before);
    return sent;
}

/* Receive what the processes before have of a segment, and reduce mine into
 * it. */
static uint32_t reduce_into(ring_t *ring, int block, size_t segment)
{
    const mca_coll_champion_part_t part =
        mca_coll_champion_part(ring->cut, block, segment);
    const bool direct = ring->mine != ring->all;
    char *to =
        direct ? ring->all + part.offset
               : ring->theirs + mca_coll_champion_window_place(&ring->parts) *
                                    ring->cut->segment;
    uint32_t received, reduced;

    received = mca_coll_champion_recv(ring->plan, ring->previous,
                                      tag_of(ring, block, segment, false), to,
                                      part.bytes);
    reduced = mca_coll_champion_reduction(
        ring->plan, direct ? ring->mine + part.offset : to,
        ring->all + part.offset, part.bytes);
    mca_coll_champion_after(ring->plan, reduced, received);
    mca_coll_champion_window_add(ring->plan, &ring->parts, received, reduced);
    return reduced;
}

/* A segment of the block that is here in this step of the first time around. */
static void first_time(ring_t *ring, int step, size_t segment)
{
    const int block = (ring->rank - step + ring->size) % ring->size;
    const bool last = step == ring->size - 1;
    const bool begins = 0 == step;
    uint32_t reduced = NONE, sent;

    if (0 == mca_coll_champion_part(ring->cut, block, segment).bytes) {
        return;
    }
    if (!begins) {
        reduced = reduce_into(ring, block, segment);
    }
    sent = pass_on(ring, block, segment, last, begins ? ring->mine : ring->all,
                   reduced);
    *sent_of(ring, block, segment) = sent;
}

/* A segment of the block whose result comes in this step. */
static void second_time(ring_t *ring, int step, size_t segment)
{
    const int block = (ring->rank - step + ring->size) % ring->size;
    const mca_coll_champion_part_t part =
        mca_coll_champion_part(ring->cut, block, segment);
    uint32_t received;

    if (0 == part.bytes) {
        return;
    }
    received = mca_coll_champion_recv(ring->plan, ring->previous,
                                      tag_of(ring, block, segment, true),
                                      ring->all + part.offset, part.bytes);
    /* The buffer may still be sent from. */
    mca_coll_champion_after(ring->plan, received,
                            *sent_of(ring, block, segment));
    mca_coll_champion_window_add(ring->plan, &ring->results, received,
                                 received);
    if (step < ring->size - 2) {
        (void) pass_on(ring, block, segment, true, ring->all, received);
    }
}

int mca_coll_champion_ring_tags(const mca_coll_champion_cut_t *cut)
{
    return 2 * cut->blocks * (int) cut->segments;
}

void mca_coll_champion_plan_ring(plan_t *plan, const void *mine, void *all,
                                 const mca_coll_champion_cut_t *cut, int rank,
                                 int size)
{
    ring_t ring = {
        .plan = plan,
        .mine = mine,
        .all = all,
        .next = (rank + 1) % size,
        .previous = (rank + size - 1) % size,
        .rank = rank,
        .size = size,
        .cut = cut,
        .parts = mca_coll_champion_window(MCA_COLL_CHAMPION_WINDOW_REDUCE),
        .results = mca_coll_champion_window(MCA_COLL_CHAMPION_WINDOW_REDUCE),
    };
    const size_t segments = (size_t) size * cut->segments;

    if (mine == all) {
        ring.theirs = mca_coll_champion_scratch(
            plan, cut->segment * MCA_COLL_CHAMPION_WINDOW_REDUCE);
    }
    ring.sent = mca_coll_champion_scratch(plan, sizeof(*ring.sent) * segments);
    if (plan->failed) {
        return;
    }
    for (int step = 0; step < size; ++step) {
        for (size_t i = 0; i < cut->segments; ++i) {
            first_time(&ring, step, i);
        }
    }
    for (int step = 0; step < size - 1; ++step) {
        for (size_t i = 0; i < cut->segments; ++i) {
            second_time(&ring, step, i);
        }
    }
}
