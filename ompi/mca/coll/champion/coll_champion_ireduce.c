/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Ireduce, and MPI_Reduce of long data.
 *
 *     short   along a binomial tree
 *     long    each process but the root reduces one block of the data, which
 *             all others send it, and sends the root the result: reduce-scatter
 *             by pairwise exchange, and gather. The root of two processes
 *             reduces. Blocks are cut into segments, which travel while others
 *             are reduced
 *     chain   (coll_champion_ireduce_chain.c) long data of MPI_Reduce, where no
 *             two processes share a node. Not of MPI_Ireduce: while a process
 *             computes all behind it in the chain wait, so each learns after
 *             the one before it that it needs a progress thread
 *
 * Source: Rabenseifner, Optimization of collective reduction operations (2004).
 */

#include "coll_champion_plan.h"

#include <string.h>

#define NONE MCA_COLL_CHAMPION_NONE

typedef mca_coll_champion_plan_t plan_t;

/* Places are ranks counted from the root. */
typedef struct reduce_t {
    plan_t *plan;
    const char *mine; /* equals all: in place */
    char *all;        /* the root's result */
    int root, place, size;
    /* Of a long one. */
    mca_coll_champion_cut_t cut;
    char *block;  /* of this process, being reduced */
    char *theirs; /* what is received to be reduced */
    mca_coll_champion_window_t sends, reductions, results;
} reduce_t;

static int rank_at(const reduce_t *r, int place)
{
    return (place % r->size + r->root) % r->size;
}

/* ---- short -------------------------------------------------------------- */

/* Does a process have children in the tree? */
static bool is_leaf(const reduce_t *r)
{
    return 0 != (r->place & 1) || r->place + 1 == r->size;
}

static void plan_short(reduce_t *r, size_t bytes)
{
    const char *have = r->mine;
    uint32_t last = NONE;
    int step = 1;

    if (!is_leaf(r)) {
        if (0 != r->place) {
            r->all = mca_coll_champion_scratch(r->plan, bytes);
        }
        if (r->plan->failed) {
            return;
        }
        memmove(r->all, r->mine, bytes);
        have = r->all;
    }
    for (; step < r->size && 0 == (r->place & step); step *= 2) {
        if (r->place + step < r->size) {
            void *theirs = mca_coll_champion_scratch(r->plan, bytes);
            uint32_t received = mca_coll_champion_recv(
                r->plan, rank_at(r, r->place + step), 0, theirs, bytes);
            uint32_t reduced =
                mca_coll_champion_reduction(r->plan, theirs, r->all, bytes);

            mca_coll_champion_after(r->plan, reduced, received);
            mca_coll_champion_after(r->plan, reduced, last);
            last = reduced;
        }
    }
    if (0 != r->place) {
        uint32_t sent = mca_coll_champion_send(
            r->plan, rank_at(r, r->place - step), 0, have, bytes);

        mca_coll_champion_after(r->plan, sent, last);
    }
}

/* ---- long --------------------------------------------------------------- */

/* The block that the process at a place reduces, or -1. */
static int block_of(const reduce_t *r, int place)
{
    return 2 == r->size ? (0 == place ? 0 : -1) : place - 1;
}

static int blocks_of(int size)
{
    return 2 == size ? 1 : size - 1;
}

/* Where a part of the own block is reduced. */
static char *reduced_at(const reduce_t *r, size_t offset)
{
    return r->block +
           (offset -
            mca_coll_champion_part(&r->cut, block_of(r, r->place), 0).offset);
}

/* Receive what a process has of the own block, and reduce it; `before` is the
 * reduction before. */
static uint32_t reduce_one(reduce_t *r, int distance, size_t segment,
                           mca_coll_champion_part_t part, uint32_t before)
{
    const bool direct = 1 == distance && r->mine != r->block;
    char *to = r->theirs +
               mca_coll_champion_window_place(&r->reductions) * r->cut.segment;
    char *at = reduced_at(r, part.offset);
    uint32_t received, reduced;

    received = mca_coll_champion_recv(
        r->plan, rank_at(r, r->place - distance + r->size), (int) segment,
        direct ? at : to, part.bytes);
    reduced = mca_coll_champion_reduction(
        r->plan, direct ? r->mine + part.offset : to, at, part.bytes);
    mca_coll_champion_after(r->plan, reduced, received);
    mca_coll_champion_after(r->plan, reduced, before);
    mca_coll_champion_window_add(r->plan, &r->reductions, received, reduced);
    return reduced;
}

/* Reduce a segment of the own block, and send it to the root. */
static void own_segment(reduce_t *r, size_t segment)
{
    mca_coll_champion_part_t part;
    uint32_t reduced = NONE, sent;

    if (block_of(r, r->place) < 0) {
        return;
    }
    part = mca_coll_champion_part(&r->cut, block_of(r, r->place), segment);
    if (0 == part.bytes) {
        return;
    }
    for (int distance = 1; distance < r->size; ++distance) {
        reduced = reduce_one(r, distance, segment, part, reduced);
    }
    if (0 != r->place) {
        sent = mca_coll_champion_send(r->plan, r->root,
                                      (int) (r->cut.segments + segment),
                                      reduced_at(r, part.offset), part.bytes);
        mca_coll_champion_after(r->plan, sent, reduced);
    }
}

/* Send a segment of the block that another process reduces; at the root,
 * receive the result. */
static void other_segment(reduce_t *r, int distance, size_t segment)
{
    const int place = (r->place + distance) % r->size;
    mca_coll_champion_part_t part;
    uint32_t sent, received;

    if (block_of(r, place) < 0) {
        return;
    }
    part = mca_coll_champion_part(&r->cut, block_of(r, place), segment);
    if (0 == part.bytes) {
        return;
    }
    sent = mca_coll_champion_send(r->plan, rank_at(r, place), (int) segment,
                                  r->mine + part.offset, part.bytes);
    mca_coll_champion_window_add(r->plan, &r->sends, sent, sent);
    if (0 == r->place) {
        received = mca_coll_champion_recv(r->plan, rank_at(r, place),
                                          (int) (r->cut.segments + segment),
                                          r->all + part.offset, part.bytes);
        if (r->mine == r->all) {
            mca_coll_champion_after(r->plan, received, sent);
        }
        mca_coll_champion_window_add(r->plan, &r->results, received, received);
    }
}

static void plan_long(reduce_t *r)
{
    const int wide = MCA_COLL_CHAMPION_WINDOW * (r->size - 1);
    const int few = wide < MCA_COLL_CHAMPION_WINDOW_REDUCE
                        ? wide
                        : MCA_COLL_CHAMPION_WINDOW_REDUCE;

    r->sends = mca_coll_champion_window(wide);
    r->results = mca_coll_champion_window(wide);
    r->reductions = mca_coll_champion_window(few);
    if (block_of(r, r->place) >= 0) {
        r->theirs =
            mca_coll_champion_scratch(r->plan, r->cut.segment * (size_t) few);
        r->block = 0 == r->place
                       ? r->all
                       : mca_coll_champion_scratch(
                             r->plan, r->cut.segment * r->cut.segments);
    }
    if (r->plan->failed) {
        return;
    }
    for (size_t segment = 0; segment < r->cut.segments; ++segment) {
        for (int distance = 1; distance < r->size; ++distance) {
            other_segment(r, distance, segment);
        }
        own_segment(r, segment);
    }
}

/* ---- MPI_Ireduce -------------------------------------------------------- */

/* The algorithms: each makes operations of a plan, with so many tags. */
enum algorithm { SHORT, LONG, CHAIN };

/* Its segments are sent without asking, as those of the ring of
 * MPI_Iallreduce. */
static mca_coll_champion_cut_t cut_of_chain(size_t count, size_t unit)
{
    const size_t usual = mca_coll_champion_params.segment, few = 16384;

    return mca_coll_champion_cut_by(usual < few ? usual : few, count, unit, 1);
}

static int ireduce(const void *from, void *to, size_t count,
                   ompi_datatype_t *type, ompi_op_t *op, int root,
                   ompi_communicator_t *comm, ompi_request_t **request,
                   const mca_coll_base_module_t *module,
                   enum algorithm algorithm)
{
    const size_t unit = type->super.size;
    const int rank = ompi_comm_rank(comm);
    reduce_t r = {.root = root, .size = ompi_comm_size(comm)};

    r.cut = CHAIN == algorithm
                ? cut_of_chain(count, unit)
                : mca_coll_champion_cut(module, count, unit, blocks_of(r.size),
                                        2 == r.size);
    r.place = (rank - root + r.size) % r.size;
    r.plan = mca_coll_champion_plan_new(
        comm, SHORT == algorithm ? 1 : 2 * (int) r.cut.segments);
    if (NULL == r.plan) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_coll_champion_plan_reduces(r.plan, op, type);
    r.mine = mca_coll_champion_data(r.plan, MPI_IN_PLACE == from ? to : from,
                                    count, type);
    if (0 == r.place) {
        r.all = mca_coll_champion_result(r.plan, to, count, type);
    }
    if (SHORT == algorithm) {
        plan_short(&r, count * unit);
    } else if (CHAIN == algorithm) {
        mca_coll_champion_plan_chain(r.plan, r.mine, r.all, &r.cut, rank, root,
                                     r.size);
    } else {
        plan_long(&r);
    }
    return mca_coll_champion_plan_start(r.plan, request);
}

int mca_coll_champion_ireduce(const void *from, void *to,
                              mca_mq_ompi_count_t count, ompi_datatype_t *type,
                              ompi_op_t *op, int root,
                              ompi_communicator_t *comm,
                              ompi_request_t **request,
                              mca_coll_base_module_t *module)
{
    const size_t bytes = type->super.size * (size_t) count;

    if (!mca_coll_champion_can_reduce((size_t) count, type, op)) {
        return MCA_COLL_CHAMPION_PASS_ON(module, ireduce, from, to, count, type,
                                         op, root, comm, request);
    }
    return ireduce(
        from, to, (size_t) count, type, op, root, comm, request, module,
        bytes <= mca_coll_champion_params.short_limit ? SHORT : LONG);
}

/* ---- MPI_Reduce --------------------------------------------------------- */

/* Does the chain pay? Where processes share a node coll/tuned takes as long. To
 * fill it takes a fifth of its time at most. */
static bool is_for_chain(const mca_coll_base_module_t *module, size_t count,
                         size_t unit, int size)
{
    const size_t links = (size_t) size - 1;

    return mca_coll_champion_module_of(module)->spread && size > 2 &&
           count * unit > mca_coll_champion_params.short_limit &&
           cut_of_chain(count, unit).segments >= 4 * links;
}

int mca_coll_champion_reduce(const void *from, void *to,
                             mca_mq_ompi_count_t count, ompi_datatype_t *type,
                             ompi_op_t *op, int root, ompi_communicator_t *comm,
                             mca_coll_base_module_t *module)
{
    ompi_request_t *request;
    int rc;

    if (!mca_coll_champion_can_reduce((size_t) count, type, op) ||
        !is_for_chain(module, (size_t) count, type->super.size,
                      ompi_comm_size(comm))) {
        return MCA_COLL_CHAMPION_PASS_ON(module, reduce, from, to, count, type,
                                         op, root, comm);
    }
    rc = ireduce(from, to, (size_t) count, type, op, root, comm, &request,
                 module, CHAIN);
    return OMPI_SUCCESS == rc ? ompi_request_wait(&request, MPI_STATUS_IGNORE)
                              : rc;
}
