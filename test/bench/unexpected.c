/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of unexpected messages, and whether it comes back.
 *
 *   mpirun -np 2 unexpected [--count N] [--bytes S]
 *
 * Rank 1 sends N messages (200000) of S bytes (1) that rank 0 has not posted,
 * then a marker. Rank 0 waits for the marker with MPI_Probe, and answers. The
 * marker has a communicator of its own: a probe among the N messages would
 * search all those that have come so far, time and again.
 * From then on rank 1 stays outside MPI, so that whatever rank 0 receives now
 * had left rank 1 before. Both read their memory three times: before (after
 * a warm-up of the same kind), when all messages are queued, and after rank 0
 * has received and checked all. The memory of both is added up, because a
 * message that waits at its sender costs as much as one that waits at the
 * receiver, and pages of shared memory count half in each.
 *
 * "arrived" is how many messages rank 0 received while rank 1 was outside
 * MPI. Rank 1 helps with its progress when rank 0 gets nothing for some
 * seconds; if arrived is less than count, the messages beyond it had waited
 * at the sender, and the figure is not one of a receiver's queue.
 */
#include "bench.h"

#include <getopt.h>
#include <stdbool.h>

enum {
    TAG = 100,
    TAG_MARKER = 101,
    TAG_ANSWER = 102,
    WARM_UP_MESSAGES = 128,
    PATIENCE_SECONDS = 20,
    MAX_BYTES = 65536
};

struct shared {
    atomic_long received; /* by rank 0, of the messages being drained */
    atomic_int helping;   /* rank 1 is in MPI again */
};

static struct shared *shared;
static sem_t *may_go_on; /* [rank] */
static MPI_Comm marker_comm;
static int rank, bytes = 1;
static long count = 200000;
static unsigned char buffer[MAX_BYTES];

static unsigned char pattern(long message, int offset)
{
    return (unsigned char) (message + (message >> 8) * 5 + offset * 3);
}

static void send_all(long messages)
{
    for (long i = 0; i < messages; i++) {
        for (int k = 0; k < bytes; k++) {
            buffer[k] = pattern(i, k);
        }
        MPI_Send(buffer, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_MARKER, marker_comm);
    MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_ANSWER, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

static void wait_for_marker(void)
{
    MPI_Probe(1, TAG_MARKER, marker_comm, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_BYTE, 1, TAG_ANSWER, MPI_COMM_WORLD);
}

/* Returns how many came while rank 1 was outside MPI. */
static long drain(long messages)
{
    long arrived = 0;
    MPI_Status status;
    int length;

    for (long i = 0; i < messages; i++) {
        memset(buffer, 0xee, (size_t) bytes);
        MPI_Recv(buffer, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &length);
        BENCH_CHECK(length == bytes, "message %ld has %d bytes", i, length);
        for (int k = 0; k < bytes; k++) {
            BENCH_CHECK(buffer[k] == pattern(i, k),
                        "byte %d of message %ld is wrong", k, i);
        }
        arrived += !atomic_load(&shared->helping);
        atomic_store(&shared->received, i + 1);
    }
    MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG_MARKER, marker_comm, MPI_STATUS_IGNORE);
    return arrived;
}

/* Rank 1 while rank 0 drains: outside MPI, unless that takes too long. */
static void stay_outside(void)
{
    long last = -1;
    double since = bench_now();
    int flag;

    while (0 != sem_trywait(&may_go_on[1])) {
        long received = atomic_load(&shared->received);

        if (received != last) {
            last = received;
            since = bench_now();
        } else if (bench_now() - since > PATIENCE_SECONDS) {
            atomic_store(&shared->helping, 1);
            MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_SELF, &flag,
                       MPI_STATUS_IGNORE);
            continue;
        }
        usleep(2000);
    }
}

/* Sum over both ranks, on both; the ranks wait for each other outside MPI. */
static double memory_of_both(double *part)
{
    part[rank] = bench_read_memory().own;
    sem_post(&may_go_on[1 - rank]);
    bench_wait_signal(&may_go_on[rank]);
    return part[0] + part[1];
}

static void parse_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"count", required_argument, NULL, 'c'},
        {"bytes", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0}};
    int option;

    while (-1 != (option = getopt_long(argc, argv, "", known, NULL))) {
        switch (option) {
        case 'c':
            count = atol(optarg);
            break;
        case 's':
            bytes = atoi(optarg);
            break;
        default:
            count = 0;
        }
    }
    BENCH_CHECK(count > 0 && bytes > 0 && bytes <= MAX_BYTES,
                "usage: mpirun -np 2 unexpected [--count N] "
                "[--bytes 1..%d]",
                MAX_BYTES);
}

int main(int argc, char **argv)
{
    double *parts, before, queued, drained, start, arrival, draining;
    long arrived = 0;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    BENCH_CHECK(2 == size, "run this with exactly two ranks");
    parse_options(argc, argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &marker_comm);
    may_go_on = bench_shared_semaphores(2);
    shared = bench_shared_page(sizeof(*shared) + 6 * sizeof(*parts));
    parts = (double *) (shared + 1);
    memset(buffer, 1, sizeof(buffer));

    /* Warm-up: the same steps with few messages. */
    for (int i = 0; i < 3; i++) {
        if (1 == rank) {
            send_all(WARM_UP_MESSAGES);
        } else {
            wait_for_marker();
            drain(WARM_UP_MESSAGES);
        }
        memory_of_both(parts);
        atomic_store(&shared->received, 0);
    }

    before = memory_of_both(parts);
    start = bench_now();
    if (1 == rank) {
        send_all(count);
    } else {
        wait_for_marker();
    }
    arrival = bench_now() - start;
    queued = memory_of_both(parts + 2);
    start = bench_now();
    if (1 == rank) {
        stay_outside();
    } else {
        arrived = drain(count);
        sem_post(&may_go_on[1]);
    }
    draining = bench_now() - start;
    drained = memory_of_both(parts + 4);

    if (0 == rank) {
        printf("{\"benchmark\": \"unexpected\", \"bytes\": %d, "
               "\"count\": %ld, \"arrived\": %ld, "
               "\"bytes_per_message\": %.1f, \"left_per_message\": %.1f, "
               "\"before\": %.0f, \"queued\": %.0f, \"drained\": %.0f, "
               "\"receiver_queued\": %.0f, \"sender_queued\": %.0f, "
               "\"arrival_us\": %.3f, \"drain_us\": %.3f, "
               "\"verified\": true}\n",
               bytes, count, arrived, (queued - before) / (double) count,
               (drained - before) / (double) count, before, queued, drained,
               parts[2] - parts[0], parts[3] - parts[1],
               1e6 * arrival / (double) count, 1e6 * draining / (double) count);
    }
    MPI_Comm_free(&marker_comm);
    MPI_Finalize();
    return 0;
}
