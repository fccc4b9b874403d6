/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators that are freed while collectives of theirs are under way. See
 * README.md.
 */
#include <mpi.h>

#include <stdio.h>

enum { TIMES = 200, COUNT = 1000, CALLS = 4 };

int main(int argc, char **argv)
{
    static int ones[COUNT], sums[CALLS][COUNT];
    MPI_Request request[CALLS];
    MPI_Comm comm;
    int size, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < COUNT; ++i) {
        ones[i] = 1;
    }
    for (int i = 0; i < TIMES; ++i) {
        for (int j = 0; j < CALLS; ++j) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            MPI_Iallreduce(ones, sums[j], COUNT, MPI_INT, MPI_SUM, comm,
                           &request[j]);
            MPI_Comm_free(&comm);
        }
        MPI_Waitall(CALLS, request, MPI_STATUSES_IGNORE);
        for (int j = 0; j < CALLS; ++j) {
            wrong += sums[j][COUNT - 1] != size;
        }
    }
    puts(0 == wrong ? "RIGHT" : "WRONG");
    MPI_Finalize();
    return 0;
}
