/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MUMPS on systems large enough that fronts are shared between ranks: matrices
 * of a grid, general, positive definite and symmetric, given by rank 0 or in
 * parts by all, factorized twice and solved for several right-hand sides. The
 * solution is known: a line per system says how far off it is.
 */
#include <dmumps_c.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define EDGE 70
#define ORDER (EDGE * EDGE)
#define NUM_RHS 7
#define USE_COMM_WORLD -987654

#define ICNTL(i) icntl[(i) -1]
#define INFOG(i) infog[(i) -1]

enum { END = -2, START = -1, ANALYZE = 1, FACTORIZE = 2, SOLVE = 3 };

typedef struct {
    MUMPS_INT rows[9 * ORDER], columns[9 * ORDER];
    double values[9 * ORDER];
    int num;
} matrix_t;

/* In (-1, 1), a function of its arguments. */
static double noise(int i, int j)
{
    unsigned x = (unsigned) i * 2654435761u ^ (unsigned) j * 40503u;

    x = (x ^ x >> 15) * 2246822519u;
    x ^= x >> 13;
    return (double) (x % 20001) / 10000 - 1;
}

static double entry(int i, int j, int symmetry)
{
    if (i == j) {
        return 20 + noise(i, i);
    }
    if (0 != symmetry && i < j) {
        return noise(j, i);
    }
    return noise(i, j);
}

/* What grid points say of their neighbours: those of one rank in `parts`. */
static void make(matrix_t *matrix, int symmetry, int part, int parts)
{
    matrix->num = 0;
    for (int i = 0; i < ORDER; ++i) {
        if (i % parts != part) {
            continue;
        }
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
                int x = i % EDGE + dx, y = i / EDGE + dy, j = y * EDGE + x;

                if (x < 0 || x >= EDGE || y < 0 || y >= EDGE ||
                    (0 != symmetry && j > i)) {
                    continue;
                }
                matrix->rows[matrix->num] = i + 1;
                matrix->columns[matrix->num] = j + 1;
                matrix->values[matrix->num++] = entry(i, j, symmetry);
            }
        }
    }
}

static double solution(int i, int which)
{
    return 1 + which + i % 10;
}

static void right_hand_sides(double *rhs, int symmetry)
{
    for (int i = 0; i < ORDER; ++i) {
        for (int which = 0; which < NUM_RHS; ++which) {
            rhs[which * ORDER + i] = 0;
        }
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
                int x = i % EDGE + dx, y = i / EDGE + dy, j = y * EDGE + x;

                if (x < 0 || x >= EDGE || y < 0 || y >= EDGE) {
                    continue;
                }
                for (int which = 0; which < NUM_RHS; ++which) {
                    rhs[which * ORDER + i] +=
                        entry(i, j, symmetry) * solution(j, which);
                }
            }
        }
    }
}

static double error_of(const double *rhs)
{
    double worst = 0;

    for (int which = 0; which < NUM_RHS; ++which) {
        for (int i = 0; i < ORDER; ++i) {
            double off = fabs(rhs[which * ORDER + i] - solution(i, which));

            worst = off > worst ? off : worst;
        }
    }
    return worst;
}

static void step(DMUMPS_STRUC_C *mumps, int job)
{
    mumps->job = job;
    dmumps_c(mumps);
    if (mumps->INFOG(1) < 0) {
        fprintf(stderr, "MUMPS, step %d: error %d\n", job, mumps->INFOG(1));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void give(DMUMPS_STRUC_C *mumps, matrix_t *matrix, int symmetry,
                 int distributed, int rank, int size)
{
    mumps->n = ORDER;
    if (distributed) {
        mumps->ICNTL(18) = 3;
        make(matrix, symmetry, rank, size);
        mumps->nz_loc = matrix->num;
        mumps->irn_loc = matrix->rows;
        mumps->jcn_loc = matrix->columns;
        mumps->a_loc = matrix->values;
    } else if (0 == rank) {
        make(matrix, symmetry, 0, 1);
        mumps->nz = matrix->num;
        mumps->irn = matrix->rows;
        mumps->jcn = matrix->columns;
        mumps->a = matrix->values;
    }
}

static void solve(int symmetry, int distributed, int rank, int size)
{
    static double rhs[NUM_RHS * ORDER];
    static matrix_t matrix;
    static DMUMPS_STRUC_C mumps;

    mumps.comm_fortran = USE_COMM_WORLD;
    mumps.par = 1;
    mumps.sym = symmetry;
    step(&mumps, START);
    for (int i = 1; i <= 4; ++i) {
        mumps.ICNTL(i) = 0; /* prints nothing */
    }
    mumps.ICNTL(14) = 200; /* how much it needs depends on what comes first */
    give(&mumps, &matrix, symmetry, distributed, rank, size);
    step(&mumps, ANALYZE);
    mumps.nrhs = NUM_RHS;
    mumps.lrhs = ORDER;
    mumps.rhs = rhs;
    for (int times = 0; times < 2; ++times) {
        step(&mumps, FACTORIZE);
        right_hand_sides(rhs, symmetry);
        step(&mumps, SOLVE);
        if (0 == rank) {
            printf("symmetry %d, %s, time %d: error %.1e\n", symmetry,
                   distributed ? "distributed" : "central", times + 1,
                   error_of(rhs));
        }
    }
    step(&mumps, END);
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int symmetry = 0; symmetry <= 2; ++symmetry) {
        for (int distributed = 0; distributed <= 1; ++distributed) {
            solve(symmetry, distributed, rank, size);
        }
    }
    MPI_Finalize();
    return 0;
}
