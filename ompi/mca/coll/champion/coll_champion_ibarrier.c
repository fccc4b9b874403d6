/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Ibarrier, by dissemination: in round k each process tells the one 2^k
 * places further on.
 *
 * Source: Hensgen, Finkel, Manber, Two algorithms for barrier synchronization
 * (1988).
 */

#include "coll_champion_plan.h"

/* Rounds: the tags. */
static int rounds_of(int size)
{
    int rounds = 0;

    while (1 << rounds < size) {
        ++rounds;
    }
    return rounds;
}

int mca_coll_champion_ibarrier(ompi_communicator_t *comm,
                               ompi_request_t **request,
                               mca_coll_base_module_t *module)
{
    const int size = ompi_comm_size(comm), rank = ompi_comm_rank(comm);
    mca_coll_champion_plan_t *plan =
        mca_coll_champion_plan_new(comm, rounds_of(size));
    uint32_t before = MCA_COLL_CHAMPION_NONE;

    (void) module;
    if (NULL == plan) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int round = 0, step = 1; step < size; ++round, step *= 2) {
        uint32_t sent =
            mca_coll_champion_send(plan, (rank + step) % size, round, NULL, 0);

        mca_coll_champion_after(plan, sent, before);
        before = mca_coll_champion_recv(plan, (rank - step + size) % size,
                                        round, NULL, 0);
    }
    return mca_coll_champion_plan_start(plan, request);
}
