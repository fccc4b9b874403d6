/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A receiver that falls behind: its memory stays bounded, MPI's own messages
 * are not held up, and in the end everything is there, in order.
 *
 *     slow_receiver blocking|pending|mutual [--messages N] [--limit BYTES]
 *                   [--wait SECONDS]
 *
 *     blocking  rank 0 receives late what the others send by MPI_Send
 *     pending   like blocking, but by all kinds of MPI_Isend, with collective
 *               operations and a new communicator before the receives
 *     mutual    like blocking, but all send to all
 *
 * The receiver makes progress until its memory has grown by --limit, or for
 * --wait seconds (not a failure; less is tested then). With --limit, growth by
 * more than twice the limit plus 16 MiB is a failure if the senders block.
 * Senders that do not block are limited by their own requests.
 */
#include "mpi_test.h"

enum { LARGEST = 40000, TAG_NONE = 999 };

static int messages;
static long long limit;
static bool blocking;

/* From empty to rendezvous; most are small. A blocking rendezvous would hold
 * its sender up by itself. */
static int size_of(int i)
{
    static const int sizes[] = {8, 0, 1, 64, 65, 200, 1024, 1025, 3000};

    return 0 == i % 97 && !blocking ? LARGEST
                                    : sizes[(unsigned) i % MT_COUNT_OF(sizes)];
}

static uint64_t key_of(int from, int to, int i)
{
    return mt_key(from, to, i, 77);
}

/* Make progress, so that messages arrive, without receiving any. */
static void fall_behind(long seconds)
{
    const long long before = mt_memory("VmRSS:");
    const time_t end = time(NULL) + seconds;
    MPI_Request request;

    MT_CASE("rank %d probes for something else", mt_rank);
    do {
        for (int i = 0; i < 1000; ++i) {
            CHECK(!mt_is_there(MPI_ANY_SOURCE, TAG_NONE, MPI_COMM_WORLD));
        }
    } while (mt_memory("VmRSS:") - before < limit && time(NULL) < end);
    if (0 == limit) {
        return;
    }
    /* Memory is not only messages: some more come, and it does not stop at
     * once. To test a request searches nothing, however long the queue is. */
    MPI_Irecv(NULL, 0, MPI_BYTE, 0, TAG_NONE, MPI_COMM_SELF, &request);
    for (int i = 0; i < 5000; ++i) {
        CHECK(!mt_test(&request));
    }
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive_all(void)
{
    static unsigned char data[LARGEST];
    MPI_Status status;

    for (int i = 0; i < messages; ++i) {
        for (int k = 1; k < mt_size; ++k) {
            int from = (mt_rank + k) % mt_size;

            MT_CASE("receiving message %d of rank %d", i, from);
            MPI_Recv(data, LARGEST, MPI_BYTE, from, i % 3, MPI_COMM_WORLD,
                     &status);
            CHECK_STATUS(&status, from, i % 3, MPI_BYTE, size_of(i));
            CHECK_PAYLOAD(data, size_of(i), key_of(from, mt_rank, i));
        }
    }
}

static void send_blocking(void)
{
    static unsigned char data[LARGEST];

    for (int i = 0; i < messages; ++i) {
        MT_CASE("sending message %d", i);
        mt_fill(data, size_of(i), key_of(mt_rank, 0, i));
        mt_send(data, size_of(i), 0, i % 3);
    }
}

typedef struct pending_t {
    unsigned char *data;
    MPI_Request request;
} pending_t;

static void start(pending_t *pending, int to, int i)
{
    const int size = size_of(i);
    unsigned char *packed = malloc((size_t) size + 1);
    MPI_Datatype type;

    mt_fill(packed, size, key_of(mt_rank, to, i));
    pending->data = packed;
    if (0 == i % 5 && 0 != size) {
        pending->data = malloc(2 * (size_t) size);
        for (int k = 0; k < size; ++k) {
            pending->data[2 * k] = packed[k];
        }
        free(packed);
        /* Every byte in its own place, so that the data have to be packed. */
        type = mt_vector(size, 1, 2, MPI_BYTE);
        MPI_Isend(pending->data, 1, type, to, i % 3, MPI_COMM_WORLD,
                  &pending->request);
        MPI_Type_free(&type);
    } else if (0 == i % 7) {
        mt_issend(packed, size, to, i % 3, &pending->request);
    } else {
        mt_isend(packed, size, to, i % 3, &pending->request);
    }
}

static pending_t *start_all(int first, int end)
{
    pending_t *pending =
        calloc((size_t) messages * (size_t) mt_size, sizeof(*pending));

    MT_CASE("starting the sends");
    for (int i = 0; i < messages; ++i) {
        for (int to = first; to < end; ++to) {
            pending_t *one = &pending[i * mt_size + to];

            one->request = MPI_REQUEST_NULL;
            if (to != mt_rank) {
                start(one, to, i);
            }
        }
    }
    return pending;
}

static void complete_all(pending_t *pending, int first, int end)
{
    MT_CASE("completing the sends");
    for (int i = 0; i < messages; ++i) {
        for (int to = first; to < end; ++to) {
            if (to != mt_rank) {
                MPI_Wait(&pending[i * mt_size + to].request, MPI_STATUS_IGNORE);
                free(pending[i * mt_size + to].data);
            }
        }
    }
    free(pending);
}

/* None of this may wait for a receive of the user's. */
static void collective(void)
{
    MPI_Comm comm;
    int sum;

    MT_CASE("collective operations before the receives");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Allreduce(&mt_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK_EQ(sum, mt_size * (mt_size - 1) / 2);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    long long before, grown;
    const char *what;
    long seconds;

    mt_init(&argc, &argv, 2);
    what = argc > 1 ? argv[1] : "";
    blocking = 0 == strcmp(what, "blocking");
    messages = mt_option(argc, argv, "--messages", blocking ? 80000 : 20000);
    limit = mt_option(argc, argv, "--limit", 0);
    seconds = mt_option(argc, argv, "--wait", 20);
    before = mt_memory("VmRSS:");
    if (blocking) {
        if (0 == mt_rank) {
            fall_behind(seconds);
            receive_all();
        } else {
            send_blocking();
        }
    } else {
        const bool mutual = 0 == strcmp(what, "mutual");
        const int end = mutual ? mt_size : 1;
        pending_t *pending = NULL;

        CHECK(mutual || 0 == strcmp(what, "pending"));
        if (mutual || 0 != mt_rank) {
            pending = start_all(0, end);
        }
        if (mutual || 0 == mt_rank) {
            fall_behind(mutual ? 1 : seconds);
        }
        collective();
        if (mutual || 0 == mt_rank) {
            receive_all();
        }
        if (NULL != pending) {
            complete_all(pending, 0, end);
        }
    }
    grown = mt_memory("VmHWM:") - before;
    if (blocking && 0 != limit && 0 == mt_rank &&
        grown > 2 * limit + (16 << 20)) {
        MT_FAIL("memory grew by %lld bytes", grown);
    }
    return mt_finalize();
}
