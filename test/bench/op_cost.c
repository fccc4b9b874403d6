/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One send and one receive at a time, marked for callgrind.
 *
 *   mpirun -np 2 valgrind --tool=callgrind --collect-atstart=no op_cost
 *          [--rounds N] [--blocks B] [--bytes S]
 *
 * `instructions` runs this and adds up the figures; its header explains the
 * method. Counting is on only between count_begin() and count_end(). Before a
 * receive is counted, its message already lies in the receiver's incoming
 * queue: the ranks take turns by semaphores in shared memory, outside MPI and
 * uncounted. So no poll is ever counted that finds nothing, and each count is
 * that of the work itself.
 *
 * Each pattern runs a warm-up block and B blocks of N rounds; after every
 * counted block callgrind writes its count, labelled
 * "<pattern> <phase> <operations>", into a file of its own.
 */
#include "bench.h"

#include <getopt.h>
#include <stdbool.h>
#include <valgrind/callgrind.h>

enum { BATCH = 16, TAG = 100, MAX_BYTES = 1024 };

static sem_t *turn; /* [r]: rank r may go on */
static int rank, bytes = 8, rounds = 100, blocks = 11;
static unsigned char sent[BATCH][MAX_BYTES], received[BATCH][MAX_BYTES];
static MPI_Request requests[BATCH];
static unsigned char message_number;

/*
 * A pattern is a list of steps. The ranks do the steps one after the other:
 * the one that a step belongs to works, the other sleeps outside MPI.
 */
struct step {
    int rank;
    const char *phase; /* counted under this name; NULL: not counted */
    void (*run)(int batch);
};

struct pattern {
    const char *name;
    int batch; /* messages per round */
    struct step steps[4];
};

static void send_blocking(int batch)
{
    for (int i = 0; i < batch; i++) {
        MPI_Send(sent[i], bytes, MPI_BYTE, 1, TAG + i, MPI_COMM_WORLD);
    }
}

static void send_nonblocking(int batch)
{
    for (int i = 0; i < batch; i++) {
        MPI_Isend(sent[i], bytes, MPI_BYTE, 1, TAG + i, MPI_COMM_WORLD,
                  &requests[i]);
    }
    if (1 == batch) {
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else {
        MPI_Waitall(batch, requests, MPI_STATUSES_IGNORE);
    }
}

static void post(int batch)
{
    for (int i = 0; i < batch; i++) {
        MPI_Irecv(received[i], bytes, MPI_BYTE, 0, TAG + i, MPI_COMM_WORLD,
                  &requests[i]);
    }
}

static void wait_posted(int batch)
{
    if (1 == batch) {
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else {
        MPI_Waitall(batch, requests, MPI_STATUSES_IGNORE);
    }
}

static void receive_blocking(int batch)
{
    for (int i = 0; i < batch; i++) {
        MPI_Recv(received[i], bytes, MPI_BYTE, 0, TAG + i, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

static void receive_nonblocking(int batch)
{
    post(batch);
    wait_posted(batch);
}

/* The last one first: all others arrive while nothing is posted for them. */
static void receive_last(int batch)
{
    MPI_Recv(received[batch - 1], bytes, MPI_BYTE, 0, TAG + batch - 1,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive_unexpected(int batch)
{
    receive_blocking(batch - 1);
}

static const struct pattern patterns[] = {
    {"blocking",
     1,
     {{0, "send", send_blocking}, {1, "receive", receive_blocking}}},
    {"nonblocking",
     1,
     {{0, "send", send_nonblocking}, {1, "receive", receive_nonblocking}}},
    {"posted",
     1,
     {{1, "post", post},
      {0, NULL, send_blocking},
      {1, "arrival", wait_posted}}},
    {"window",
     BATCH,
     {{1, "post", post},
      {0, "send", send_nonblocking},
      {1, "arrival", wait_posted}}},
    {"unexpected",
     BATCH,
     {{0, NULL, send_blocking},
      {1, "arrival", receive_last},
      {1, "receive", receive_unexpected}}},
};

static void nothing(int batch)
{
    (void) batch;
}

/* What the marks themselves cost; `instructions` takes it off. */
static const struct pattern empty = {
    "empty", 1, {{0, "nothing", nothing}, {1, "nothing", nothing}}};

static void fill(int batch)
{
    message_number++;
    for (int i = 0; i < batch; i++) {
        memset(sent[i], message_number + i, (size_t) bytes);
        memset(received[i], 0xee, (size_t) bytes);
    }
}

static void check(int batch)
{
    for (int i = 0; i < batch; i++) {
        for (int k = 0; k < bytes; k++) {
            BENCH_CHECK(received[i][k] == (unsigned char) (message_number + i),
                        "byte %d of message %d is wrong", k, i);
        }
    }
}

/* One step, counted when its phase is the one asked for. */
static void run_step(const struct pattern *pattern, const struct step *step,
                     const char *phase)
{
    if (rank != step->rank) {
        bench_wait_signal(&turn[rank]);
        return;
    }
    if (NULL != phase && step->phase == phase) {
        CALLGRIND_TOGGLE_COLLECT;
        step->run(pattern->batch);
        CALLGRIND_TOGGLE_COLLECT;
    } else {
        step->run(pattern->batch);
    }
    sem_post(&turn[1 - rank]);
}

static void run_block(const struct pattern *pattern, const char *phase)
{
    for (int round = 0; round < rounds; round++) {
        fill(pattern->batch);
        for (int i = 0; i < 4 && NULL != pattern->steps[i].run; i++) {
            run_step(pattern, &pattern->steps[i], phase);
        }
        if (1 == rank && &empty != pattern) {
            check(pattern->batch);
        }
    }
}

/* Both ranks inside MPI, so that the connection is made for good. */
static void connect_ranks(void)
{
    for (int i = 0; i < 200; i++) {
        MPI_Sendrecv(sent[0], bytes, MPI_BYTE, 1 - rank, TAG, received[0],
                     bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

static void run_pattern(const struct pattern *pattern)
{
    char label[64];

    run_block(pattern, NULL);
    for (int i = 0; i < 4 && NULL != pattern->steps[i].run; i++) {
        const struct step *step = &pattern->steps[i];

        for (int block = 0; NULL != step->phase && block < blocks; block++) {
            CALLGRIND_ZERO_STATS;
            run_block(pattern, step->phase);
            if (rank == step->rank) {
                snprintf(label, sizeof(label), "%s %s %d", pattern->name,
                         step->phase, rounds * pattern->batch);
                CALLGRIND_DUMP_STATS_AT(label);
            }
        }
    }
}

static void parse_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"rounds", required_argument, NULL, 'r'},
        {"blocks", required_argument, NULL, 'b'},
        {"bytes", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0}};
    int option;

    while (-1 != (option = getopt_long(argc, argv, "", known, NULL))) {
        switch (option) {
        case 'r':
            rounds = atoi(optarg);
            break;
        case 'b':
            blocks = atoi(optarg);
            break;
        case 's':
            bytes = atoi(optarg);
            break;
        default:
            rounds = 0;
        }
    }
    BENCH_CHECK(rounds > 0 && blocks > 0 && bytes > 0 && bytes <= MAX_BYTES,
                "usage: op_cost [--rounds N] [--blocks B] [--bytes 1..%d]",
                MAX_BYTES);
}

int main(int argc, char **argv)
{
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    BENCH_CHECK(2 == size, "run this with exactly two ranks");
    parse_options(argc, argv);

    turn = bench_shared_semaphores(2);
    connect_ranks();

    run_pattern(&empty);
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        run_pattern(&patterns[i]);
    }
    if (0 == rank) {
        printf("{\"benchmark\": \"op_cost\", \"bytes\": %d, \"rounds\": %d, "
               "\"blocks\": %d, \"batch\": %d, \"verified\": true}\n",
               bytes, rounds, blocks, BATCH);
    }
    MPI_Finalize();
    return 0;
}
