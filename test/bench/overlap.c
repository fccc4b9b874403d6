/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What communication costs beside computation, between two ranks.
 *
 *   overlap late      rank 0 sends with MPI_Send, then computes; rank 1
 *                     computes, then receives with MPI_Recv. A sender that has
 *                     to wait for its receiver computes after it.
 *   overlap exchange  both post a receive and a send, compute, and wait.
 *   overlap uneven    the same, but only rank 0 computes. While it does the other
 *                     one waits, and could do some of what rank 0 has still to do
 *
 * Options: --bytes B (1048576), --compute U (2000: microseconds), --looks L (0:
 * times that the computation is interrupted by an MPI_Iprobe, as programs do
 * that look after their messages), --repeats R (21).
 *
 * The figure is the time of an iteration without the computation, "exposed",
 * and the same as a part of the time that it takes with no computation at all;
 * medians. 0 is perfect; late without overlap costs the computation itself.
 * Each byte of the last message of every repeat is checked.
 */
#include "bench.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

enum { TAG = 100, MAX_REPEATS = 501 };

struct options {
    const char *command;
    size_t bytes;
    double compute; /* seconds */
    int looks;
    int repeats;
};

static struct options options;
static int rank;
static unsigned char *send_buffer, *recv_buffer;
static volatile double sink;

/* Seconds of work, that long on the clock whoever else runs. */
static void compute(double seconds)
{
    double end = bench_now() + seconds, value = 1;
    int flag, looks = 0 == seconds ? 0 : options.looks;
    double slice = seconds / (looks + 1), next = bench_now() + slice;

    while (bench_now() < end) {
        for (int i = 0; i < 100; i++) {
            value = value * 1.0000001 + 1e-9;
        }
        if (looks > 0 && bench_now() >= next) {
            MPI_Iprobe(MPI_ANY_SOURCE, TAG + 1, MPI_COMM_WORLD, &flag,
                       MPI_STATUS_IGNORE);
            next += slice;
            --looks;
        }
    }
    sink = value;
}

static void late(double seconds)
{
    int bytes = (int) options.bytes;

    if (0 == rank) {
        MPI_Send(send_buffer, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
        compute(seconds);
    } else {
        compute(seconds);
        MPI_Recv(recv_buffer, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

/* The rank that computes, or -1: both do. */
static void exchange_beside(double seconds, int computes)
{
    int bytes = (int) options.bytes;
    MPI_Request requests[2];

    MPI_Irecv(recv_buffer, bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Isend(send_buffer, bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD,
              &requests[1]);
    if (-1 == computes || rank == computes) {
        compute(seconds);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void exchange(double seconds)
{
    exchange_beside(seconds, -1);
}

static void uneven(double seconds)
{
    exchange_beside(seconds, 0);
}

static unsigned char pattern(int number, size_t i)
{
    return (unsigned char) ((size_t) number * 31 + i + (i >> 8) * 3);
}

/* The time of one iteration: the longer one of both ranks. */
static double timed(void (*step)(double), double seconds)
{
    double start, mine, longest;

    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_now();
    step(seconds);
    mine = bench_now() - start;
    MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
}

static double checked(void (*step)(double), double seconds, int number)
{
    double time;

    for (size_t i = 0; i < options.bytes; i++) {
        send_buffer[i] = pattern(number, i);
    }
    memset(recv_buffer, 0xee, options.bytes);
    time = timed(step, seconds);
    for (size_t i = 0; i < options.bytes && (1 == rank || step != late); i++) {
        BENCH_CHECK(recv_buffer[i] == pattern(number, i),
                    "byte %zu of message %d is wrong", i, number);
    }
    return time;
}

static void usage(void)
{
    if (0 == rank) {
        fprintf(stderr,
                "usage: mpirun -np 2 overlap late|exchange|uneven [--bytes B]\n"
                "       [--compute US] [--looks L] [--repeats R]\n");
    }
    MPI_Finalize();
    exit(2);
}

static long number(const char *text, long lowest, long highest)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || '\0' != *end || value < lowest || value > highest) {
        usage();
    }
    return value;
}

static void parse_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"bytes", required_argument, NULL, 'b'},
        {"compute", required_argument, NULL, 'c'},
        {"looks", required_argument, NULL, 'l'},
        {"repeats", required_argument, NULL, 'r'},
        {NULL, 0, NULL, 0}};
    int option;

    if (argc < 2) {
        usage();
    }
    options = (struct options){
        .command = argv[1], .bytes = 1 << 20, .compute = 2e-3, .repeats = 21};
    while (-1 != (option = getopt_long(argc - 1, argv + 1, "", known, NULL))) {
        switch (option) {
        case 'b':
            options.bytes = (size_t) number(optarg, 1, 1 << 30);
            break;
        case 'c':
            options.compute = 1e-6 * (double) number(optarg, 1, 10000000);
            break;
        case 'l':
            options.looks = (int) number(optarg, 0, 100000);
            break;
        case 'r':
            options.repeats = (int) number(optarg, 1, MAX_REPEATS);
            break;
        default:
            usage();
        }
    }
}

int main(int argc, char **argv)
{
    double exposed[MAX_REPEATS], alone[MAX_REPEATS], median, median_alone;
    void (*step)(double);
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    parse_options(argc, argv);
    BENCH_CHECK(2 == size, "run this with exactly two ranks");
    if (0 == strcmp(options.command, "late")) {
        step = late;
    } else if (0 == strcmp(options.command, "exchange")) {
        step = exchange;
    } else if (0 == strcmp(options.command, "uneven")) {
        step = uneven;
    } else {
        usage();
    }
    send_buffer = bench_alloc(options.bytes);
    recv_buffer = bench_alloc(options.bytes);
    checked(step, 0, 0);
    checked(step, options.compute, 0);
    for (int i = 0; i < options.repeats; i++) {
        alone[i] = checked(step, 0, i);
        exposed[i] = checked(step, options.compute, i) - options.compute;
    }
    median = bench_median(exposed, options.repeats);
    median_alone = bench_median(alone, options.repeats);
    if (0 == rank) {
        printf("{\"benchmark\": \"%s\", \"bytes\": %zu, \"compute_us\": %.6g, "
               "\"looks\": %d, \"repeats\": %d, \"unit\": \"us\", "
               "\"median\": %.6g, \"lowest\": %.6g, \"highest\": %.6g, "
               "\"alone\": %.6g, \"part\": %.4g, \"verified\": true}\n",
               options.command, options.bytes, 1e6 * options.compute,
               options.looks, options.repeats, 1e6 * median, 1e6 * exposed[0],
               1e6 * exposed[options.repeats - 1], 1e6 * median_alone,
               median / median_alone);
    }
    free(send_buffer);
    free(recv_buffer);
    MPI_Finalize();
    return 0;
}
