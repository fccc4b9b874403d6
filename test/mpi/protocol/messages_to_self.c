/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process talks to itself as to any other: all modes and sizes, wildcards,
 * probes, cancelling, truncation, synchronous sends, non-contiguous data. What
 * programs count on beyond that: small messages need no receive to be sent,
 * and what was received is known to be complete at once.
 */
#include "mpi_test.h"
#include "mpi_test_layout.h"

#define TAG 61

static const int sizes[] = {0,    1,    8,     64,     100,          1024,
                            8192, 8193, 65537, 300000, (4 << 20) + 3};

typedef int (*isend_t)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                       MPI_Request *);
static const isend_t isends[] = {MPI_Isend,  MPI_Issend,    MPI_Ibsend,
                                 MPI_Irsend, MPI_Send_init, MPI_Ssend_init};
#define RSEND 3
#define FIRST_PERSISTENT 4

static MPI_Comm comm;
static int self;

static void one(int size, size_t mode, bool expected, int wildcard)
{
    int source = (wildcard & 1) ? MPI_ANY_SOURCE : self;
    int tag = (wildcard & 2) ? MPI_ANY_TAG : TAG;
    uint64_t key = mt_key(size, mode, expected, wildcard);
    unsigned char *in = mt_alloc(size), *out = mt_payload(size, key);
    MPI_Request send, receive;
    MPI_Status status;

    if (expected) {
        MPI_Irecv(in, size, MPI_BYTE, source, tag, comm, &receive);
    }
    isends[mode](out, size, MPI_BYTE, self, TAG, comm, &send);
    if (mode >= FIRST_PERSISTENT) {
        MPI_Start(&send);
    }
    if (expected) {
        MPI_Wait(&receive, &status);
    } else {
        MPI_Recv(in, size, MPI_BYTE, source, tag, comm, &status);
    }
    CHECK_STATUS(&status, self, TAG, MPI_BYTE, size);
    CHECK_PAYLOAD(in, size, key);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    if (mode >= FIRST_PERSISTENT) {
        MPI_Request_free(&send);
    }
    MT_FREE(in, out);
}

/* Blocking sends to a receive that is posted; small ones also to nothing. */
static void blocking(int size)
{
    unsigned char *in = mt_alloc(size);
    unsigned char *out = mt_payload(size, mt_key(size, 9, 0, 0));
    MPI_Request receive;
    MPI_Status status;

    for (int i = 0; i < 3; ++i) {
        memset(in, 0, size);
        MPI_Irecv(in, size, MPI_BYTE, self, TAG, comm, &receive);
        (0 == i   ? MPI_Send
         : 1 == i ? MPI_Ssend
                  : MPI_Rsend)(out, size, MPI_BYTE, self, TAG, comm);
        CHECK_WAIT(&receive, self, TAG, MPI_BYTE, size);
        CHECK_PAYLOAD(in, size, mt_key(size, 9, 0, 0));
    }
    memset(in, 0, size);
    MPI_Sendrecv(out, size, MPI_BYTE, self, TAG, in, size, MPI_BYTE, self, TAG,
                 comm, &status);
    CHECK_STATUS(&status, self, TAG, MPI_BYTE, size);
    CHECK_PAYLOAD(in, size, mt_key(size, 9, 0, 0));
    MT_FREE(in, out);
}

/* Up to champion's eager limit for messages to self. */
static void blocking_before_receive(int size)
{
    unsigned char *in = mt_alloc(size), *out = mt_payload(size, 10);
    MPI_Datatype pair;
    MPI_Status status;

    MPI_Send(out, size, MPI_BYTE, self, TAG, comm);
    mt_fill(out, size, 11); /* the buffer is ours again */
    MPI_Send(out, size, MPI_BYTE, self, TAG, comm);
    for (uint64_t key = 10; key < 12; ++key) {
        CHECK_RECV(in, size, self, TAG, comm, key);
    }
    /* Every other byte. */
    pair = mt_vector(size / 2, 1, 2, MPI_BYTE);
    MPI_Send(out, 1, pair, self, TAG, comm);
    memset(in, 0, size);
    MPI_Recv(in, size, MPI_BYTE, self, TAG, comm, &status);
    CHECK_STATUS(&status, self, TAG, MPI_BYTE, size / 2);
    for (int i = 0; i < size / 2; ++i) {
        CHECK_EQ(in[i], out[2 * i]);
    }
    MPI_Type_free(&pair);
    MT_FREE(in, out);
}

/* When the receive has returned, one call sees that the sends are complete. */
static void one_test_suffices(int size)
{
    enum { NUM = 5 };
    unsigned char *in = mt_alloc(size), *out = mt_payload(size, 12);
    MPI_Request request[NUM];
    MPI_Status status;
    int index[NUM], flag;

    for (int way = 0; way < 3; ++way) {
        for (int i = 0; i < NUM; ++i) {
            (i % 2 ? MPI_Issend : MPI_Isend)(out, size, MPI_BYTE, self, TAG,
                                             comm, &request[i]);
        }
        for (int i = 0; i < NUM; ++i) {
            MPI_Message message;

            if (i % 2) {
                MPI_Recv(in, size, MPI_BYTE, self, TAG, comm, &status);
            } else {
                MPI_Mprobe(self, TAG, comm, &message, &status);
                MPI_Mrecv(in, size, MPI_BYTE, &message, &status);
            }
            CHECK_PAYLOAD(in, size, 12);
        }
        flag = 0;
        if (0 == way) {
            MPI_Testall(NUM, request, &flag, MPI_STATUSES_IGNORE);
        } else if (1 == way) {
            MPI_Testsome(NUM, request, &flag, index, MPI_STATUSES_IGNORE);
            CHECK_EQ(flag, NUM);
        } else {
            for (int i = 0; i < NUM; ++i) {
                MPI_Testany(NUM, request, index, &flag, MPI_STATUS_IGNORE);
                CHECK(flag);
            }
        }
        CHECK(flag);
    }
    MT_FREE(in, out);
}

/* When the send has returned, the receive that was posted before it is complete
 * too. MPI_Testsome, because MPI_Waitall of Open MPI 4.1.4 never returns with
 * MPI_THREAD_MULTIPLE if a request has failed before. */
static void posted_is_complete(int size)
{
    enum { NUM = 4 };
    unsigned char *in = mt_alloc(size), *out = mt_payload(size, 25);
    MPI_Request request[NUM];
    MPI_Status status[NUM];
    int index[NUM], flag = 0;

    MPI_Irecv(in, size, MPI_BYTE, self, TAG, comm, &request[0]);
    MPI_Isend(out, size, MPI_BYTE, self, TAG, comm, &request[1]);
    MPI_Testall(2, request, &flag, MPI_STATUSES_IGNORE);
    CHECK(flag);
    CHECK_PAYLOAD(in, size, 25);
    for (int i = 0; i < NUM && size > 0; ++i) {
        MPI_Irecv(in, 0, MPI_BYTE, self, TAG, comm, &request[i]);
    }
    for (int i = 0; i < NUM && size > 0; ++i) {
        MPI_Rsend(out, size, MPI_BYTE, self, TAG, comm);
    }
    if (size > 0) {
        CHECK_RC(MPI_Testsome(NUM, request, &flag, index, status),
                 MPI_ERR_IN_STATUS);
        CHECK_EQ(flag, NUM);
        for (int i = 0; i < NUM; ++i) {
            CHECK_RC(status[i].MPI_ERROR, MPI_ERR_TRUNCATE);
        }
    }
    MT_FREE(in, out);
}

/* Send by each mode, as a request or not. */
static void send_by(int way, void *buffer, int size)
{
    static int (*const start[])(const void *, int, MPI_Datatype, int, int,
                                MPI_Comm, MPI_Request *) = {
        MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Send_init, MPI_Ssend_init};
    static int (*const send[])(const void *, int, MPI_Datatype, int, int,
                               MPI_Comm) = {MPI_Send, MPI_Ssend, MPI_Bsend};
    MPI_Request request;

    if (way < (int) MT_COUNT_OF(send)) {
        CHECK_OK(send[way](buffer, size, MPI_BYTE, self, TAG, comm));
        return;
    }
    way -= (int) MT_COUNT_OF(send);
    CHECK_OK(start[way](buffer, size, MPI_BYTE, self, TAG, comm, &request));
    if (way > 2) {
        MPI_Start(&request);
    }
    MPI_Request_free(&request);
}

/* When the send has returned, one call sees that the receives are complete. */
static void one_test_suffices_receiver(int size)
{
    enum { NUM = 8 };
    unsigned char *in[NUM], *out = mt_payload(size, 25);
    int flag, index[NUM];
    MPI_Request request[NUM];

    mt_attach(NUM * (size + MPI_BSEND_OVERHEAD));
    for (int all = 0; all < 2; ++all) {
        for (int i = 0; i < NUM; ++i) {
            in[i] = mt_alloc(size);
            MPI_Irecv(in[i], size, MPI_BYTE, self, TAG, comm, &request[i]);
        }
        for (int i = 0; i < NUM; ++i) {
            send_by(i, out, size);
            if (!all) {
                MPI_Testsome(NUM, request, &flag, index, MPI_STATUSES_IGNORE);
                CHECK_EQ(flag, 1);
                CHECK_EQ(index[0], i);
            }
        }
        if (all) {
            MPI_Testall(NUM, request, &flag, MPI_STATUSES_IGNORE);
            CHECK(flag);
        }
        for (int i = 0; i < NUM; ++i) {
            CHECK_PAYLOAD(in[i], size, 25);
            mt_free(in[i]);
        }
    }
    mt_detach();
    mt_free(out);
}

/* A buffer with room for one message: it is free when that was received. */
static void buffered_again(int size)
{
    unsigned char *in = mt_alloc(size), *out = mt_alloc(size);

    mt_attach(size + MPI_BSEND_OVERHEAD);
    for (uint64_t key = 13; key < 23; ++key) {
        mt_fill(out, size, key);
        CHECK_OK(MPI_Bsend(out, size, MPI_BYTE, self, TAG, comm));
        CHECK_RECV(in, size, self, TAG, comm, key);
    }
    mt_detach();
    MT_FREE(in, out);
}

static void synchronous_waits(int size)
{
    unsigned char *in = mt_alloc(size), *out = mt_payload(size, 7);
    MPI_Request send;
    MPI_Status status;

    MPI_Issend(out, size, MPI_BYTE, self, TAG, comm, &send);
    for (int i = 0; i < 200; ++i) {
        CHECK(!mt_test(&send));
    }
    MPI_Recv(in, size, MPI_BYTE, self, TAG, comm, &status);
    CHECK_PAYLOAD(in, size, 7);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MT_FREE(in, out);
}

static void probed(int size)
{
    unsigned char *in = mt_alloc(size), *out = mt_payload(size, 8);
    MPI_Request send, receive;
    MPI_Message message;
    MPI_Status status;
    int flag = 0;

    CHECK(!mt_is_there(MPI_ANY_SOURCE, MPI_ANY_TAG, comm));
    MPI_Isend(out, size, MPI_BYTE, self, TAG, comm, &send);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    CHECK_STATUS(&status, self, TAG, MPI_BYTE, size);
    do {
        MPI_Improbe(self, TAG, comm, &flag, &message, &status);
    } while (!flag);
    CHECK_STATUS(&status, self, TAG, MPI_BYTE, size);
    MPI_Imrecv(in, size, MPI_BYTE, &message, &receive);
    CHECK_WAIT(&receive, self, TAG, MPI_BYTE, size);
    CHECK_PAYLOAD(in, size, 8);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MT_FREE(in, out);
}

static void truncated(int size, bool expected)
{
    int room = size / 2;
    unsigned char *in = mt_alloc(room), *out = mt_payload(size, 9);
    MPI_Request send, receive;
    MPI_Status status;
    int next = 0, rc;

    if (expected) {
        MPI_Irecv(in, room, MPI_BYTE, self, TAG, comm, &receive);
    }
    CHECK_OK(MPI_Isend(out, size, MPI_BYTE, self, TAG, comm, &send));
    rc = expected ? MPI_Wait(&receive, &status)
                  : MPI_Recv(in, room, MPI_BYTE, self, TAG, comm, &status);
    CHECK_RC(rc, MPI_ERR_TRUNCATE);
    CHECK_EQ(status.MPI_SOURCE, self);
    CHECK_EQ(status.MPI_TAG, TAG);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_Sendrecv(&size, 1, MPI_INT, self, TAG, &next, 1, MPI_INT, self,
                          TAG, comm, &status));
    CHECK_EQ(next, size);
    MT_FREE(in, out);
}

/* Elements of eight bytes, of which four fit. */
static void truncated_noncontiguous(bool expected)
{
    double out[32];
    int *in = mt_alloc(sizeof(int));
    MPI_Request send, receive;
    MPI_Datatype vector;
    MPI_Status status;

    mt_fill(out, sizeof(out), 24);
    vector = mt_vector(16, 1, 2, MPI_DOUBLE);
    if (expected) {
        MPI_Irecv(in, 1, MPI_INT, self, TAG, comm, &receive);
    }
    CHECK_OK(MPI_Isend(out, 1, vector, self, TAG, comm, &send));
    CHECK_RC(expected ? MPI_Wait(&receive, &status)
                      : MPI_Recv(in, 1, MPI_INT, self, TAG, comm, &status),
             MPI_ERR_TRUNCATE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Type_free(&vector);
    mt_free(in);
}

static void cancelled(void)
{
    int data[3] = {0, 0, 0};
    MPI_Request request[3];

    for (int i = 0; i < 3; ++i) {
        MPI_Irecv(&data[i], 1, MPI_INT, i == 1 ? MPI_ANY_SOURCE : self, TAG,
                  comm, &request[i]);
    }
    MPI_Cancel(&request[1]);
    for (int i = 1; i < 3; ++i) {
        MPI_Send(&i, 1, MPI_INT, self, TAG, comm);
    }
    for (int i = 0; i < 3; ++i) {
        CHECK_EQ(mt_wait_cancelled(&request[i]), i == 1);
    }
    CHECK_EQ(data[0], 1);
    CHECK_EQ(data[1], 0);
    CHECK_EQ(data[2], 2);
}

/* Many messages wait, and are received by tag in the reverse order. */
static void many(void)
{
    enum { NUM = 500 };
    MPI_Request request[NUM];
    MPI_Status status;
    int data[NUM], got;

    for (int i = 0; i < NUM; ++i) {
        data[i] = i;
        MPI_Isend(&data[i], 1, MPI_INT, self, i / 2, comm, &request[i]);
    }
    for (int tag = NUM / 2 - 1; tag >= 0; --tag) {
        for (int i = 0; i < 2; ++i) {
            MPI_Recv(&got, 1, MPI_INT, i ? MPI_ANY_SOURCE : self, tag, comm,
                     &status);
            CHECK_STATUS(&status, self, tag, MPI_INT, 1);
            CHECK_EQ(got, 2 * tag + i);
        }
    }
    MPI_Waitall(NUM, request, MPI_STATUSES_IGNORE);
}

static void layouts(void)
{
    static const int counts[] = {1, 50, 4000};
    mt_layout_t layout[9];
    int n = mt_layouts_of_int(layout, 9);

    for (int i = 0; i < n * n * 6; ++i) {
        const mt_layout_t *from = &layout[i % n], *to = &layout[i / n % n];
        int count = counts[i / n / n % 3];
        bool expected = i / n / n / 3;
        uint64_t key = mt_key(i, 1, 1, 1);
        void *base[2], *memory[2];
        MPI_Request send, receive;

        MT_CASE("to self: %d x %s to %s", count, from->name, to->name);
        memory[0] = mt_layout_alloc(from, count, &base[0]);
        memory[1] = mt_layout_alloc(to, count + 1, &base[1]);
        mt_layout_fill(from, base[0], count, key);
        if (expected) {
            MPI_Irecv(base[1], count + 1, to->type, self, TAG, comm, &receive);
        }
        MPI_Isend(base[0], count, from->type, self, TAG, comm, &send);
        if (!expected) {
            MPI_Irecv(base[1], count + 1, to->type, self, TAG, comm, &receive);
        }
        CHECK_WAIT(&receive, self, TAG, to->type, count);
        CHECK_LAYOUT(to, memory[1], base[1], count + 1,
                     from->size * (size_t) count, key, false);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MT_FREE(memory[0], memory[1]);
    }
    mt_layouts_free(layout, n);
}

int main(int argc, char **argv)
{
    mt_init_threads(&argc, &argv, 1, mt_flag(argc, argv, "--threads"));
    for (int world = 0; world < 2; ++world) {
        MPI_Comm_dup(world ? MPI_COMM_WORLD : MPI_COMM_SELF, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        MPI_Comm_rank(comm, &self);
        for (size_t s = 0; s < MT_COUNT_OF(sizes); ++s) {
            for (int i = 0; i < (int) MT_COUNT_OF(isends) * 8; ++i) {
                size_t mode = (size_t) i / 8;
                bool expected = i & 4;

                if (RSEND == mode && !expected) {
                    continue;
                }
                MT_CASE("to self: %d bytes, mode %zu, wildcard %d, %s",
                        sizes[s], mode, i & 3,
                        expected ? "expected" : "unexpected");
                mt_attach((4 << 20) + 1000 + MPI_BSEND_OVERHEAD);
                one(sizes[s], mode, expected, i & 3);
                mt_detach();
            }
            MT_CASE("to self: %d bytes, other", sizes[s]);
            blocking(sizes[s]);
            if (sizes[s] <= 131072) {
                blocking_before_receive(sizes[s]);
            }
            one_test_suffices(sizes[s]);
            posted_is_complete(sizes[s]);
            one_test_suffices_receiver(sizes[s]);
            buffered_again(sizes[s]);
            synchronous_waits(sizes[s]);
            probed(sizes[s]);
            if (sizes[s] > 0) {
                MT_CASE("to self: %d bytes truncated", sizes[s]);
                truncated(sizes[s], false);
                truncated(sizes[s], true);
            }
        }
        truncated_noncontiguous(false);
        truncated_noncontiguous(true);
        MT_CASE("to self: cancel");
        cancelled();
        MT_CASE("to self: many");
        many();
        layouts();
        MPI_Comm_free(&comm);
    }
    return mt_finalize();
}
