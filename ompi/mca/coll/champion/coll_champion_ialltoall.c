/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Ialltoall in place: pairs of processes exchange blocks. Each block is
 * copied before the other one's arrives in its place; few copies at a time.
 * In step s a process works with the one whose rank, and its own, are s in sum,
 * modulo their number: so both of a pair have it in the same step, and the
 * first step that is not complete waits for none.
 *
 * An exchange that is not in place is one round of messages, which coll/libnbc
 * begins at once; a tree has nothing to gain there.
 *
 * Source: the pairwise exchange of Thakur, Rabenseifner, Gropp, Optimization of
 * collective communication operations in MPICH (2005).
 */

#include "coll_champion_plan.h"

#include <string.h>

typedef mca_coll_champion_plan_t plan_t;

/* Most bytes of copies; one block if that is longer. */
enum { COPIES = 8 << 20 };

typedef struct exchange_t {
    plan_t *plan;
    char *all; /* the result */
    size_t block;
    int rank, size;
} exchange_t;

/* The rank to work with in a step. */
static int partner(const exchange_t *e, int step)
{
    return (step - e->rank + e->size) % e->size;
}

/* How many copies there are at a time. */
static int copies(const exchange_t *e)
{
    const size_t most = COPIES / e->block;
    const int few = e->size - 1 < MCA_COLL_CHAMPION_WINDOW_REDUCE
                        ? e->size - 1
                        : MCA_COLL_CHAMPION_WINDOW_REDUCE;

    return most >= (size_t) few ? few : 0 == most ? 1 : (int) most;
}

/* The data are the user's. */
static void plan_in_place(const exchange_t *e)
{
    const int few = copies(e);
    char *place = mca_coll_champion_scratch(e->plan, e->block * (size_t) few);
    mca_coll_champion_window_t window = mca_coll_champion_window(few);

    for (int step = 0; step < e->size; ++step) {
        const int rank = partner(e, step);
        char *at = e->all + (size_t) rank * e->block;
        char *copy = place + mca_coll_champion_window_place(&window) * e->block;
        uint32_t copied, sent, received;

        if (rank == e->rank) {
            continue;
        }
        copied = mca_coll_champion_copy(e->plan, at, copy, e->block);
        sent = mca_coll_champion_send(e->plan, rank, 0, copy, e->block);
        received = mca_coll_champion_recv(e->plan, rank, 0, at, e->block);
        mca_coll_champion_after(e->plan, sent, copied);
        mca_coll_champion_after(e->plan, received, copied);
        mca_coll_champion_window_add(e->plan, &window, copied, sent);
    }
}

/* The data are packed, and so is the result, elsewhere. */
static void plan_packed(const exchange_t *e, const char *mine)
{
    mca_coll_champion_window_t receives = mca_coll_champion_window(
                                   MCA_COLL_CHAMPION_WINDOW * (e->size - 1)),
                               sends = receives;

    for (int step = 0; step < e->size; ++step) {
        const int rank = partner(e, step);
        const size_t offset = (size_t) rank * e->block;
        uint32_t op;

        if (rank == e->rank) {
            memcpy(e->all + offset, mine + offset, e->block);
            continue;
        }
        op =
            mca_coll_champion_recv(e->plan, rank, 0, e->all + offset, e->block);
        mca_coll_champion_window_add(e->plan, &receives, op, op);
        op = mca_coll_champion_send(e->plan, rank, 0, mine + offset, e->block);
        mca_coll_champion_window_add(e->plan, &sends, op, op);
    }
}

int mca_coll_champion_ialltoall(const void *from, mca_mq_ompi_count_t scount,
                                ompi_datatype_t *stype, void *to,
                                mca_mq_ompi_count_t rcount,
                                ompi_datatype_t *rtype,
                                ompi_communicator_t *comm,
                                ompi_request_t **request,
                                mca_coll_base_module_t *module)
{
    exchange_t e = {
        .block = rtype->super.size * (size_t) rcount,
        .rank = ompi_comm_rank(comm),
        .size = ompi_comm_size(comm),
    };
    const size_t elements = (size_t) rcount * (size_t) e.size;
    const char *mine;

    if (MPI_IN_PLACE != from ||
        !mca_coll_champion_is_served(e.block * (size_t) e.size)) {
        return MCA_COLL_CHAMPION_PASS_ON(module, ialltoall, from, scount, stype,
                                         to, rcount, rtype, comm, request);
    }
    e.plan = mca_coll_champion_plan_new(comm, 1);
    if (NULL == e.plan) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mine = mca_coll_champion_data(e.plan, to, elements, rtype);
    e.all = mca_coll_champion_result(e.plan, to, elements, rtype);
    if (NULL == e.plan->user.packed) {
        plan_in_place(&e);
    } else if (!e.plan->failed) {
        plan_packed(&e, mine);
    }
    return mca_coll_champion_plan_start(e.plan, request);
}
