/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Allreduce of long data between nodes: MPI_Iallreduce's ring. Both
 * directions of each link carry data all the time, and what has come is reduced
 * while more comes. Open MPI's coll/tuned waits for each step before it begins
 * the next one. All else is coll/tuned's.
 */

#include "coll_champion.h"

int mca_coll_champion_allreduce(const void *from, void *to,
                                mca_mq_ompi_count_t count,
                                ompi_datatype_t *type, ompi_op_t *op,
                                ompi_communicator_t *comm,
                                mca_coll_base_module_t *module)
{
    ompi_request_t *request;
    int rc;

    if (!mca_coll_champion_takes_ring((size_t) count, type, op, comm, module)) {
        return MCA_COLL_CHAMPION_PASS_ON(module, allreduce, from, to, count,
                                         type, op, comm);
    }
    rc = mca_coll_champion_iallreduce(from, to, count, type, op, comm, &request,
                                      module);
    return OMPI_SUCCESS == rc ? ompi_request_wait(&request, MPI_STATUS_IGNORE)
                              : rc;
}
