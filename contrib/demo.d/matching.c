/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program whose time is message matching: rank 1 sends N messages with tags
 * 0, 1, ..., and rank 0 receives them in reverse, so that all the others are in
 * its queue and each is found at the queue's end. With `any` it receives from
 * any source. Prints the seconds of the median round.
 *
 *     mpirun -np 2 matching [N [ROUNDS [any]]]
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *left, const void *right)
{
    double l = *(const double *) left, r = *(const double *) right;

    return (l > r) - (l < r);
}

/* Every message holds its tag and its round. */
static void check(const int *got, int n, int round)
{
    for (int tag = 0; tag < n; ++tag) {
        if (got[tag] != tag + round) {
            fprintf(stderr, "matching: tag %d got %d, expected %d\n", tag,
                    got[tag], tag + round);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static double receive(int *got, int n, int round, int source)
{
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int tag = n - 1; tag >= 0; --tag) {
        MPI_Recv(&got[tag], 1, MPI_INT, source, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    start = MPI_Wtime() - start;
    check(got, n, round);
    return start;
}

static void send(int n, int round)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int tag = 0; tag < n; ++tag) {
        int value = tag + round;

        MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
}

int main(int argc, char *argv[])
{
    int n = argc > 1 ? atoi(argv[1]) : 15000;
    int rounds = argc > 2 ? atoi(argv[2]) : 5;
    int source = argc > 3 ? MPI_ANY_SOURCE : 1;
    double *seconds;
    int *got, rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (2 != size || n < 1 || rounds < 1) {
        fprintf(stderr, "usage: mpirun -np 2 matching [N [ROUNDS [any]]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    got = calloc((size_t) n, sizeof(*got));
    seconds = calloc((size_t) rounds, sizeof(*seconds));
    if (NULL == got || NULL == seconds) {
        fprintf(stderr, "matching: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    /* The first one connects, and is not counted. */
    for (int round = -1; round < rounds; ++round) {
        if (0 == rank) {
            seconds[round < 0 ? 0 : round] = receive(got, n, round, source);
        } else {
            send(n, round);
        }
    }
    if (0 == rank) {
        qsort(seconds, (size_t) rounds, sizeof(*seconds), by_value);
        printf("seconds %.6f\n", seconds[rounds / 2]);
    }
    free(seconds);
    free(got);
    MPI_Finalize();
    return 0;
}
