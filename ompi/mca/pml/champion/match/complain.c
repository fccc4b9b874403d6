/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/complain.h"

#include "ompi/mca/coll/base/coll_tags.h"

#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"

/* Open MPI's own, when it makes communicators. 4.1 does not show their names. */
static bool is_of_comm(int tag)
{
#if MCA_MQ_OMPI_MAJOR >= 5
    return tag <= OMPI_COMM_ALLGATHER_TAG && tag >= OMPI_COMM_ALLREDUCE_TAG;
#else
    return tag <= -31078 && tag >= -31080;
#endif
}

/* The collective operation whose messages Open MPI gives this tag; or words for
 * many of them. */
static const char *operation_of(int tag)
{
    switch (tag) {
    case MCA_COLL_BASE_TAG_ALLGATHER:
        return "MPI_Allgather";
    case MCA_COLL_BASE_TAG_ALLGATHERV:
        return "MPI_Allgatherv";
    case MCA_COLL_BASE_TAG_ALLREDUCE:
        return "MPI_Allreduce";
    case MCA_COLL_BASE_TAG_ALLTOALL:
        return "MPI_Alltoall";
    case MCA_COLL_BASE_TAG_ALLTOALLV:
        return "MPI_Alltoallv";
    case MCA_COLL_BASE_TAG_ALLTOALLW:
        return "MPI_Alltoallw";
    case MCA_COLL_BASE_TAG_BARRIER:
        return "MPI_Barrier";
    case MCA_COLL_BASE_TAG_BCAST:
        return "MPI_Bcast";
    case MCA_COLL_BASE_TAG_EXSCAN:
        return "MPI_Exscan";
    case MCA_COLL_BASE_TAG_GATHER:
        return "MPI_Gather";
    case MCA_COLL_BASE_TAG_GATHERV:
        return "MPI_Gatherv";
    case MCA_COLL_BASE_TAG_REDUCE:
        return "MPI_Reduce";
    case MCA_COLL_BASE_TAG_REDUCE_SCATTER:
        return "MPI_Reduce_scatter";
    case MCA_COLL_BASE_TAG_REDUCE_SCATTER_BLOCK:
        return "MPI_Reduce_scatter_block";
    case MCA_COLL_BASE_TAG_SCAN:
        return "MPI_Scan";
    case MCA_COLL_BASE_TAG_SCATTER:
        return "MPI_Scatter";
    case MCA_COLL_BASE_TAG_SCATTERV:
        return "MPI_Scatterv";
    default:
        if (is_of_comm(tag)) {
            break;
        }
        if (tag <= MCA_COLL_BASE_TAG_NONBLOCKING_BASE &&
            tag >= MCA_COLL_BASE_TAG_NONBLOCKING_END) {
            return "a nonblocking collective";
        }
        if (tag <= MCA_COLL_BASE_TAG_NEIGHBOR_BASE &&
            tag >= MCA_COLL_BASE_TAG_NEIGHBOR_END) {
            return "a neighborhood collective";
        }
    }
    return "an operation inside Open MPI";
}

/* An array or a pointer, by Open MPI's series. */
static const char *name_of(const ompi_communicator_t *comm)
{
    const char *name = NULL == comm ? NULL : comm->c_name;

    return NULL == name || 0 == *name ? "a communicator without a name" : name;
}

/* A blocking receive has no request, and a context instead. */
static ompi_communicator_t *comm_of(const mca_pml_champion_recv_t *recv)
{
    const mca_pml_champion_comm_t *comm;

    if (NULL != recv->request) {
        return recv->request->super.req_comm;
    }
    comm = mca_pml_champion_comm_find(recv->entry.envelope.context);
    return NULL == comm ? NULL : comm->comm;
}

static void tell(const mca_pml_champion_recv_t *recv)
{
    const ompi_status_public_t *status = recv->status;
    ompi_communicator_t *comm = comm_of(recv);
    const char *name = name_of(comm);
    const unsigned long sent = status->_ucount, room = recv->capacity;
    const int rank = NULL == comm ? -1 : ompi_comm_rank(comm);

    if (status->MPI_TAG < 0) {
        opal_output(0,
                    "champion: MPI_ERR_TRUNCATE in %s on %s: rank %d has sent "
                    "%lu bytes, rank %d expects at most %lu: counts, datatypes "
                    "or roots differ, or the operations do",
                    operation_of(status->MPI_TAG), name, status->MPI_SOURCE,
                    sent, rank, room);
    } else {
        opal_output(0,
                    "champion: MPI_ERR_TRUNCATE: a message of %lu bytes from "
                    "rank %d, tag %d, on %s is longer than the %lu bytes of "
                    "rank %d's receive",
                    sent, status->MPI_SOURCE, status->MPI_TAG, name, room,
                    rank);
    }
}

void mca_pml_champion_recv_truncated(mca_pml_champion_recv_t *recv)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_recv_fail(recv, MPI_ERR_TRUNCATE);
    if (mca_pml_champion_board_claim(MCA_PML_CHAMPION_CLAIM_TRUNCATED)) {
        tell(recv);
    }
}

void mca_pml_champion_unreceived_add(mca_pml_champion_unreceived_t *unreceived,
                                     const mca_pml_champion_message_t *message)
{
    if (message->entry.envelope.tag < 0 ||
        MCA_PML_CHAMPION_MATCHED_EARLY == message->kind ||
        MCA_PML_CHAMPION_RECALLED == message->kind) {
        return;
    }
    if (0 == unreceived->count++) {
        unreceived->first = message->entry.envelope;
        unreceived->length = message->length;
    }
}

void mca_pml_champion_unreceived_tell(
    const mca_pml_champion_unreceived_t *unreceived, ompi_communicator_t *comm,
    const char *when)
{
    if (0 == unreceived->count ||
        !mca_pml_champion_board_claim(MCA_PML_CHAMPION_CLAIM_UNRECEIVED)) {
        return;
    }
    opal_output(
        0,
        "champion: rank %d of %s has not received %lu message%s when "
        "%s; the first is from rank %d, tag %d, %lu bytes",
        ompi_comm_rank(comm), name_of(comm), (unsigned long) unreceived->count,
        1 == unreceived->count ? "" : "s", when, unreceived->first.source,
        unreceived->first.tag, (unsigned long) unreceived->length);
}
