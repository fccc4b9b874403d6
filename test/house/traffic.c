/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every rank sends rank 0 ten messages that it did not expect, in
 * MPI_COMM_WORLD and in five duplicates of it, one after the other. With an
 * argument also in one more, made differently; with a second one, the folder of
 * this name is removed.
 */

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#define MESSAGES 10
#define DUPLICATES 5

static void talk(MPI_Comm comm)
{
    int rank, size, value;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int tag = 0; tag < MESSAGES && rank != 0; ++tag) {
        MPI_Send(&tag, 1, MPI_INT, 0, tag, comm);
    }
    /* What comes from one rank is in order: the messages are all there. */
    MPI_Barrier(comm);
    for (int tag = MESSAGES - 1; tag >= 0 && rank == 0; --tag) {
        for (int from = 1; from < size; ++from) {
            MPI_Recv(&value, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
            if (value != tag) {
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    }
}

int main(int argc, char *argv[])
{
    MPI_Comm comm;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    talk(MPI_COMM_WORLD);
    for (int i = 0; i < DUPLICATES; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        talk(comm);
        MPI_Comm_free(&comm);
    }
    if (argc > 1) {
        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &comm);
        talk(comm);
        MPI_Comm_free(&comm);
    }
    if (argc > 2 && 0 == rank && 0 != rmdir(argv[2])) {
        perror(argv[2]);
    }
    MPI_Finalize();
    return 0;
}
