/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A large message between two processes of a node. See
 * ucx_cma_user_namespace.md.
 */
#include <mpi.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    static char data[1 << 20];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (0 == rank) {
        MPI_Send(data, sizeof(data), MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, sizeof(data), MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        puts("RIGHT");
    }
    MPI_Finalize();
    return 0;
}
