/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The four probes and the receives of probed messages: a probe shows the
 * oldest message that a receive posted now would get, a matched probe takes
 * it out of the queue, and what it took can be received whenever one likes.
 */
#include "mpi_test.h"
#include "mpi_test_layout.h"

#define NUM 12

static const int sizes[NUM] = {0,    1,     8,     100,    1000,    5000,
                               8193, 20000, 66000, 300000, 1 << 20, 17};

static uint64_t key_of(int step, int from, int index)
{
    return mt_key(step, from, index, 7);
}

/* NUM messages with tags tag_base + index % tags, all in flight. */
static void send_all(int step, int tags, MPI_Request *request,
                     unsigned char **data)
{
    for (int i = 0; i < NUM; ++i) {
        data[i] = mt_payload(sizes[i], key_of(step, mt_rank, i));
        (i % 3 == 1 ? mt_issend : mt_isend)(data[i], sizes[i], mt_peer,
                                            i % tags, &request[i]);
    }
}

static void complete(MPI_Request *request, unsigned char **data)
{
    MPI_Waitall(NUM, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < NUM; ++i) {
        mt_free(data[i]);
    }
}

static void receive_exactly(int step, int index, int tag, MPI_Message *message)
{
    unsigned char *buffer = mt_alloc(sizes[index]);
    MPI_Request request;
    MPI_Status status;

    if (NULL == message) {
        MPI_Recv(buffer, sizes[index], MPI_BYTE, mt_peer, tag, MPI_COMM_WORLD,
                 &status);
    } else if (index % 2) {
        MPI_Mrecv(buffer, sizes[index], MPI_BYTE, message, &status);
    } else {
        MPI_Imrecv(buffer, sizes[index], MPI_BYTE, message, &request);
        CHECK(MPI_MESSAGE_NULL == *message);
        MPI_Wait(&request, &status);
    }
    CHECK(NULL == message || MPI_MESSAGE_NULL == *message);
    CHECK_STATUS(&status, mt_peer, tag, MPI_BYTE, sizes[index]);
    CHECK_PAYLOAD(buffer, sizes[index], key_of(step, mt_peer, index));
    mt_free(buffer);
}

/* Probe, then receive what the probe announced; four kinds of wildcard. */
static void probe_then_receive(int step, bool immediate)
{
    MPI_Status status;
    int flag;

    for (int i = 0; i < NUM; ++i) {
        int source = (i & 1) ? MPI_ANY_SOURCE : mt_peer;
        int tag = (i & 2) ? MPI_ANY_TAG : 0;

        for (int again = 0; again < 3; ++again) {
            if (immediate) {
                do {
                    MPI_Iprobe(source, tag, MPI_COMM_WORLD, &flag, &status);
                } while (!flag);
            } else {
                MPI_Probe(source, tag, MPI_COMM_WORLD, &status);
            }
            CHECK_STATUS(&status, mt_peer, 0, MPI_BYTE, sizes[i]);
        }
        receive_exactly(step, i, 0, NULL);
    }
}

/* Matched probes take all messages first; received in a mixed order. */
static void take_then_receive(int step, bool immediate)
{
    MPI_Message message[NUM];
    MPI_Status status;
    int flag;

    for (int i = 0; i < NUM; ++i) {
        int source = (i & 1) ? MPI_ANY_SOURCE : mt_peer;
        int tag = (i & 2) ? MPI_ANY_TAG : 0;

        if (immediate) {
            do {
                message[i] = MPI_MESSAGE_NULL;
                MPI_Improbe(source, tag, MPI_COMM_WORLD, &flag, &message[i],
                            &status);
                CHECK(flag || MPI_MESSAGE_NULL == message[i]);
            } while (!flag);
        } else {
            MPI_Mprobe(source, tag, MPI_COMM_WORLD, &message[i], &status);
        }
        CHECK(MPI_MESSAGE_NULL != message[i]);
        CHECK_STATUS(&status, mt_peer, 0, MPI_BYTE, sizes[i]);
    }
    CHECK(!mt_is_there(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD));
    for (int i = 0; i < NUM; ++i) {
        int index = (i * 5 + 3) % NUM;
        receive_exactly(step, index, 0, &message[index]);
    }
}

/*
 * A message taken by a matched probe is received after all others, also
 * after a receive with its envelope that was posted before and after it.
 */
static void taken_message_waits(int step)
{
    MPI_Message message;
    MPI_Status status;

    for (int i = 0; i < NUM; ++i) {
        if (7 == i) {
            MPI_Mprobe(mt_peer, 7 % 4, MPI_COMM_WORLD, &message, &status);
            CHECK_STATUS(&status, mt_peer, 7 % 4, MPI_BYTE, sizes[3]);
            receive_exactly(step, 7, 7 % 4, NULL);
        } else if (3 != i) {
            receive_exactly(step, i, i % 4, NULL);
        }
    }
    receive_exactly(step, 3, 3, &message);
}

/* A probe for a tag looks past messages with other tags. */
static void probe_by_tag(int step)
{
    MPI_Status status;

    for (int tag = NUM - 1; tag >= 0; --tag) {
        MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        CHECK_STATUS(&status, mt_peer, tag, MPI_BYTE, sizes[tag]);
        CHECK(!mt_is_there(mt_peer, tag + 1, MPI_COMM_WORLD));
        receive_exactly(step, tag, tag, NULL);
    }
}

static void probe_nobody(void)
{
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int flag, data = 5;

    MT_CASE("probes of MPI_PROC_NULL");
    for (int way = 0; way < 4; ++way) {
        flag = 1;
        message = MPI_MESSAGE_NULL;
        memset(&status, 0x55, sizeof(status));
        if (0 == way) {
            MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
        } else if (1 == way) {
            MPI_Iprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &status);
        } else if (2 == way) {
            MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &status);
        } else {
            MPI_Improbe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &message,
                        &status);
        }
        CHECK(flag);
        CHECK_STATUS(&status, MPI_PROC_NULL, MPI_ANY_TAG, MPI_INT, 0);
        if (way >= 2) {
            CHECK(MPI_MESSAGE_NO_PROC == message);
            memset(&status, 0x55, sizeof(status));
            if (2 == way) {
                MPI_Mrecv(&data, 1, MPI_INT, &message, &status);
            } else {
                MPI_Imrecv(&data, 1, MPI_INT, &message, &request);
                MPI_Wait(&request, &status);
            }
            CHECK(MPI_MESSAGE_NULL == message);
            CHECK_STATUS(&status, MPI_PROC_NULL, MPI_ANY_TAG, MPI_INT, 0);
            CHECK_EQ(data, 5);
        }
    }
    MPI_Recv(&data, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    CHECK_STATUS(&status, MPI_PROC_NULL, MPI_ANY_TAG, MPI_INT, 0);
    MPI_Irecv(&data, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request);
    CHECK_WAIT(&request, MPI_PROC_NULL, MPI_ANY_TAG, MPI_INT, 0);
    MPI_Send(&data, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
    MPI_Issend(&data, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQ(data, 5);
}

/* Matched probe of non-contiguous data, whole and in part. */
static void probe_layouts(void)
{
    static const int counts[] = {1, 10, 5000};
    mt_layout_t layout[9];
    int n = mt_layouts_of_int(layout, 9);

    for (int i = 0; i < n * 3; ++i) {
        const mt_layout_t *from = &layout[i / 3], *to = &layout[(i + 4) % n];
        int count = counts[i % 3];
        size_t bytes = from->size * (size_t) count;
        uint64_t key = mt_key(i, mt_rank, 8, 8);
        uint64_t peer_key = mt_key(i, mt_peer, 8, 8);
        void *base[2], *memory[2];
        MPI_Message message;
        MPI_Request request, receive;
        MPI_Status status;

        MT_CASE("matched probe, %d x %s to %s", count, from->name, to->name);
        memory[0] = mt_layout_alloc(from, count, &base[0]);
        memory[1] = mt_layout_alloc(to, count + 2, &base[1]);
        mt_layout_fill(from, base[0], count, key);
        MPI_Isend(base[0], count, from->type, mt_peer, i, MPI_COMM_WORLD,
                  &request);
        MPI_Mprobe(mt_peer, i, MPI_COMM_WORLD, &message, &status);
        CHECK_STATUS(&status, mt_peer, i, MPI_INT, count * MT_LAYOUT_INTS);
        MPI_Imrecv(base[1], count + 2, to->type, &message, &receive);
        CHECK_WAIT(&receive, mt_peer, i, to->type, count);
        CHECK_LAYOUT(to, memory[1], base[1], count + 2, bytes, peer_key, false);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MT_FREE(memory[0], memory[1]);
    }
    mt_layouts_free(layout, n);
}

/* The communicator is freed when its messages are probed, not received. */
static void communicator_is_freed(void)
{
    static const int size[] = {8, 1000, 300000};
    enum { N = MT_COUNT_OF(size) };
    unsigned char *in[N], *out[N];
    MPI_Request send[N], receive;
    MPI_Message message[N];
    MPI_Status status;
    MPI_Comm comm;

    MT_CASE("the communicator of probed messages is freed");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < N; ++i) {
        in[i] = mt_alloc(size[i]);
        out[i] = mt_payload(size[i], i);
        MPI_Isend(out[i], size[i], MPI_BYTE, mt_peer, i, comm, &send[i]);
    }
    for (int i = 0; i < N; ++i) {
        MPI_Mprobe(mt_peer, i, comm, &message[i], &status);
    }
    MPI_Comm_free(&comm);
    for (int i = 0; i < N; ++i) {
        if (i % 2) {
            MPI_Mrecv(in[i], size[i], MPI_BYTE, &message[i], &status);
        } else {
            MPI_Imrecv(in[i], size[i], MPI_BYTE, &message[i], &receive);
            MPI_Wait(&receive, &status);
        }
        CHECK_STATUS(&status, mt_peer, i, MPI_BYTE, size[i]);
        CHECK_PAYLOAD(in[i], size[i], i);
    }
    MPI_Waitall(N, send, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; ++i) {
        MT_FREE(in[i], out[i]);
    }
}

int main(int argc, char **argv)
{
    static const int tags[] = {1, 1, 1, 1, 4, NUM};
    static const char *const steps[] = {
        "Probe",       "Iprobe", "Mprobe", "Improbe", "taken message waits",
        "probe by tag"};
    unsigned char *data[NUM];
    MPI_Request request[NUM];

    mt_init(&argc, &argv, 2);
    for (int step = 0; step < 6 && mt_peer < mt_size; ++step) {
        for (int first = 0; first < 2; ++first) {
            MT_CASE("%s, %s", steps[step], first ? "at once" : "unexpected");
            send_all(step, tags[step], request, data);
            if (!first) {
                mt_progress(MPI_COMM_WORLD, 20);
            }
            if (step < 2) {
                probe_then_receive(step, step % 2);
            } else if (step < 4) {
                take_then_receive(step, step % 2);
            } else if (4 == step) {
                taken_message_waits(step);
            } else {
                probe_by_tag(step);
            }
            complete(request, data);
            mt_meet(mt_peer, 99, MPI_COMM_WORLD);
        }
    }
    if (mt_peer < mt_size) {
        probe_layouts();
    }
    if (mt_size % 2 == 0) {
        for (int i = 0; i < 20; ++i) {
            communicator_is_freed();
        }
    }
    probe_nobody();
    return mt_finalize();
}
