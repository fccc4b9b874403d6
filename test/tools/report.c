/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Traffic of which all is known, for test/tools/mq_report. DEPTH times ROUNDS
 * messages of 8 bytes go from each rank but 0 to rank 0, all before their
 * receives, which are posted in reverse; each is answered by one of 1000 bytes
 * whose receive is posted. They are in a communicator "reversed <&> $a$" (and
 * more, which cannot be printed) in which ranks are the job's backwards. Then
 * each rank sends its right neighbour one message of 100000 bytes in
 * MPI_COMM_WORLD.
 *
 *     report DEPTH ROUNDS
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGE 100000

static char buffer[2 * LARGE];

/* All from one rank has come when the barrier is over: it is in order. */
static void gather_at_zero(MPI_Comm comm, int zero, int depth)
{
    int rank, size;
    double value = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int tag = 0; tag < depth && rank != zero; ++tag) {
        MPI_Send(&value, 1, MPI_DOUBLE, zero, tag, comm);
    }
    MPI_Barrier(comm);
    for (int tag = depth - 1; tag >= 0 && rank == zero; --tag) {
        for (int from = 0; from < size; ++from) {
            if (from != zero) {
                MPI_Recv(&value, 1, MPI_DOUBLE, from, tag, comm,
                         MPI_STATUS_IGNORE);
            }
        }
    }
}

static void answer(MPI_Comm comm, int zero, int depth)
{
    MPI_Request *requests = malloc((size_t) depth * sizeof(MPI_Request));
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (NULL == requests) {
        MPI_Abort(comm, 1);
    }
    for (int tag = 0; tag < depth && rank != zero; ++tag) {
        MPI_Irecv(buffer, 1000, MPI_BYTE, zero, tag, comm, &requests[tag]);
    }
    MPI_Barrier(comm);
    for (int tag = 0; tag < depth && rank == zero; ++tag) {
        for (int to = 0; to < size; ++to) {
            if (to != zero) {
                MPI_Send(buffer, 1000, MPI_BYTE, to, tag, comm);
            }
        }
    }
    if (rank != zero) {
        MPI_Waitall(depth, requests, MPI_STATUSES_IGNORE);
    }
    free(requests);
}

int main(int argc, char *argv[])
{
    int rank, size, depth, rounds;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    depth = argc > 1 ? atoi(argv[1]) : 0;
    rounds = argc > 2 ? atoi(argv[2]) : 0;
    if (depth < 1 || rounds < 1) {
        fprintf(stderr, "usage: report DEPTH ROUNDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Comm_set_name(comm, "reversed <&> $a$\n\033[1m");
    for (int round = 0; round < rounds; ++round) {
        gather_at_zero(comm, size - 1, depth);
        answer(comm, size - 1, depth);
    }
    MPI_Sendrecv(buffer, LARGE, MPI_BYTE, (rank + 1) % size, 7, buffer + LARGE,
                 LARGE, MPI_BYTE, (rank + size - 1) % size, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
