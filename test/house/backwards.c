/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages that rank 0 receives from rank 1 in the reverse of their order, by
 * tag, after all have arrived: 8000, or as many as the argument says. A list
 * then compares nearly half of them per receive. With an argument the program
 * does nothing for half a second before it ends.
 */

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    int rank, messages = argc > 1 ? atoi(argv[1]) : 8000;
    char byte = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < messages && 1 == rank; ++i) {
        MPI_Send(&byte, 1, MPI_BYTE, 0, i, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = messages - 1; i >= 0 && 0 == rank; --i) {
        MPI_Recv(&byte, 1, MPI_BYTE, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (argc > 1) {
        usleep(500000);
    }
    MPI_Finalize();
    return 0;
}
