/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/record/gather.h"

#include "ompi/mca/coll/base/coll_tags.h"

/* A tag of collective operations; none is in progress in MPI_COMM_WORLD any
 * more. */
#define TAG MCA_COLL_BASE_TAG_GATHER

/* Largest message, bytes. */
#define PIECE_MAX ((size_t) 1 << 16)

static int put(const void *data, size_t length, int to)
{
    return mca_pml.pml_send(data, length, &ompi_mpi_byte.dt, to, TAG,
                            MCA_PML_BASE_SEND_STANDARD,
                            &ompi_mpi_comm_world.comm);
}

static int get(void *data, size_t length, int from)
{
    return mca_pml.pml_recv(data, length, &ompi_mpi_byte.dt, from, TAG,
                            &ompi_mpi_comm_world.comm, MPI_STATUS_IGNORE);
}

static size_t chunk(size_t left)
{
    return left < PIECE_MAX ? left : PIECE_MAX;
}

void mca_pml_champion_hand_over(const void *data, size_t length)
{
    uint64_t announced = NULL == data ? 0 : length;
    int rc = get(NULL, 0, 0);

    if (OMPI_SUCCESS == rc) {
        rc = put(&announced, sizeof(announced), 0);
    }
    for (size_t at = 0; at < announced && OMPI_SUCCESS == rc;
         at += chunk(announced - at)) {
        rc = put((const char *) data + at, chunk(announced - at), 0);
    }
}

int mca_pml_champion_take_over(int rank, mca_pml_champion_gather_fn_t take,
                               void *arg)
{
    static char buffer[PIECE_MAX];
    uint64_t length = 0;
    int rc = put(NULL, 0, rank);

    if (OMPI_SUCCESS == rc) {
        rc = get(&length, sizeof(length), rank);
    }
    if (OMPI_SUCCESS == rc && 0 == length) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (size_t at = 0; at < length && OMPI_SUCCESS == rc;
         at += chunk(length - at)) {
        rc = get(buffer, chunk(length - at), rank);
        if (OMPI_SUCCESS == rc) {
            take(buffer, chunk(length - at), arg);
        }
    }
    return rc;
}
