/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What communication over a network adds to computation, or to waiting for a
 * process that is late, in the patterns of programs.
 *
 *   test/netns/hosts --rate 1gbit mpirun -np P ... overlap_hosts [--repeats R]
 *       [--all] [--work] PATTERN:BYTES:MS...
 *
 *   expected   rank 1 receives in the background while it computes
 *   late       rank 1 computes, then receives; rank 0 sends by MPI_Send
 *   begun      rank 1 probes, begins to receive, computes, and waits; rank 0
 *              sends by MPI_Send
 *   sender     rank 0 sends in the background while it computes, rank 1 waits
 *   halo       all exchange with both neighbours of a ring while they compute
 *   shift      all send to the next one, and receive, while they compute
 *   probed     ranks 0 and 1 exchange; 1 computes before it, and then learns
 *              the length by MPI_Probe. BYTES both ways at a time
 *   reduce, gather
 *              by the collective operation; the root computes before it
 *   gather_late
 *              the others compute before it
 *   scatter, scatterv, gatherv, transpose, sum, broadcast, ireduce, iallgather
 *              all compute beside MPI_Iscatter, MPI_Iscatterv, MPI_Igatherv,
 *              MPI_Ialltoall, MPI_Iallreduce, MPI_Ibcast, MPI_Ireduce,
 *              MPI_Iallgather
 *
 * Computing is sleeping for MS ms, as beside an accelerator; with --work it is
 * arithmetic that takes MS ms when all ranks do it and nobody communicates, so
 * that what runs beside it on the same core costs. BYTES is what one
 * message has (of collective operations: what a rank contributes to another
 * one). Of R iterations (12) the first three are left out, in which a library
 * may find out what pays; not with --all. "total" is the median of the slowest
 * rank's time, ms, "held" that of the longest time in MPI of a rank that did not
 * compute.
 */
#include "bench.h"

#include <stdbool.h>
#include <stdint.h>

enum { TAG = 100, SKIPPED = 3, MAX_REPEATS = 100, MAX_RANKS = 64 };

/* Who is held up while others compute. */
enum idle { NOBODY, THE_ROOT, ALL_BUT_ROOT };

static int rank, size, repeats = 12, skipped = SKIPPED;
static int bytes;
static double computation; /* seconds */
static double rate;        /* steps of work() a second; 0: sleep instead */
static unsigned char *out, *in;

/* A chain of dependent operations that no compiler shortens. */
static void work(double steps)
{
    static volatile double result = 1;
    double x = result;

    for (double i = 0; i < steps; ++i) {
        x = x * 0.999999 + 1e-6;
    }
    result = x;
}

/* What the slowest rank does while all do it. */
static double measure_rate(void)
{
    double steps = 1e6, seconds = 0, mine, slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    for (; seconds < 0.2; steps *= 2) {
        double start = bench_now();

        work(steps);
        seconds = bench_now() - start;
    }
    mine = steps / 2 / seconds;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return slowest;
}

static void compute(void)
{
    if (rate > 0) {
        work(rate * computation);
    } else {
        usleep((useconds_t) (1e6 * computation));
    }
}

static void compute_if(bool condition)
{
    if (condition) {
        compute();
    }
}

static void compute_beside(MPI_Request *requests, int count)
{
    compute();
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void expected(void)
{
    MPI_Request request;

    if (0 == rank) {
        MPI_Send(out, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    } else if (1 == rank) {
        MPI_Irecv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &request);
        compute_beside(&request, 1);
    }
}

static void late(void)
{
    if (0 == rank) {
        MPI_Send(out, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    } else if (1 == rank) {
        compute();
        MPI_Recv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

static void begun(void)
{
    MPI_Request request;

    if (0 == rank) {
        MPI_Send(out, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    } else if (1 == rank) {
        MPI_Probe(0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &request);
        compute_beside(&request, 1);
    }
}

static void sender(void)
{
    MPI_Request request;

    if (0 == rank) {
        MPI_Isend(out, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &request);
        compute_beside(&request, 1);
    } else if (1 == rank) {
        MPI_Recv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

/* With neighbours: to the next one alone, or to both. */
static void neighbours(int ways)
{
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Request requests[4];

    for (int i = 0; i < ways; ++i) {
        MPI_Irecv(in + (size_t) i * (size_t) bytes, bytes, MPI_BYTE,
                  0 == i ? previous : next, TAG + i, MPI_COMM_WORLD,
                  &requests[2 * i]);
        MPI_Isend(out, bytes, MPI_BYTE, 0 == i ? next : previous, TAG + i,
                  MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    compute_beside(requests, 2 * ways);
}

static void halo(void)
{
    neighbours(2);
}

static void shift(void)
{
    neighbours(1);
}

static void probed(void)
{
    const int peer = 1 - rank;
    MPI_Request requests[2];
    MPI_Status status;
    int length = bytes;

    if (rank > 1) {
        return;
    }
    if (1 == rank) {
        compute();
        MPI_Probe(peer, TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &length);
    }
    MPI_Irecv(in, length, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void reduce(void)
{
    compute_if(0 == rank);
    MPI_Reduce(out, in, bytes, MPI_BYTE, MPI_BXOR, 0, MPI_COMM_WORLD);
}

static void gather(void)
{
    compute_if(0 == rank);
    MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void gather_late(void)
{
    compute_if(0 != rank);
    MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* The ranks come one after the other. */
static void compute_in_turn(void)
{
    const double all = computation;

    computation = all * rank / (size - 1);
    compute();
    computation = all;
}

static void allgather(void)
{
    compute_in_turn();
    MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void allreduce(void)
{
    compute_in_turn();
    MPI_Allreduce(out, in, bytes, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
}

static void scatter(void)
{
    MPI_Request request;

    MPI_Iscatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD,
                 &request);
    compute_beside(&request, 1);
}

/* Of each rank's block: number of elements, and place. */
static void blocks_of(int *counts, int *places)
{
    for (int i = 0; i < size; ++i) {
        counts[i] = bytes;
        places[i] = i * bytes;
    }
}

static void scatterv(void)
{
    int counts[MAX_RANKS], places[MAX_RANKS];
    MPI_Request request;

    blocks_of(counts, places);
    MPI_Iscatterv(out, counts, places, MPI_BYTE, in, bytes, MPI_BYTE, 0,
                  MPI_COMM_WORLD, &request);
    compute_beside(&request, 1);
}

static void gatherv(void)
{
    int counts[MAX_RANKS], places[MAX_RANKS];
    MPI_Request request;

    blocks_of(counts, places);
    MPI_Igatherv(out, bytes, MPI_BYTE, in, counts, places, MPI_BYTE, 0,
                 MPI_COMM_WORLD, &request);
    compute_beside(&request, 1);
}

static void transpose(void)
{
    MPI_Request request;

    MPI_Ialltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD,
                  &request);
    compute_beside(&request, 1);
}

static void sum(void)
{
    MPI_Request request;

    MPI_Iallreduce(out, in, bytes, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD,
                   &request);
    compute_beside(&request, 1);
}

static void broadcast(void)
{
    MPI_Request request;

    MPI_Ibcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    compute_beside(&request, 1);
}

static void ireduce(void)
{
    MPI_Request request;

    MPI_Ireduce(out, in, bytes, MPI_BYTE, MPI_BXOR, 0, MPI_COMM_WORLD,
                &request);
    compute_beside(&request, 1);
}

static void iallgather(void)
{
    MPI_Request request;

    MPI_Iallgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD,
                   &request);
    compute_beside(&request, 1);
}

static const struct pattern {
    const char *name;
    void (*step)(void);
    enum idle idle;
} patterns[] = {
    {"expected", expected, THE_ROOT},
    {"late", late, THE_ROOT},
    {"begun", begun, THE_ROOT},
    {"sender", sender, ALL_BUT_ROOT},
    {"halo", halo, NOBODY},
    {"shift", shift, NOBODY},
    {"probed", probed, THE_ROOT},
    {"reduce", reduce, ALL_BUT_ROOT},
    {"gather", gather, ALL_BUT_ROOT},
    {"gather_late", gather_late, THE_ROOT},
    {"allgather", allgather, NOBODY},
    {"allreduce", allreduce, NOBODY},
    {"scatter", scatter, NOBODY},
    {"scatterv", scatterv, NOBODY},
    {"gatherv", gatherv, NOBODY},
    {"transpose", transpose, NOBODY},
    {"sum", sum, NOBODY},
    {"broadcast", broadcast, NOBODY},
    {"ireduce", ireduce, NOBODY},
    {"iallgather", iallgather, NOBODY},
};

static double maximum(double mine)
{
    double most;

    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static void measure(const struct pattern *pattern)
{
    double total[MAX_REPEATS], held[MAX_REPEATS];
    const size_t room = (size_t) bytes * (size_t) (size > 2 ? size : 2);
    bool idle =
        0 == rank ? THE_ROOT == pattern->idle : ALL_BUT_ROOT == pattern->idle;

    out = bench_alloc(room);
    in = bench_alloc(room);
    memset(out, rank + 1, room);
    memset(in, 0, room);
    for (int i = 0; i < repeats; ++i) {
        double start, mine;

        MPI_Barrier(MPI_COMM_WORLD);
        start = bench_now();
        pattern->step();
        mine = bench_now() - start;
        total[i] = maximum(mine);
        held[i] = maximum(idle ? mine : 0);
    }
    if (0 == rank) {
        printf("{\"benchmark\": \"%s\", \"ranks\": %d, \"bytes\": %d, "
               "\"compute_ms\": %g, \"work\": %s, \"total\": %.4g, "
               "\"held\": %.4g}\n",
               pattern->name, size, bytes, 1e3 * computation,
               rate > 0 ? "true" : "false",
               1e3 * bench_median(total + skipped, repeats - skipped),
               1e3 * bench_median(held + skipped, repeats - skipped));
        fflush(stdout);
    }
    free(out);
    free(in);
}

/* One argument. False: it names no pattern, or sizes that cannot be. */
static bool measure_named(const char *argument)
{
    char name[32];
    double ms;

    if (3 != sscanf(argument, "%31[a-z_]:%d:%lf", name, &bytes, &ms) ||
        bytes < 1 || bytes > 1 << 28 || ms < 0 || ms > 10000) {
        return false;
    }
    computation = 1e-3 * ms;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); ++i) {
        if (0 == strcmp(name, patterns[i].name)) {
            measure(&patterns[i]);
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    int first = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    BENCH_CHECK(size > 1 && size <= MAX_RANKS, "run this with 2 to %d ranks",
                MAX_RANKS);
    if (argc > 2 && 0 == strcmp(argv[1], "--repeats")) {
        repeats = atoi(argv[2]);
        first = 3;
    }
    if (argc > first && 0 == strcmp(argv[first], "--all")) {
        skipped = 0;
        ++first;
    }
    if (argc > first && 0 == strcmp(argv[first], "--work")) {
        rate = measure_rate();
        ++first;
    }
    BENCH_CHECK(repeats > SKIPPED && repeats <= MAX_REPEATS,
                "--repeats: %d to %d", SKIPPED + 1, MAX_REPEATS);
    for (int i = first; i < argc; ++i) {
        BENCH_CHECK(measure_named(argv[i]), "not PATTERN:BYTES:MS: %s",
                    argv[i]);
    }
    MPI_Finalize();
    return 0;
}
