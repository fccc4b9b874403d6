/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Gather of large blocks between nodes: all send the root their block at
 * once. Open MPI's coll/tuned has the root of few processes ask each for its
 * block, so nothing travels before the root calls. Here a root that is late
 * finds what pml/champion has prefetched.
 *
 * Small blocks go along coll/tuned's tree.
 *
 * Source: the linear algorithm of Chan, Heimlich, Purkayastha, van de Geijn,
 * Collective communication: theory, practice, and experience (2007).
 */

#include "coll_champion.h"

#include "ompi/mca/coll/base/coll_tags.h"

/* Least size of a block, bytes: coll/tuned's root asks for larger ones. */
enum { LEAST = 128 << 10 };

/* Most processes of which coll/tuned's root asks each; more go along a tree. */
enum { MOST = 7 };

/* The root's blocks. */
typedef struct blocks_t {
    char *all;
    size_t count; /* of a block */
    ompi_datatype_t *type;
    ptrdiff_t step; /* bytes from block to block */
} blocks_t;

/* Begin to receive from all others. */
static int receive_all(const blocks_t *blocks, ompi_communicator_t *comm,
                       ompi_request_t **requests)
{
    const int size = ompi_comm_size(comm), rank = ompi_comm_rank(comm);
    int rc = OMPI_SUCCESS;

    for (int i = 0; i < size; ++i) {
        requests[i] = MPI_REQUEST_NULL;
        if (i != rank && OMPI_SUCCESS == rc) {
            rc = MCA_PML_CALL(irecv(
                blocks->all + i * blocks->step, blocks->count, blocks->type, i,
                MCA_COLL_BASE_TAG_GATHER, comm, &requests[i]));
        }
    }
    return rc;
}

/* Wait for all, also after an error. Returns the first. */
static int wait_for_all(ompi_request_t **requests, int size, int rc)
{
    for (int i = 0; i < size; ++i) {
        if (MPI_REQUEST_NULL != requests[i]) {
            int error = ompi_request_wait(&requests[i], MPI_STATUS_IGNORE);

            rc = OMPI_SUCCESS == rc ? error : rc;
        }
    }
    return rc;
}

/* The root; from: its own block, or in place. */
static int gather(const blocks_t *blocks, const void *from, size_t count,
                  ompi_datatype_t *type, ompi_communicator_t *comm)
{
    ompi_request_t *requests[MOST];
    int rc = receive_all(blocks, comm, requests);

    if (OMPI_SUCCESS == rc && MPI_IN_PLACE != from) {
        rc = ompi_datatype_sndrcv(from, (int32_t) count, type,
                                  blocks->all +
                                      ompi_comm_rank(comm) * blocks->step,
                                  (int32_t) blocks->count, blocks->type);
    }
    return wait_for_all(requests, ompi_comm_size(comm), rc);
}

int mca_coll_champion_gather(const void *from, mca_mq_ompi_count_t scount,
                             ompi_datatype_t *stype, void *to,
                             mca_mq_ompi_count_t rcount, ompi_datatype_t *rtype,
                             int root, ompi_communicator_t *comm,
                             mca_coll_base_module_t *module)
{
    const bool is_root = root == ompi_comm_rank(comm);
    const size_t bytes = is_root ? rtype->super.size * (size_t) rcount
                                 : stype->super.size * (size_t) scount;

    if (bytes < LEAST || bytes > INT32_MAX || ompi_comm_size(comm) > MOST ||
        mca_coll_champion_module_of(module)->on_node) {
        return MCA_COLL_CHAMPION_PASS_ON(module, gather, from, scount, stype,
                                         to, rcount, rtype, root, comm);
    }
    if (is_root) {
        const blocks_t blocks = {
            .all = to,
            .count = (size_t) rcount,
            .type = rtype,
            .step = (rtype->super.ub - rtype->super.lb) * (ptrdiff_t) rcount,
        };

        return gather(&blocks, from, (size_t) scount, stype, comm);
    }
    return MCA_PML_CALL(send(from, (size_t) scount, stype, root,
                             MCA_COLL_BASE_TAG_GATHER,
                             MCA_PML_BASE_SEND_STANDARD, comm));
}
