/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All ranks send to all, round after round, without synchronization: fast ranks
 * are rounds ahead of slow ones, so messages are unexpected and arrive in
 * bursts and in random order. Receives are posted in random order, by tag; each
 * rank is slow in some rounds.
 *
 *     crowd [--rounds N]
 */
#include "mpi_test.h"

#define PER_PEER 3 /* messages to each peer and round */
#define WINDOW 8   /* rounds whose sends may be pending */
#define TAGS_PER_ROUND 16

static int size_of(int round, int from, int to, int i)
{
    static const int sizes[] = {8,    0,  300,  1,   64,    2000,
                                9000, 30, 1024, 100, 40000, 7};
    return sizes[mt_key(round, from, to, i) % MT_COUNT_OF(sizes)];
}

static uint64_t key_of(int round, int from, int to, int i)
{
    return mt_key(mt_seed + (uint64_t) round, from, to, (uint64_t) i + 77);
}

typedef struct {
    MPI_Request *request;
    unsigned char **buffer;
} burst_t;

static void finish_sends(burst_t *burst, int n)
{
    MPI_Waitall(n, burst->request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; ++i) {
        mt_free(burst->buffer[i]);
    }
    free(burst->request);
    free(burst->buffer);
}

static burst_t send_burst(mt_random_t *random, int round, int *order, int n)
{
    burst_t burst = {malloc(n * sizeof(MPI_Request)),
                     malloc(n * sizeof(unsigned char *))};

    mt_shuffle(random, order, n);
    for (int i = 0; i < n; ++i) {
        int to = order[i] / PER_PEER, index = order[i] % PER_PEER;
        int size = size_of(round, mt_rank, to, index);

        burst.buffer[i] = mt_payload(size, key_of(round, mt_rank, to, index));
        (0 == mt_below(random, 10) ? mt_issend : mt_isend)(
            burst.buffer[i], size, to, round * TAGS_PER_ROUND + index,
            &burst.request[i]);
    }
    return burst;
}

static void receive_burst(mt_random_t *random, int round, int *order, int n)
{
    MPI_Request *request = malloc(n * sizeof(*request));
    unsigned char **buffer = malloc(n * sizeof(*buffer));
    MPI_Status status;

    mt_shuffle(random, order, n);
    for (int i = 0; i < n; ++i) {
        int from = order[i] / PER_PEER, index = order[i] % PER_PEER;
        int size = size_of(round, from, mt_rank, index);

        buffer[i] = mt_alloc(size);
        mt_irecv(buffer[i], size, from, round * TAGS_PER_ROUND + index,
                 &request[i]);
    }
    for (int left = n; left > 0; --left) {
        int i, from, index, size;

        MPI_Waitany(n, request, &i, &status);
        from = order[i] / PER_PEER;
        index = order[i] % PER_PEER;
        size = size_of(round, from, mt_rank, index);
        CHECK_STATUS(&status, from, round * TAGS_PER_ROUND + index, MPI_BYTE,
                     size);
        CHECK_PAYLOAD(buffer[i], size, key_of(round, from, mt_rank, index));
        mt_free(buffer[i]);
    }
    free(request);
    free(buffer);
}

int main(int argc, char **argv)
{
    burst_t burst[WINDOW];
    mt_random_t random;
    int rounds, n, *order;

    mt_init(&argc, &argv, 1);
    rounds = mt_option(argc, argv, "--rounds", 200);
    random = mt_random(mt_rank);
    n = mt_size * PER_PEER;
    order = malloc(n * sizeof(*order));
    /* Receives of a round follow the sends of a later one. */
    for (int round = 0; round < rounds + WINDOW - 1; ++round) {
        int behind = round - (WINDOW - 1);

        MT_CASE("round %d", round);
        if (round < rounds) {
            burst[round % WINDOW] = send_burst(&random, round, order, n);
        }
        if (round % mt_size == mt_rank && 0 == round % 5) {
            usleep(1000);
        }
        if (behind >= 0) {
            receive_burst(&random, behind, order, n);
            finish_sends(&burst[behind % WINDOW], n);
        }
    }
    free(order);
    return mt_finalize();
}
