/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Allreduce of more than coll/xhc copies in and out. See
 * README.md.
 */
#include <mpi.h>

#include <stdio.h>

enum { COUNT = 2000 };

int main(int argc, char **argv)
{
    static long mine[COUNT], sums[COUNT];
    int rank, size, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < COUNT; ++i) {
        mine[i] = rank + i;
    }
    MPI_Allreduce(mine, sums, COUNT, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; ++i) {
        wrong += sums[i] != (long) i * size + size * (size - 1) / 2;
    }
    puts(0 == wrong ? "RIGHT" : "WRONG");
    MPI_Finalize();
    return 0;
}
