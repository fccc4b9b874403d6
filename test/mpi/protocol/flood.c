/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Many unexpected messages: all are received intact, in whatever order the
 * receives are posted afterwards.
 *
 *     flood [--messages N] [--size N] [--order 0|1|2]
 *
 * order of the receives: 0 as sent, 1 by tag and from the last tag to the
 * first, 2 any source and any tag.
 */
#include "mpi_test.h"

#define NUM_TAGS 64
#define TAG_END 1000

static int messages, size, order;

static uint64_t key_of(int from, int i)
{
    return mt_key(from, i, size, 141);
}

/* Every rank but 0 floods rank 0. All sends are pending at the same time. */
static void send_flood(void)
{
    unsigned char *data = malloc((size_t) size * (size_t) messages + 1);
    MPI_Request *request = malloc(messages * sizeof(*request));

    for (int i = 0; i < messages; ++i) {
        unsigned char *at = data + (size_t) i * (size_t) size;

        mt_fill(at, size, key_of(mt_rank, i));
        mt_isend(at, size, 0, i % NUM_TAGS, &request[i]);
    }
    MT_CASE("the flood is sent");
    mt_tell(0, TAG_END, MPI_COMM_WORLD);
    MT_CASE("completing the sends of the flood");
    MPI_Waitall(messages, request, MPI_STATUSES_IGNORE);
    free(request);
    free(data);
}

/* Message `i` of its source, which has `tag`. */
static void receive(int source, int tag, int *next)
{
    unsigned char data[8192];
    MPI_Status status;
    int i, from, step = (1 == order) ? NUM_TAGS : 1;

    MPI_Recv(data, sizeof(data), MPI_BYTE, source, tag, MPI_COMM_WORLD,
             &status);
    from = status.MPI_SOURCE;
    CHECK(from > 0 && from < mt_size);
    i = next[from];
    next[from] += step;
    CHECK_STATUS(&status, from, i % NUM_TAGS, MPI_BYTE, size);
    CHECK_PAYLOAD(data, size, key_of(from, i));
}

static void receive_flood(void)
{
    int *next = calloc(mt_size, sizeof(*next));

    MT_CASE("waiting for the end of the flood");
    for (int from = 1; from < mt_size; ++from) {
        MPI_Probe(from, TAG_END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mt_hear(from, TAG_END, MPI_COMM_WORLD);
    }
    MT_CASE("receiving the flood, order %d", order);
    if (1 == order) {
        for (int tag = NUM_TAGS - 1; tag >= 0; --tag) {
            for (int from = 1; from < mt_size; ++from) {
                for (next[from] = tag; next[from] < messages;) {
                    receive(from, tag, next);
                }
            }
        }
    } else {
        for (int i = 0; i < messages * (mt_size - 1); ++i) {
            if (2 == order) {
                receive(MPI_ANY_SOURCE, MPI_ANY_TAG, next);
            } else {
                int from = i % (mt_size - 1) + 1;
                receive(from, next[from] % NUM_TAGS, next);
            }
        }
        for (int from = 1; from < mt_size; ++from) {
            CHECK_EQ(next[from], messages);
        }
    }
    free(next);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv, 2);
    messages = mt_option(argc, argv, "--messages", 200000);
    size = mt_option(argc, argv, "--size", 1);
    order = mt_option(argc, argv, "--order", 0);
    CHECK(size <= 8192);
    if (0 == mt_rank) {
        receive_flood();
        CHECK(!mt_is_there(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD));
    } else {
        send_flood();
    }
    return mt_finalize();
}
