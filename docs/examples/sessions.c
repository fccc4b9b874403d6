/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two parts of a program, each with its own session and algorithm.
 * Needs MPI-4: Open MPI 5.0 or later.
 *
 *     mpirun -np 2 --mca pml champion ./sessions
 */

#include <mpi.h>
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
#error "sessions need Open MPI 5.0 or later"
#endif
#include <stdio.h>
#include <string.h>

/* Start a session whose communicators have the component `choice`, and create
 * one of them. */
static MPI_Comm comm_of(const char *choice, MPI_Session *session)
{
    MPI_Comm comm;
    MPI_Group group;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_mq", choice);
    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, session);
    MPI_Info_free(&info);
    MPI_Group_from_session_pset(*session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, choice, MPI_INFO_NULL,
                               MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

/* Send a message around the ring; return what is wrong with it or with the
 * choice. */
static int wrong(MPI_Comm comm, const char *choice)
{
    char in_force[MPI_MAX_INFO_VAL + 1] = "unknown";
    int rank, size, in, found;
    MPI_Info info;

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, "ompi_mq", MPI_MAX_INFO_VAL, in_force, &found);
    MPI_Info_free(&info);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT,
                 MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE);
    if (0 == rank) {
        printf("asked for %s, ompi_mq is %s\n", choice, in_force);
    }
    return in != (rank + size - 1) % size || 0 != strcmp(in_force, choice);
}

int main(void)
{
    MPI_Session solver, output;
    MPI_Comm halo = comm_of("source_array", &solver);
    MPI_Comm files = comm_of("partner_dynamic:threshold=50", &output);
    int failures = wrong(halo, "source_array") +
                   wrong(files, "partner_dynamic:threshold=50");

    MPI_Comm_free(&files);
    MPI_Comm_free(&halo);
    MPI_Session_finalize(&output);
    MPI_Session_finalize(&solver);
    return 0 != failures;
}
