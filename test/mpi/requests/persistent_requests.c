/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Persistent requests are started again and again, alone and all together,
 * inactive ones complete at once, and requests freed while they are active
 * still do their work.
 *
 *   --again  try to start what is under way, which must be refused and change
 *            nothing; needs --mca mpi_param_check 0, or Open MPI refuses it
 */
#include "mpi_test.h"

#define NUM 8
#define NUM_ROUNDS 150
#define TAG 71
#define TAG_GO 80

static const int sizes[NUM] = {0, 1, 64, 1000, 5000, 9000, 70000, 200000};

static uint64_t key_of(int round, int from, int i)
{
    return mt_key(round, from, i, 71);
}

static void check_inactive(MPI_Request *request)
{
    MPI_Status status;
    int flag = 0;

    memset(&status, 0x55, sizeof(status));
    MPI_Wait(request, &status);
    CHECK(MPI_REQUEST_NULL != *request);
    CHECK_STATUS(&status, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_BYTE, 0);
    MPI_Test(request, &flag, &status);
    CHECK(flag);
    CHECK(MPI_REQUEST_NULL != *request);
}

/* Sends and receives of all sizes, both ways at the same time. */
static void start_often(int peer)
{
    MPI_Request request[2 * NUM];
    MPI_Status status[2 * NUM];
    unsigned char *in[NUM], *out[NUM];

    for (int i = 0; i < NUM; ++i) {
        in[i] = mt_alloc(sizes[i]);
        out[i] = mt_alloc(sizes[i]);
        MPI_Recv_init(in[i], sizes[i], MPI_BYTE,
                      i % 3 == 1 ? MPI_ANY_SOURCE : peer, TAG + i,
                      MPI_COMM_WORLD, &request[i]);
        (i % 2 ? MPI_Ssend_init : MPI_Send_init)(out[i], sizes[i], MPI_BYTE,
                                                 peer, TAG + i, MPI_COMM_WORLD,
                                                 &request[NUM + i]);
        check_inactive(&request[i]);
        check_inactive(&request[NUM + i]);
    }
    for (int round = 0; round < NUM_ROUNDS; ++round) {
        int way = round % 4;

        MT_CASE("start_often, round %d", round);
        for (int i = 0; i < NUM; ++i) {
            memset(in[i], 0, sizes[i]);
            mt_fill(out[i], sizes[i], key_of(round, mt_rank, i));
        }
        if (0 == way) {
            MPI_Startall(2 * NUM, request);
        } else if (1 == way) { /* sends before receives */
            MPI_Startall(NUM, request + NUM);
            MPI_Startall(NUM, request);
        } else {
            for (int i = 0; i < 2 * NUM; ++i) {
                MPI_Start(&request[way == 2 ? i : 2 * NUM - 1 - i]);
            }
        }
        MPI_Waitall(2 * NUM, request, status);
        for (int i = 0; i < NUM; ++i) {
            CHECK_STATUS(&status[i], peer, TAG + i, MPI_BYTE, sizes[i]);
            CHECK_PAYLOAD(in[i], sizes[i], key_of(round, peer, i));
        }
    }
    for (int i = 0; i < 2 * NUM; ++i) {
        check_inactive(&request[i]);
        MPI_Request_free(&request[i]);
        CHECK(MPI_REQUEST_NULL == request[i]);
    }
    for (int i = 0; i < NUM; ++i) {
        mt_free(in[i]);
        mt_free(out[i]);
    }
}

/* One buffered persistent send; the buffer of the user is free at once. */
static void buffered(int peer)
{
    int room = 50 * (1000 + MPI_BSEND_OVERHEAD);
    void *attached = malloc(room);
    unsigned char data[1000];
    MPI_Request request;
    MPI_Status status;

    MT_CASE("persistent buffered send");
    MPI_Buffer_attach(attached, room);
    MPI_Bsend_init(data, 1000, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request);
    for (int round = 0; round < 40; ++round) {
        mt_fill(data, 1000, key_of(round, mt_rank, 50));
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        memset(data, 0, sizeof(data));
    }
    for (int round = 0; round < 40; ++round) {
        unsigned char in[1000];
        MPI_Recv(in, 1000, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &status);
        CHECK_STATUS(&status, peer, TAG, MPI_BYTE, 1000);
        CHECK_PAYLOAD(in, 1000, key_of(round, peer, 50));
    }
    MPI_Request_free(&request);
    MPI_Buffer_detach(&attached, &room);
    free(attached);
}

/* Sends freed while active arrive; the receiver confirms it. */
static void freed_sends(int peer)
{
    unsigned char *out[2][NUM], *in;
    MPI_Request request;
    MPI_Status status;

    for (int i = 0; i < 2 * NUM; ++i) {
        int size = sizes[i / 2];
        bool persistent = i % 2;

        MT_CASE("freed active send of %d bytes", size);
        out[i % 2][i / 2] = mt_alloc(size);
        mt_fill(out[i % 2][i / 2], size, key_of(i, mt_rank, 60));
        if (persistent) {
            MPI_Send_init(out[i % 2][i / 2], size, MPI_BYTE, peer, TAG,
                          MPI_COMM_WORLD, &request);
            MPI_Start(&request);
        } else {
            (i % 4 ? MPI_Isend : MPI_Issend)(out[i % 2][i / 2], size, MPI_BYTE,
                                             peer, TAG, MPI_COMM_WORLD,
                                             &request);
        }
        MPI_Request_free(&request);
        CHECK(MPI_REQUEST_NULL == request);
    }
    for (int i = 0; i < 2 * NUM; ++i) {
        int size = sizes[i / 2];

        MT_CASE("receive from freed send of %d bytes", size);
        in = mt_alloc(size);
        MPI_Recv(in, size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &status);
        CHECK_STATUS(&status, peer, TAG, MPI_BYTE, size);
        CHECK_PAYLOAD(in, size, key_of(i, peer, 60));
        mt_free(in);
    }
    MPI_Sendrecv(NULL, 0, MPI_BYTE, peer, TAG_GO, NULL, 0, MPI_BYTE, peer,
                 TAG_GO, MPI_COMM_WORLD, &status);
    for (int i = 0; i < 2 * NUM; ++i) {
        mt_free(out[i % 2][i / 2]);
    }
}

/* Receives freed while active: the data turn up in their buffers. */
static void freed_receives(int peer)
{
    unsigned char *in[NUM], *out[NUM];
    MPI_Request request;

    for (int i = 0; i < NUM; ++i) {
        in[i] = mt_alloc(sizes[i]);
        out[i] = mt_alloc(sizes[i]);
        mt_fill(out[i], sizes[i], key_of(i, mt_rank, 61));
        if (i % 2) {
            MPI_Irecv(in[i], sizes[i], MPI_BYTE, peer, TAG + i, MPI_COMM_WORLD,
                      &request);
        } else {
            MPI_Recv_init(in[i], sizes[i], MPI_BYTE, MPI_ANY_SOURCE, TAG + i,
                          MPI_COMM_WORLD, &request);
            MPI_Start(&request);
        }
        MPI_Request_free(&request);
    }
    MPI_Sendrecv(NULL, 0, MPI_BYTE, peer, TAG_GO, NULL, 0, MPI_BYTE, peer,
                 TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < NUM; ++i) {
        MPI_Send(out[i], sizes[i], MPI_BYTE, peer, TAG + i, MPI_COMM_WORLD);
    }
    for (int i = 0; i < NUM; ++i) {
        unsigned char *expected = malloc((size_t) sizes[i] + 1);

        MT_CASE("data of freed receive of %d bytes", sizes[i]);
        mt_fill(expected, sizes[i], key_of(i, peer, 61));
        while (memcmp(expected, in[i], sizes[i])) {
            mt_progress(MPI_COMM_WORLD, 1);
        }
        free(expected);
    }
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, peer, TAG_GO, NULL, 0, MPI_BYTE, peer,
                 TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < NUM; ++i) {
        mt_free(in[i]);
        mt_free(out[i]);
    }
}

/* One of three has no buffer to be sent from: the others are not held up, and
 * whoever waits hears of it. */
static void one_cannot_start(int peer)
{
    enum { SIZE = 100000 }; /* more than a ring takes */
    static unsigned char in[SIZE], out[SIZE];
    MPI_Request request[3];
    MPI_Status status;
    MPI_Comm comm;

    MT_CASE("a request that cannot be started");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    /* MPI_Start of Open MPI 5.0 asks the error handler of this one. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    mt_fill(out, SIZE, 5);
    for (int i = 0; i < 2; ++i) {
        MPI_Recv_init(in, SIZE, MPI_BYTE, peer, 1, comm, &request[0]);
        MPI_Bsend_init(out, SIZE, MPI_BYTE, peer, 2, comm, &request[1]);
        MPI_Send_init(out, SIZE, MPI_BYTE, peer, 1, comm, &request[2]);
        memset(in, 0, SIZE);
        if (0 == i) {
            MPI_Startall(3, request);
        } else {
            CHECK_RC(MPI_Start(&request[1]), MPI_ERR_BUFFER);
            CHECK_OK(MPI_Start(&request[0]));
            CHECK_OK(MPI_Start(&request[2]));
        }
        CHECK_OK(MPI_Wait(&request[0], &status));
        CHECK_STATUS(&status, peer, 1, MPI_BYTE, SIZE);
        CHECK_PAYLOAD(in, SIZE, 5);
        CHECK_OK(MPI_Wait(&request[2], MPI_STATUS_IGNORE));
        CHECK_RC(MPI_Wait(&request[1], MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
        /* Open MPI frees the one that failed, but 6.0 does not. */
        if (MPI_REQUEST_NULL != request[1]) {
            MPI_Request_free(&request[1]);
        }
        MPI_Request_free(&request[0]);
        MPI_Request_free(&request[2]);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&comm);
}

/* If a request is under way, it cannot be started, and that changes nothing. */
static bool refused(MPI_Request *request)
{
    int complete;

    MPI_Request_get_status(*request, &complete, MPI_STATUS_IGNORE);
    if (!complete) {
        CHECK_RC(MPI_Start(request), MPI_ERR_REQUEST);
    }
    return !complete;
}

static void meet(int peer)
{
    MPI_Sendrecv(NULL, 0, MPI_BYTE, peer, TAG_GO, NULL, 0, MPI_BYTE, peer,
                 TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Synchronous sends and others of all sizes, the last one not contiguous, so
 * that it is written in pieces; then receives. */
static void started_again(int peer)
{
    enum { GAPS = 60000, ROUNDS = 20 };
    MPI_Request request[2 * NUM];
    unsigned char *in[NUM], *out[NUM];
    MPI_Datatype gaps;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_vector(GAPS, 1, 2, MPI_BYTE, &gaps);
    MPI_Type_commit(&gaps);
    for (int i = 0; i < NUM; ++i) {
        bool last = NUM - 1 == i;

        in[i] = mt_alloc(sizes[i]);
        out[i] = mt_alloc(sizes[i]);
        mt_fill(out[i], sizes[i], key_of(0, mt_rank, i));
        MPI_Recv_init(in[i], last ? 1 : sizes[i], last ? gaps : MPI_BYTE, peer,
                      TAG + i, MPI_COMM_WORLD, &request[i]);
        (i % 2 ? MPI_Send_init : MPI_Ssend_init)(
            out[i], last ? 1 : sizes[i], last ? gaps : MPI_BYTE, peer, TAG + i,
            MPI_COMM_WORLD, &request[NUM + i]);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        MT_CASE("started again, round %d: sends", round);
        for (int i = 0; i < NUM; ++i) {
            memset(in[i], 0, sizes[i]);
            CHECK_OK(MPI_Start(&request[NUM + i]));
            CHECK(refused(&request[NUM + i]) || i % 2);
        }
        meet(peer);
        MT_CASE("started again, round %d: receives", round);
        for (int i = NUM - 1; i >= 0; --i) {
            CHECK_OK(MPI_Start(&request[i]));
            refused(&request[i]);
        }
        MPI_Waitall(2 * NUM, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < NUM - 1; ++i) {
            CHECK_PAYLOAD(in[i], sizes[i], key_of(0, peer, i));
        }
        MT_CASE("started again, round %d: a receive that waits", round);
        CHECK_OK(MPI_Start(&request[2]));
        CHECK(refused(&request[2]));
        meet(peer);
        CHECK_OK(MPI_Start(&request[NUM + 2]));
        MPI_Wait(&request[2], MPI_STATUS_IGNORE);
        MPI_Wait(&request[NUM + 2], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2 * NUM; ++i) {
        MPI_Request_free(&request[i]);
    }
    for (int i = 0; i < NUM; ++i) {
        mt_free(in[i]);
        mt_free(out[i]);
    }
    MPI_Type_free(&gaps);
}

int main(int argc, char **argv)
{
    int peer;

    mt_init(&argc, &argv, 2);
    peer = mt_rank ^ 1;
    if (mt_flag(argc, argv, "--again")) {
        if (peer < mt_size) {
            started_again(peer);
        }
        return mt_finalize();
    }
    if (peer < mt_size) {
        start_often(peer);
        buffered(peer);
        freed_sends(peer);
        freed_receives(peer);
    }
    if (mt_size % 2 == 0) {
        one_cannot_start(peer);
    }
    return mt_finalize();
}
