/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Iallgather: each process sends its block to all others, the next one
 * first. No message waits for another one, but for those that are too many at a
 * time.
 *
 * Source: the linear algorithm of Chan, Heimlich, Purkayastha, van de Geijn,
 * Collective communication: theory, practice, and experience (2007), started at
 * different places.
 */

#include "coll_champion_plan.h"

#include <string.h>

typedef mca_coll_champion_plan_t plan_t;

static void plan_all(plan_t *plan, char *all, size_t block, int rank, int size)
{
    mca_coll_champion_window_t receives = mca_coll_champion_window(
                                   MCA_COLL_CHAMPION_WINDOW * (size - 1)),
                               sends = receives;

    for (int distance = 1; distance < size; ++distance) {
        const int from = (rank - distance + size) % size;
        uint32_t op;

        op = mca_coll_champion_recv(plan, from, 0, all + (size_t) from * block,
                                    block);
        mca_coll_champion_window_add(plan, &receives, op, op);
        op = mca_coll_champion_send(plan, (rank + distance) % size, 0,
                                    all + (size_t) rank * block, block);
        mca_coll_champion_window_add(plan, &sends, op, op);
    }
}

/* Put the own block into the result. */
static void own_block(plan_t *plan, char *all, size_t block, const void *from,
                      size_t count, ompi_datatype_t *type)
{
    const void *mine = mca_coll_champion_data(plan, from, count, type);

    if (!plan->failed) {
        memmove(all, mine, block);
    }
}

int mca_coll_champion_iallgather(const void *from, mca_mq_ompi_count_t scount,
                                 ompi_datatype_t *stype, void *to,
                                 mca_mq_ompi_count_t rcount,
                                 ompi_datatype_t *rtype,
                                 ompi_communicator_t *comm,
                                 ompi_request_t **request,
                                 mca_coll_base_module_t *module)
{
    const int size = ompi_comm_size(comm), rank = ompi_comm_rank(comm);
    const size_t blocks = (size_t) size, elements = (size_t) rcount * blocks;
    const size_t block = rtype->super.size * (size_t) rcount;
    const ptrdiff_t extent = rtype->super.ub - rtype->super.lb;
    const bool in_place = MPI_IN_PLACE == from;
    plan_t *plan;
    char *all;

    if (!mca_coll_champion_is_served(block * blocks)) {
        return MCA_COLL_CHAMPION_PASS_ON(module, iallgather, from, scount,
                                         stype, to, rcount, rtype, comm,
                                         request);
    }
    plan = mca_coll_champion_plan_new(comm, 1);
    if (NULL == plan) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    all = mca_coll_champion_result(plan, to, elements, rtype);
    if (!in_place) {
        own_block(plan, all + (size_t) rank * block, block, from,
                  (size_t) scount, stype);
    } else if (NULL != plan->user.packed) {
        own_block(plan, all + (size_t) rank * block, block,
                  (char *) to + extent * rank * (ptrdiff_t) rcount,
                  (size_t) rcount, rtype);
    }
    plan_all(plan, all, block, rank, size);
    return mca_coll_champion_plan_start(plan, request);
}
