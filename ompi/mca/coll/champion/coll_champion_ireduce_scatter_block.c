/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Ireduce_scatter_block, by pairwise exchange: each process receives what
 * all others have of its block, and reduces it. Blocks are cut into segments,
 * which travel while others are reduced.
 *
 * Source: Thakur, Rabenseifner, Gropp, Optimization of collective communication
 * operations in MPICH (2005).
 */

#include "coll_champion_plan.h"

#define NONE MCA_COLL_CHAMPION_NONE

typedef mca_coll_champion_plan_t plan_t;

typedef struct scatter_t {
    plan_t *plan;
    const char *mine;
    char *block;  /* the own block, being reduced */
    char *theirs; /* what is received to be reduced */
    int rank, size;
    mca_coll_champion_cut_t cut;
    mca_coll_champion_window_t sends, reductions;
} scatter_t;

static void give_one(scatter_t *s, int distance, size_t segment)
{
    const int rank = (s->rank + distance) % s->size;
    const mca_coll_champion_part_t part =
        mca_coll_champion_part(&s->cut, rank, segment);
    uint32_t sent = mca_coll_champion_send(s->plan, rank, (int) segment,
                                           s->mine + part.offset, part.bytes);

    mca_coll_champion_window_add(s->plan, &s->sends, sent, sent);
}

/* Receive what a process has of the own block, and reduce it; `before` is the
 * reduction before. */
static uint32_t take_one(scatter_t *s, int distance, size_t segment,
                         uint32_t before)
{
    const mca_coll_champion_part_t part =
        mca_coll_champion_part(&s->cut, s->rank, segment);
    char *at = s->block + segment * s->cut.segment;
    char *to = s->theirs +
               mca_coll_champion_window_place(&s->reductions) * s->cut.segment;
    uint32_t received, reduced;

    received = mca_coll_champion_recv(
        s->plan, (s->rank - distance + s->size) % s->size, (int) segment,
        1 == distance ? at : to, part.bytes);
    reduced = mca_coll_champion_reduction(
        s->plan, 1 == distance ? s->mine + part.offset : to, at, part.bytes);
    mca_coll_champion_after(s->plan, reduced, received);
    mca_coll_champion_after(s->plan, reduced, before);
    mca_coll_champion_window_add(s->plan, &s->reductions, received, reduced);
    return reduced;
}

static void plan_all(scatter_t *s)
{
    const int wide = MCA_COLL_CHAMPION_WINDOW * (s->size - 1);
    const int few = wide < MCA_COLL_CHAMPION_WINDOW_REDUCE
                        ? wide
                        : MCA_COLL_CHAMPION_WINDOW_REDUCE;

    s->sends = mca_coll_champion_window(wide);
    s->reductions = mca_coll_champion_window(few);
    s->theirs =
        mca_coll_champion_scratch(s->plan, s->cut.segment * (size_t) few);
    for (size_t segment = 0; segment < s->cut.segments; ++segment) {
        uint32_t reduced = NONE;

        for (int distance = 1; distance < s->size; ++distance) {
            give_one(s, distance, segment);
        }
        for (int distance = 1; distance < s->size; ++distance) {
            reduced = take_one(s, distance, segment, reduced);
        }
    }
}

/* In place: the result goes to the beginning of the data, when all of them are
 * sent. */
static void copy_back(scatter_t *s, char *to, size_t bytes)
{
    const uint32_t operations = s->plan->schedule.num_ops;
    uint32_t copied = mca_coll_champion_copy(s->plan, s->block, to, bytes);

    for (uint32_t op = 0; op < operations; ++op) {
        mca_coll_champion_after(s->plan, copied, op);
    }
}

int mca_coll_champion_ireduce_scatter_block(
    const void *from, void *to, mca_mq_ompi_count_t count,
    ompi_datatype_t *type, ompi_op_t *op, ompi_communicator_t *comm,
    ompi_request_t **request, mca_coll_base_module_t *module)
{
    const bool in_place = MPI_IN_PLACE == from;
    scatter_t s = {.rank = ompi_comm_rank(comm), .size = ompi_comm_size(comm)};
    const size_t elements = (size_t) count * (size_t) s.size;
    const size_t bytes = type->super.size * (size_t) count;
    char *result;

    if (!mca_coll_champion_can_reduce(elements, type, op)) {
        return MCA_COLL_CHAMPION_PASS_ON(module, ireduce_scatter_block, from,
                                         to, count, type, op, comm, request);
    }
    s.cut = mca_coll_champion_cut(module, elements, type->super.size, s.size,
                                  2 == s.size);
    s.plan = mca_coll_champion_plan_new(comm, (int) s.cut.segments);
    if (NULL == s.plan) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_coll_champion_plan_reduces(s.plan, op, type);
    s.mine =
        mca_coll_champion_data(s.plan, in_place ? to : from, elements, type);
    result = mca_coll_champion_result(s.plan, to, (size_t) count, type);
    s.block = in_place ? mca_coll_champion_scratch(s.plan, bytes) : result;
    if (!s.plan->failed) {
        plan_all(&s);
        if (in_place) {
            copy_back(&s, result, bytes);
        }
    }
    return mca_coll_champion_plan_start(s.plan, request);
}
