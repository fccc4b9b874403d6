/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Speed of point-to-point messages between two ranks.
 *
 *   p2p pingpong  [--bytes B] [--nonblocking]   half a round trip, us
 *   p2p sendrecv  [--bytes B]                   an exchange by MPI_Sendrecv, us
 *   p2p window    [--bytes B] [--window W] [--mode send|isend|issend]
 *                 [--wait all|some|any]         one message of a window, us
 *   p2p bandwidth [--bytes B] [--window W] [--mode ...] [--wait ...]   MB/s
 *
 * and what is possible without MPI, by memory that both see (lines.h):
 *
 *   p2p line      [--bytes B]                   half a round trip, us
 *   p2p lines     [--bytes B] [--window W]      one message of a window, us
 *   p2p copy      [--bytes B] [--window W]      MB/s
 *
 *   pingpong   MPI_Send and MPI_Recv in turn; --nonblocking: MPI_Irecv,
 *              MPI_Isend, MPI_Wait for both.
 *   window     rank 0 sends W messages with MPI_Isend and waits for all;
 *              rank 1 posts W receives, waits for all and sends an answer.
 *              --mode says how rank 0 sends, --wait by which call rank 1 waits,
 *              MPI_Waitall, MPI_Waitsome or MPI_Waitany, until all are there.
 *   bandwidth  the same with large messages.
 *   line       pingpong, a message being a cache line, or as many as it fills.
 *   lines      window, the messages being slots of a ring of cache lines.
 *   copy       bandwidth, where rank 1 copies each message once, from the memory
 *              in which rank 0 has it.
 *
 * Common options: --repeats R (11), --seconds S (0.6, for all repeats), --fresh:
 * a byte in each cache line of a message is written before it is sent, and read
 * when it has come, as by programs that send what they have computed. What is sent
 * twice unchanged is in both caches, where only who copies straight from one to the
 * other gains by it. --offset B (0): bytes from a page at which buffers begin; not of copy.
 *
 * The number of iterations per repeat is found in the warm-up, so that a run
 * lasts about S seconds on any machine. The figure is the median over the
 * repeats; beside processes that compute, the mean. Every message carries a stamp that is checked on arrival inside
 * the timed loop, and every byte of one exchange is checked in each repeat,
 * outside the timed part. Each message in flight has a buffer of its own.
 */
#include "bench.h"
#include "lines.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    TAG_DATA = 100,
    TAG_ANSWER = 101,
    MAX_REPEATS = 101,
    WARM_UP_ITERATIONS = 64,
    LINE = 64 /* bytes of a cache line */
};

enum mode { ISEND, SEND, ISSEND };
enum wait { WAIT_ALL, WAIT_SOME, WAIT_ANY };
static const char *const mode_names[] = {"isend", "send", "issend"};
static const char *const wait_names[] = {"all", "some", "any"};

struct options {
    size_t bytes;
    int window;
    bool nonblocking; /* pingpong */
    bool fresh;
    size_t offset;
    enum mode mode; /* window, bandwidth */
    enum wait wait;
    int repeats;
    double seconds;
};

static struct options options;
static int rank;
static unsigned char *send_slots, *recv_slots; /* window x bytes each */
static MPI_Request *requests;                  /* window */
static int *indices;                           /* window */
static uint64_t stamp;     /* number of the message, the same in both ranks */
static struct lines lines; /* without MPI */

static unsigned char *slot(unsigned char *slots, int i)
{
    return slots + (size_t) i * options.bytes;
}

/* A call of memcpy() would cost as much as a cache line. */
static inline void write_stamp(unsigned char *buffer, uint64_t value)
{
    for (size_t k = LINE; options.fresh && k < options.bytes; k += LINE) {
        buffer[k] = (unsigned char) value;
    }
    if (options.bytes >= sizeof(value)) {
        memcpy(buffer, &value, sizeof(value));
    } else {
        memcpy(buffer, &value, options.bytes);
    }
}

static inline void check_stamp(const unsigned char *buffer, uint64_t expected)
{
    bool same = options.bytes >= sizeof(expected)
                    ? 0 == memcmp(buffer, &expected, sizeof(expected))
                    : 0 == memcmp(buffer, &expected, options.bytes);

    for (size_t k = LINE; options.fresh && k < options.bytes; k += LINE) {
        same = same && buffer[k] == (unsigned char) expected;
    }
    BENCH_CHECK(same, "message %llu carries a wrong stamp",
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

static void sendrecv(bool stamped)
{
    int bytes = (int) options.bytes, other = 1 - rank;

    if (stamped) {
        write_stamp(send_slots, stamp + (uint64_t) rank);
    }
    MPI_Sendrecv(send_slots, bytes, MPI_BYTE, other, TAG_DATA, recv_slots,
                 bytes, MPI_BYTE, other, TAG_DATA, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (stamped) {
        check_stamp(recv_slots, stamp + (uint64_t) other);
    }
    stamp += 2;
}

static void send_slot(int i)
{
    unsigned char *buffer = slot(send_slots, i);
    int bytes = (int) options.bytes;

    switch (options.mode) {
    case SEND:
        MPI_Send(buffer, bytes, MPI_BYTE, 1, TAG_DATA, MPI_COMM_WORLD);
        break;
    case ISEND:
        MPI_Isend(buffer, bytes, MPI_BYTE, 1, TAG_DATA, MPI_COMM_WORLD,
                  &requests[i]);
        break;
    case ISSEND:
        MPI_Issend(buffer, bytes, MPI_BYTE, 1, TAG_DATA, MPI_COMM_WORLD,
                   &requests[i]);
        break;
    }
}

/* For all receives of a window. */
static void wait_as_told(int count)
{
    int done;

    switch (options.wait) {
    case WAIT_ALL:
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        break;
    case WAIT_SOME:
        for (int left = count; left > 0; left -= done) {
            MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
        }
        break;
    case WAIT_ANY:
        for (int i = 0; i < count; i++) {
            MPI_Waitany(count, requests, &done, MPI_STATUS_IGNORE);
        }
        break;
    }
}

static void window(bool stamped)
{
    int count = options.window, bytes = (int) options.bytes;

    if (0 == rank) {
        for (int i = 0; i < count; i++) {
            if (stamped) {
                write_stamp(slot(send_slots, i), stamp + (uint64_t) i);
            }
            send_slot(i);
        }
        if (SEND != options.mode) {
            MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        }
        MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG_ANSWER, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < count; i++) {
            MPI_Irecv(slot(recv_slots, i), bytes, MPI_BYTE, 0, TAG_DATA,
                      MPI_COMM_WORLD, &requests[i]);
        }
        wait_as_told(count);
        for (int i = 0; stamped && i < count; i++) {
            check_stamp(slot(recv_slots, i), stamp + (uint64_t) i);
        }
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ANSWER, MPI_COMM_WORLD);
    }
    stamp += (uint64_t) count;
}

static void line(bool stamped)
{
    for (int turn = 0; turn < 2; turn++) {
        if (turn == rank) {
            if (stamped) {
                write_stamp(send_slots, stamp + (uint64_t) turn);
            }
            lines_hand(&lines, rank, send_slots, options.bytes);
        } else {
            lines_receive(&lines, rank, recv_slots, options.bytes);
            if (stamped) {
                check_stamp(recv_slots, stamp + (uint64_t) turn);
            }
        }
    }
    stamp += 2;
}

/* At the end of a window. */
static void answer_by_line(void)
{
    if (0 == rank) {
        lines_receive(&lines, 0, NULL, 0);
    } else {
        lines_hand(&lines, 1, NULL, 0);
    }
    stamp += (uint64_t) options.window;
}

static void window_of_lines(bool stamped)
{
    for (int i = 0; i < options.window; i++) {
        if (1 == rank) {
            lines_take(&lines, slot(recv_slots, i), options.bytes);
            if (stamped) {
                check_stamp(slot(recv_slots, i), stamp + (uint64_t) i);
            }
            continue;
        }
        if (stamped) {
            write_stamp(slot(send_slots, i), stamp + (uint64_t) i);
        }
        lines_stream(&lines, slot(send_slots, i), options.bytes);
    }
    answer_by_line();
}

static void window_of_copies(bool stamped)
{
    for (int i = 0; i < options.window; i++) {
        if (1 == rank) {
            lines_await(lines.ready, ++lines.streamed);
            memcpy(slot(recv_slots, i), slot(lines.data, i), options.bytes);
            if (stamped) {
                check_stamp(slot(recv_slots, i), stamp + (uint64_t) i);
            }
            continue;
        }
        if (stamped) {
            write_stamp(slot(send_slots, i), stamp + (uint64_t) i);
        }
        lines_write(lines.ready, ++lines.streamed, NULL, 0);
    }
    answer_by_line();
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

/* What the commands are. */
static const struct command {
    const char *name;
    void (*exchange)(bool stamped);
    bool pingpong; /* both receive, one message */
    bool bandwidth;
} commands[] = {{"pingpong", pingpong, true, false},
                {"sendrecv", sendrecv, true, false},
                {"window", window, false, false},
                {"bandwidth", window, false, true},
                {"line", line, true, false},
                {"lines", window_of_lines, false, false},
                {"copy", window_of_copies, false, true}};
static const struct command *command;

static void usage(void)
{
    if (0 == rank) {
        fprintf(stderr,
                "usage: mpirun -np 2 p2p "
                "pingpong|sendrecv|window|bandwidth|line|lines|copy\n"
                "       [--bytes B] [--window W] [--nonblocking]\n"
                "       [--mode send|isend|issend] [--wait all|some|any]\n"
                "       [--fresh] [--offset B] [--repeats R] [--seconds S]\n");
    }
    MPI_Finalize();
    exit(2);
}

/* Its place among three names. */
static int one_of(const char *const names[3], const char *name)
{
    for (int i = 0; i < 3; i++) {
        if (0 == strcmp(name, names[i])) {
            return i;
        }
    }
    usage();
    return -1;
}

static void parse_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"bytes", required_argument, NULL, 'b'},
        {"window", required_argument, NULL, 'w'},
        {"nonblocking", no_argument, NULL, 'n'},
        {"fresh", no_argument, NULL, 'f'},
        {"offset", required_argument, NULL, 'o'},
        {"mode", required_argument, NULL, 'm'},
        {"wait", required_argument, NULL, 'a'},
        {"repeats", required_argument, NULL, 'r'},
        {"seconds", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0}};
    int option, window_size = 0;

    for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]);
         i++) {
        if (0 == strcmp(argv[1], commands[i].name)) {
            command = &commands[i];
        }
    }
    if (NULL == command) {
        usage();
    }
    options = (struct options){.bytes = 8, .repeats = 11, .seconds = 0.6};
    while (-1 != (option = getopt_long(argc - 1, argv + 1, "", known, NULL))) {
        switch (option) {
        case 'b':
            options.bytes = strtoul(optarg, NULL, 10);
            break;
        case 'w':
            window_size = atoi(optarg);
            break;
        case 'o':
            options.offset = strtoul(optarg, NULL, 10);
            break;
        case 'f':
            options.fresh = true;
            break;
        case 'n':
            if (pingpong != command->exchange) {
                usage();
            }
            options.nonblocking = true;
            break;
        case 'm':
            options.mode = (enum mode) one_of(mode_names, optarg);
            break;
        case 'a':
            options.wait = (enum wait) one_of(wait_names, optarg);
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
    if (command->pingpong) {
        window_size = 1;
    } else if (0 == window_size) {
        /* 64 messages, fewer when these would be more than 16 MiB. */
        size_t fit = options.bytes ? ((size_t) 16 << 20) / options.bytes : 0;
        window_size = fit > 64 ? 64 : fit < 4 ? 4 : (int) fit;
    }
    options.window = window_size;
    if (options.bytes < 1 || options.bytes > (size_t) 1 << 30 ||
        window_size < 1 || options.repeats < 1 || options.offset > 1 << 20 ||
        (window_of_copies == command->exchange && 0 != options.offset) ||
        options.repeats > MAX_REPEATS || options.seconds <= 0) {
        usage();
    }
}

static unsigned char *slots_of(size_t bytes)
{
    unsigned char *memory = bench_alloc(bytes + options.offset);

    return memory + options.offset;
}

static void allocate(void)
{
    size_t all = (size_t) options.window * options.bytes;

    send_slots = slots_of(all);
    recv_slots = slots_of(all);
    requests = bench_alloc((size_t) options.window * sizeof(*requests));
    indices = bench_alloc((size_t) options.window * sizeof(*indices));
    if (window_of_copies == command->exchange) {
        lines_open(&lines, 0, all);
        if (0 == rank) {
            free(send_slots - options.offset);
            send_slots = lines.data;
        }
    } else if (line == command->exchange ||
               window_of_lines == command->exchange) {
        lines_open(&lines, options.bytes, 0);
    }
}

static void release(void)
{
    if (send_slots != lines.data) {
        free(send_slots - options.offset);
    }
    free(recv_slots - options.offset);
    free(requests);
    free(indices);
}

/* Of so many iterations. */
static double result_of(double seconds, long iterations)
{
    if (command->pingpong) {
        int messages = sendrecv == command->exchange ? 1 : 2;

        return 1e6 * seconds / (messages * (double) iterations);
    }
    seconds /= (double) iterations * options.window;
    return command->bandwidth ? 1e-6 * (double) options.bytes / seconds
                              : 1e6 * seconds;
}

int main(int argc, char **argv)
{
    void (*exchange)(bool) = NULL;
    double results[MAX_REPEATS], median, seconds, all_seconds = 0;
    long iterations;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    parse_options(argc, argv);
    BENCH_CHECK(2 == size, "run this with exactly two ranks");
    exchange = options.nonblocking ? pingpong_nonblocking : command->exchange;
    allocate();

    iterations = warm_up(exchange);
    for (int i = 0; i < options.repeats; i++) {
        verify(exchange, (uint64_t) i, command->pingpong);
        seconds = timed(exchange, iterations);
        all_seconds += seconds;
        results[i] = result_of(seconds, iterations);
    }
    median = bench_median(results, options.repeats);
    if (0 == rank) {
        printf("{\"benchmark\": \"%s\", \"bytes\": %zu, \"window\": %d, "
               "\"nonblocking\": %s, \"mode\": \"%s\", \"wait\": \"%s\", "
               "\"iterations\": %ld, \"repeats\": %d, \"unit\": \"%s\", "
               "\"median\": %.6g, \"mean\": %.6g, \"lowest\": %.6g, "
               "\"highest\": %.6g, \"verified\": true}\n",
               command->name, options.bytes, options.window,
               options.nonblocking ? "true" : "false", mode_names[options.mode],
               wait_names[options.wait], iterations, options.repeats,
               command->bandwidth ? "MB/s" : "us", median,
               result_of(all_seconds, options.repeats * iterations), results[0],
               results[options.repeats - 1]);
    }
    release();
    MPI_Finalize();
    return 0;
}
