/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that computes while its messages travel: a stencil on a torus that
 * is cut into strips, one for each rank. Each step it asks for its neighbours'
 * rows, sends its own, computes all that does not need them, waits, and
 * computes the rest. Between asking and waiting it makes no MPI call, as most
 * programs do. Prints the seconds of a step (median; of the slowest rank) and
 * a sum of what was computed, which is the same whoever brings the messages.
 *
 *     mpirun -np 2 halo [STEPS]
 */

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WIDTH = 65536, /* of a row */
    ROWS = 64,     /* of a strip */
    REACH = 4,     /* rows to either side that a point depends on */
    FIRST = 5      /* steps that are not counted */
};

typedef double row_t[WIDTH];

static row_t *now, *next;
static int rank, size;

static void fail(const char *what)
{
    fprintf(stderr, "halo: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static row_t *grid(void)
{
    row_t *rows = calloc(ROWS + 2 * REACH, sizeof(row_t));

    if (NULL == rows) {
        fail("out of memory");
    }
    return rows;
}

static void compute(int from, int to)
{
    for (int y = from; y < to; ++y) {
        for (int x = 0; x < WIDTH; ++x) {
            double sum = 0;

            for (int d = 1; d <= REACH; ++d) {
                sum += now[y - d][x] + now[y + d][x];
            }
            next[y][x] = 0.5 * now[y][x] + 0.5 * sin(sum);
        }
    }
}

static void step(void)
{
    const int count = REACH * WIDTH, up = (rank + size - 1) % size,
              down = (rank + 1) % size;
    MPI_Request request[4];
    row_t *swap;

    MPI_Irecv(now[0], count, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(now[REACH + ROWS], count, MPI_DOUBLE, down, 2, MPI_COMM_WORLD,
              &request[1]);
    MPI_Isend(now[ROWS], count, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
              &request[2]);
    MPI_Isend(now[REACH], count, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
              &request[3]);
    compute(2 * REACH, ROWS);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    compute(REACH, 2 * REACH);
    compute(ROWS, ROWS + REACH);
    swap = now;
    now = next;
    next = swap;
}

static int by_value(const void *left, const void *right)
{
    double l = *(const double *) left, r = *(const double *) right;

    return (l > r) - (l < r);
}

static double median_of(double *value, int n)
{
    qsort(value, (size_t) n, sizeof(*value), by_value);
    return value[n / 2];
}

int main(int argc, char *argv[])
{
    int steps = argc > 1 ? atoi(argv[1]) : 30;
    double *seconds, sum = 0, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (steps < 1) {
        fail("usage: mpirun -np N halo [STEPS]");
    }
    now = grid();
    next = grid();
    seconds = calloc((size_t) (steps + FIRST), sizeof(*seconds));
    if (NULL == seconds) {
        fail("out of memory");
    }
    for (int y = 0; y < ROWS; ++y) {
        for (int x = 0; x < WIDTH; ++x) {
            now[REACH + y][x] = (rank * ROWS + y) % 17 * 0.1 + x % 13 * 0.01;
        }
    }
    for (int i = 0; i < steps + FIRST; ++i) {
        double start;

        MPI_Barrier(MPI_COMM_WORLD);
        start = MPI_Wtime();
        step();
        seconds[i] = MPI_Wtime() - start;
    }
    MPI_Allreduce(MPI_IN_PLACE, seconds, steps + FIRST, MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
    for (int y = REACH; y < REACH + ROWS; ++y) {
        for (int x = 0; x < WIDTH; ++x) {
            sum += now[y][x];
        }
    }
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("seconds %.6f\nsum %.15g\n", median_of(seconds + FIRST, steps),
               all);
    }
    free(seconds);
    free(now);
    free(next);
    MPI_Finalize();
    return 0;
}
