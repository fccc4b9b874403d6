/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Promises not to use wildcards on a communicator. Then a component that cannot
 * match wildcards may serve it. A receive that breaks the promise is an error.
 *
 *     mpirun -np 2 --mca pml champion --mca mq hash ./hints
 */

#include <mpi.h>
#include <stdio.h>

#define MESSAGES 1000

int main(int argc, char *argv[])
{
    int rank, size, flag, class, wrong = 0;
    int in[MESSAGES], out[MESSAGES];
    MPI_Request request[MESSAGES];
    MPI_Comm comm;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_source", "true");
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);

    for (int tag = 0; tag < MESSAGES; ++tag) {
        MPI_Irecv(&in[tag], 1, MPI_INT, (rank + size - 1) % size, tag, comm,
                  &request[tag]);
    }
    for (int tag = MESSAGES - 1; tag >= 0; --tag) {
        out[tag] = rank + tag;
        MPI_Send(&out[tag], 1, MPI_INT, (rank + 1) % size, tag, comm);
    }
    MPI_Waitall(MESSAGES, request, MPI_STATUSES_IGNORE);
    for (int tag = 0; tag < MESSAGES; ++tag) {
        wrong += in[tag] != (rank + size - 1) % size + tag;
    }

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Error_class(
        MPI_Iprobe(MPI_ANY_SOURCE, 0, comm, &flag, MPI_STATUS_IGNORE), &class);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm);
    if (0 == rank) {
        printf("%d wrong messages, MPI_ANY_SOURCE is %s\n", wrong,
               MPI_ERR_RANK == class ? "refused" : "accepted");
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0 != wrong || MPI_ERR_RANK != class;
}
