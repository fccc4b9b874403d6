/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * More ranks than cores, or ranks that wait for long.
 *
 *   mpirun -np P waits CASE[:MS[:STEPS]]...
 *
 * MS is the computation of a step in milliseconds, by arithmetic; STEPS how
 * many steps there are. Cases, each with the time of a step in milliseconds:
 *
 *   exchange   MPI_Sendrecv of 8 bytes with both neighbours, no computation
 *   begin      the same from the first step on: the mean of all
 *   token      a token goes round; whoever has it computes for MS
 *   imbalance  each rank computes for a random time of up to MS, MPI_Barrier
 *   iallreduce MPI_Iallreduce of 8 bytes, MS of computation, MPI_Wait
 *   master     rank 0 hands out pieces of MS to whoever asks for one
 *   alltoall   MPI_Irecv, MPI_Isend, MPI_Waitall of 8 bytes with each rank
 *   alltoall1k the same with 1 KiB
 *   idle       rank 0 computes for MS once, all others wait in MPI_Recv; the
 *              most CPU time of one of them, in percent of a core, is
 *              "waiting"
 *
 * "first" is the time of the first step, which the mean has not in it if there
 * are more. Computation is so many multiplications as take MS on a core of its
 * own, so that what others take of it counts.
 */
#include "bench.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

enum { MAX_STEPS = 100000, LARGEST = 1024 };

static int rank, size;
static double per_ms;  /* multiplications */
static double first;   /* ms */
static double waiting; /* percent */

/* Each multiplication waits for the one before, in a register: neither where the
 * stack is nor what another thread of the core does makes much of a difference. */
static void multiply(double times)
{
    uint64_t product = 1;

    for (uint64_t i = 0; i < (uint64_t) times; ++i) {
        product = product * 0x9e3779b97f4a7c15 + i;
        __asm__ volatile("" : "+r"(product));
    }
}

static double cpu_time(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* By rank 0 alone, in CPU time: others may have its core meanwhile. */
static void calibrate(void)
{
    enum { TRIAL = 2000000 };

    if (0 == rank) {
        double best = 1e9;

        for (int i = 0; i < 10; ++i) {
            double before = cpu_time();

            multiply(TRIAL);
            if (cpu_time() - before < best) {
                best = cpu_time() - before;
            }
        }
        per_ms = TRIAL / best / 1e3;
    }
    MPI_Bcast(&per_ms, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void compute(double ms)
{
    if (ms > 0) {
        multiply(ms * per_ms);
    }
}

/* ---- cases: one step each ---- */

static void exchange(int step, double ms)
{
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    uint64_t out = (uint64_t) step, in = 0;

    (void) ms;
    MPI_Sendrecv(&out, 1, MPI_UINT64_T, right, 1, &in, 1, MPI_UINT64_T, left, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    BENCH_CHECK(in == out, "a message of step %d in step %d", (int) in, step);
    MPI_Sendrecv(&out, 1, MPI_UINT64_T, left, 2, &in, 1, MPI_UINT64_T, right, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    BENCH_CHECK(in == out, "a message of step %d in step %d", (int) in, step);
}

static void token(int step, double ms)
{
    if (0 != rank) {
        MPI_Recv(NULL, 0, MPI_BYTE, rank - 1, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    compute(ms);
    MPI_Send(NULL, 0, MPI_BYTE, (rank + 1) % size, 3, MPI_COMM_WORLD);
    if (0 == rank) {
        MPI_Recv(NULL, 0, MPI_BYTE, size - 1, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    (void) step;
}

static void imbalance(int step, double ms)
{
    uint32_t random = (uint32_t) (step * size + rank) * 2654435761u;

    random = (random ^ random >> 16) * 0x45d9f3bu;
    compute(ms * (double) (random % 1000) / 999);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void iallreduce(int step, double ms)
{
    int64_t mine = step + rank, sum = 0;
    MPI_Request request;

    MPI_Iallreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD,
                   &request);
    compute(ms);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    BENCH_CHECK(sum == (int64_t) size * step + size * (size - 1) / 2,
                "the sum is %ld", (long) sum);
}

/* A step is a piece for each worker, in whatever order they ask. */
static void master(int step, double ms)
{
    MPI_Status status;

    if (0 != rank) {
        MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, 4, NULL, 0, MPI_BYTE, 0, 5,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(ms);
        return;
    }
    for (int i = 1; i < size; ++i) {
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
        MPI_Send(NULL, 0, MPI_BYTE, status.MPI_SOURCE, 5, MPI_COMM_WORLD);
    }
    (void) step;
}

static void each_with_each(int step, int bytes)
{
    static MPI_Request *requests;
    static unsigned char *in, *out;
    int count = 0;

    if (NULL == requests) {
        requests = bench_alloc(2 * (size_t) size * sizeof(*requests));
        in = bench_alloc((size_t) size * LARGEST);
        out = bench_alloc(LARGEST);
    }
    for (int i = 1; i < size; ++i) {
        int from = (rank + size - i) % size;

        MPI_Irecv(in + (size_t) from * LARGEST, bytes, MPI_BYTE, from, 6,
                  MPI_COMM_WORLD, &requests[count++]);
    }
    out[0] = (unsigned char) step;
    for (int i = 1; i < size; ++i) {
        MPI_Isend(out, bytes, MPI_BYTE, (rank + i) % size, 6, MPI_COMM_WORLD,
                  &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < size; ++i) {
        BENCH_CHECK(i == rank || in[(size_t) i * LARGEST] == out[0],
                    "a message of step %d in step %d", in[(size_t) i * LARGEST],
                    step);
    }
}

static void alltoall(int step, double ms)
{
    (void) ms;
    each_with_each(step, 8);
}

static void alltoall1k(int step, double ms)
{
    (void) ms;
    each_with_each(step, LARGEST);
}

static void idle(int step, double ms)
{
    double before = cpu_time(), begin = bench_now(), part;

    (void) step;
    if (0 == rank) {
        compute(ms);
        for (int i = 1; i < size; ++i) {
            MPI_Send(NULL, 0, MPI_BYTE, i, 7, MPI_COMM_WORLD);
        }
    } else {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    part = 0 == rank ? 0 : 100 * (cpu_time() - before) / (bench_now() - begin);
    MPI_Allreduce(&part, &waiting, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*step)(int step, double ms);
    int bytes;
    double ms;
    int steps;
} cases[] = {
    {"exchange", exchange, 8, 0, 2000},
    {"begin", exchange, 8, 0, 30},
    {"token", token, 0, 5, 30},
    {"imbalance", imbalance, 0, 5, 60},
    {"iallreduce", iallreduce, 8, 5, 40},
    {"master", master, 0, 2, 50},
    {"alltoall", alltoall, 8, 0, 200},
    {"alltoall1k", alltoall1k, LARGEST, 0, 200},
    {"idle", idle, 0, 5000, 1},
};

/* Time of the steps from `step` on, ms. */
static double time_of(int which, double ms, int step, int end)
{
    const double begin = bench_now();

    for (; step < end; ++step) {
        cases[which].step(step, ms);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return 1e3 * (bench_now() - begin);
}

static void run(int which, double ms, int steps)
{
    const bool all = 0 == strcmp(cases[which].name, "begin");
    double total;

    MPI_Barrier(MPI_COMM_WORLD);
    if (all) {
        first = total = time_of(which, ms, 0, steps) / steps;
    } else {
        first = total = time_of(which, ms, 0, 1);
        if (steps > 1) {
            total = time_of(which, ms, 1, steps) / (steps - 1);
        }
    }
    if (0 == rank) {
        printf("{\"benchmark\": \"%s\", \"ranks\": %d, \"bytes\": %d, "
               "\"compute_ms\": %g, \"steps\": %d, \"step_ms\": %.5g, "
               "\"first_ms\": %.5g",
               cases[which].name, size, cases[which].bytes, ms, steps, total,
               first);
        if (idle == cases[which].step) {
            printf(", \"waiting\": %.3g", waiting);
        }
        printf("}\n");
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const int known = (int) (sizeof(cases) / sizeof(cases[0]));

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    BENCH_CHECK(size > 1 && argc > 1,
                "usage: mpirun -np P waits CASE[:MS[:STEPS]]...");
    calibrate();
    for (int i = 1; i < argc; ++i) {
        char name[32] = "";
        double ms = -1;
        int steps = 0, which = 0;

        BENCH_CHECK(sscanf(argv[i], "%31[a-z0-9]:%lf:%d", name, &ms, &steps) >
                        0,
                    "%s: CASE[:MS[:STEPS]] is wanted", argv[i]);
        while (which < known && 0 != strcmp(cases[which].name, name)) {
            ++which;
        }
        BENCH_CHECK(which < known, "%s: there is no such case", name);
        BENCH_CHECK(steps >= 0 && steps <= MAX_STEPS, "%s: 1 to %d steps",
                    argv[i], MAX_STEPS);
        run(which, ms < 0 ? cases[which].ms : ms,
            0 == steps ? cases[which].steps : steps);
    }
    MPI_Finalize();
    return 0;
}
