/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A receiver that is flooded while it looks for something else: how much memory
 * it needs, and how long all takes.
 *
 *   mpirun -np P backlog [--count N] [--bytes S] [--seconds T]
 *
 * All ranks but 0 together send N messages (10^7) of S bytes (8) to rank 0 by
 * MPI_Send, without pause. Rank 0 only probes for another message, for T
 * seconds (3); then it receives everything, sender by sender in turn, and
 * checks that each message is the next one of its sender.
 *
 * "memory" is the most that rank 0 had resident, less what it had at the
 * beginning; "senders" the same of the sender that needed most. "time" ends
 * with the last receive, and has the T seconds in it.
 */
#include "bench.h"

#include <getopt.h>

enum { TAG = 1, TAG_NEVER = 2, MAX_BYTES = 65536 };

static long count = 10000000;
static int bytes = 8, rank, size;
static double seconds = 3;
static unsigned char buffer[MAX_BYTES];

/* Bytes, from the line of /proc/self/status that begins with name. */
static double memory(const char *name)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double value = 0;

    BENCH_CHECK(NULL != file, "no /proc/self/status");
    while (NULL != fgets(line, sizeof(line), file)) {
        if (0 == strncmp(line, name, strlen(name))) {
            value = 1024 * atof(line + strlen(name));
        }
    }
    fclose(file);
    return value;
}

static void send_all(void)
{
    for (int64_t i = 0; i < count / (size - 1); ++i) {
        memcpy(buffer, &i, sizeof(i));
        MPI_Send(buffer, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    }
}

static void look_away(void)
{
    const double end = bench_now() + seconds;
    int flag;

    while (bench_now() < end) {
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_NEVER, MPI_COMM_WORLD, &flag,
                   MPI_STATUS_IGNORE);
        BENCH_CHECK(!flag, "a message that nobody has sent");
    }
}

static void receive_all(void)
{
    MPI_Status status;
    int64_t got;
    int length;

    for (int64_t i = 0; i < count / (size - 1); ++i) {
        for (int from = 1; from < size; ++from) {
            MPI_Recv(buffer, bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD,
                     &status);
            MPI_Get_count(&status, MPI_BYTE, &length);
            memcpy(&got, buffer, sizeof(got));
            BENCH_CHECK(length == bytes && got == i,
                        "message %ld of rank %d is %ld, of %d bytes", (long) i,
                        from, (long) got, length);
        }
    }
}

static void parse_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"count", required_argument, NULL, 'c'},
        {"bytes", required_argument, NULL, 'b'},
        {"seconds", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0}};
    int option;

    while (-1 != (option = getopt_long(argc, argv, "", known, NULL))) {
        switch (option) {
        case 'c':
            count = atol(optarg);
            break;
        case 'b':
            bytes = atoi(optarg);
            break;
        case 's':
            seconds = atof(optarg);
            break;
        default:
            count = 0;
        }
    }
    BENCH_CHECK(count > 0 && bytes >= (int) sizeof(int64_t) &&
                    bytes <= MAX_BYTES && seconds >= 0,
                "usage: mpirun -np P backlog [--count N] [--bytes %d..%d] "
                "[--seconds T]",
                (int) sizeof(int64_t), MAX_BYTES);
}

int main(int argc, char **argv)
{
    double before, grown, others = 0, most = 0, begin, time;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    BENCH_CHECK(size > 1, "run this with two ranks or more");
    parse_options(argc, argv);
    MPI_Barrier(MPI_COMM_WORLD);
    before = memory("VmRSS:");
    begin = bench_now();
    if (0 == rank) {
        look_away();
        receive_all();
    } else {
        send_all();
    }
    time = bench_now() - begin;
    grown = memory("VmHWM:") - before;
    others = 0 == rank ? 0 : grown;
    MPI_Reduce(&others, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("{\"benchmark\": \"backlog\", \"bytes\": %d, \"count\": %ld, "
               "\"senders\": %d, \"seconds\": %g, \"memory_mib\": %.1f, "
               "\"senders_mib\": %.1f, \"time\": %.2f, \"verified\": true}\n",
               bytes, count, size - 1, seconds, grown / 1048576, most / 1048576,
               time);
    }
    MPI_Finalize();
    return 0;
}
