/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * ended HOW: each rank but 0 sends rank 0 five messages; then rank 1 calls
 * MPI_Abort (abort), or ends itself by SIGTERM (term), also with a handler of
 * the program's (own), or waits as well, and all of them say so (wait); the
 * others wait for a message that never comes.
 */

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void own(int number)
{
    (void) number;
    _exit(7);
}

int main(int argc, char *argv[])
{
    const char *how = argc > 1 ? argv[1] : "";
    char byte = 0;
    int rank, size;

    if (0 == strcmp(how, "own")) {
        (void) signal(SIGTERM, own);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5 && rank > 0; ++i) {
        MPI_Send(&byte, 1, MPI_BYTE, 0, i, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 5 * (size - 1) && 0 == rank; ++i) {
        MPI_Recv(&byte, 1, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (1 == rank && 0 == strcmp(how, "abort")) {
        MPI_Abort(MPI_COMM_WORLD, 5);
    } else if (0 == strcmp(how, "wait")) {
        printf("rank %d waits\n", rank);
        fflush(stdout);
    } else if (1 == rank) {
        (void) raise(SIGTERM);
    }
    MPI_Recv(&byte, 1, MPI_BYTE, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
