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

static void sender(int size, int flavour)
{
    unsigned char *buffer = mt_payload(size, mt_key(size, 1, 1, 1));
    MPI_Request request;
    int flag = 0;
    if (1 == flavour) {
        mt_ssend_init(buffer, size, mt_peer, TAG, &request);
        MPI_Start(&request);
    } else {
        mt_issend(buffer, size, mt_peer, TAG, &request);
    }
    for (int i = 0; i < NUM_TESTS; ++i) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (flag) {
            MT_FAIL("synchronous send of %d bytes "
                    "completed before its receive was posted",
                    size);
        }
        usleep(50);
    }
    mt_tell(mt_peer, TAG_GO, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (1 == flavour) {
        MPI_Request_free(&request);
    }
    mt_free(buffer);
}

static void receiver(int size, int flavour)
{
    unsigned char *buffer = mt_alloc(size);
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;

    /* Inside MPI, with another receive posted, while the sender tests. */
    mt_hear(mt_peer, TAG_GO, MPI_COMM_WORLD);
    if (0 == flavour) {
        MPI_Recv(buffer, size, MPI_BYTE, mt_peer, TAG, MPI_COMM_WORLD, &status);
    } else if (1 == flavour) {
        mt_irecv(buffer, size, MPI_ANY_SOURCE, TAG, &request);
        MPI_Wait(&request, &status);
    } else {
        MPI_Mprobe(mt_peer, TAG, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(buffer, size, MPI_BYTE, &message, &status);
    }
    CHECK_STATUS(&status, mt_peer, TAG, MPI_BYTE, size);
    CHECK_PAYLOAD(buffer, size, mt_key(size, 1, 1, 1));
    mt_free(buffer);
}

/* Several at once, received in the reverse order of tags. */
static void many(void)
{
    enum { NUM = 50 };
    unsigned char buffer[NUM][16];
    MPI_Request request[NUM];

    for (int i = 0; i < NUM && 0 == mt_rank % 2; ++i) {
        mt_fill(buffer[i], 16, mt_key(i, 2, 2, 2));
        mt_issend(buffer[i], 16, mt_peer, 100 + i, &request[i]);
    }
    for (int i = NUM - 1; i >= 0; --i) {
        MT_CASE("synchronous send %d of many", i);
        if (0 == mt_rank % 2) {
            mt_hear(mt_peer, TAG_GO, MPI_COMM_WORLD);
            MPI_Wait(&request[i], MPI_STATUS_IGNORE);
            if (i > 0) {
                CHECK(!mt_test(&request[i - 1]));
            }
            mt_tell(mt_peer, TAG_GO, MPI_COMM_WORLD);
        } else {
            CHECK_RECV(buffer[i], 16, mt_peer, 100 + i, MPI_COMM_WORLD,
                       mt_key(i, 2, 2, 2));
            mt_tell(mt_peer, TAG_GO, MPI_COMM_WORLD);
            mt_hear(mt_peer, TAG_GO, MPI_COMM_WORLD);
        }
    }
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv, 2);
    for (size_t s = 0; s < MT_COUNT_OF(sizes) && mt_peer < mt_size; ++s) {
        for (int flavour = 0; flavour < 3; ++flavour) {
            MT_CASE("synchronous send of %d bytes, flavour %d", sizes[s],
                    flavour);
            if (0 == mt_rank % 2) {
                sender(sizes[s], flavour);
            } else {
                receiver(sizes[s], flavour);
            }
        }
    }
    if (mt_peer < mt_size) {
        many();
    }
    return mt_finalize();
}
