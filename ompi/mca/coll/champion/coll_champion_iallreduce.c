/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Iallreduce, and MPI_Allreduce of what goes around the ring: both
 * directions of each link carry data all the time, and what has come is reduced
 * while more comes. Open MPI's coll/tuned waits for each step before it begins
 * the next one.
 *
 *     short   recursive doubling: in round k the processes that differ in bit k
 *             exchange all they have. Of a number of processes that is no power
 *             of two, the first ones work in pairs: the first of a pair hands
 *             its data over and gets the result
 *     long    each process reduces one block of the data, which all others send
 *             it (pairwise exchange), and sends all others the result. Blocks
 *             are cut into segments: while one is reduced others travel
 *     ring    between nodes, where blocks are not small
 *
 * Every element is reduced in one order, so that all processes get the same
 * result to the last bit.
 *
 * Source: Thakur, Rabenseifner, Gropp, Optimization of collective communication
 * operations in MPICH (2005).
 */

#include "coll_champion_plan.h"

#include <string.h>

#define NONE MCA_COLL_CHAMPION_NONE

typedef mca_coll_champion_plan_t plan_t;

/* Tags of the short algorithm: one for each bit of a rank, and those of the
 * pairs. */
enum { PAIR = 32, RESULT, SHORT_TAGS };

/* ---- short -------------------------------------------------------------- */

/* Processes beyond the largest power of two. */
static int beyond(int size)
{
    int power = 1;

    while (2 * power <= size) {
        power *= 2;
    }
    return size - power;
}

/* The rank of the process that works as number `place`. */
static int at_place(int place, int extra)
{
    return place < extra ? 2 * place + 1 : place + extra;
}

/* Receive, and reduce into all; returns the reduction. It waits for `busy`,
 * which reads all. */
static uint32_t take(plan_t *plan, int rank, int tag, void *all, size_t bytes,
                     uint32_t busy)
{
    void *theirs = mca_coll_champion_scratch(plan, bytes);
    uint32_t received = mca_coll_champion_recv(plan, rank, tag, theirs, bytes);
    uint32_t reduced = mca_coll_champion_reduction(plan, theirs, all, bytes);

    mca_coll_champion_after(plan, reduced, received);
    mca_coll_champion_after(plan, reduced, busy);
    return reduced;
}

static void plan_short(plan_t *plan, void *all, size_t bytes, int rank,
                       int size)
{
    const int extra = beyond(size), places = size - extra;
    const bool paired = rank < 2 * extra;
    const int place = paired ? rank / 2 : rank - extra;
    uint32_t last = NONE, sent;

    if (paired && 0 == rank % 2) {
        sent = mca_coll_champion_send(plan, rank + 1, PAIR, all, bytes);
        last = mca_coll_champion_recv(plan, rank + 1, RESULT, all, bytes);
        mca_coll_champion_after(plan, last, sent);
        return;
    }
    if (paired) {
        last = take(plan, rank - 1, PAIR, all, bytes, NONE);
    }
    for (int bit = 0; 1 << bit < places; ++bit) {
        const int other = at_place(place ^ 1 << bit, extra);

        sent = mca_coll_champion_send(plan, other, bit, all, bytes);
        mca_coll_champion_after(plan, sent, last);
        last = take(plan, other, bit, all, bytes, sent);
    }
    if (paired) {
        sent = mca_coll_champion_send(plan, rank - 1, RESULT, all, bytes);
        mca_coll_champion_after(plan, sent, last);
    }
}

/* ---- long --------------------------------------------------------------- */

/* The state of a long plan while it is made. */
typedef struct long_t {
    plan_t *plan;
    const char *mine; /* equals all: in place */
    char *all;
    int rank, size;
    mca_coll_champion_cut_t cut;
    char *theirs; /* what is received to be reduced */
    mca_coll_champion_window_t sends, reductions, results, copies;
    uint32_t *sent; /* in place: the sends of a segment, by destination */
} long_t;

static int to_rank(const long_t *l, int distance)
{
    return (l->rank + distance) % l->size;
}

static int from_rank(const long_t *l, int distance)
{
    return (l->rank - distance + l->size) % l->size;
}

/* Receive what a process has of my block, and reduce it; `before` is the
 * reduction before. */
static uint32_t reduce_one(long_t *l, int distance, size_t segment,
                           uint32_t before)
{
    const mca_coll_champion_part_t part =
        mca_coll_champion_part(&l->cut, l->rank, segment);
    const bool direct = 1 == distance && l->mine != l->all;
    char *to = l->theirs +
               mca_coll_champion_window_place(&l->reductions) * l->cut.segment;
    uint32_t received, reduced;

    received =
        mca_coll_champion_recv(l->plan, from_rank(l, distance), (int) segment,
                               direct ? l->all + part.offset : to, part.bytes);
    reduced = mca_coll_champion_reduction(l->plan,
                                          direct ? l->mine + part.offset : to,
                                          l->all + part.offset, part.bytes);
    mca_coll_champion_after(l->plan, reduced, received);
    mca_coll_champion_after(l->plan, reduced, before);
    mca_coll_champion_window_add(l->plan, &l->reductions, received, reduced);
    return reduced;
}

/* Send my part of another process's block, to be reduced there. */
static void give_one(long_t *l, int distance, size_t segment)
{
    const int rank = to_rank(l, distance);
    const mca_coll_champion_part_t part =
        mca_coll_champion_part(&l->cut, rank, segment);
    uint32_t sent = NONE;

    if (0 != part.bytes) {
        sent = mca_coll_champion_send(l->plan, rank, (int) segment,
                                      l->mine + part.offset, part.bytes);
        mca_coll_champion_window_add(l->plan, &l->sends, sent, sent);
    }
    l->sent[rank] = sent;
}

/* Reduce a segment of my block, and send it to all. */
static void own_segment(long_t *l, size_t segment)
{
    const mca_coll_champion_part_t part =
        mca_coll_champion_part(&l->cut, l->rank, segment);
    uint32_t reduced = NONE, sent;

    if (0 == part.bytes) {
        return;
    }
    for (int distance = 1; distance < l->size; ++distance) {
        reduced = reduce_one(l, distance, segment, reduced);
    }
    for (int distance = 1; distance < l->size; ++distance) {
        sent = mca_coll_champion_send(l->plan, to_rank(l, distance),
                                      (int) (l->cut.segments + segment),
                                      l->all + part.offset, part.bytes);
        mca_coll_champion_after(l->plan, sent, reduced);
        mca_coll_champion_window_add(l->plan, &l->results, sent, sent);
    }
}

/* Receive a segment of the other blocks. */
static void other_segments(long_t *l, size_t segment)
{
    for (int distance = 1; distance < l->size; ++distance) {
        const int rank = from_rank(l, distance);
        const mca_coll_champion_part_t part =
            mca_coll_champion_part(&l->cut, rank, segment);
        uint32_t received;

        if (0 == part.bytes) {
            continue;
        }
        received = mca_coll_champion_recv(l->plan, rank,
                                          (int) (l->cut.segments + segment),
                                          l->all + part.offset, part.bytes);
        if (l->mine == l->all) {
            mca_coll_champion_after(l->plan, received, l->sent[rank]);
        }
        mca_coll_champion_window_add(l->plan, &l->copies, received, received);
    }
}

static void plan_long(plan_t *plan, const void *mine, void *all,
                      const mca_coll_champion_cut_t *cut, int rank, int size)
{
    const int wide = MCA_COLL_CHAMPION_WINDOW * (size - 1);
    const int few = wide < MCA_COLL_CHAMPION_WINDOW_REDUCE
                        ? wide
                        : MCA_COLL_CHAMPION_WINDOW_REDUCE;
    long_t l = {
        .plan = plan,
        .mine = mine,
        .all = all,
        .rank = rank,
        .size = size,
        .cut = *cut,
        .sends = mca_coll_champion_window(wide),
        .reductions = mca_coll_champion_window(few),
        .results = mca_coll_champion_window(wide),
        .copies = mca_coll_champion_window(wide),
    };

    l.theirs = mca_coll_champion_scratch(plan, cut->segment * (size_t) few);
    l.sent = mca_coll_champion_scratch(plan, sizeof(*l.sent) * (size_t) size);
    if (plan->failed) {
        return;
    }
    for (size_t segment = 0; segment < cut->segments; ++segment) {
        for (int distance = 1; distance < size; ++distance) {
            give_one(&l, distance, segment);
        }
        own_segment(&l, segment);
        other_segments(&l, segment);
    }
}

/* ---- MPI_Iallreduce ----------------------------------------------------- */

/* The algorithms: each makes operations of a plan, with so many tags. */
enum algorithm { SHORT, LONG, RING };

static enum algorithm choose(const mca_coll_base_module_t *module, size_t bytes,
                             int size)
{
    const size_t limit = mca_coll_champion_params.short_limit;

    if (bytes <= limit) {
        return SHORT;
    }
    /* Small blocks: its steps cost more than links that several send to. */
    return !mca_coll_champion_module_of(module)->on_node && size > 2 &&
                   bytes / (size_t) size >= limit
               ? RING
               : LONG;
}

static int tags_of(enum algorithm algorithm, const mca_coll_champion_cut_t *cut)
{
    switch (algorithm) {
    case SHORT:
        return SHORT_TAGS;
    case RING:
        return mca_coll_champion_ring_tags(cut);
    default:
        return 2 * (int) cut->segments;
    }
}

/* Segments of the ring are short enough to be sent without asking: the
 * receiver's answer to a request would queue behind what it sends itself, and
 * nothing would come meanwhile. */
enum { RING_SEGMENT = 16384 };

static mca_coll_champion_cut_t cut_for(const mca_coll_base_module_t *module,
                                       enum algorithm algorithm, size_t count,
                                       size_t unit, int size)
{
    const size_t usual = mca_coll_champion_params.segment;

    return RING == algorithm
               ? mca_coll_champion_cut_by(usual < RING_SEGMENT ? usual
                                                               : RING_SEGMENT,
                                          count, unit, size)
               : mca_coll_champion_cut(module, count, unit, size, 2 == size);
}

static int iallreduce(const void *from, void *to, size_t count,
                      ompi_datatype_t *type, ompi_op_t *op,
                      ompi_communicator_t *comm, ompi_request_t **request,
                      const mca_coll_base_module_t *module)
{
    const int size = ompi_comm_size(comm), rank = ompi_comm_rank(comm);
    const size_t unit = type->super.size, bytes = unit * count;
    const enum algorithm algorithm = choose(module, bytes, size);
    const mca_coll_champion_cut_t cut =
        cut_for(module, algorithm, count, unit, size);
    const void *mine;
    plan_t *plan;
    void *all;

    plan = mca_coll_champion_plan_new(comm, tags_of(algorithm, &cut));
    if (NULL == plan) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_coll_champion_plan_reduces(plan, op, type);
    mine = mca_coll_champion_data(plan, MPI_IN_PLACE == from ? to : from, count,
                                  type);
    all = mca_coll_champion_result(plan, to, count, type);
    if (plan->failed) {
        return mca_coll_champion_plan_start(plan, request);
    }
    if (SHORT == algorithm) {
        memmove(all, mine, bytes);
        plan_short(plan, all, bytes, rank, size);
    } else if (RING == algorithm) {
        mca_coll_champion_plan_ring(plan, mine, all, &cut, rank, size);
    } else {
        plan_long(plan, mine, all, &cut, rank, size);
    }
    return mca_coll_champion_plan_start(plan, request);
}

int mca_coll_champion_iallreduce(const void *from, void *to,
                                 mca_mq_ompi_count_t count,
                                 ompi_datatype_t *type, ompi_op_t *op,
                                 ompi_communicator_t *comm,
                                 ompi_request_t **request,
                                 mca_coll_base_module_t *module)
{
    if (!mca_coll_champion_can_reduce((size_t) count, type, op)) {
        return MCA_COLL_CHAMPION_PASS_ON(module, iallreduce, from, to, count,
                                         type, op, comm, request);
    }
    return iallreduce(from, to, (size_t) count, type, op, comm, request,
                      module);
}

/* ---- MPI_Allreduce ------------------------------------------------------ */

int mca_coll_champion_allreduce(const void *from, void *to,
                                mca_mq_ompi_count_t count,
                                ompi_datatype_t *type, ompi_op_t *op,
                                ompi_communicator_t *comm,
                                mca_coll_base_module_t *module)
{
    const size_t bytes = type->super.size * (size_t) count;
    ompi_request_t *request;
    int rc;

    /* Where processes share a node coll/tuned takes as long, or less. */
    if (!mca_coll_champion_module_of(module)->spread ||
        RING != choose(module, bytes, ompi_comm_size(comm)) ||
        !mca_coll_champion_can_reduce((size_t) count, type, op)) {
        return MCA_COLL_CHAMPION_PASS_ON(module, allreduce, from, to, count,
                                         type, op, comm);
    }
    rc = iallreduce(from, to, (size_t) count, type, op, comm, &request, module);
    return OMPI_SUCCESS == rc ? ompi_request_wait(&request, MPI_STATUS_IGNORE)
                              : rc;
}
