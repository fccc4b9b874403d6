/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that computes, and calls MPI_Test once a millisecond, finds a large
 * message within the node complete after few calls, however large it is,
 * though its sender makes no MPI call meanwhile. The calls are counted, not the
 * time.
 */
#include <sched.h>

#include "mpi_test.h"
#include "mpi_test_shared.h"

enum { TAG = 7, FEW = 4, BETWEEN = 1000 /* us */ };

typedef struct {
    int sent, received; /* numbers of messages */
} shared_t;

static shared_t *shared;

static void outside_mpi(const int *what, int value)
{
    while (__atomic_load_n(what, __ATOMIC_ACQUIRE) < value) {
        sched_yield();
    }
}

static void send_one(int number, const void *data, int length)
{
    MPI_Request request;

    mt_isend(data, length, mt_peer, TAG, &request);
    __atomic_store_n(&shared->sent, number, __ATOMIC_RELEASE);
    outside_mpi(&shared->received, number);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void receive_one(int number, void *data, int length, MPI_Datatype type)
{
    int tests = 0, done = 0;
    MPI_Request request;

    CHECK_OK(MPI_Irecv(data, MPI_BYTE == type ? length : 1, type, mt_peer, TAG,
                       MPI_COMM_WORLD, &request));
    outside_mpi(&shared->sent, number);
    while (!done) {
        usleep(BETWEEN);
        CHECK_OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        ++tests;
    }
    if (getenv("RARE_PRINT")) {
        printf("%d bytes: %d tests\n", length, tests);
    } else if (tests > FEW) {
        MT_FAIL("%d bytes: %d tests", length, tests);
    }
    __atomic_store_n(&shared->received, number, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {100000, 1 << 20, 4 << 20, 64 << 20};
    const int most = lengths[MT_COUNT_OF(lengths) - 1];
    unsigned char *data;
    int number = 0;

    mt_init(&argc, &argv, 2);
    data = mt_alloc(2 * (size_t) most);
    shared = mt_share(sizeof(*shared), mt_peer, 0 == mt_rank);
    /* Large messages go by rings from here on. */
    for (int i = 0; i < 30; ++i) {
        mt_swap(data, 100000, mt_peer, data + most, 100000, mt_peer, TAG);
    }
    for (size_t i = 0; i < MT_COUNT_OF(lengths); ++i) {
        for (int spread = 0; spread < 2; ++spread) {
            MPI_Datatype type = MPI_BYTE;

            MT_CASE("%d bytes, spread %d", lengths[i], spread);
            if (spread) {
                type = mt_vector(lengths[i] / 100, 100, 200, MPI_BYTE);
            }
            MPI_Barrier(MPI_COMM_WORLD);
            ++number;
            if (0 == mt_rank) {
                send_one(number, data,
                         spread ? lengths[i] / 100 * 100 : lengths[i]);
            } else {
                receive_one(number, data, lengths[i], type);
            }
            if (spread) {
                MPI_Type_free(&type);
            }
        }
    }
    mt_free(data);
    return mt_finalize();
}
