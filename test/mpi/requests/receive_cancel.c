/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A posted receive can be cancelled: wherever it stands in the queue, exact
 * or wildcard; it then takes no message, and the others get theirs as if it
 * had never been. Cancelling one that has its message changes nothing.
 */
#include "mpi_test.h"

#define NUM 200
#define TAG 51
#define TAG_GO 52
#define BIG 300000

static uint64_t key_of(int step, int index)
{
    return mt_key(step, index, 51, 0);
}

static void check_cancelled(MPI_Request *request, bool by_test)
{
    MPI_Status status;
    int flag = 0;

    if (by_test) {
        do {
            MPI_Test(request, &flag, &status);
        } while (!flag);
    } else {
        MPI_Wait(request, &status);
    }
    CHECK(mt_was_cancelled(&status));
}

/* NUM receives, those of `drop` cancelled; the rest get the messages. */
static void from_the_middle(int step, int source, int tag, int size)
{
    mt_random_t random = mt_random(step);
    unsigned char *buffer[NUM], *data = mt_alloc(size);
    MPI_Request request[NUM];
    bool drop[NUM];
    int next = 0, order[NUM];

    for (int i = 0; i < NUM; ++i) {
        drop[i] = mt_below(&random, 3) == 0 || i == 0 || i == NUM - 1;
    }
    mt_shuffle(&random, order, NUM);
    if (0 == mt_rank % 2) {
        mt_hear(mt_peer, TAG_GO, MPI_COMM_WORLD);
        for (int i = 0; i < NUM; ++i) {
            if (!drop[i]) {
                mt_fill(data, size, key_of(step, next++));
                mt_send(data, size, mt_peer, TAG);
            }
        }
        mt_free(data);
        return;
    }
    for (int i = 0; i < NUM; ++i) {
        buffer[i] = mt_alloc(size);
        mt_irecv(buffer[i], size, source, tag, &request[i]);
    }
    for (int i = 0; i < NUM; ++i) {
        if (drop[order[i]]) {
            MPI_Cancel(&request[order[i]]);
            if (i % 2) {
                check_cancelled(&request[order[i]], i % 4 == 1);
            }
        }
    }
    mt_tell(mt_peer, TAG_GO, MPI_COMM_WORLD);
    for (int i = 0; i < NUM; ++i) {
        if (drop[i]) {
            if (MPI_REQUEST_NULL != request[i]) {
                check_cancelled(&request[i], false);
            }
            CHECK_UNTOUCHED(buffer[i], size);
        } else {
            CHECK_WAIT(&request[i], mt_peer, TAG, MPI_BYTE, size);
            CHECK_PAYLOAD(buffer[i], size, key_of(step, next++));
        }
        mt_free(buffer[i]);
    }
    mt_free(data);
}

/*
 * The first of two receives has been matched once the second is complete, so
 * cancelling it must let it complete, also while its data are on their way.
 */
static void after_the_match(int step, int size, int source, int tag)
{
    unsigned char *data = mt_alloc(size), small[8];
    MPI_Request request, cancelled;
    MPI_Status status;

    if (0 == mt_rank % 2) {
        mt_hear(mt_peer, TAG_GO, MPI_COMM_WORLD);
        mt_fill(data, size, key_of(step, 0));
        mt_fill(small, sizeof(small), key_of(step, 1));
        mt_isend(data, size, mt_peer, TAG, &request);
        mt_send(small, sizeof(small), mt_peer, TAG);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        mt_irecv(data, size, source, tag, &request);
        mt_tell(mt_peer, TAG_GO, MPI_COMM_WORLD);
        MPI_Recv(small, sizeof(small), MPI_BYTE, mt_peer, TAG, MPI_COMM_WORLD,
                 &status);
        CHECK_PAYLOAD(small, sizeof(small), key_of(step, 1));
        cancelled = request;
        MPI_Cancel(&cancelled);
        CHECK_WAIT(&request, mt_peer, TAG, MPI_BYTE, size);
        CHECK_PAYLOAD(data, size, key_of(step, 0));
    }
    mt_free(data);
}

static void persistent(int step)
{
    unsigned char data[100];
    MPI_Request request;

    if (1 == mt_rank % 2) {
        mt_recv_init(data, sizeof(data), mt_peer, TAG, &request);
    }
    for (int round = 0; round < 20; ++round) {
        bool cancel = round % 3 != 1;

        MT_CASE("persistent receive, round %d", round);
        if (1 == mt_rank % 2) {
            MPI_Start(&request);
            if (cancel) {
                MPI_Cancel(&request);
                CHECK(mt_wait_cancelled(&request));
                CHECK(MPI_REQUEST_NULL != request);
                continue;
            }
            mt_tell(mt_peer, TAG_GO, MPI_COMM_WORLD);
            CHECK_WAIT(&request, mt_peer, TAG, MPI_BYTE, 100);
            CHECK_PAYLOAD(data, 100, key_of(step, round));
        } else if (!cancel) {
            mt_fill(data, 100, key_of(step, round));
            mt_hear(mt_peer, TAG_GO, MPI_COMM_WORLD);
            mt_send(data, 100, mt_peer, TAG);
        }
    }
    if (1 == mt_rank % 2) {
        MPI_Request_free(&request);
    }
}

/* A wildcard in front of exact receives is cancelled, and the other way. */
static void mixed(int step)
{
    unsigned char data[4][64], untouched[64];
    MPI_Request request[4], wildcard;

    for (int kind = 0; kind < 3; ++kind) {
        int source = (kind != 1) ? MPI_ANY_SOURCE : mt_peer;
        int tag = (kind != 0) ? MPI_ANY_TAG : TAG;

        MT_CASE("wildcard %d cancelled in front of exact receives", kind);
        if (0 == mt_rank % 2) {
            mt_hear(mt_peer, TAG_GO, MPI_COMM_WORLD);
            for (int i = 0; i < 4; ++i) {
                mt_fill(data[i], 64, key_of(step + kind, i));
                mt_send(data[i], 64, mt_peer, TAG);
            }
            continue;
        }
        memset(untouched, MT_BACKGROUND, sizeof(untouched));
        mt_irecv(untouched, 64, source, tag, &wildcard);
        for (int i = 0; i < 4; ++i) {
            bool any = (i == 1);
            mt_irecv(data[i], 64, any ? MPI_ANY_SOURCE : mt_peer,
                     any ? MPI_ANY_TAG : TAG, &request[i]);
        }
        MPI_Cancel(&wildcard);
        mt_tell(mt_peer, TAG_GO, MPI_COMM_WORLD);
        check_cancelled(&wildcard, kind == 1);
        for (int i = 0; i < 4; ++i) {
            CHECK_WAIT(&request[i], mt_peer, TAG, MPI_BYTE, 64);
            CHECK_PAYLOAD(data[i], 64, key_of(step + kind, i));
        }
        CHECK_UNTOUCHED(untouched, 64);
    }
}

/* Cancelled and freed at once; the message goes to the next receive. */
static void freed(int step)
{
    unsigned char data[64], untouched[64];
    MPI_Request request;

    MT_CASE("receive cancelled and freed");
    if (0 == mt_rank % 2) {
        mt_hear(mt_peer, TAG_GO, MPI_COMM_WORLD);
        mt_fill(data, 64, key_of(step, 0));
        mt_send(data, 64, mt_peer, TAG);
        return;
    }
    memset(untouched, MT_BACKGROUND, sizeof(untouched));
    mt_irecv(untouched, 64, mt_peer, TAG, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    mt_tell(mt_peer, TAG_GO, MPI_COMM_WORLD);
    CHECK_RECV(data, 64, mt_peer, TAG, MPI_COMM_WORLD, key_of(step, 0));
    CHECK_UNTOUCHED(untouched, 64);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 8, 1000, 9000, BIG};
    int step = 0;

    mt_init(&argc, &argv, 2);
    for (int kind = 0; kind < 4 && mt_peer < mt_size; ++kind) {
        int source = (kind & 1) ? MPI_ANY_SOURCE : mt_peer;
        int tag = (kind & 2) ? MPI_ANY_TAG : TAG;

        for (size_t s = 0; s < MT_COUNT_OF(sizes); ++s) {
            MT_CASE("cancel from the middle, kind %d, %d bytes", kind,
                    sizes[s]);
            from_the_middle(++step, source, tag, sizes[s]);
            MT_CASE("cancel after the match, kind %d, %d bytes", kind,
                    sizes[s]);
            after_the_match(++step, sizes[s], source, tag);
        }
    }
    if (mt_peer < mt_size) {
        persistent(++step);
        mixed(step + 1);
        freed(step + 5);
    }
    return mt_finalize();
}
