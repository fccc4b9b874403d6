/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rate of small messages when several threads of two ranks communicate at the
 * same time (MPI_THREAD_MULTIPLE).
 *
 *   threads_rate [--threads T] [--comms own|shared] [--bytes B] [--window W]
 *                [--repeats R] [--seconds S]
 *
 * Thread t of rank 0 sends windows of W messages with MPI_Isend to thread t of
 * rank 1, which posts W receives, waits for all and sends an answer. The
 * threads use a communicator each, or all one, with a tag each. The figure is
 * what all threads together have sent in S / R seconds, divided by that time,
 * in millions of messages a second, as the median over the repeats.
 *
 * Rank 0 looks at the clock; the last message of each thread says so. Every
 * message carries a stamp, which is checked.
 */
#include "bench.h"

#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    TAG_DATA = 1000,
    TAG_ANSWER = 2000,
    MAX_THREADS = 64,
    MAX_REPEATS = 101,
    /* Windows between two looks at the clock. */
    WINDOWS = 8
};

/* Of the stamp: this window is the thread's last one. */
#define LAST ((uint64_t) 1 << 63)

struct options {
    int threads;
    bool shared;
    size_t bytes;
    int window;
    int repeats;
    double seconds;
};

struct worker {
    pthread_t thread;
    int tag;
    MPI_Comm comm;
    unsigned char *slots; /* window x bytes */
    MPI_Request *requests;
    uint64_t sent; /* messages of this repeat */
};

static struct options options;
static int rank;
static struct worker workers[MAX_THREADS];
static pthread_barrier_t barrier;
static double deadline;

static unsigned char *slot(const struct worker *worker, int i)
{
    return worker->slots + (size_t) i * options.bytes;
}

static void send_window(struct worker *worker, uint64_t flags)
{
    for (int i = 0; i < options.window; i++) {
        uint64_t stamp = (worker->sent + (uint64_t) i) | flags;

        memcpy(slot(worker, i), &stamp, sizeof(stamp));
        MPI_Isend(slot(worker, i), (int) options.bytes, MPI_BYTE, 1,
                  TAG_DATA + worker->tag, worker->comm, &worker->requests[i]);
    }
    MPI_Waitall(options.window, worker->requests, MPI_STATUSES_IGNORE);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG_ANSWER + worker->tag, worker->comm,
             MPI_STATUS_IGNORE);
    worker->sent += (uint64_t) options.window;
}

/* True if it is the last one. */
static bool receive_window(struct worker *worker)
{
    uint64_t flags = 0;

    for (int i = 0; i < options.window; i++) {
        MPI_Irecv(slot(worker, i), (int) options.bytes, MPI_BYTE, 0,
                  TAG_DATA + worker->tag, worker->comm, &worker->requests[i]);
    }
    MPI_Waitall(options.window, worker->requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < options.window; i++) {
        uint64_t stamp;

        memcpy(&stamp, slot(worker, i), sizeof(stamp));
        flags = stamp & LAST;
        BENCH_CHECK((stamp & ~LAST) == worker->sent + (uint64_t) i,
                    "message %llu of thread %d carries stamp %llu",
                    (unsigned long long) (worker->sent + (uint64_t) i),
                    worker->tag, (unsigned long long) (stamp & ~LAST));
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ANSWER + worker->tag, worker->comm);
    worker->sent += (uint64_t) options.window;
    return 0 != flags;
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    bool last = false;

    worker->sent = 0;
    pthread_barrier_wait(&barrier);
    for (uint64_t i = 1; !last; i++) {
        if (0 == rank) {
            last = 0 == i % WINDOWS && bench_now() >= deadline;
            send_window(worker, last ? LAST : 0);
        } else {
            last = receive_window(worker);
        }
    }
    return NULL;
}

/* Millions of messages a second, in rank 0. */
static double repeat(double seconds)
{
    uint64_t sent = 0;
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    deadline = bench_now() + seconds;
    for (int i = 0; i < options.threads; i++) {
        BENCH_CHECK(
            0 == pthread_create(&workers[i].thread, NULL, work, &workers[i]),
            "cannot start a thread");
    }
    pthread_barrier_wait(&barrier);
    start = bench_now();
    for (int i = 0; i < options.threads; i++) {
        pthread_join(workers[i].thread, NULL);
        sent += workers[i].sent;
    }
    return 1e-6 * (double) sent / (bench_now() - start);
}

static void usage(void)
{
    if (0 == rank) {
        fprintf(stderr, "usage: mpirun -np 2 threads_rate [--threads T]\n"
                        "       [--comms own|shared] [--bytes B] [--window W]\n"
                        "       [--repeats R] [--seconds S]\n");
    }
    MPI_Finalize();
    exit(2);
}

static void parse_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"threads", required_argument, NULL, 't'},
        {"comms", required_argument, NULL, 'c'},
        {"bytes", required_argument, NULL, 'b'},
        {"window", required_argument, NULL, 'w'},
        {"repeats", required_argument, NULL, 'r'},
        {"seconds", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0}};
    int option;

    options = (struct options){
        .threads = 1, .bytes = 8, .window = 64, .repeats = 11, .seconds = 1.1};
    while (-1 != (option = getopt_long(argc, argv, "", known, NULL))) {
        switch (option) {
        case 't':
            options.threads = atoi(optarg);
            break;
        case 'c':
            options.shared = 0 == strcmp(optarg, "shared");
            if (!options.shared && 0 != strcmp(optarg, "own")) {
                usage();
            }
            break;
        case 'b':
            options.bytes = strtoul(optarg, NULL, 10);
            break;
        case 'w':
            options.window = atoi(optarg);
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
    if (optind != argc || options.threads < 1 ||
        options.threads > MAX_THREADS || options.bytes < sizeof(uint64_t) ||
        options.bytes > (size_t) 1 << 24 || options.window < 1 ||
        options.repeats < 1 || options.repeats > MAX_REPEATS ||
        options.seconds <= 0) {
        usage();
    }
}

static void workers_make(void)
{
    for (int i = 0; i < options.threads; i++) {
        struct worker *worker = &workers[i];

        worker->tag = i;
        worker->comm = MPI_COMM_WORLD;
        if (!options.shared) {
            MPI_Comm_dup(MPI_COMM_WORLD, &worker->comm);
        }
        worker->slots = bench_alloc((size_t) options.window * options.bytes);
        worker->requests =
            bench_alloc((size_t) options.window * sizeof(*worker->requests));
    }
}

static void workers_free(void)
{
    for (int i = 0; i < options.threads; i++) {
        if (!options.shared) {
            MPI_Comm_free(&workers[i].comm);
        }
        free(workers[i].slots);
        free(workers[i].requests);
    }
}

int main(int argc, char **argv)
{
    double results[MAX_REPEATS], median;
    int provided, size;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    parse_options(argc, argv);
    BENCH_CHECK(2 == size, "run this with exactly two ranks");
    BENCH_CHECK(MPI_THREAD_MULTIPLE == provided, "no MPI_THREAD_MULTIPLE");
    BENCH_CHECK(0 == pthread_barrier_init(&barrier, NULL,
                                          (unsigned) options.threads + 1),
                "cannot make a barrier");
    workers_make();
    repeat(0.3 * options.seconds / options.repeats);
    for (int i = 0; i < options.repeats; i++) {
        results[i] = repeat(options.seconds / options.repeats);
    }
    median = bench_median(results, options.repeats);
    if (0 == rank) {
        printf("{\"benchmark\": \"threads_rate\", \"threads\": %d, "
               "\"comms\": \"%s\", \"bytes\": %zu, \"window\": %d, "
               "\"repeats\": %d, \"unit\": \"Mmsg/s\", \"median\": %.6g, "
               "\"lowest\": %.6g, \"highest\": %.6g, \"verified\": true}\n",
               options.threads, options.shared ? "shared" : "own",
               options.bytes, options.window, options.repeats, median,
               results[0], results[options.repeats - 1]);
    }
    workers_free();
    pthread_barrier_destroy(&barrier);
    MPI_Finalize();
    return 0;
}
