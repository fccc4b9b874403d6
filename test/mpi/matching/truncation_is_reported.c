/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A message larger than the receive buffer gives MPI_ERR_TRUNCATE at the
 * receiver, whichever way it is received, and harms nobody else: the sender
 * completes, nothing beyond the buffer is written, later messages are intact.
 */
#include "mpi_test.h"
#include "mpi_test_layout.h"

#define TAG 41
#define TAG_READY 42
#define TAG_NEXT 43
#define NEXT_SIZE 3000

enum {
    RECV,
    IRECV_WAIT,
    IRECV_TEST,
    PERSISTENT,
    WAITALL,
    MRECV,
    IMRECV,
    NUM_WAYS
};
static const char *const ways[] = {"Recv",      "Irecv+Wait", "Irecv+Test",
                                   "Recv_init", "Waitall",    "Mrecv",
                                   "Imrecv"};

static const struct {
    int sent, room;
} cases[] = {{1, 0},
             {100, 50},
             {64, 63},
             {1000, 0},
             {8192, 100},
             {8193, 8192},
             {65536, 65535},
             {70000, 1},
             {300000, 299999},
             {1 << 20, 1000},
             {1 << 20, 0},
             {(4 << 20) + 3, 4 << 20},
             {(4 << 20) + 3, 17}};

static MPI_Comm comm;

static void sender(int size, bool expected, bool synchronous)
{
    unsigned char *data = mt_alloc(size), *next = mt_alloc(NEXT_SIZE);
    MPI_Request request[2];
    MPI_Status status[2];

    mt_fill(data, size, mt_key(size, 1, 0, 0));
    mt_fill(next, NEXT_SIZE, mt_key(size, 2, 0, 0));
    if (expected) {
        mt_hear(mt_peer, TAG_READY, comm);
    }
    CHECK_OK((synchronous ? MPI_Issend : MPI_Isend)(
        data, size, MPI_BYTE, mt_peer, TAG, comm, &request[0]));
    CHECK_OK(MPI_Isend(next, NEXT_SIZE, MPI_BYTE, mt_peer, TAG_NEXT, comm,
                       &request[1]));
    CHECK_OK(MPI_Waitall(2, request, status));
    MT_FREE(data, next);
}

/* Returns what completing the receive returned. */
static int receive(int way, void *buffer, int count, MPI_Datatype type,
                   int source, bool expected, MPI_Status *status)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    MPI_Message message;
    int rc, flag;

    if (!expected) {
        CHECK_OK(MPI_Probe(source, TAG, comm, status));
    }
    switch (way) {
    case RECV:
        if (expected) {
            mt_tell(mt_peer, TAG_READY, comm);
        }
        return MPI_Recv(buffer, count, type, source, TAG, comm, status);
    case MRECV:
    case IMRECV:
        if (expected) {
            mt_tell(mt_peer, TAG_READY, comm);
        }
        CHECK_OK(MPI_Mprobe(source, TAG, comm, &message, status));
        if (MRECV == way) {
            rc = MPI_Mrecv(buffer, count, type, &message, status);
        } else {
            rc = MPI_Imrecv(buffer, count, type, &message, &request[0]);
            if (MPI_SUCCESS == rc) {
                rc = MPI_Wait(&request[0], status);
            }
        }
        CHECK(MPI_MESSAGE_NULL == message);
        return rc;
    case PERSISTENT:
        CHECK_OK(
            MPI_Recv_init(buffer, count, type, source, TAG, comm, &request[0]));
        CHECK_OK(MPI_Start(&request[0]));
        break;
    default:
        CHECK_OK(
            MPI_Irecv(buffer, count, type, source, TAG, comm, &request[0]));
    }
    if (expected) {
        mt_tell(mt_peer, TAG_READY, comm);
    }
    if (IRECV_TEST == way) {
        do {
            rc = MPI_Test(&request[0], &flag, status);
        } while (MPI_SUCCESS == rc && !flag);
    } else if (WAITALL == way) {
        rc = MPI_Waitall(2, request, statuses);
        CHECK_RC(rc, MPI_ERR_IN_STATUS);
        CHECK_OK(statuses[1].MPI_ERROR);
        *status = statuses[0];
        rc = statuses[0].MPI_ERROR;
    } else {
        rc = MPI_Wait(&request[0], status);
    }
    /* Open MPI frees a request that failed, even a persistent one. */
    if (MPI_REQUEST_NULL != request[0]) {
        CHECK(PERSISTENT == way);
        MPI_Request_free(&request[0]);
    }
    return rc;
}

static void receive_next(int size)
{
    unsigned char *next = mt_alloc(NEXT_SIZE);

    CHECK_RECV(next, NEXT_SIZE, mt_peer, TAG_NEXT, comm, mt_key(size, 2, 0, 0));
    mt_free(next);
}

static void receiver(int size, int room, int way, bool expected)
{
    unsigned char *buffer = mt_alloc(room);
    int source = (size % 2) ? mt_peer : MPI_ANY_SOURCE;
    MPI_Status status;

    CHECK_RC(receive(way, buffer, room, MPI_BYTE, source, expected, &status),
             MPI_ERR_TRUNCATE);
    CHECK_EQ(status.MPI_SOURCE, mt_peer);
    CHECK_EQ(status.MPI_TAG, TAG);
    mt_free(buffer);
    receive_next(size);
}

/* A truncated message into a vector type, whose holes must stay untouched. */
static void layout_receiver(int size, const mt_layout_t *layout, int count,
                            int way, bool expected)
{
    void *base, *memory = mt_layout_alloc(layout, count, &base);
    MPI_Status status;

    CHECK_RC(
        receive(way, base, count, layout->type, mt_peer, expected, &status),
        MPI_ERR_TRUNCATE);
    CHECK_EQ(status.MPI_SOURCE, mt_peer);
    CHECK_EQ(status.MPI_TAG, TAG);
    CHECK_LAYOUT(layout, memory, base, count, 0, 0, true);
    mt_free(memory);
    receive_next(size);
}

/* MPI_Waitall of a receive that fails and one whose message has not come: the
 * latter stays, although its request, used again, has failed before. */
static void failed_beside_pending(void)
{
    int self = mt_rank_in(comm), in[2] = {0, 0};
    const int out[2] = {1, 2};
    MPI_Request request[2];
    MPI_Status status[2];

    MT_CASE("a receive that fails beside a pending one");
    MPI_Irecv(&in[0], 1, MPI_INT, self, TAG, comm, &request[0]);
    MPI_Send(out, 2, MPI_INT, self, TAG, comm);
    CHECK_RC(MPI_Wait(&request[0], &status[0]), MPI_ERR_TRUNCATE);
    MPI_Irecv(&in[0], 1, MPI_INT, self, TAG_NEXT, comm, &request[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, self, TAG, comm, &request[1]);
    MPI_Send(out, 2, MPI_INT, self, TAG, comm);
    CHECK_RC(MPI_Waitall(2, request, status), MPI_ERR_IN_STATUS);
    CHECK_RC(status[0].MPI_ERROR, MPI_ERR_PENDING);
    CHECK_RC(status[1].MPI_ERROR, MPI_ERR_TRUNCATE);
    CHECK(MPI_REQUEST_NULL != request[0]);
    MPI_Send(&out[1], 1, MPI_INT, self, TAG_NEXT, comm);
    CHECK_OK(MPI_Wait(&request[0], &status[0]));
    CHECK_STATUS(&status[0], self, TAG_NEXT, MPI_INT, 1);
    CHECK_EQ(in[0], 2);
}

int main(int argc, char **argv)
{
    static const int layout_counts[] = {1, 20, 2000, 20000};
    mt_layout_t layout[3];

    mt_init(&argc, &argv, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    mt_layouts_of_int(layout, 3);
    failed_beside_pending();
    for (int w = 0; w < NUM_WAYS * 2 && mt_peer < mt_size; ++w) {
        int way = w / 2;
        bool expected = w % 2;

        for (size_t c = 0; c < MT_COUNT_OF(cases); ++c) {
            MT_CASE("%d bytes into %d by %s, %s", cases[c].sent, cases[c].room,
                    ways[way], expected ? "expected" : "unexpected");
            if (0 == mt_rank % 2) {
                sender(cases[c].sent, expected, 1 == c % 3);
            } else {
                receiver(cases[c].sent, cases[c].room, way, expected);
            }
        }
        for (size_t c = 0; c < MT_COUNT_OF(layout_counts) * 2; ++c) {
            int count = layout_counts[c / 2];
            int size = count * MT_LAYOUT_INTS * 4 + ((c % 2) ? 4 : 200000);

            MT_CASE("%d bytes into %d vectors by %s, %s", size, count,
                    ways[way], expected ? "expected" : "unexpected");
            if (0 == mt_rank % 2) {
                sender(size, expected, false);
            } else {
                layout_receiver(size, &layout[1 + c % 2], count, way, expected);
            }
        }
    }
    mt_layouts_free(layout, 3);
    MPI_Comm_free(&comm);
    return mt_finalize();
}
