/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Speed of point-to-point messages between two ranks.
 *
 *   p2p pingpong  [--bytes B] [--nonblocking]   half a round trip, us
 *   p2p window    [--bytes B] [--window W]      one message of a window, us
 *   p2p bandwidth [--bytes B] [--window W] [--mode send|isend]   MB/s
 *
 *   pingpong   MPI_Send and MPI_Recv in turn; --nonblocking: MPI_Irecv,
 *              MPI_Isend, MPI_Wait for both.
 *   window     rank 0 sends W messages with MPI_Isend and waits for all;
 *              rank 1 posts W receives, waits for all and sends an answer.
 *   bandwidth  the same with large messages; --mode says how rank 0 sends.
 *
 * Common options: --repeats R (11), --seconds S (0.6, for all repeats).
 *
 * The number of iterations per repeat is found in the warm-up, so that a run
 * lasts about S seconds on any machine. The figure is the median over the
 * repeats. Every message carries a stamp that is checked on arrival inside
 * the timed loop, and every byte of one exchange is checked in each repeat,
 * outside the timed part. Each message in flight has a buffer of its own.
 */
#include "bench.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    TAG_DATA = 100,
    TAG_ANSWER = 101,
    MAX_REPEATS = 101,
    WARM_UP_ITERATIONS = 64
};

struct options {
    const char *command;
    size_t bytes;
    int window;
    bool nonblocking;   /* pingpong */
    bool blocking_send; /* bandwidth */
    int repeats;
    double seconds;
};

static struct options options;
static int rank;
static unsigned char *send_slots, *recv_slots; /* window x bytes each */
static MPI_Request *requests;                  /* window */
static uint64_t stamp; /* number of the message, the same in both ranks */

static unsigned char *slot(unsigned char *slots, int i)
{
    return slots + (size_t) i * options.bytes;
}

static void write_stamp(unsigned char *buffer, uint64_t value)
{
    memcpy(buffer, &value,
           options.bytes < sizeof(value) ? options.bytes : sizeof(value));
}

static void check_stamp(const unsigned char *buffer, uint64_t expected)
{
    size_t length =
        options.bytes < sizeof(expected) ? options.bytes : sizeof(expected);

    BENCH_CHECK(0 == memcmp(buffer, &expected, length),
                "message %llu carries a wrong stamp",
                (unsigned long long) expected);
}

/* Every byte depends on its place and on the number of the exchange. */
static unsigned char pattern(uint64_t exchange, int i, size_t offset)
{
    return (unsigned char) (exchange * 31 + (uint64_t) i * 7 + offset +
                            (offset >> 8) * 3);
}

static void fill_slots(uint64_t exchange)
{
    for (int i = 0; i < options.window; i++) {
        for (size_t k = 0; k < options.bytes; k++) {
            slot(send_slots, i)[k] = pattern(exchange, i, k);
        }
    }
    memset(recv_slots, 0xee, (size_t) options.window * options.bytes);
}

static void check_slots(uint64_t exchange)
{
    for (int i = 0; i < options.window; i++) {
        for (size_t k = 0; k < options.bytes; k++) {
            BENCH_CHECK(slot(recv_slots, i)[k] == pattern(exchange, i, k),
                        "byte %zu of message %d is wrong", k, i);
        }
    }
}

static void pingpong(bool stamped)
{
    int other = 1 - rank, bytes = (int) options.bytes;

    for (int turn = 0; turn < 2; turn++) {
        if (turn == rank) {
            if (stamped) {
                write_stamp(send_slots, stamp + (uint64_t) turn);
            }
            MPI_Send(send_slots, bytes, MPI_BYTE, other, TAG_DATA,
                     MPI_COMM_WORLD);
        } else {
            MPI_Recv(recv_slots, bytes, MPI_BYTE, other, TAG_DATA,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (stamped) {
                check_stamp(recv_slots, stamp + (uint64_t) turn);
            }
        }
    }
    stamp += 2;
}

static void pingpong_nonblocking(bool stamped)
{
    int other = 1 - rank, bytes = (int) options.bytes;
    MPI_Request receive, send;

    MPI_Irecv(recv_slots, bytes, MPI_BYTE, other, TAG_DATA, MPI_COMM_WORLD,
              &receive);
    for (int turn = 0; turn < 2; turn++) {
        if (turn == rank) {
            if (stamped) {
                write_stamp(send_slots, stamp + (uint64_t) turn);
            }
            MPI_Isend(send_slots, bytes, MPI_BYTE, other, TAG_DATA,
                      MPI_COMM_WORLD, &send);
            MPI_Wait(&send, MPI_STATUS_IGNORE);
        } else {
            MPI_Wait(&receive, MPI_STATUS_IGNORE);
            if (stamped) {
                check_stamp(recv_slots, stamp + (uint64_t) turn);
            }
        }
    }
    stamp += 2;
}

static void window(bool stamped)
{
    int count = options.window, bytes = (int) options.bytes;

    if (0 == rank) {
        for (int i = 0; i < count; i++) {
            if (stamped) {
                write_stamp(slot(send_slots, i), stamp + (uint64_t) i);
            }
            if (options.blocking_send) {
                MPI_Send(slot(send_slots, i), bytes, MPI_BYTE, 1, TAG_DATA,
                         MPI_COMM_WORLD);
            } else {
                MPI_Isend(slot(send_slots, i), bytes, MPI_BYTE, 1, TAG_DATA,
                          MPI_COMM_WORLD, &requests[i]);
            }
        }
        if (!options.blocking_send) {
            MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        }
        MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG_ANSWER, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < count; i++) {
            MPI_Irecv(slot(recv_slots, i), bytes, MPI_BYTE, 0, TAG_DATA,
                      MPI_COMM_WORLD, &requests[i]);
        }
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; stamped && i < count; i++) {
            check_stamp(slot(recv_slots, i), stamp + (uint64_t) i);
        }
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ANSWER, MPI_COMM_WORLD);
    }
    stamp += (uint64_t) count;
}

static double timed(void (*exchange)(bool), long iterations)
{
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_now();
    for (long i = 0; i < iterations; i++) {
        exchange(true);
    }
    return bench_now() - start;
}

/* How many iterations last as long as one repeat should. */
static long warm_up(void (*exchange)(bool))
{
    double wanted = options.seconds / options.repeats, seconds = 0;
    long iterations = options.bytes > 65536 ? 1 : WARM_UP_ITERATIONS;

    timed(exchange, iterations);
    for (;;) {
        seconds = timed(exchange, iterations);
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (seconds >= 0.5 * wanted) {
            break;
        }
        iterations *= 2;
    }
    iterations = (long) ((double) iterations * wanted / seconds);
    return iterations < 1 ? 1 : iterations;
}

static void verify(void (*exchange)(bool), uint64_t number, bool both_receive)
{
    fill_slots(number);
    exchange(false);
    if (1 == rank || both_receive) {
        check_slots(number);
    }
}

static void usage(void)
{
    if (0 == rank) {
        fprintf(stderr,
                "usage: mpirun -np 2 p2p pingpong|window|bandwidth\n"
                "       [--bytes B] [--window W] [--nonblocking]\n"
                "       [--mode send|isend] [--repeats R] [--seconds S]\n");
    }
    MPI_Finalize();
    exit(2);
}

static void parse_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"bytes", required_argument, NULL, 'b'},
        {"window", required_argument, NULL, 'w'},
        {"nonblocking", no_argument, NULL, 'n'},
        {"mode", required_argument, NULL, 'm'},
        {"repeats", required_argument, NULL, 'r'},
        {"seconds", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0}};
    int option, window_size = 0;

    if (argc < 2) {
        usage();
    }
    options = (struct options){
        .command = argv[1], .bytes = 8, .repeats = 11, .seconds = 0.6};
    while (-1 != (option = getopt_long(argc - 1, argv + 1, "", known, NULL))) {
        switch (option) {
        case 'b':
            options.bytes = strtoul(optarg, NULL, 10);
            break;
        case 'w':
            window_size = atoi(optarg);
            break;
        case 'n':
            options.nonblocking = true;
            break;
        case 'm':
            options.blocking_send = 0 == strcmp(optarg, "send");
            break;
        case 'r':
            options.repeats = atoi(optarg);
            break;
        case 's':
            options.seconds = atof(optarg);
            break;
        default:
            usage();
        }
    }
    if (0 == strcmp(options.command, "pingpong")) {
        window_size = 1;
    } else if (0 == window_size) {
        /* 64 messages, fewer when these would be more than 16 MiB. */
        size_t fit = options.bytes ? ((size_t) 16 << 20) / options.bytes : 0;
        window_size = fit > 64 ? 64 : fit < 4 ? 4 : (int) fit;
    }
    options.window = window_size;
    if (options.bytes < 1 || options.bytes > (size_t) 1 << 30 ||
        window_size < 1 || options.repeats < 1 ||
        options.repeats > MAX_REPEATS || options.seconds <= 0) {
        usage();
    }
}

int main(int argc, char **argv)
{
    double results[MAX_REPEATS], median;
    void (*exchange)(bool);
    const char *unit = "us";
    bool both_receive = false;
    long iterations;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    parse_options(argc, argv);
    BENCH_CHECK(2 == size, "run this with exactly two ranks");

    if (0 == strcmp(options.command, "pingpong")) {
        exchange = options.nonblocking ? pingpong_nonblocking : pingpong;
        both_receive = true;
    } else if (0 == strcmp(options.command, "window")) {
        exchange = window;
    } else if (0 == strcmp(options.command, "bandwidth")) {
        exchange = window;
        unit = "MB/s";
    } else {
        usage();
    }
    send_slots = bench_alloc((size_t) options.window * options.bytes);
    recv_slots = bench_alloc((size_t) options.window * options.bytes);
    requests = bench_alloc((size_t) options.window * sizeof(*requests));

    iterations = warm_up(exchange);
    for (int i = 0; i < options.repeats; i++) {
        double seconds;

        verify(exchange, (uint64_t) i, both_receive);
        seconds = timed(exchange, iterations);
        if (0 == strcmp(options.command, "pingpong")) {
            results[i] = 1e6 * seconds / (2.0 * (double) iterations);
        } else {
            seconds /= (double) iterations * options.window;
            results[i] = 0 == strcmp(options.command, "window")
                             ? 1e6 * seconds
                             : 1e-6 * (double) options.bytes / seconds;
        }
    }
    median = bench_median(results, options.repeats);
    if (0 == rank) {
        printf("{\"benchmark\": \"%s\", \"bytes\": %zu, \"window\": %d, "
               "\"nonblocking\": %s, \"blocking_send\": %s, "
               "\"iterations\": %ld, \"repeats\": %d, \"unit\": \"%s\", "
               "\"median\": %.6g, \"lowest\": %.6g, \"highest\": %.6g, "
               "\"verified\": true}\n",
               options.command, options.bytes, options.window,
               options.nonblocking ? "true" : "false",
               options.blocking_send ? "true" : "false", iterations,
               options.repeats, unit, median, results[0],
               results[options.repeats - 1]);
    }
    free(send_slots);
    free(recv_slots);
    free(requests);
    MPI_Finalize();
    return 0;
}
