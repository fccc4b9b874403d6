/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process pays to start, to meet others, and to end.
 *
 *   mpirun -np P contact
 *
 * Rank 0 exchanges messages of 8 bytes with one rank after the other. Whoever
 * has no turn sleeps outside MPI, so that many more ranks than cores are
 * bearable, and no time of others counts. A line of JSON from each rank:
 *
 *   init_ms      processor time of this process in MPI_Init, all its threads
 *   finalize_ms  the same in MPI_Finalize
 *
 * and more from rank 0:
 *
 *   first_us     what the first round trip with a peer takes longer than the
 *                tenth; median over the peers
 *   heap         bytes that a peer beyond the first three adds to what this
 *                process has allocated by malloc; mean
 *   anonymous    the same of the process's anonymous memory, whole pages
 */
#include "bench.h"

#include <malloc.h>
#include <sys/resource.h>

enum { TAG = 100, ROUND_TRIPS = 8, BEFORE = 3, LET_US = 200 };

static int rank, size;

/* While MPI_Init and MPI_Finalize wait for other ranks, they look every 100 us,
 * which is no work of this process. This usleep sleeps longer. */
int usleep(useconds_t microseconds)
{
    const struct timespec pause = {0, 100L * 100000L};

    (void) microseconds;
    return nanosleep(&pause, NULL);
}

/* Milliseconds of all threads. */
static double cpu_time(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return 1e3 * (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-3 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void round_trips(int other, int count)
{
    long out = 0x5eed, in = 0;

    for (int i = 0; i < count; i++, out++) {
        if (rank < other) {
            MPI_Send(&out, 1, MPI_LONG, other, TAG, MPI_COMM_WORLD);
        }
        MPI_Recv(&in, 1, MPI_LONG, other, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        BENCH_CHECK(in == out, "rank %d received %ld for %ld", rank, in, out);
        if (rank > other) {
            MPI_Send(&out, 1, MPI_LONG, other, TAG, MPI_COMM_WORLD);
        }
    }
}

static double timed_round_trip(int peer)
{
    const double start = bench_now();

    round_trips(peer, 1);
    return 1e6 * (bench_now() - start);
}

static double heap(void)
{
    const struct mallinfo2 info = mallinfo2();

    return (double) (info.uordblks + info.hblkhd);
}

/* Until a peer that is awake waits in MPI_Recv, but not long enough for it to
 * sleep there. */
static void let_receive(void)
{
    const double until = bench_now() + 1e-6 * LET_US;

    while (bench_now() < until) {
        continue;
    }
}

/* Of a peer's first round trip, beyond that of a later one. */
static double first_contact(int peer, sem_t *turns)
{
    double first;

    sem_post(&turns[peer]);
    bench_wait_signal(&turns[0]); /* it is awake */
    let_receive();
    first = timed_round_trip(peer);
    round_trips(peer, ROUND_TRIPS);
    return first - timed_round_trip(peer);
}

static void answer(sem_t *turns)
{
    bench_wait_signal(&turns[rank]);
    sem_post(&turns[0]);
    round_trips(0, 1);
    round_trips(0, ROUND_TRIPS);
    round_trips(0, 1);
    sem_post(&turns[0]);
    bench_wait_signal(&turns[rank]);
}

/* What rank 0 prints of it. */
static void meet_all(sem_t *turns, char *line, size_t room)
{
    double *first = bench_alloc((size_t) size * sizeof(*first));
    const int skipped = size - 1 > 2 * BEFORE ? BEFORE : 0;
    double allocated = heap(), pages, peers = size - 1 - skipped;

    (void) bench_read_memory();
    pages = bench_read_memory().anonymous;
    for (int peer = 1; peer < size; peer++) {
        first[peer - 1] = first_contact(peer, turns);
        bench_wait_signal(&turns[0]);
        if (peer == skipped) {
            allocated = heap();
            pages = bench_read_memory().anonymous;
        }
    }
    allocated = heap() - allocated;
    pages = bench_read_memory().anonymous - pages;
    snprintf(line, room,
             ", \"first_us\": %.3f, \"heap\": %.0f, \"anonymous\": %.0f",
             bench_median(first, size - 1), allocated / peers, pages / peers);
    for (int peer = 1; peer < size; peer++) {
        sem_post(&turns[peer]);
    }
    free(first);
}

int main(int argc, char **argv)
{
    double init = cpu_time(), finalize;
    char line[256] = "";
    sem_t *turns;

    MPI_Init(&argc, &argv);
    init = cpu_time() - init;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    BENCH_CHECK(1 == argc && size >= 2, "usage: mpirun -np P contact, with 2 "
                                        "ranks or more");
    turns = bench_shared_semaphores(size);
    if (0 == rank) {
        meet_all(turns, line, sizeof(line));
    } else {
        answer(turns);
    }
    finalize = cpu_time();
    MPI_Finalize();
    finalize = cpu_time() - finalize;
    printf("{\"benchmark\": \"contact\", \"rank\": %d, \"ranks\": %d, "
           "\"init_ms\": %.3f, \"finalize_ms\": %.3f%s}\n",
           rank, size, init, finalize, line);
    return 0;
}
