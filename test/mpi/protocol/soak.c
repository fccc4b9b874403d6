/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random traffic for as long as wanted, and what a process holds does not grow:
 * memory and descriptors after a warm-up are those at the end.
 *
 *     soak [--seconds N]
 *
 * A step is drawn by all ranks alike: messages of all sizes to all ranks, awaited
 * or unexpected, in another order than they were sent; receives from any source,
 * probed or not; receives that are cancelled; collectives, blocking and not;
 * communicators that come and go. Each payload is checked. One communicator in
 * eight is new, so that context ids are used again, too.
 */
#include "mpi_test.h"

enum {
    MAX_RANKS = 64,
    MESSAGES = 24,         /* to each rank, in a step */
    LARGE = 600000,        /* bytes */
    SLACK = 4 << 20,       /* bytes that a process may grow by, ... */
    SLACK_DESCRIPTORS = 4, /* ... and descriptors */
    STEPS_BETWEEN_LOOKS = 50,
    WARM_UP = 5, /* one in so many of all seconds */
};

static mt_random_t common; /* the same in all ranks */
static uint64_t step;

static int size_of(uint64_t key)
{
    static const int limits[] = {0,    1,    8,     104,   105,   1024,
                                 4200, 8209, 16384, 65537, 131072};
    uint64_t draw = mt_mix(key ^ 77);

    if (0 == draw % 40) {
        return (int) (draw / 40 % LARGE);
    }
    return limits[draw / 40 % MT_COUNT_OF(limits)];
}

static uint64_t key_of(int from, int to, int number)
{
    return mt_key(step, from, to, number);
}

/* A random order of [0, count). */
static void shuffle(int *order, int count)
{
    mt_random_t random = mt_random(step);

    for (int i = 0; i < count; ++i) {
        int j = mt_below(&random, i + 1);

        order[i] = order[j];
        order[j] = i;
    }
}

typedef struct {
    int size;
    uint64_t key;
    unsigned char *bytes;
    MPI_Request request;
} message_t;

static void send_all(MPI_Comm comm, message_t *out, int count, int kind)
{
    for (int i = 0; i < count * mt_size; ++i) {
        int to = i % mt_size;
        message_t *message = &out[i];

        message->key = key_of(mt_rank, to, i / mt_size);
        message->size = size_of(message->key);
        message->bytes = mt_payload(message->size, message->key);
        CHECK_OK((kind % 3 ? MPI_Isend : MPI_Issend)(
            message->bytes, message->size, MPI_BYTE, to, i / mt_size, comm,
            &message->request));
    }
}

static void receive_all(MPI_Comm comm, message_t *in, int count)
{
    int order[MESSAGES * MAX_RANKS];

    shuffle(order, count * mt_size);
    for (int i = 0; i < count * mt_size; ++i) {
        int from = order[i] % mt_size, tag = order[i] / mt_size;
        message_t *message = &in[order[i]];

        message->key = key_of(from, mt_rank, tag);
        message->size = size_of(message->key);
        message->bytes = mt_alloc(message->size);
        CHECK_OK(MPI_Irecv(message->bytes, message->size, MPI_BYTE, from, tag,
                           comm, &message->request));
    }
}

static void complete(message_t *messages, int count, bool check)
{
    for (int i = 0; i < count; ++i) {
        CHECK_OK(MPI_Wait(&messages[i].request, MPI_STATUS_IGNORE));
        if (check) {
            CHECK_PAYLOAD(messages[i].bytes, messages[i].size, messages[i].key);
        }
        mt_free(messages[i].bytes);
    }
}

/* To all, from all. */
static void traffic(MPI_Comm comm, int kind)
{
    static message_t in[MESSAGES * MAX_RANKS], out[MESSAGES * MAX_RANKS];
    int count = 1 + mt_below(&common, MESSAGES);

    if (kind & 1) {
        receive_all(comm, in, count);
        send_all(comm, out, count, kind);
    } else {
        send_all(comm, out, count, kind);
        mt_progress(comm, 2);
        receive_all(comm, in, count);
    }
    complete(in, count * mt_size, true);
    complete(out, count * mt_size, false);
    MPI_Barrier(comm);
}

/* From any source, probed by two of three. */
static void wildcards(MPI_Comm comm, int kind)
{
    static message_t out[MESSAGES * MAX_RANKS];
    int next[MAX_RANKS] = {0};
    int count = 1 + mt_below(&common, MESSAGES);

    send_all(comm, out, count, 1);
    for (int i = 0; i < count * mt_size; ++i) {
        MPI_Status status;
        MPI_Message message;
        unsigned char *bytes;
        int source, size;

        if (kind % 3) {
            CHECK_OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message,
                                &status));
            MPI_Get_count(&status, MPI_BYTE, &size);
            bytes = mt_alloc(size);
            CHECK_OK(MPI_Mrecv(bytes, size, MPI_BYTE, &message, &status));
        } else {
            bytes = mt_alloc(LARGE);
            CHECK_OK(MPI_Recv(bytes, LARGE, MPI_BYTE, MPI_ANY_SOURCE,
                              MPI_ANY_TAG, comm, &status));
        }
        source = status.MPI_SOURCE;
        size = size_of(key_of(source, mt_rank, next[source]));
        CHECK_STATUS(&status, source, next[source], MPI_BYTE, size);
        CHECK_PAYLOAD(bytes, size, key_of(source, mt_rank, next[source]));
        ++next[source];
        mt_free(bytes);
    }
    complete(out, count * mt_size, false);
    MPI_Barrier(comm);
}

static void cancels(MPI_Comm comm)
{
    int buffer[MESSAGES];
    MPI_Request requests[MESSAGES];

    for (int i = 0; i < MESSAGES; ++i) {
        CHECK_OK(MPI_Irecv(&buffer[i], 1, MPI_INT,
                           i % 2 ? MPI_ANY_SOURCE : i % mt_size, 1000 + i, comm,
                           &requests[i]));
    }
    for (int i = MESSAGES - 1; i >= 0; --i) {
        CHECK_OK(MPI_Cancel(&requests[i]));
        CHECK(mt_wait_cancelled(&requests[i]));
    }
}

static void collectives(MPI_Comm comm, int kind)
{
    int count = mt_below(&common, 20000);
    int root = mt_below(&common, mt_size);
    long *mine = mt_alloc(count * sizeof(*mine));
    long *sum = mt_alloc(count * sizeof(*sum));
    MPI_Request request;

    for (int i = 0; i < count; ++i) {
        mine[i] = i + mt_rank;
    }
    if (kind & 1) {
        CHECK_OK(MPI_Iallreduce(mine, sum, count, MPI_LONG, MPI_SUM, comm,
                                &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        CHECK_OK(MPI_Allreduce(mine, sum, count, MPI_LONG, MPI_SUM, comm));
    }
    for (int i = 0; i < count; ++i) {
        CHECK_EQ(sum[i], (long) i * mt_size + mt_size * (mt_size - 1) / 2);
    }
    CHECK_OK(MPI_Ibcast(mine, count, MPI_LONG, root, comm, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < count; ++i) {
        CHECK_EQ(mine[i], i + root);
    }
    MT_FREE(sum, mine);
}

static void take_step(void)
{
    int what = mt_below(&common, 8), kind = mt_below(&common, 12);
    bool anew = 0 == mt_below(&common, 8);
    MPI_Comm comm = MPI_COMM_WORLD;

    MT_CASE("step %" PRIu64 ", %d, kind %d%s", step, what, kind,
            anew ? ", in a new communicator" : "");
    if (anew) {
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    }
    switch (what) {
    case 0:
        collectives(comm, kind);
        break;
    case 1:
        cancels(comm);
        break;
    case 2:
    case 3:
        wildcards(comm, kind);
        break;
    default:
        traffic(comm, kind);
    }
    if (anew) {
        CHECK_OK(MPI_Comm_free(&comm));
    }
    ++step;
}

/* What the process holds: the most of a few looks, until so many seconds. */
static void hold(double end, long long *memory, int *open)
{
    long long resident;
    int descriptors, go_on = 1;

    *memory = 0;
    *open = 0;
    while (go_on) {
        for (int i = 0; i < STEPS_BETWEEN_LOOKS; ++i) {
            take_step();
        }
        resident = mt_memory("VmRSS:");
        *memory = resident > *memory ? resident : *memory;
        descriptors = mt_entries("/proc/self/fd");
        *open = descriptors > *open ? descriptors : *open;
        go_on = MPI_Wtime() < end;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    long long memory[3];
    int open[3];
    double seconds, start;

    mt_init(&argc, &argv, 2);
    CHECK(mt_size <= MAX_RANKS);
    seconds = mt_option(argc, argv, "--seconds", 10);
    common = mt_random(0);
    start = MPI_Wtime();
    /* Warm up, then twice as long as that, and the rest. */
    hold(start + seconds / WARM_UP, &memory[0], &open[0]);
    hold(start + 3 * seconds / WARM_UP, &memory[1], &open[1]);
    hold(start + seconds, &memory[2], &open[2]);
    printf("soak: rank %d: %" PRIu64 " steps, %lld, %lld, %lld KiB, %d, %d, %d "
           "descriptors\n",
           mt_rank, step, memory[0] / 1024, memory[1] / 1024, memory[2] / 1024,
           open[0], open[1], open[2]);
    fflush(stdout);
    MT_CASE("the end");
    CHECK(memory[2] <= memory[1] + SLACK);
    CHECK(open[2] <= open[1] + SLACK_DESCRIPTORS);
    return mt_finalize();
}
