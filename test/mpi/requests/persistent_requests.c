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
static void start_often(void)
{
    MPI_Request request[2 * NUM];
    MPI_Status status[2 * NUM];
    unsigned char *in[NUM], *out[NUM];

    for (int i = 0; i < NUM; ++i) {
        in[i] = mt_alloc(sizes[i]);
        out[i] = mt_alloc(sizes[i]);
        mt_recv_init(in[i], sizes[i], i % 3 == 1 ? MPI_ANY_SOURCE : mt_peer,
                     TAG + i, &request[i]);
        (i % 2 ? mt_ssend_init : mt_send_init)(out[i], sizes[i], mt_peer,
                                               TAG + i, &request[NUM + i]);
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
            CHECK_STATUS(&status[i], mt_peer, TAG + i, MPI_BYTE, sizes[i]);
            CHECK_PAYLOAD(in[i], sizes[i], key_of(round, mt_peer, i));
        }
    }
    for (int i = 0; i < 2 * NUM; ++i) {
        check_inactive(&request[i]);
        MPI_Request_free(&request[i]);
        CHECK(MPI_REQUEST_NULL == request[i]);
    }
    for (int i = 0; i < NUM; ++i) {
        MT_FREE(in[i], out[i]);
    }
}

/* One buffered persistent send; the buffer of the user is free at once. */
static void buffered(void)
{
    unsigned char data[1000];
    MPI_Request request;

    MT_CASE("persistent buffered send");
    mt_attach(50 * (1000 + MPI_BSEND_OVERHEAD));
    MPI_Bsend_init(data, 1000, MPI_BYTE, mt_peer, TAG, MPI_COMM_WORLD,
                   &request);
    for (int round = 0; round < 40; ++round) {
        mt_fill(data, 1000, key_of(round, mt_rank, 50));
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        memset(data, 0, sizeof(data));
    }
    for (int round = 0; round < 40; ++round) {
        unsigned char in[1000];
        CHECK_RECV(in, 1000, mt_peer, TAG, MPI_COMM_WORLD,
                   key_of(round, mt_peer, 50));
    }
    MPI_Request_free(&request);
    mt_detach();
}

/* Sends freed while active arrive; the receiver confirms it. */
static void freed_sends(void)
{
    unsigned char *out[2][NUM], *in;
    MPI_Request request;

    for (int i = 0; i < 2 * NUM; ++i) {
        int size = sizes[i / 2];
        bool persistent = i % 2;

        MT_CASE("freed active send of %d bytes", size);
        out[i % 2][i / 2] = mt_alloc(size);
        mt_fill(out[i % 2][i / 2], size, key_of(i, mt_rank, 60));
        if (persistent) {
            mt_send_init(out[i % 2][i / 2], size, mt_peer, TAG, &request);
            MPI_Start(&request);
        } else {
            (i % 4 ? mt_isend : mt_issend)(out[i % 2][i / 2], size, mt_peer,
                                           TAG, &request);
        }
        MPI_Request_free(&request);
        CHECK(MPI_REQUEST_NULL == request);
    }
    for (int i = 0; i < 2 * NUM; ++i) {
        int size = sizes[i / 2];

        MT_CASE("receive from freed send of %d bytes", size);
        in = mt_alloc(size);
        CHECK_RECV(in, size, mt_peer, TAG, MPI_COMM_WORLD,
                   key_of(i, mt_peer, 60));
        mt_free(in);
    }
    mt_meet(mt_peer, TAG_GO, MPI_COMM_WORLD);
    for (int i = 0; i < 2 * NUM; ++i) {
        mt_free(out[i % 2][i / 2]);
    }
}

/* Receives freed while active: the data turn up in their buffers. */
static void freed_receives(void)
{
    unsigned char *in[NUM], *out[NUM];
    MPI_Request request;

    for (int i = 0; i < NUM; ++i) {
        in[i] = mt_alloc(sizes[i]);
        out[i] = mt_payload(sizes[i], key_of(i, mt_rank, 61));
        if (i % 2) {
            mt_irecv(in[i], sizes[i], mt_peer, TAG + i, &request);
        } else {
            mt_recv_init(in[i], sizes[i], MPI_ANY_SOURCE, TAG + i, &request);
            MPI_Start(&request);
        }
        MPI_Request_free(&request);
    }
    mt_meet(mt_peer, TAG_GO, MPI_COMM_WORLD);
    for (int i = 0; i < NUM; ++i) {
        mt_send(out[i], sizes[i], mt_peer, TAG + i);
    }
    for (int i = 0; i < NUM; ++i) {
        unsigned char *expected = malloc((size_t) sizes[i] + 1);

        MT_CASE("data of freed receive of %d bytes", sizes[i]);
        mt_fill(expected, sizes[i], key_of(i, mt_peer, 61));
        while (memcmp(expected, in[i], sizes[i])) {
            mt_progress(MPI_COMM_WORLD, 1);
        }
        free(expected);
    }
    MPI_Barrier(MPI_COMM_SELF);
    mt_meet(mt_peer, TAG_GO, MPI_COMM_WORLD);
    for (int i = 0; i < NUM; ++i) {
        MT_FREE(in[i], out[i]);
    }
}

/* One of three has no buffer to be sent from: the others are not held up, and
 * whoever waits hears of it. */
static void one_cannot_start(void)
{
    enum { SIZE = 100000 }; /* more than a ring takes */
    static unsigned char in[SIZE], out[SIZE];
    MPI_Request request[3];
    MPI_Comm comm;

    MT_CASE("a request that cannot be started");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    /* MPI_Start of Open MPI 5.0 asks the error handler of this one. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    mt_fill(out, SIZE, 5);
    for (int i = 0; i < 2; ++i) {
        MPI_Recv_init(in, SIZE, MPI_BYTE, mt_peer, 1, comm, &request[0]);
        MPI_Bsend_init(out, SIZE, MPI_BYTE, mt_peer, 2, comm, &request[1]);
        MPI_Send_init(out, SIZE, MPI_BYTE, mt_peer, 1, comm, &request[2]);
        memset(in, 0, SIZE);
        if (0 == i) {
            MPI_Startall(3, request);
        } else {
            CHECK_RC(MPI_Start(&request[1]), MPI_ERR_BUFFER);
            CHECK_OK(MPI_Start(&request[0]));
            CHECK_OK(MPI_Start(&request[2]));
        }
        CHECK_WAIT(&request[0], mt_peer, 1, MPI_BYTE, SIZE);
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

/* Synchronous sends and others of all sizes, the last one not contiguous, so
 * that it is written in pieces; then receives. */
static void started_again(void)
{
    enum { GAPS = 60000, ROUNDS = 20 };
    MPI_Request request[2 * NUM];
    unsigned char *in[NUM], *out[NUM];
    MPI_Datatype gaps;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    gaps = mt_vector(GAPS, 1, 2, MPI_BYTE);
    for (int i = 0; i < NUM; ++i) {
        bool last = NUM - 1 == i;

        in[i] = mt_alloc(sizes[i]);
        out[i] = mt_payload(sizes[i], key_of(0, mt_rank, i));
        MPI_Recv_init(in[i], last ? 1 : sizes[i], last ? gaps : MPI_BYTE,
                      mt_peer, TAG + i, MPI_COMM_WORLD, &request[i]);
        (i % 2 ? MPI_Send_init : MPI_Ssend_init)(
            out[i], last ? 1 : sizes[i], last ? gaps : MPI_BYTE, mt_peer,
            TAG + i, MPI_COMM_WORLD, &request[NUM + i]);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        MT_CASE("started again, round %d: sends", round);
        for (int i = 0; i < NUM; ++i) {
            memset(in[i], 0, sizes[i]);
            CHECK_OK(MPI_Start(&request[NUM + i]));
            CHECK(refused(&request[NUM + i]) || i % 2);
        }
        mt_meet(mt_peer, TAG_GO, MPI_COMM_WORLD);
        MT_CASE("started again, round %d: receives", round);
        for (int i = NUM - 1; i >= 0; --i) {
            CHECK_OK(MPI_Start(&request[i]));
            refused(&request[i]);
        }
        MPI_Waitall(2 * NUM, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < NUM - 1; ++i) {
            CHECK_PAYLOAD(in[i], sizes[i], key_of(0, mt_peer, i));
        }
        MT_CASE("started again, round %d: a receive that waits", round);
        CHECK_OK(MPI_Start(&request[2]));
        CHECK(refused(&request[2]));
        mt_meet(mt_peer, TAG_GO, MPI_COMM_WORLD);
        CHECK_OK(MPI_Start(&request[NUM + 2]));
        MPI_Wait(&request[2], MPI_STATUS_IGNORE);
        MPI_Wait(&request[NUM + 2], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2 * NUM; ++i) {
        MPI_Request_free(&request[i]);
    }
    for (int i = 0; i < NUM; ++i) {
        MT_FREE(in[i], out[i]);
    }
    MPI_Type_free(&gaps);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv, 2);
    if (mt_flag(argc, argv, "--again")) {
        if (mt_peer < mt_size) {
            started_again();
        }
        return mt_finalize();
    }
    if (mt_peer < mt_size) {
        start_often();
        buffered();
        freed_sends();
        freed_receives();
    }
    if (mt_size % 2 == 0) {
        one_cannot_start();
    }
    return mt_finalize();
}
