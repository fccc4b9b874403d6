/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Finalize ends in good order although messages were sent that nobody
 * received and receives posted that nothing matched.
 *
 *     finalize_with_pending sends|receives|both|probed|crossing
 *
 * sends      requests of all kinds and sizes freed or left, never received
 * receives   posted receives that are never matched
 * both       all of that
 * probed     messages taken by a matched probe and never received
 * crossing   one rank reaches MPI_Finalize long before the others send to it
 */
#include "mpi_test.h"

#define TAG 131

static const int sizes[] = {0,    1,     64,     1000,         8000,
                            9000, 65536, 300000, (4 << 20) + 3};
#define NUM_SIZES ((int) MT_COUNT_OF(sizes))

/* Reachable until the process ends: these operations may never complete. */
static unsigned char *kept[16 * NUM_SIZES];
static int num_kept;

static unsigned char *keep(size_t size)
{
    unsigned char *memory = malloc(size + 1);

    memset(memory, 1, size + 1);
    kept[num_kept++ % (int) MT_COUNT_OF(kept)] = memory;
    return memory;
}

static void sends(MPI_Comm comm, int to)
{
    MPI_Request request;

    for (int i = 0; i < NUM_SIZES; ++i) {
        unsigned char *data = keep(sizes[i]);

        for (int kind = 0; kind < 4; ++kind) {
            (kind & 1 ? MPI_Issend : MPI_Isend)(data, sizes[i], MPI_BYTE, to,
                                                TAG + kind, comm, &request);
            if (kind & 2) {
                MPI_Request_free(&request);
            }
        }
        MPI_Send_init(data, sizes[i], MPI_BYTE, to, TAG, comm, &request);
        MPI_Start(&request);
        MPI_Request_free(&request);
    }
    MPI_Ibsend(keep(5000), 5000, MPI_BYTE, to, TAG, comm, &request);
    MPI_Request_free(&request);
}

static void receives(MPI_Comm comm, int from)
{
    MPI_Request request;

    for (int i = 0; i < NUM_SIZES; ++i) {
        unsigned char *data = keep(sizes[i]);

        MPI_Irecv(data, sizes[i], MPI_BYTE, i % 2 ? from : MPI_ANY_SOURCE,
                  TAG + 100, comm, &request);
        if (i % 3) {
            MPI_Request_free(&request);
        }
        MPI_Recv_init(data, sizes[i], MPI_BYTE, from, TAG + 101, comm,
                      &request);
        MPI_Start(&request);
    }
}

static void probed(MPI_Comm comm, int from)
{
    MPI_Message message;
    MPI_Status status;

    for (int i = 0; i < NUM_SIZES; ++i) {
        MPI_Mprobe(from, TAG, comm, &message, &status);
        CHECK_STATUS(&status, from, TAG, MPI_BYTE, sizes[i]);
    }
}

int main(int argc, char **argv)
{
    int data = 0;
    MPI_Comm comm;

    mt_init(&argc, &argv, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Buffer_attach(keep(60000), 60000);
    MPI_Sendrecv(&mt_rank, 1, MPI_INT, mt_after, TAG, &data, 1, MPI_INT,
                 mt_before, TAG, comm, MPI_STATUS_IGNORE);
    if (mt_flag(argc, argv, "sends") || mt_flag(argc, argv, "both")) {
        sends(comm, mt_after);
        sends(MPI_COMM_WORLD, mt_after);
        sends(comm, mt_rank);
    }
    if (mt_flag(argc, argv, "receives") || mt_flag(argc, argv, "both")) {
        receives(comm, mt_before);
        receives(MPI_COMM_WORLD, mt_rank);
    }
    if (mt_flag(argc, argv, "probed")) {
        MPI_Request request;

        for (int i = 0; i < NUM_SIZES; ++i) {
            MPI_Isend(keep(sizes[i]), sizes[i], MPI_BYTE, mt_after, TAG, comm,
                      &request);
        }
        probed(comm, mt_before);
    }
    if (mt_flag(argc, argv, "crossing") && 0 != mt_rank) {
        usleep(300000);
        sends(comm, 0);
    }
    return mt_finalize();
}
