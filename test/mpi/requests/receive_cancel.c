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
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
}

/* NUM receives, those of `drop` cancelled; the rest get the messages. */
static void from_the_middle(int step, int peer, int source, int tag, int size)
{
    mt_random_t random = mt_random(step);
    unsigned char *buffer[NUM], *data = mt_alloc(size);
    MPI_Request request[NUM];
    MPI_Status status;
    bool drop[NUM];
    int next = 0, order[NUM];

    for (int i = 0; i < NUM; ++i) {
        drop[i] = mt_below(&random, 3) == 0 || i == 0 || i == NUM - 1;
        order[i] = i;
    }
    for (int i = NUM - 1; i > 0; --i) {
        int j = mt_below(&random, i + 1), other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
    if (0 == mt_rank % 2) {
        MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD, &status);
        for (int i = 0; i < NUM; ++i) {
            if (!drop[i]) {
                mt_fill(data, size, key_of(step, next++));
                MPI_Send(data, size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
            }
        }
        mt_free(data);
        return;
    }
    for (int i = 0; i < NUM; ++i) {
        buffer[i] = mt_alloc(size);
        MPI_Irecv(buffer[i], size, MPI_BYTE, source, tag, MPI_COMM_WORLD,
                  &request[i]);
    }
    for (int i = 0; i < NUM; ++i) {
        if (drop[order[i]]) {
            MPI_Cancel(&request[order[i]]);
            if (i % 2) {
                check_cancelled(&request[order[i]], i % 4 == 1);
            }
        }
    }
    MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD);
    for (int i = 0; i < NUM; ++i) {
        if (drop[i]) {
            if (MPI_REQUEST_NULL != request[i]) {
                check_cancelled(&request[i], false);
            }
            CHECK_UNTOUCHED(buffer[i], size);
        } else {
            MPI_Wait(&request[i], &status);
            CHECK_STATUS(&status, peer, TAG, MPI_BYTE, size);
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
static void after_the_match(int step, int peer, int size, int source, int tag)
{
    unsigned char *data = mt_alloc(size), small[8];
    MPI_Request request, cancelled;
    MPI_Status status;

    if (0 == mt_rank % 2) {
        MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD, &status);
        mt_fill(data, size, key_of(step, 0));
        mt_fill(small, sizeof(small), key_of(step, 1));
        MPI_Isend(data, size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request);
        MPI_Send(small, sizeof(small), MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(data, size, MPI_BYTE, source, tag, MPI_COMM_WORLD, &request);
        MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD);
        MPI_Recv(small, sizeof(small), MPI_BYTE, peer, TAG, MPI_COMM_WORLD,
                 &status);
        CHECK_PAYLOAD(small, sizeof(small), key_of(step, 1));
        cancelled = request;
        MPI_Cancel(&cancelled);
        MPI_Wait(&request, &status);
        CHECK_STATUS(&status, peer, TAG, MPI_BYTE, size);
        CHECK_PAYLOAD(data, size, key_of(step, 0));
    }
    mt_free(data);
}

static void persistent(int step, int peer)
{
    unsigned char data[100];
    MPI_Request request;
    MPI_Status status;
    int flag;

    if (1 == mt_rank % 2) {
        MPI_Recv_init(data, sizeof(data), MPI_BYTE, peer, TAG, MPI_COMM_WORLD,
                      &request);
    }
    for (int round = 0; round < 20; ++round) {
        bool cancel = round % 3 != 1;

        MT_CASE("persistent receive, round %d", round);
        if (1 == mt_rank % 2) {
            MPI_Start(&request);
            if (cancel) {
                MPI_Cancel(&request);
                MPI_Wait(&request, &status);
                MPI_Test_cancelled(&status, &flag);
                CHECK(flag);
                CHECK(MPI_REQUEST_NULL != request);
                continue;
            }
            MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD);
            MPI_Wait(&request, &status);
            CHECK_STATUS(&status, peer, TAG, MPI_BYTE, 100);
            CHECK_PAYLOAD(data, 100, key_of(step, round));
        } else if (!cancel) {
            mt_fill(data, 100, key_of(step, round));
            MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD, &status);
            MPI_Send(data, 100, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
        }
    }
    if (1 == mt_rank % 2) {
        MPI_Request_free(&request);
    }
}

/* A wildcard in front of exact receives is cancelled, and the other way. */
static void mixed(int step, int peer)
{
    unsigned char data[4][64], untouched[64];
    MPI_Request request[4], wildcard;
    MPI_Status status;

    for (int kind = 0; kind < 3; ++kind) {
        int source = (kind != 1) ? MPI_ANY_SOURCE : peer;
        int tag = (kind != 0) ? MPI_ANY_TAG : TAG;

        MT_CASE("wildcard %d cancelled in front of exact receives", kind);
        if (0 == mt_rank % 2) {
            MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD, &status);
            for (int i = 0; i < 4; ++i) {
                mt_fill(data[i], 64, key_of(step + kind, i));
                MPI_Send(data[i], 64, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
            }
            continue;
        }
        memset(untouched, MT_BACKGROUND, sizeof(untouched));
        MPI_Irecv(untouched, 64, MPI_BYTE, source, tag, MPI_COMM_WORLD,
                  &wildcard);
        for (int i = 0; i < 4; ++i) {
            bool any = (i == 1);
            MPI_Irecv(data[i], 64, MPI_BYTE, any ? MPI_ANY_SOURCE : peer,
                      any ? MPI_ANY_TAG : TAG, MPI_COMM_WORLD, &request[i]);
        }
        MPI_Cancel(&wildcard);
        MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD);
        check_cancelled(&wildcard, kind == 1);
        for (int i = 0; i < 4; ++i) {
            MPI_Wait(&request[i], &status);
            CHECK_STATUS(&status, peer, TAG, MPI_BYTE, 64);
            CHECK_PAYLOAD(data[i], 64, key_of(step + kind, i));
        }
        CHECK_UNTOUCHED(untouched, 64);
    }
}

/* Cancelled and freed at once; the message goes to the next receive. */
static void freed(int step, int peer)
{
    unsigned char data[64], untouched[64];
    MPI_Request request;
    MPI_Status status;

    MT_CASE("receive cancelled and freed");
    if (0 == mt_rank % 2) {
        MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD, &status);
        mt_fill(data, 64, key_of(step, 0));
        MPI_Send(data, 64, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
        return;
    }
    memset(untouched, MT_BACKGROUND, sizeof(untouched));
    MPI_Irecv(untouched, 64, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD);
    MPI_Recv(data, 64, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &status);
    CHECK_STATUS(&status, peer, TAG, MPI_BYTE, 64);
    CHECK_PAYLOAD(data, 64, key_of(step, 0));
    CHECK_UNTOUCHED(untouched, 64);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 8, 1000, 9000, BIG};
    int peer, step = 0;

    mt_init(&argc, &argv, 2);
    peer = mt_rank ^ 1;
    for (int kind = 0; kind < 4 && peer < mt_size; ++kind) {
        int source = (kind & 1) ? MPI_ANY_SOURCE : peer;
        int tag = (kind & 2) ? MPI_ANY_TAG : TAG;

        for (size_t s = 0; s < MT_COUNT_OF(sizes); ++s) {
            MT_CASE("cancel from the middle, kind %d, %d bytes", kind,
                    sizes[s]);
            from_the_middle(++step, peer, source, tag, sizes[s]);
            MT_CASE("cancel after the match, kind %d, %d bytes", kind,
                    sizes[s]);
            after_the_match(++step, peer, sizes[s], source, tag);
        }
    }
    if (peer < mt_size) {
        persistent(++step, peer);
        mixed(step + 1, peer);
        freed(step + 5, peer);
    }
    return mt_finalize();
}
