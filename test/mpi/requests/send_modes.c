/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every send mode, blocking, nonblocking and persistent, delivers messages of
 * every interesting size, whether the receive or the message comes first.
 * Ranks pair up: each even rank sends to the next one.
 */
#include "mpi_test.h"

#define TAG_DATA 11
#define TAG_READY 12
#define TAG_MARKER 13

typedef struct {
    const char *name;
    int (*blocking)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    int (*nonblocking)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                       MPI_Request *);
    int (*persistent)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                      MPI_Request *);
} send_mode_t;

static const send_mode_t modes[] = {
    {"standard", MPI_Send, MPI_Isend, MPI_Send_init},
    {"synchronous", MPI_Ssend, MPI_Issend, MPI_Ssend_init},
    {"buffered", MPI_Bsend, MPI_Ibsend, MPI_Bsend_init},
    {"ready", MPI_Rsend, MPI_Irsend, MPI_Rsend_init},
};
#define MODE_BUFFERED 2
#define MODE_READY 3

enum { BLOCKING, NONBLOCKING, PERSISTENT, NUM_KINDS };
static const char *const kinds[] = {"blocking", "nonblocking", "persistent"};

static const int sizes[] = {0,     1,     8,      63,      64,         65,
                            66,    100,   127,    128,     1000,       1024,
                            4096,  8191,  8192,   8193,    16384,      65535,
                            65536, 65537, 262144, 1048576, 4194304 + 3};

typedef struct {
    int mode, kind, size;
    bool expected; /* the receive is posted before the send */
    uint64_t key;
} exchange_t;

static void send_one(const exchange_t *x, int peer)
{
    const send_mode_t *mode = &modes[x->mode];
    unsigned char *buffer = mt_alloc(x->size);
    void *attached = NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    int attached_size = x->size + MPI_BSEND_OVERHEAD;

    mt_fill(buffer, x->size, x->key);
    if (MODE_BUFFERED == x->mode) {
        attached = malloc(attached_size);
        MPI_Buffer_attach(attached, attached_size);
    }
    if (x->expected) {
        MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_READY, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    switch (x->kind) {
    case BLOCKING:
        CHECK_OK(mode->blocking(buffer, x->size, MPI_BYTE, peer, TAG_DATA,
                                MPI_COMM_WORLD));
        break;
    case NONBLOCKING:
        CHECK_OK(mode->nonblocking(buffer, x->size, MPI_BYTE, peer, TAG_DATA,
                                   MPI_COMM_WORLD, &request));
        break;
    default:
        CHECK_OK(mode->persistent(buffer, x->size, MPI_BYTE, peer, TAG_DATA,
                                  MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Start(&request));
    }
    if (!x->expected && BLOCKING != x->kind) {
        MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_MARKER, MPI_COMM_WORLD);
    }
    if (BLOCKING != x->kind) {
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        if (PERSISTENT == x->kind) {
            CHECK(MPI_REQUEST_NULL != request);
            CHECK_OK(MPI_Request_free(&request));
        }
        CHECK(MPI_REQUEST_NULL == request);
    }
    if (MODE_BUFFERED == x->mode) {
        MPI_Buffer_detach(&attached, &attached_size);
        free(attached);
    }
    CHECK_PAYLOAD(buffer, x->size, x->key);
    mt_free(buffer);
}

static void receive_one(const exchange_t *x, int peer, int variant)
{
    unsigned char *buffer = mt_alloc(x->size);
    MPI_Request request = MPI_REQUEST_NULL;
    int source = (variant & 1) ? MPI_ANY_SOURCE : peer;
    int tag = (variant & 2) ? MPI_ANY_TAG : TAG_DATA;
    bool persistent = variant & 4;
    MPI_Status status, probed;

    if (x->expected) {
        if (persistent) {
            MPI_Recv_init(buffer, x->size, MPI_BYTE, source, tag,
                          MPI_COMM_WORLD, &request);
            MPI_Start(&request);
        } else {
            MPI_Irecv(buffer, x->size, MPI_BYTE, source, tag, MPI_COMM_WORLD,
                      &request);
        }
        MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_READY, MPI_COMM_WORLD);
        MPI_Wait(&request, &status);
        if (persistent) {
            MPI_Request_free(&request);
        }
    } else {
        if (BLOCKING == x->kind) {
            MPI_Probe(source, tag, MPI_COMM_WORLD, &probed);
            CHECK_STATUS(&probed, peer, TAG_DATA, MPI_BYTE, x->size);
        } else {
            MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_MARKER, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
        CHECK_OK(MPI_Recv(buffer, x->size, MPI_BYTE, source, tag,
                          MPI_COMM_WORLD, &status));
    }
    CHECK_STATUS(&status, peer, TAG_DATA, MPI_BYTE, x->size);
    CHECK_PAYLOAD(buffer, x->size, x->key);
    mt_free(buffer);
}

int main(int argc, char **argv)
{
    int peer, serial = 0;

    mt_init(&argc, &argv, 2);
    peer = mt_rank ^ 1;
    for (size_t m = 0; m < MT_COUNT_OF(modes) && peer < mt_size; ++m) {
        for (int kind = 0; kind < NUM_KINDS; ++kind) {
            for (size_t s = 0; s < MT_COUNT_OF(sizes); ++s) {
                for (int expected = (MODE_READY == m); expected < 2;
                     ++expected, ++serial) {
                    exchange_t x = {
                        .mode = (int) m,
                        .kind = kind,
                        .size = sizes[s],
                        .expected = expected,
                        .key = mt_key((uint64_t) mt_rank / 2, serial, 0, 0)};
                    MT_CASE("%s %s send of %d bytes, %s", kinds[kind],
                            modes[m].name, sizes[s],
                            expected ? "expected" : "unexpected");
                    if (0 == mt_rank % 2) {
                        send_one(&x, peer);
                    } else {
                        receive_one(&x, peer, serial);
                    }
                }
            }
        }
    }
    return mt_finalize();
}
