/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages with the same envelope arrive in the order they were sent, with
 * every kind of receive (exact, any source, any tag, both), although small
 * and large ones take different routes. Every rank sends to every rank.
 */
#include "mpi_test.h"

#define NUM_ROUNDS 12
#define NUM_MESSAGES 60 /* per pair of ranks and round */
#define MAX_SIZE 300000

enum { EXACT, ANY_SOURCE, ANY_TAG, ANY_BOTH, NUM_WILDCARDS };
static const char *const wildcards[] = {"exact", "any source", "any tag",
                                        "any source, any tag"};

/* Sizes around every threshold there may be, large ones rarely. */
static int size_of(int round, int from, int to, int index)
{
    static const int sizes[] = {
        0,    1,    8,    32,    64,    100,   1000,  1023,   2000,   4000,
        8000, 8193, 9000, 16000, 33000, 65536, 70000, 131073, 262145, MAX_SIZE};
    uint64_t pick = mt_key((uint64_t) round + mt_seed, from, to, index);
    size_t limit = (0 == pick / 64 % 8) ? MT_COUNT_OF(sizes) : 14;

    return sizes[pick % limit];
}

static uint64_t key_of(int round, int from, int to, int index)
{
    return mt_key(round, from, to, (uint64_t) index + 1000);
}

static unsigned char *send_all(int round, MPI_Request *request)
{
    unsigned char *data;
    size_t used = 0, room = 0;

    for (int i = 0; i < NUM_MESSAGES * mt_size; ++i) {
        room += (size_t) size_of(round, mt_rank, i % mt_size, i / mt_size);
    }
    data = mt_alloc(room);
    for (int i = 0; i < NUM_MESSAGES; ++i) {
        for (int to = 0; to < mt_size; ++to) {
            int size = size_of(round, mt_rank, to, i);
            mt_fill(data + used, size, key_of(round, mt_rank, to, i));
            (i % 7 == 3 ? mt_issend : mt_isend)(data + used, size, to, round,
                                                request++);
            used += (size_t) size;
        }
    }
    return data;
}

static void check(int round, unsigned char *buffer, const MPI_Status *status,
                  int *next)
{
    int from = status->MPI_SOURCE, index, size;

    CHECK(from >= 0 && from < mt_size);
    index = next[from]++;
    size = size_of(round, from, mt_rank, index);
    CHECK_STATUS(status, from, round, MPI_BYTE, size);
    CHECK_PAYLOAD(buffer, size, key_of(round, from, mt_rank, index));
}

/* One receive after the other. */
static void receive_blocking(int round, int wildcard, int *next)
{
    unsigned char *buffer = mt_alloc(MAX_SIZE);
    mt_random_t random = mt_random((uint64_t) (round * mt_size + mt_rank));
    MPI_Status status;

    for (int i = 0; i < NUM_MESSAGES * mt_size; ++i) {
        int source = mt_below(&random, mt_size);
        while (next[source] == NUM_MESSAGES) {
            source = (source + 1) % mt_size;
        }
        MPI_Recv(buffer, MAX_SIZE, MPI_BYTE,
                 (wildcard & ANY_SOURCE) ? MPI_ANY_SOURCE : source,
                 (wildcard & ANY_TAG) ? MPI_ANY_TAG : round, MPI_COMM_WORLD,
                 &status);
        CHECK((wildcard & ANY_SOURCE) || status.MPI_SOURCE == source);
        check(round, buffer, &status, next);
    }
    mt_free(buffer);
}

/* All posted, then completed in random order; checked in order of posting. */
static void receive_nonblocking(int round, int wildcard, int *next)
{
    int n = NUM_MESSAGES * mt_size;
    unsigned char **buffer = malloc(n * sizeof(*buffer));
    MPI_Request *request = malloc(n * sizeof(*request));
    MPI_Status *status = malloc(n * sizeof(*status));

    for (int i = 0; i < n; ++i) {
        buffer[i] = mt_alloc(MAX_SIZE);
        mt_irecv(buffer[i], MAX_SIZE,
                 (wildcard & ANY_SOURCE) ? MPI_ANY_SOURCE : i % mt_size,
                 (wildcard & ANY_TAG) ? MPI_ANY_TAG : round, &request[i]);
    }
    MPI_Waitall(n, request, status);
    for (int i = 0; i < n; ++i) {
        CHECK((wildcard & ANY_SOURCE) || status[i].MPI_SOURCE == i % mt_size);
        check(round, buffer[i], &status[i], next);
        mt_free(buffer[i]);
    }
    free(buffer);
    free(request);
    free(status);
}

int main(int argc, char **argv)
{
    MPI_Request *request;
    int *next;

    mt_init(&argc, &argv, 1);
    request = malloc((size_t) (mt_size * NUM_MESSAGES) * sizeof(*request));
    next = malloc(mt_size * sizeof(*next));
    for (int round = 0; round < NUM_ROUNDS; ++round) {
        int wildcard = round % NUM_WILDCARDS;
        unsigned char *data;

        MT_CASE("round %d, receives %s", round, wildcards[wildcard]);
        memset(next, 0, mt_size * sizeof(*next));
        data = send_all(round, request);
        if (round / NUM_WILDCARDS == 1) {
            MPI_Barrier(MPI_COMM_WORLD); /* all unexpected */
        }
        if (round / NUM_WILDCARDS == 2) {
            receive_nonblocking(round, wildcard, next);
        } else {
            receive_blocking(round, wildcard, next);
        }
        MPI_Waitall(mt_size * NUM_MESSAGES, request, MPI_STATUSES_IGNORE);
        for (int from = 0; from < mt_size; ++from) {
            CHECK_EQ(next[from], NUM_MESSAGES);
        }
        mt_free(data);
        MPI_Barrier(MPI_COMM_WORLD); /* any tag must not see the next */
    }
    free(next);
    free(request);
    return mt_finalize();
}
