/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A message that nobody received, and the communicator after it. See
 * README.md.
 */
#include <mpi.h>

#include <stdio.h>

enum { TIMES = 10 };

int main(int argc, char **argv)
{
    int rank, value, others = 0;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < TIMES; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        value = -1;
        if (0 == rank) {
            MPI_Send(&value, 1, MPI_INT, 1, 5, comm);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Comm_free(&comm);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        value = i;
        if (0 == rank) {
            MPI_Send(&value, 1, MPI_INT, 1, 5, comm);
        } else if (1 == rank) {
            MPI_Recv(&value, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
            others += value != i;
        }
        MPI_Comm_free(&comm);
    }
    if (1 == rank) {
        printf("%d of %d messages are of a communicator that was freed\n",
               others, TIMES);
        puts(0 == others ? "RIGHT" : "WRONG");
    }
    MPI_Finalize();
    return 0;
}
