/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Ibcast.
 *
 *     short   up to four processes: the root sends to all; more: along a
 *             binomial tree.
 *             Of all lengths within a node, where each copies for itself.
 *     long    the root sends each of the others one block of the data, which
 *             sends it to all others: scatter and allgather. Blocks are cut
 *             into segments, which are passed on as they come
 *
 * Source: van de Geijn, On global combine operations (1994), and the summary in
 * Thakur, Rabenseifner, Gropp, Optimization of collective communication
 * operations in MPICH (2005).
 */

#include "coll_champion_plan.h"

typedef mca_coll_champion_plan_t plan_t;

/* Most processes to which the root sends short data itself. */
enum { FLAT = 4 };

/* Places are ranks counted from the root. */
typedef struct bcast_t {
    plan_t *plan;
    char *data;
    int root, place, size;
} bcast_t;

static int rank_at(const bcast_t *b, int place)
{
    return (place % b->size + b->root) % b->size;
}

/* The root sends to each. */
static void plan_flat(const bcast_t *b, size_t bytes)
{
    if (0 != b->place) {
        (void) mca_coll_champion_recv(b->plan, b->root, 0, b->data, bytes);
        return;
    }
    for (int place = 1; place < b->size; ++place) {
        (void) mca_coll_champion_send(b->plan, rank_at(b, place), 0, b->data,
                                      bytes);
    }
}

static void plan_short(const bcast_t *b, size_t bytes)
{
    uint32_t received = MCA_COLL_CHAMPION_NONE, sent;
    int step = 1;

    while (step < b->size && 0 == (b->place & step)) {
        step *= 2;
    }
    if (0 != b->place) {
        received = mca_coll_champion_recv(b->plan, rank_at(b, b->place - step),
                                          0, b->data, bytes);
    }
    for (step /= 2; step > 0; step /= 2) {
        if (b->place + step < b->size) {
            sent = mca_coll_champion_send(b->plan, rank_at(b, b->place + step),
                                          0, b->data, bytes);
            mca_coll_champion_after(b->plan, sent, received);
        }
    }
}

/* The root: the block of each of the others. */
static void plan_root(const bcast_t *b, const mca_coll_champion_cut_t *cut)
{
    mca_coll_champion_window_t sends =
        mca_coll_champion_window(MCA_COLL_CHAMPION_WINDOW * (b->size - 1));

    for (size_t segment = 0; segment < cut->segments; ++segment) {
        for (int place = 1; place < b->size; ++place) {
            const mca_coll_champion_part_t part =
                mca_coll_champion_part(cut, place - 1, segment);

            if (0 != part.bytes) {
                uint32_t sent = mca_coll_champion_send(
                    b->plan, rank_at(b, place), (int) segment,
                    b->data + part.offset, part.bytes);

                mca_coll_champion_window_add(b->plan, &sends, sent, sent);
            }
        }
    }
}

/* Pass a segment of the own block on. */
static void pass_on(const bcast_t *b, mca_coll_champion_window_t *sends,
                    mca_coll_champion_part_t part, size_t segment,
                    uint32_t received)
{
    for (int distance = 1; distance < b->size; ++distance) {
        const int place = (b->place + distance) % b->size;

        if (0 != place) {
            uint32_t sent = mca_coll_champion_send(
                b->plan, rank_at(b, place), (int) segment,
                b->data + part.offset, part.bytes);

            mca_coll_champion_after(b->plan, sent, received);
            mca_coll_champion_window_add(b->plan, sends, sent, sent);
        }
    }
}

/* One of the others. */
static void plan_other(const bcast_t *b, const mca_coll_champion_cut_t *cut)
{
    mca_coll_champion_window_t receives = mca_coll_champion_window(
                                   MCA_COLL_CHAMPION_WINDOW * (b->size - 1)),
                               sends = receives;

    for (size_t segment = 0; segment < cut->segments; ++segment) {
        for (int distance = 1; distance < b->size; ++distance) {
            const int place = (b->place - distance + b->size) % b->size;
            const int block = (0 == place ? b->place : place) - 1;
            const mca_coll_champion_part_t part =
                mca_coll_champion_part(cut, block, segment);
            uint32_t received;

            if (0 == part.bytes) {
                continue;
            }
            received = mca_coll_champion_recv(
                b->plan, rank_at(b, place), (int) segment,
                b->data + part.offset, part.bytes);
            mca_coll_champion_window_add(b->plan, &receives, received,
                                         received);
            if (0 == place) {
                pass_on(b, &sends, part, segment, received);
            }
        }
    }
}

int mca_coll_champion_ibcast(void *buffer, mca_mq_ompi_count_t count,
                             ompi_datatype_t *type, int root,
                             ompi_communicator_t *comm,
                             ompi_request_t **request,
                             mca_coll_base_module_t *module)
{
    const size_t bytes = type->super.size * (size_t) count;
    bcast_t b = {.root = root, .size = ompi_comm_size(comm)};
    const bool is_short = bytes <= mca_coll_champion_params.short_limit ||
                          mca_coll_champion_module_of(module)->on_node;
    const mca_coll_champion_cut_t cut =
        mca_coll_champion_cut(module, bytes, 1, b.size - 1, false);

    if (!mca_coll_champion_is_served(bytes)) {
        return MCA_COLL_CHAMPION_PASS_ON(module, ibcast, buffer, count, type,
                                         root, comm, request);
    }
    b.place = (ompi_comm_rank(comm) - root + b.size) % b.size;
    b.plan =
        mca_coll_champion_plan_new(comm, is_short ? 1 : (int) cut.segments);
    if (NULL == b.plan) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    b.data =
        0 == b.place
            ? (char *) (uintptr_t) mca_coll_champion_data(b.plan, buffer,
                                                          (size_t) count, type)
            : mca_coll_champion_result(b.plan, buffer, (size_t) count, type);
    if (is_short && b.size <= FLAT) {
        plan_flat(&b, bytes);
    } else if (is_short) {
        plan_short(&b, bytes);
    } else if (0 == b.place) {
        plan_root(&b, &cut);
    } else {
        plan_other(&b, &cut);
    }
    return mca_coll_champion_plan_start(b.plan, request);
}
