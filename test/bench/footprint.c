/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that peers and communicators cost a process.
 *
 *   mpirun -np P+1 footprint peers
 *   mpirun -np 2   footprint dup [--count D]
 *
 *   peers  Rank 0 exchanges messages with one rank after the other and reads
 *          its own memory when it knows 4, 64, 1024 and all of them. The
 *          others sleep outside MPI until it is their turn and afterwards, so
 *          that many more ranks than cores are bearable.
 *   dup    Duplicates MPI_COMM_WORLD D times (512), with the time of each
 *          MPI_Comm_dup, then uses each duplicate for one round trip, then
 *          frees them all; memory after each of these.
 *
 * dup counts "own" memory: anonymous memory plus the share of shared memory
 * (see bench.h). A share shrinks as more processes map the same segment, so
 * peers also gives anonymous memory alone, which is what rank 0 allocates for
 * a peer, and the resident set, with every shared page that it touched in
 * full: a peer's incoming queue is the peer's memory, but shows up here.
 */
#include "bench.h"

#include <getopt.h>

enum {
    TAG = 100,
    ROUND_TRIPS = 8, /* enough for a transport to finish its handshake */
    WARM_UP_DUPS = 8,
    FIRST_MARK = 4, /* peers */
    MAX_MARKS = 4
};

static int rank, size;

/*
 * While MPI_Init and MPI_Finalize wait for the other ranks, they poll every
 * 100 us. With hundreds of ranks on a few cores that polling leaves no time
 * for anything else, so the libraries get this usleep, which sleeps longer.
 */
int usleep(useconds_t microseconds)
{
    const char *ranks = getenv("OMPI_COMM_WORLD_SIZE");
    struct timespec pause = {0, 1000L * (long) microseconds};

    if (NULL != ranks && atoi(ranks) > 16) {
        pause.tv_nsec = 50000000L;
    }
    return nanosleep(&pause, NULL);
}

static void round_trips(int other, MPI_Comm comm, int count)
{
    long out = 0x5eed, in = 0;

    for (int i = 0; i < count; i++, out++) {
        if (rank < other) {
            MPI_Send(&out, 1, MPI_LONG, other, TAG, comm);
        }
        MPI_Recv(&in, 1, MPI_LONG, other, TAG, comm, MPI_STATUS_IGNORE);
        BENCH_CHECK(in == out, "rank %d received %ld for %ld", rank, in, out);
        if (rank > other) {
            MPI_Send(&out, 1, MPI_LONG, other, TAG, comm);
        }
    }
}

static void print_peers(int peers, struct bench_memory memory)
{
    printf("{\"peers\": %d, \"anonymous\": %.0f, \"own\": %.0f, "
           "\"pss\": %.0f, \"rss\": %.0f}",
           peers, memory.anonymous, memory.own, memory.pss, memory.rss);
}

/* The first peers bring what all of them share; growth is beyond these. */
static double growth_per_peer(double first, double last)
{
    return size - 1 > FIRST_MARK ? (last - first) / (size - 1 - FIRST_MARK) : 0;
}

static void measure_peers(void)
{
    struct bench_memory before, memory[MAX_MARKS];
    int mark[MAX_MARKS] = {FIRST_MARK, 64, 1024, 0}, marks = 0;
    double start = bench_now();
    sem_t *turns; /* one per rank: may go on; [0]: the peer has finished */

    turns = bench_shared_semaphores(size);
    if (0 != rank) {
        bench_wait_signal(&turns[rank]);
        round_trips(0, MPI_COMM_WORLD, ROUND_TRIPS);
        sem_post(&turns[0]);
        bench_wait_signal(&turns[rank]);
        return;
    }
    bench_read_memory();
    before = bench_read_memory();
    for (int peer = 1; peer < size; peer++) {
        sem_post(&turns[peer]);
        round_trips(peer, MPI_COMM_WORLD, ROUND_TRIPS);
        bench_wait_signal(&turns[0]);
        if (peer == mark[marks] || peer == size - 1) {
            mark[marks] = peer;
            memory[marks++] = bench_read_memory();
        }
    }
    printf("{\"benchmark\": \"footprint peers\", \"ranks\": %d, "
           "\"seconds\": %.3f, \"peers\": [",
           size, bench_now() - start);
    print_peers(0, before);
    for (int i = 0; i < marks; i++) {
        printf(", ");
        print_peers(mark[i], memory[i]);
    }
    printf("], \"anonymous_per_peer\": %.1f, \"rss_per_peer\": %.1f}\n",
           growth_per_peer(memory[0].anonymous, memory[marks - 1].anonymous),
           growth_per_peer(memory[0].rss, memory[marks - 1].rss));
    fflush(stdout);
    for (int peer = 1; peer < size; peer++) {
        sem_post(&turns[peer]);
    }
}

static void measure_dups(int count)
{
    MPI_Comm *dups = bench_alloc((size_t) count * sizeof(*dups));
    double *microseconds = bench_alloc((size_t) count * sizeof(*microseconds));
    double start, median;
    struct bench_memory before, made, used, freed;

    memset(dups, 0xff, (size_t) count * sizeof(*dups));
    round_trips(1 - rank, MPI_COMM_WORLD, ROUND_TRIPS);
    for (int i = 0; i < WARM_UP_DUPS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &dups[0]);
        round_trips(1 - rank, dups[0], ROUND_TRIPS);
        MPI_Comm_free(&dups[0]);
    }
    bench_read_memory();

    before = bench_read_memory();
    for (int i = 0; i < count; i++) {
        start = bench_now();
        MPI_Comm_dup(MPI_COMM_WORLD, &dups[i]);
        microseconds[i] = 1e6 * (bench_now() - start);
    }
    made = bench_read_memory();
    for (int i = 0; i < count; i++) {
        round_trips(1 - rank, dups[i], 1);
    }
    used = bench_read_memory();
    for (int i = 0; i < count; i++) {
        MPI_Comm_free(&dups[i]);
    }
    freed = bench_read_memory();

    median = bench_median(microseconds, count);
    if (0 == rank) {
        printf("{\"benchmark\": \"footprint dup\", \"count\": %d, "
               "\"own_per_dup\": %.1f, \"own_per_used_dup\": %.1f, "
               "\"own_left_per_dup\": %.1f, \"dup_us\": %.2f, "
               "\"lowest_us\": %.2f, \"highest_us\": %.2f}\n",
               count, (made.own - before.own) / count,
               (used.own - before.own) / count,
               (freed.own - before.own) / count, median, microseconds[0],
               microseconds[count - 1]);
    }
    free(microseconds);
    free(dups);
}

int main(int argc, char **argv)
{
    static const struct option known[] = {
        {"count", required_argument, NULL, 'c'}, {NULL, 0, NULL, 0}};
    const char *command = argc > 1 ? argv[1] : "";
    int option, count = 512;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (-1 != (option = getopt_long(argc - 1, argv + 1, "", known, NULL))) {
        count = 'c' == option ? atoi(optarg) : 0;
    }
    if (0 == strcmp(command, "peers") && size >= 2) {
        measure_peers();
    } else {
        BENCH_CHECK(0 == strcmp(command, "dup") && 2 == size && count > 0,
                    "usage: mpirun -np P+1 footprint peers, or "
                    "mpirun -np 2 footprint dup [--count D]");
        measure_dups(count);
    }
    MPI_Finalize();
    return 0;
}
