/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each rank exchanges large messages with its neighbours in a ring, while all
 * sleep: what the progress thread is for.
 *
 *     late [ROUNDS]
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 1 << 20 };

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 20;
    char *in = malloc(BYTES), *out = calloc(BYTES, 1);
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < rounds; ++i) {
        MPI_Request requests[2];

        out[BYTES - 1] = (char) (rank + i);
        MPI_Irecv(in, BYTES, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD,
                  &requests[0]);
        MPI_Isend(out, BYTES, MPI_BYTE, (rank + size - 1) % size, 0,
                  MPI_COMM_WORLD, &requests[1]);
        usleep(15000);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (in[BYTES - 1] != (char) ((rank + 1) % size + i)) {
            fprintf(stderr, "rank %d: wrong data in round %d\n", rank, i);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    free(in);
    free(out);
    return MPI_Finalize();
}
