/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * With pml_champion_prefetch a large message does not wait for its receive: its
 * send completes once the receiver has prefetched it, and the sender goes on to
 * a message that the receiver waits for. Without prefetching the program hangs,
 * and also if messages sent by tag (pml_champion_offload) are not prefetched.
 * Prefetched messages are received like any other, or dropped with their
 * communicator.
 *
 *     late_receivers [--hasty]
 *
 * With --hasty only receives that are posted while the data are on their way,
 * which speaks against prefetching.
 *
 * To be run with an eager limit below SMALLEST.
 */
#include "mpi_test.h"

#define SMALLEST 20000
#define LARGEST 300000
#define NUM 20
#define TAG_SENT 999

static bool sends; /* this rank sends; otherwise it receives */

static uint64_t key_of(int round, int index)
{
    return mt_key(round, index, 5, 23);
}

static int size_of(int round, int index)
{
    mt_random_t random = mt_random((uint64_t) (1000 * round + index));

    return SMALLEST + mt_below(&random, LARGEST - SMALLEST);
}

/* Tell the receiver that a sender has got so far. */
static void sent(void)
{
    mt_tell(mt_peer, TAG_SENT, MPI_COMM_WORLD);
}

static void wait_until_sent(void)
{
    mt_hear(mt_peer, TAG_SENT, MPI_COMM_WORLD);
}

static void send_one(int round, int index, MPI_Comm comm)
{
    int size = size_of(round, index);
    void *buffer = mt_payload(size, key_of(round, index));

    CHECK_OK(MPI_Send(buffer, size, MPI_BYTE, mt_peer, index, comm));
    /* The buffer belongs to the sender again. */
    memset(buffer, 0, size);
    mt_free(buffer);
}

static void check_received(void *buffer, const MPI_Status *status, int round,
                           int index)
{
    int size = size_of(round, index);

    CHECK_STATUS(status, mt_peer, index, MPI_BYTE, size);
    CHECK_PAYLOAD(buffer, size, key_of(round, index));
    mt_free(buffer);
}

static void receive_one(int round, int index)
{
    void *buffer = mt_alloc(size_of(round, index));
    MPI_Message message;
    MPI_Status status;
    bool any = 0 == index % 3;

    if (0 == index % 4) {
        CHECK_OK(MPI_Mprobe(any ? MPI_ANY_SOURCE : mt_peer, index,
                            MPI_COMM_WORLD, &message, &status));
        CHECK_STATUS(&status, mt_peer, index, MPI_BYTE, size_of(round, index));
        CHECK_OK(MPI_Mrecv(buffer, size_of(round, index), MPI_BYTE, &message,
                           &status));
    } else {
        CHECK_OK(MPI_Recv(buffer, size_of(round, index), MPI_BYTE,
                          any ? MPI_ANY_SOURCE : mt_peer, index, MPI_COMM_WORLD,
                          &status));
    }
    check_received(buffer, &status, round, index);
}

/* Receives that are posted first: with receive offload, their sender is asked
 * to send by tag from then on. */
static void expected(void)
{
    MT_CASE("receives are posted before");
    for (int i = 0; i < 4; ++i) {
        void *buffer = sends ? NULL : mt_alloc(size_of(95, i));
        MPI_Request request;
        MPI_Status status;

        if (sends) {
            wait_until_sent();
            send_one(95, i, MPI_COMM_WORLD);
            continue;
        }
        mt_irecv(buffer, size_of(95, i), mt_peer, i, &request);
        sent(); /* rather, posted */
        CHECK_OK(MPI_Wait(&request, &status));
        check_received(buffer, &status, 95, i);
    }
}

/* Blocking sends complete before a receive is posted; the receives are then
 * posted in another order. */
static void senders_go_on(int round)
{
    MT_CASE("senders go on, round %d", round);
    if (sends) {
        for (int i = 0; i < NUM; ++i) {
            send_one(round, i, MPI_COMM_WORLD);
        }
        sent();
    } else {
        wait_until_sent();
        for (int i = 0; i < NUM; ++i) {
            receive_one(round, i * 7 % NUM);
        }
    }
}

/* Neither side is contiguous. */
static void layouts(void)
{
    enum { COUNT = 5000, STRIDE = 3 };
    double *buffer = mt_alloc(COUNT * STRIDE * sizeof(double));
    MPI_Datatype vector;
    MPI_Status status;

    MT_CASE("data with gaps");
    vector = mt_vector(COUNT, 1, STRIDE, MPI_DOUBLE);
    for (int i = 0; i < COUNT * STRIDE; ++i) {
        buffer[i] = sends ? i : -1;
    }
    if (sends) {
        CHECK_OK(MPI_Send(buffer, 1, vector, mt_peer, 1, MPI_COMM_WORLD));
        CHECK_OK(MPI_Send(buffer, 1, vector, mt_peer, 2, MPI_COMM_WORLD));
        sent();
    } else {
        wait_until_sent();
        CHECK_OK(
            MPI_Recv(buffer, 1, vector, mt_peer, 1, MPI_COMM_WORLD, &status));
        CHECK_STATUS(&status, mt_peer, 1, vector, 1);
        for (int i = 0; i < COUNT * STRIDE; ++i) {
            CHECK(buffer[i] == (0 == i % STRIDE ? i : -1));
        }
        CHECK_OK(MPI_Recv(buffer, COUNT, MPI_DOUBLE, mt_peer, 2, MPI_COMM_WORLD,
                          &status));
        CHECK_STATUS(&status, mt_peer, 2, MPI_DOUBLE, COUNT);
        for (int i = 0; i < COUNT; ++i) {
            CHECK(buffer[i] == i * STRIDE);
        }
    }
    MPI_Type_free(&vector);
    mt_free(buffer);
}

/* A receive that is too small gets what fits, and an error. */
static void truncation(void)
{
    enum { FITS = 1000 };
    void *buffer;
    MPI_Status status;

    MT_CASE("truncation");
    if (sends) {
        send_one(50, 3, MPI_COMM_WORLD);
        sent();
        return;
    }
    buffer = mt_alloc(FITS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    wait_until_sent();
    CHECK_RC(
        MPI_Recv(buffer, FITS, MPI_BYTE, mt_peer, 3, MPI_COMM_WORLD, &status),
        MPI_ERR_TRUNCATE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    CHECK_PAYLOAD(buffer, FITS, key_of(50, 3));
    mt_free(buffer);
}

/* More than the pool has room for at once; the rest is fetched when received.
 */
static void more_than_the_pool(void)
{
    enum { MANY = 120 };
    MPI_Request requests[MANY];
    void *buffers[MANY];

    MT_CASE("more than the pool has room for");
    for (int i = 0; i < MANY && sends; ++i) {
        int size = size_of(60, i);

        buffers[i] = mt_payload(size, key_of(60, i));
        mt_isend(buffers[i], size, mt_peer, i, &requests[i]);
    }
    if (sends) {
        sent();
        MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; ++i) {
            mt_free(buffers[i]);
        }
        return;
    }
    wait_until_sent();
    for (int i = 0; i < MANY; ++i) {
        receive_one(60, i * 7 % MANY);
    }
}

/* Messages that are never received: their slots must become free, or soon
 * nothing would be prefetched. */
static void dropped(void)
{
    MPI_Comm comm;

    for (int i = 0; i < 40; ++i) {
        MT_CASE("messages that go with their communicator, %d", i);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (sends) {
            for (int k = 0; k < NUM; ++k) {
                send_one(70 + i, k, comm);
            }
            sent();
        } else {
            wait_until_sent();
        }
        MPI_Comm_free(&comm);
    }
}

/* The receive is posted, or the communicator freed, at once when there is a
 * message: with most transports its data are still on their way. */
static void in_flight(bool drop, int round)
{
    enum { SIZE = 3 << 20 };
    MPI_Request request;
    MPI_Status status;
    MPI_Comm comm;
    void *buffer = mt_alloc(SIZE);

    MT_CASE("data on their way, %s", drop ? "dropped" : "received");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (sends) {
        mt_fill(buffer, SIZE, key_of(round, 0));
        MPI_Isend(buffer, SIZE, MPI_BYTE, mt_peer, 7, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Probe(mt_peer, 7, comm, &status);
        CHECK_STATUS(&status, mt_peer, 7, MPI_BYTE, SIZE);
        if (!drop) {
            CHECK_RECV(buffer, SIZE, mt_peer, 7, comm, key_of(round, 0));
        }
    }
    MPI_Comm_free(&comm);
    mt_free(buffer);
}

/* Each rank's last messages are still in the pool, or on their way to it, when
 * it ends. */
static void never_received(void)
{
    static unsigned char buffer[3 << 20];
    MPI_Request request;

    MT_CASE("messages that are never received");
    if (sends) {
        send_one(90, 1, MPI_COMM_WORLD);
        sent();
        mt_isend(buffer, sizeof(buffer), mt_peer, 2, &request);
        MPI_Request_free(&request);
    } else {
        wait_until_sent();
        MPI_Probe(mt_peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv, 2);
    sends = 1 == mt_rank % 2;
    CHECK_EQ(mt_size % 2, 0);
    if (mt_flag(argc, argv, "--hasty")) {
        for (int i = 0; i < 60; ++i) {
            in_flight(false, i);
        }
        return mt_finalize();
    }
    expected();
    for (int round = 0; round < 10; ++round) {
        senders_go_on(round);
    }
    layouts();
    truncation();
    more_than_the_pool();
    dropped();
    for (int i = 0; i < 10; ++i) {
        in_flight(0 == i % 2, i);
    }
    senders_go_on(80);
    never_received();
    return mt_finalize();
}
