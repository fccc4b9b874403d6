/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/stats/gather_tree.h"

#include "ompi/mca/coll/base/coll_tags.h"

/* A tag of collective operations; none is in progress in MPI_COMM_WORLD any
 * more. */
#define TAG MCA_COLL_BASE_TAG_GATHER

static bool put(const void *data, size_t length, int to)
{
    return OMPI_SUCCESS == mca_pml.pml_send(data, length, &ompi_mpi_byte.dt, to,
                                            TAG, MCA_PML_BASE_SEND_STANDARD,
                                            &ompi_mpi_comm_world.comm);
}

static bool get(void *data, size_t room, size_t *length, int from)
{
    ompi_status_public_t status;
    const int rc = mca_pml.pml_recv(data, room, &ompi_mpi_byte.dt, from, TAG,
                                    &ompi_mpi_comm_world.comm, &status);

    *length = OMPI_SUCCESS == rc ? status._ucount : 0;
    return OMPI_SUCCESS == rc;
}

void mca_pml_champion_gather(const void *data, size_t length,
                             const mca_pml_champion_gather_sink_t *sink,
                             void *arg)
{
    static const mca_pml_champion_gather_link_t link = {.put = put, .get = get};
    /* Static, so that it cannot fail: others wait to be asked. */
    static mca_pml_champion_gather_room_t room;

    mca_pml_champion_gather_tree(&link,
                                 ompi_comm_rank(&ompi_mpi_comm_world.comm),
                                 ompi_comm_size(&ompi_mpi_comm_world.comm),
                                 data, length, sink, arg, &room);
}
