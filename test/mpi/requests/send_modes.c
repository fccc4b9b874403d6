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

static void send_one(const exchange_t *x)
{
    const send_mode_t *mode = &modes[x->mode];
    unsigned char *buffer = mt_payload(x->size, x->key);
    MPI_Request request = MPI_REQUEST_NULL;
    if (MODE_BUFFERED == x->mode) {
        mt_attach(x->size + MPI_BSEND_OVERHEAD);
    }
    if (x->expected) {
        mt_hear(mt_peer, TAG_READY, MPI_COMM_WORLD);
    }
    switch (x->kind) {
    case BLOCKING:
        CHECK_OK(mode->blocking(buffer, x->size, MPI_BYTE, mt_peer, TAG_DATA,
                                MPI_COMM_WORLD));
        break;
    case NONBLOCKING:
        CHECK_OK(mode->nonblocking(buffer, x->size, MPI_BYTE, mt_peer, TAG_DATA,
                                   MPI_COMM_WORLD, &request));
        break;
    default:
        CHECK_OK(mode->persistent(buffer, x->size, MPI_BYTE, mt_peer, TAG_DATA,
                                  MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Start(&request));
    }
    if (!x->expected && BLOCKING != x->kind) {
        mt_tell(mt_peer, TAG_MARKER, MPI_COMM_WORLD);
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
        mt_detach();
    }
    CHECK_PAYLOAD(buffer, x->size, x->key);
    mt_free(buffer);
}

static void receive_one(const exchange_t *x, int variant)
{
    unsigned char *buffer = mt_alloc(x->size);
    MPI_Request request = MPI_REQUEST_NULL;
    int source = (variant & 1) ? MPI_ANY_SOURCE : mt_peer;
    int tag = (variant & 2) ? MPI_ANY_TAG : TAG_DATA;
    bool persistent = variant & 4;
    MPI_Status status, probed;

    if (x->expected) {
        if (persistent) {
            mt_recv_init(buffer, x->size, source, tag, &request);
            MPI_Start(&request);
        } else {
            mt_irecv(buffer, x->size, source, tag, &request);
        }
        mt_tell(mt_peer, TAG_READY, MPI_COMM_WORLD);
        MPI_Wait(&request, &status);
        if (persistent) {
            MPI_Request_free(&request);
        }
    } else {
        if (BLOCKING == x->kind) {
            MPI_Probe(source, tag, MPI_COMM_WORLD, &probed);
            CHECK_STATUS(&probed, mt_peer, TAG_DATA, MPI_BYTE, x->size);
        } else {
            mt_hear(mt_peer, TAG_MARKER, MPI_COMM_WORLD);
        }
        CHECK_OK(MPI_Recv(buffer, x->size, MPI_BYTE, source, tag,
                          MPI_COMM_WORLD, &status));
    }
    CHECK_STATUS(&status, mt_peer, TAG_DATA, MPI_BYTE, x->size);
    CHECK_PAYLOAD(buffer, x->size, x->key);
    mt_free(buffer);
}

int main(int argc, char **argv)
{
    int serial = 0;

    mt_init(&argc, &argv, 2);
    for (size_t m = 0; m < MT_COUNT_OF(modes) && mt_peer < mt_size; ++m) {
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
                        send_one(&x);
                    } else {
                        receive_one(&x, serial);
                    }
                }
            }
        }
    }
    return mt_finalize();
}
