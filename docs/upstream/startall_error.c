/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Startall of a buffered send without a buffer. See README.md.
 */
#include <mpi.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    static char data[100000];
    MPI_Request request;
    int rank, start, startall;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Bsend_init(data, sizeof(data), MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                   &request);
    start = MPI_Start(&request);
    MPI_Bsend_init(data, sizeof(data), MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                   &request);
    startall = MPI_Startall(1, &request);
    if (0 == rank) {
        printf("MPI_Start %s, MPI_Startall %s\n",
               MPI_SUCCESS == start ? "says MPI_SUCCESS" : "fails",
               MPI_SUCCESS == startall ? "says MPI_SUCCESS" : "fails");
        puts(MPI_SUCCESS == startall ? "WRONG" : "RIGHT");
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);  /* until it is said */
    MPI_Abort(MPI_COMM_WORLD, 0); /* MPI_Finalize would wait for the sends */
    return 0;
}
