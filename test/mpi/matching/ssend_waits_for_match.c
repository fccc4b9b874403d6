/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A synchronous send completes only once its receive has been posted, however
 * small the message and however long the receiver is inside MPI; then it does
 * complete, without the receiver doing anything special.
 */
#include "mpi_test.h"

#define TAG 31
#define TAG_GO 32
#define NUM_TESTS 200

static const int sizes[] = {0, 1, 8, 64, 1000, 8192, 70000, 1 << 20};

static void sender(int peer, int size, int flavour)
{
    unsigned char *buffer = mt_alloc(size);
    MPI_Request request;
    int flag = 0;

    mt_fill(buffer, size, mt_key(size, 1, 1, 1));
    if (1 == flavour) {
        MPI_Ssend_init(buffer, size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD,
                       &request);
        MPI_Start(&request);
    } else {
        MPI_Issend(buffer, size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request);
    }
    for (int i = 0; i < NUM_TESTS; ++i) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (flag) {
            mt_fail(__FILE__, __LINE__,
                    "synchronous send of %d bytes "
                    "completed before its receive was posted",
                    size);
        }
        usleep(50);
    }
    MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (1 == flavour) {
        MPI_Request_free(&request);
    }
    mt_free(buffer);
}

static void receiver(int peer, int size, int flavour)
{
    unsigned char *buffer = mt_alloc(size);
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;

    /* Inside MPI, with another receive posted, while the sender tests. */
    MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (0 == flavour) {
        MPI_Recv(buffer, size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &status);
    } else if (1 == flavour) {
        MPI_Irecv(buffer, size, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
                  &request);
        MPI_Wait(&request, &status);
    } else {
        MPI_Mprobe(peer, TAG, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(buffer, size, MPI_BYTE, &message, &status);
    }
    CHECK_STATUS(&status, peer, TAG, MPI_BYTE, size);
    CHECK_PAYLOAD(buffer, size, mt_key(size, 1, 1, 1));
    mt_free(buffer);
}

/* Several at once, received in the reverse order of tags. */
static void many(int peer)
{
    enum { NUM = 50 };
    unsigned char buffer[NUM][16];
    MPI_Request request[NUM];
    MPI_Status status;
    int flag;

    for (int i = 0; i < NUM && 0 == mt_rank % 2; ++i) {
        mt_fill(buffer[i], 16, mt_key(i, 2, 2, 2));
        MPI_Issend(buffer[i], 16, MPI_BYTE, peer, 100 + i, MPI_COMM_WORLD,
                   &request[i]);
    }
    for (int i = NUM - 1; i >= 0; --i) {
        MT_CASE("synchronous send %d of many", i);
        if (0 == mt_rank % 2) {
            MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            MPI_Wait(&request[i], MPI_STATUS_IGNORE);
            if (i > 0) {
                MPI_Test(&request[i - 1], &flag, MPI_STATUS_IGNORE);
                CHECK(!flag);
            }
            MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD);
        } else {
            MPI_Recv(buffer[i], 16, MPI_BYTE, peer, 100 + i, MPI_COMM_WORLD,
                     &status);
            CHECK_STATUS(&status, peer, 100 + i, MPI_BYTE, 16);
            CHECK_PAYLOAD(buffer[i], 16, mt_key(i, 2, 2, 2));
            MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_GO, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
    }
}

int main(int argc, char **argv)
{
    int peer;

    mt_init(&argc, &argv, 2);
    peer = mt_rank ^ 1;
    for (size_t s = 0; s < MT_COUNT_OF(sizes) && peer < mt_size; ++s) {
        for (int flavour = 0; flavour < 3; ++flavour) {
            MT_CASE("synchronous send of %d bytes, flavour %d", sizes[s],
                    flavour);
            if (0 == mt_rank % 2) {
                sender(peer, sizes[s], flavour);
            } else {
                receiver(peer, sizes[s], flavour);
            }
        }
    }
    if (peer < mt_size) {
        many(peer);
    }
    return mt_finalize();
}
