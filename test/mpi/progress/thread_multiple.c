/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_THREAD_MULTIPLE: threads of a rank communicate at the same time, each
 * on a communicator of its own or all on one, told apart by tags or not at
 * all; with probes, synchronous sends and communicators made in parallel.
 *
 *     thread_multiple [--threads N] [--times N] [--only NAME]
 */
#include <stdatomic.h>

#include "mpi_test.h"

#define MAX_THREADS 16
#define MAX_SIZE 100000

static int num_threads = 4, times = 100;
static MPI_Comm own_comm[MAX_THREADS], one_comm, fails_comm;
static atomic_int *seen;

static int size_of(uint64_t key)
{
    static const int sizes[] = {0,    1,    8,    64,    500,
                                1024, 3000, 8193, 20000, MAX_SIZE};
    return sizes[mt_mix(key) % (mt_mix(key) / 16 % 4 ? 7 : MT_COUNT_OF(sizes))];
}

static uint64_t key_of(int from, int thread, int i)
{
    return mt_key(mt_seed, from, thread, i);
}

/* A message to the next rank, one from the previous one. */
static void ring(MPI_Comm comm, int thread, int i, int source, int tag,
                 bool synchronous)
{
    uint64_t out_key = key_of(mt_rank, thread, i);
    uint64_t in_key = key_of(mt_before, thread, i);
    int out_size = size_of(out_key), in_size = size_of(in_key);
    unsigned char *out = mt_alloc(out_size);
    unsigned char *in = mt_alloc(in_size);
    MPI_Request request[2];
    MPI_Status status[2];
    int flag = 0;

    mt_fill(out, out_size, out_key);
    if (i % 2) {
        MPI_Irecv(in, in_size, MPI_BYTE, source, tag, comm, &request[0]);
    }
    (synchronous ? MPI_Issend : MPI_Isend)(out, out_size, MPI_BYTE, mt_after,
                                           thread, comm, &request[1]);
    if (0 == i % 2) {
        MPI_Irecv(in, in_size, MPI_BYTE, source, tag, comm, &request[0]);
    }
    if (i % 3) {
        MPI_Waitall(2, request, status);
    } else {
        while (!flag) {
            MPI_Testall(2, request, &flag, status);
        }
    }
    CHECK_STATUS(&status[0], mt_before, thread, MPI_BYTE, in_size);
    CHECK_PAYLOAD(in, in_size, in_key);
    MT_FREE(in, out);
}

static void own_communicators(int thread)
{
    for (int i = 0; i < times; ++i) {
        ring(own_comm[thread], thread, i,
             i % 4 == 1 ? MPI_ANY_SOURCE : mt_before,
             i % 5 == 2 ? MPI_ANY_TAG : thread, false);
    }
}

static void one_communicator(int thread)
{
    for (int i = 0; i < times; ++i) {
        ring(one_comm, thread, i, i % 4 == 1 ? MPI_ANY_SOURCE : mt_before,
             thread, false);
    }
}

static void synchronous(int thread)
{
    for (int i = 0; i < times; ++i) {
        ring(one_comm, thread, i, mt_before, thread, true);
    }
}

/* Blocking calls; two threads of each pair of ranks per direction. */
static void blocking(int thread)
{
    unsigned char *in = mt_alloc(MAX_SIZE), *out = mt_alloc(MAX_SIZE);

    for (int i = 0; i < times && mt_peer < mt_size; ++i) {
        bool sends = (thread ^ mt_rank ^ i) & 1;
        uint64_t key = key_of(sends ? mt_rank : mt_peer, thread, i);
        int size = size_of(key);

        if (sends) {
            mt_fill(out, size, key);
            (i % 3 ? MPI_Send : MPI_Ssend)(out, size, MPI_BYTE, mt_peer, thread,
                                           one_comm);
        } else {
            CHECK_RECV(in, size, mt_peer, thread, one_comm, key);
        }
    }
    MT_FREE(in, out);
}

/* One thread of the rank waits for what another one sends it. */
static void to_self(int thread)
{
    int to = (thread + 1) % num_threads;

    for (int i = 0; i < times; ++i) {
        uint64_t key = key_of(mt_rank, thread, i);
        int from = (thread + num_threads - 1) % num_threads;
        uint64_t in_key = key_of(mt_rank, from, i);
        int size = size_of(key), in_size = size_of(in_key);
        unsigned char *in = mt_alloc(in_size);
        unsigned char *out = mt_payload(size, key);
        MPI_Request request;
        MPI_Isend(out, size, MPI_BYTE, mt_rank, to, one_comm, &request);
        CHECK_RECV(in, in_size, mt_rank, thread, one_comm, in_key);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MT_FREE(in, out);
    }
}

/* The tag identifies the message; each must arrive once. */
static void check_once(const unsigned char *in, const MPI_Status *status)
{
    int from = status->MPI_SOURCE, tag = status->MPI_TAG, before;
    uint64_t key;

    CHECK_EQ(from, mt_before);
    CHECK(tag >= 0 && tag < num_threads * times);
    key = key_of(from, tag / times, tag % times);
    CHECK_STATUS(status, from, tag, MPI_BYTE, size_of(key));
    CHECK_PAYLOAD(in, size_of(key), key);
    before = atomic_fetch_add(&seen[tag], 1);
    CHECK_EQ(before, 0);
}

static void send_numbered(int thread, MPI_Request *request, unsigned char **out)
{
    for (int i = 0; i < times; ++i) {
        uint64_t key = key_of(mt_rank, thread, i);
        int size = size_of(key);

        out[i] = mt_payload(size, key);
        MPI_Isend(out[i], size, MPI_BYTE, mt_after, thread * times + i,
                  one_comm, &request[i]);
    }
}

static void complete_numbered(MPI_Request *request, unsigned char **out)
{
    MPI_Waitall(times, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < times; ++i) {
        mt_free(out[i]);
    }
    free(request);
    free(out);
}

/* All threads receive whatever comes. */
static void wildcards(int thread)
{
    MPI_Request *request = malloc(times * sizeof(*request));
    unsigned char **out = malloc(times * sizeof(*out));
    unsigned char *in = mt_alloc(MAX_SIZE);
    MPI_Status status;

    send_numbered(thread, request, out);
    for (int i = 0; i < times; ++i) {
        MPI_Recv(in, MAX_SIZE, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, one_comm,
                 &status);
        check_once(in, &status);
    }
    complete_numbered(request, out);
    mt_free(in);
}

/* All threads take messages with matched probes, half of them immediate. */
static void probes(int thread)
{
    MPI_Request *request = malloc(times * sizeof(*request));
    unsigned char **out = malloc(times * sizeof(*out));

    send_numbered(thread, request, out);
    for (int i = 0; i < times; ++i) {
        MPI_Message message;
        MPI_Status probed, status;
        unsigned char *in;
        int size, flag = 0;

        if (thread % 2) {
            while (!flag) {
                MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, one_comm, &flag,
                            &message, &probed);
            }
        } else {
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, one_comm, &message,
                       &probed);
        }
        MPI_Get_count(&probed, MPI_BYTE, &size);
        in = mt_alloc(size);
        MPI_Mrecv(in, size, MPI_BYTE, &message, &status);
        CHECK_STATUS(&status, probed.MPI_SOURCE, probed.MPI_TAG, MPI_BYTE,
                     size);
        check_once(in, &status);
        mt_free(in);
    }
    complete_numbered(request, out);
}

/* Communicators made from each thread's own, all at the same time. */
static void communicators(int thread)
{
    for (int i = 0; i < times / 4; ++i) {
        MPI_Comm comm;

        MPI_Comm_dup(own_comm[thread], &comm);
        ring(comm, thread, i, MPI_ANY_SOURCE, MPI_ANY_TAG, false);
        MPI_Comm_free(&comm);
    }
}

/* Receives are cancelled in some threads while others receive. */
static void cancels(int thread)
{
    for (int i = 0; i < times; ++i) {
        unsigned char data[8];
        MPI_Request request[3];

        for (int j = 0; j < 3; ++j) {
            MPI_Irecv(data, sizeof(data), MPI_BYTE,
                      j == 1 ? MPI_ANY_SOURCE : mt_before, 10000 + thread,
                      one_comm, &request[j]);
        }
        for (int j = 0; j < 3; ++j) {
            MPI_Cancel(&request[(i + j) % 3]);
        }
        for (int j = 0; j < 3; ++j) {
            CHECK(mt_wait_cancelled(&request[j]));
        }
        ring(one_comm, thread, i, mt_before, thread, false);
    }
}

/* Wildcards that are cancelled in some threads, while others receive what
 * comes: each message is received once, by a receive that was not cancelled. */
static void cancelled_wildcards(int thread)
{
    MPI_Request *request = malloc(times * sizeof(*request));
    unsigned char **out = malloc(times * sizeof(*out));
    unsigned char *in = mt_alloc(MAX_SIZE);

    send_numbered(thread, request, out);
    for (int i = 0; i < times;) {
        MPI_Request receive;
        MPI_Status status;
        int flag;

        MPI_Irecv(in, MAX_SIZE, MPI_BYTE, i % 2 ? MPI_ANY_SOURCE : mt_before,
                  MPI_ANY_TAG, one_comm, &receive);
        if (0 == (thread + i) % 3) {
            MPI_Cancel(&receive);
        }
        MPI_Wait(&receive, &status);
        MPI_Test_cancelled(&status, &flag);
        if (flag) {
            /* The next one is left to come. */
            MPI_Recv(in, MAX_SIZE, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                     one_comm, &status);
        }
        check_once(in, &status);
        ++i;
    }
    complete_numbered(request, out);
    mt_free(in);
}

/* The first thread makes and frees communicators, the others send and receive
 * in theirs meanwhile. */
static void life_cycles(int thread)
{
    if (0 != thread) {
        own_communicators(thread);
        return;
    }
    for (int i = 0; i < times / 2; ++i) {
        MPI_Comm comm, half;

        MPI_Comm_dup(own_comm[0], &comm);
        MPI_Comm_split(own_comm[0], mt_rank % 2, 0, &half);
        if (i % 2) {
            ring(comm, thread, i, mt_before, thread, i % 4 == 1);
        }
        MPI_Comm_free(&half);
        MPI_Comm_free(&comm);
    }
}

/* All ways to wait, for several requests at a time: in half of the threads for
 * messages that come from the other half. */
static void ways_to_wait(int thread)
{
    enum { COUNT = 4 };

    for (int i = 0; i < times; ++i) {
        unsigned char *out[COUNT], *in[COUNT];
        MPI_Request request[2 * COUNT];
        int left = 2 * COUNT, done, indices[2 * COUNT];

        for (int j = 0; j < COUNT; ++j) {
            uint64_t key = key_of(mt_rank, thread, COUNT * i + j);
            uint64_t in_key = key_of(mt_before, thread, COUNT * i + j);

            in[j] = mt_alloc(size_of(in_key));
            out[j] = mt_payload(size_of(key), key);
            MPI_Irecv(in[j], size_of(in_key), MPI_BYTE, mt_before,
                      COUNT * thread + j, one_comm, &request[j]);
            ((i + j) % 3 ? MPI_Isend : MPI_Issend)(
                out[j], size_of(key), MPI_BYTE, mt_after, COUNT * thread + j,
                one_comm, &request[COUNT + j]);
        }
        while (left > 0) {
            switch ((i + left) % 4) {
            case 0:
                MPI_Waitany(2 * COUNT, request, &done, MPI_STATUS_IGNORE);
                CHECK(done >= 0 && done < 2 * COUNT);
                --left;
                break;
            case 1:
                MPI_Waitsome(2 * COUNT, request, &done, indices,
                             MPI_STATUSES_IGNORE);
                CHECK(done >= 1 && done <= left);
                left -= done;
                break;
            case 2:
                done = 0;
                while (MPI_REQUEST_NULL == request[done]) {
                    ++done;
                }
                MPI_Wait(&request[done], MPI_STATUS_IGNORE);
                --left;
                break;
            default:
                if (0 == thread % 2) {
                    MPI_Waitall(2 * COUNT, request, MPI_STATUSES_IGNORE);
                    left = 0;
                } else {
                    MPI_Waitany(2 * COUNT, request, &done, MPI_STATUS_IGNORE);
                    --left;
                }
            }
        }
        MPI_Waitany(2 * COUNT, request, &done, MPI_STATUS_IGNORE);
        CHECK_EQ(done, MPI_UNDEFINED);
        for (int j = 0; j < COUNT; ++j) {
            uint64_t in_key = key_of(mt_before, thread, COUNT * i + j);

            CHECK_PAYLOAD(in[j], size_of(in_key), in_key);
            MT_FREE(in[j], out[j]);
        }
    }
}

/* MPI_Waitall ends when one receive has failed, though the one before it cannot
 * come yet: its message is sent afterwards. */
static void one_fails(int thread)
{
    for (int i = 0; i < times / 4; ++i) {
        unsigned char in[2] = {0, 0}, out[2] = {1, 2};
        MPI_Request request[2];
        MPI_Status status[2];

        MPI_Irecv(&in[0], 1, MPI_BYTE, mt_before, 2 * thread, fails_comm,
                  &request[0]);
        MPI_Irecv(&in[1], 1, MPI_BYTE, mt_before, 2 * thread + 1, fails_comm,
                  &request[1]);
        MPI_Send(out, 2, MPI_BYTE, mt_after, 2 * thread + 1, fails_comm);
        CHECK_RC(MPI_Waitall(2, request, status), MPI_ERR_IN_STATUS);
        CHECK_RC(status[1].MPI_ERROR, MPI_ERR_TRUNCATE);
        MPI_Send(out, 1, MPI_BYTE, mt_after, 2 * thread, fails_comm);
        CHECK_OK(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
        CHECK_EQ(in[0], 1);
        if (MPI_REQUEST_NULL != request[1]) {
            MPI_Request_free(&request[1]);
        }
    }
}

static const struct {
    const char *name;
    void (*run)(int thread);
} scenarios[] = {
    {"own_communicators", own_communicators},
    {"one_communicator", one_communicator},
    {"synchronous", synchronous},
    {"blocking", blocking},
    {"to_self", to_self},
    {"wildcards", wildcards},
    {"probes", probes},
    {"communicators", communicators},
    {"cancels", cancels},
    {"cancelled_wildcards", cancelled_wildcards},
    {"life_cycles", life_cycles},
    {"ways_to_wait", ways_to_wait},
    {"one_fails", one_fails},
};

static size_t scenario;

static void *run_thread(void *argument)
{
    int thread = *(int *) argument;

    MT_CASE("%s, thread %d", scenarios[scenario].name, thread);
    scenarios[scenario].run(thread);
    MT_CASE("thread %d has finished", thread);
    return NULL;
}

static bool is_wanted(int argc, char **argv, const char *name)
{
    return !mt_flag(argc, argv, "--only") || mt_flag(argc, argv, name);
}

int main(int argc, char **argv)
{
    int thread[MAX_THREADS];

    mt_init_threads(&argc, &argv, 2, true);
    num_threads = mt_option(argc, argv, "--threads", num_threads);
    times = mt_option(argc, argv, "--times", times);
    CHECK(num_threads >= 1 && num_threads <= MAX_THREADS);
    MPI_Comm_dup(MPI_COMM_WORLD, &one_comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &fails_comm);
    MPI_Comm_set_errhandler(fails_comm, MPI_ERRORS_RETURN);
    for (int t = 0; t < num_threads; ++t) {
        MPI_Comm_dup(MPI_COMM_WORLD, &own_comm[t]);
        thread[t] = t;
    }
    seen = malloc((size_t) (num_threads * times) * sizeof(*seen));

    for (scenario = 0; scenario < MT_COUNT_OF(scenarios); ++scenario) {
        if (!is_wanted(argc, argv, scenarios[scenario].name)) {
            continue;
        }
        for (int i = 0; i < num_threads * times; ++i) {
            atomic_init(&seen[i], 0);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        mt_in_threads(num_threads, run_thread, thread, sizeof(*thread));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int t = 0; t < num_threads; ++t) {
        MPI_Comm_free(&own_comm[t]);
    }
    MPI_Comm_free(&fails_comm);
    MPI_Comm_free(&one_comm);
    free(seen);
    return mt_finalize();
}
