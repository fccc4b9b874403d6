/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receives from any source whose messages have all come before, for
 * test/tools/mq_replay: in each round all ranks but 0 send DEPTH messages to
 * rank 0, then it receives them. With `probe` it looks for each with a probe
 * from any source, and names the source in the receive.
 *
 *     any_source DEPTH ROUNDS [probe]
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void receive(int tag, int probes)
{
    MPI_Status status = {.MPI_SOURCE = MPI_ANY_SOURCE};
    int value;

    if (probes) {
        MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
    }
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

int main(int argc, char *argv[])
{
    int rank, size, depth, rounds;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    depth = argc > 1 ? atoi(argv[1]) : 0;
    rounds = argc > 2 ? atoi(argv[2]) : 0;
    if (depth < 1 || rounds < 1) {
        fprintf(stderr, "usage: any_source DEPTH ROUNDS [probe]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int round = 0; round < rounds; ++round) {
        for (int tag = 0; tag < depth && 0 != rank; ++tag) {
            MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < depth * (size - 1) && 0 == rank; ++i) {
            receive(depth - 1 - i / (size - 1), argc > 3);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
