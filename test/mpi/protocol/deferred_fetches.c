/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receives that find a large message waiting, in each order in which a program
 * may go on:
 *
 *     deferred_fetches exchange|compute|turn|blocking|many [--rounds N]
 *                      [--size BYTES]
 *
 * Ranks form pairs. In each round a rank knows that the request for its large
 * message (1 MiB) has come, because it has received a small one that was sent
 * after it. Then
 *
 *     exchange    MPI_Irecv, MPI_Isend of as much to the partner, MPI_Waitall
 *     compute     MPI_Irecv, no send, MPI_Wait; the partner only sends
 *     turn        rounds of compute, then of exchange, then of compute
 *     blocking    MPI_Recv
 *     many        20 times MPI_Irecv of messages of all sizes, which both sent
 *                 before, one request of which is freed at once; MPI_Waitall
 *
 * Payloads are compared. How many fetches were deferred is in the statistics,
 * which the table of rows looks at.
 */
#include "mpi_test.h"

#define LARGE 1
#define SMALL 2
#define MANY 20

static int size;
/* This rank sends, in cases in which only one rank of a pair does. */
static bool sends;

static void announce(int round)
{
    CHECK_OK(MPI_Send(&round, 1, MPI_INT, mt_peer, SMALL, MPI_COMM_WORLD));
}

static void hear(int round)
{
    int got = -1;

    CHECK_OK(MPI_Recv(&got, 1, MPI_INT, mt_peer, SMALL, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
    CHECK_EQ(got, round);
}

/* Both. */
static void meet(int round)
{
    CHECK_EQ(mt_swap_int(round, mt_peer, mt_peer, SMALL), round);
}

static void one_way(char *data, int round, bool blocking)
{
    const uint64_t key = mt_key(1, round, 0, 0);
    MPI_Request request;
    MPI_Status status;

    if (sends) {
        mt_fill(data, size, key);
        mt_isend(data, size, mt_peer, LARGE, &request);
        announce(round);
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        return;
    }
    memset(data, 0, size);
    hear(round);
    if (blocking) {
        CHECK_OK(MPI_Recv(data, size, MPI_BYTE, mt_peer, LARGE, MPI_COMM_WORLD,
                          &status));
    } else {
        mt_irecv(data, size, mt_peer, LARGE, &request);
        CHECK_OK(MPI_Wait(&request, &status));
    }
    CHECK_STATUS(&status, mt_peer, LARGE, MPI_BYTE, size);
    CHECK_PAYLOAD(data, size, key);
}

/* What is received in a round was sent in the one before: each request is there
 * before its receive. */
static void exchange(char *in, char *out, int rounds)
{
    MPI_Request request[3];
    MPI_Status status[2];

    mt_fill(out, size, mt_key(2, 0, mt_rank, 0));
    mt_isend(out, size, mt_peer, LARGE, &request[1]);
    for (int round = 0; round < rounds; ++round) {
        char *next = out + (size_t) size * (size_t) ((round + 1) % 2);

        memset(in, 0, size);
        meet(round);
        mt_irecv(in, size, mt_peer, LARGE, &request[0]);
        mt_fill(next, size, mt_key(2, (uint64_t) round + 1, mt_rank, 0));
        mt_isend(next, size, mt_peer, LARGE, &request[2]);
        CHECK_OK(MPI_Waitall(2, request, status));
        CHECK_STATUS(&status[0], mt_peer, LARGE, MPI_BYTE, size);
        CHECK_PAYLOAD(in, size, mt_key(2, round, mt_peer, 0));
        request[1] = request[2];
    }
    meet(rounds);
    CHECK_OK(MPI_Recv(in, size, MPI_BYTE, mt_peer, LARGE, MPI_COMM_WORLD,
                      &status[0]));
    CHECK_OK(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
}

static int size_of(int i, int round)
{
    return (int) (mt_mix(mt_key(3, i, round, mt_seed)) % ((uint64_t) size + 1));
}

static void many(char *in, char *out, int round)
{
    MPI_Request request[2 * MANY];
    MPI_Status status[2 * MANY];

    for (int i = 0; i < MANY; ++i) {
        mt_fill(out + (size_t) i * (size_t) size, size_of(i, round),
                mt_key(4, i, round, mt_rank));
        mt_isend(out + (size_t) i * (size_t) size, size_of(i, round), mt_peer,
                 LARGE, &request[MANY + i]);
    }
    meet(round);
    for (int i = 0; i < MANY; ++i) {
        mt_irecv(in + (size_t) i * (size_t) size, size, mt_peer, LARGE,
                 &request[i]);
        if (round % MANY == i) {
            CHECK_OK(MPI_Request_free(&request[i]));
        }
    }
    CHECK_OK(MPI_Waitall(2 * MANY, request, status));
    for (int i = 0; i < MANY; ++i) {
        if (round % MANY != i) {
            CHECK_STATUS(&status[i], mt_peer, LARGE, MPI_BYTE,
                         size_of(i, round));
            CHECK_PAYLOAD(in + (size_t) i * (size_t) size, size_of(i, round),
                          mt_key(4, i, round, mt_peer));
        }
    }
    /* The partner's sends are complete, so the freed request has completed,
     * too. */
    meet(round);
}

static void one_ways(char *data, int rounds, bool blocking)
{
    for (int round = 0; round < rounds; ++round) {
        one_way(data, round, blocking);
    }
}

int main(int argc, char **argv)
{
    const char *order = argc > 1 ? argv[1] : "exchange";
    char *in, *out;
    int rounds;

    mt_init(&argc, &argv, 2);
    CHECK_EQ(mt_size % 2, 0);
    rounds = mt_option(argc, argv, "--rounds", 30);
    size = mt_option(argc, argv, "--size", 1 << 20);
    sends = mt_rank % 2;
    in = malloc((size_t) MANY * (size_t) size);
    out = malloc((size_t) MANY * (size_t) size);
    CHECK(NULL != in && NULL != out);
    MT_CASE("%s", order);
    meet(-1); /* connects all pairs */
    if (0 == strcmp(order, "exchange")) {
        exchange(in, out, rounds);
    } else if (0 == strcmp(order, "turn")) {
        one_ways(in, rounds, false);
        exchange(in, out, rounds);
        one_ways(in, rounds, false);
    } else if (0 == strcmp(order, "many")) {
        for (int round = 0; round < rounds; ++round) {
            many(in, out, round);
        }
    } else {
        CHECK(0 == strcmp(order, "compute") || 0 == strcmp(order, "blocking"));
        one_ways(in, rounds, 0 == strcmp(order, "blocking"));
    }
    free(in);
    free(out);
    return mt_finalize();
}
