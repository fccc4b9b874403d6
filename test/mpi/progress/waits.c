/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Waits that last: each ends when what it waits for comes, however the process
 * waits (pml_champion_wait), and in each call that waits.
 *
 *     waits [--rounds N] [--ms MS] [--threads N] [--silent] [--switch]
 *           [--messages]
 *
 * In each round all ranks but one wait, in a call that depends on the round.
 * The other one, whose turn it is, sleeps outside MPI for MS milliseconds (20)
 * before it does what ends the waits.
 *
 *     --threads  each rank has N threads, each with a communicator of its own
 *     --silent   UCX's event descriptor is never readable
 *     --switch   the control variable pml_champion_wait is changed each round
 *     --messages only calls that wait for messages: a race detector does not
 *                see how Open MPI completes a collective
 */
#include "mpi_test.h"
#include "mpi_test_silent.h"
#include "mpi_test_variable.h"

enum { TAG = 5, LARGE = 1 << 20, MANY = 40 };

static int rounds, ms, kinds;
static bool switches;

/* ---- calls that wait: `late` is the rank for which the others wait ---- */

typedef struct {
    MPI_Comm comm;
    int rank, round, late;
    unsigned char *buffer; /* LARGE */
} turn_t;

static uint64_t key(const turn_t *turn, int from, int i)
{
    return mt_key(turn->round, from, i, 0);
}

static void be_late(void)
{
    usleep((useconds_t) ms * 1000);
}

/* The late rank sends `count` messages of `length` bytes to each. */
static void send_late(const turn_t *turn, int count, size_t length)
{
    be_late();
    for (int i = 0; i < count; ++i) {
        mt_fill(turn->buffer, length, key(turn, turn->rank, i));
        for (int to = 0; to < mt_size; ++to) {
            if (to != turn->rank) {
                CHECK_OK(MPI_Send(turn->buffer, (int) length, MPI_BYTE, to, TAG,
                                  turn->comm));
            }
        }
    }
}

static void check(const turn_t *turn, int i, size_t length)
{
    CHECK_PAYLOAD(turn->buffer, length, key(turn, turn->late, i));
}

static void in_recv(const turn_t *turn, size_t length)
{
    if (turn->rank == turn->late) {
        send_late(turn, 1, length);
    } else {
        CHECK_OK(MPI_Recv(turn->buffer, (int) length, MPI_BYTE, turn->late, TAG,
                          turn->comm, MPI_STATUS_IGNORE));
        check(turn, 0, length);
    }
}

static void recv_small(const turn_t *turn)
{
    in_recv(turn, 8);
}

static void recv_large(const turn_t *turn)
{
    in_recv(turn, LARGE);
}

static void wait_one(const turn_t *turn)
{
    MPI_Request request;

    if (turn->rank == turn->late) {
        send_late(turn, 1, 100);
        return;
    }
    CHECK_OK(MPI_Irecv(turn->buffer, 100, MPI_BYTE, MPI_ANY_SOURCE, TAG,
                       turn->comm, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check(turn, 0, 100);
}

/* kind: 0 all, 1 any, 2 some */
static void wait_many(const turn_t *turn, int kind)
{
    MPI_Request requests[MANY];
    int indices[MANY], count, left = MANY;

    if (turn->rank == turn->late) {
        send_late(turn, MANY, 64);
        return;
    }
    for (int i = 0; i < MANY; ++i) {
        CHECK_OK(MPI_Irecv(turn->buffer + 64 * i, 64, MPI_BYTE, turn->late, TAG,
                           turn->comm, &requests[i]));
    }
    while (left > 0) {
        count = MANY;
        if (0 == kind) {
            CHECK_OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
        } else if (1 == kind) {
            count = 1;
            CHECK_OK(MPI_Waitany(MANY, requests, indices, MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(MPI_Waitsome(MANY, requests, &count, indices,
                                  MPI_STATUSES_IGNORE));
        }
        CHECK(count > 0 && count <= left);
        left -= count;
    }
    for (int i = 0; i < MANY; ++i) {
        CHECK_EQ(MPI_REQUEST_NULL == requests[i], 1);
        CHECK_PAYLOAD(turn->buffer + 64 * i, 64, key(turn, turn->late, i));
    }
}

static void wait_all(const turn_t *turn)
{
    wait_many(turn, 0);
}

static void wait_any(const turn_t *turn)
{
    wait_many(turn, 1);
}

static void wait_some(const turn_t *turn)
{
    wait_many(turn, 2);
}

static void probe(const turn_t *turn)
{
    MPI_Status status;

    if (turn->rank != turn->late) {
        CHECK_OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, turn->comm, &status));
        CHECK_STATUS(&status, turn->late, TAG, MPI_BYTE, 8);
    }
    recv_small(turn);
}

/* The senders wait: a synchronous one and a large one, for their receiver. */
static void send_to_late(const turn_t *turn, bool large)
{
    const size_t length = large ? LARGE : 8;

    if (turn->rank != turn->late) {
        mt_fill(turn->buffer, length, key(turn, turn->rank, 0));
        CHECK_OK((large ? MPI_Send : MPI_Ssend)(
            turn->buffer, (int) length, MPI_BYTE, turn->late, TAG, turn->comm));
        return;
    }
    be_late();
    for (int from = 0; from < mt_size; ++from) {
        if (from != turn->rank) {
            CHECK_RECV(turn->buffer, length, from, TAG, turn->comm,
                       key(turn, from, 0));
        }
    }
}

static void ssend(const turn_t *turn)
{
    send_to_late(turn, false);
}

static void send_large(const turn_t *turn)
{
    send_to_late(turn, true);
}

static void barrier(const turn_t *turn)
{
    if (turn->rank == turn->late) {
        be_late();
    }
    CHECK_OK(MPI_Barrier(turn->comm));
}

static void iallreduce(const turn_t *turn)
{
    int mine = turn->rank + turn->round, sum = -1;
    MPI_Request request;

    if (turn->rank == turn->late) {
        be_late();
    }
    CHECK_OK(
        MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, turn->comm, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(sum, mt_size * turn->round + mt_size * (mt_size - 1) / 2);
}

static void duplicate(const turn_t *turn)
{
    MPI_Comm comm;

    if (turn->rank == turn->late) {
        be_late();
    }
    CHECK_OK(MPI_Comm_dup(turn->comm, &comm));
    CHECK_OK(MPI_Comm_free(&comm));
}

static const struct {
    const char *name;
    void (*call)(const turn_t *turn);
} calls[] = {
    {"MPI_Recv", recv_small},
    {"MPI_Recv, large", recv_large},
    {"MPI_Wait", wait_one},
    {"MPI_Waitall", wait_all},
    {"MPI_Waitany", wait_any},
    {"MPI_Waitsome", wait_some},
    {"MPI_Probe", probe},
    {"MPI_Ssend", ssend},
    {"MPI_Send, large", send_large},
    {"MPI_Barrier", barrier},
    {"MPI_Iallreduce", iallreduce},
    {"MPI_Comm_dup", duplicate},
};

enum { MESSAGES = 9 }; /* the first ones wait for messages */

static void *run(void *arg)
{
    turn_t turn = {.comm = *(MPI_Comm *) arg};

    CHECK_OK(MPI_Comm_rank(turn.comm, &turn.rank));
    turn.buffer = malloc(LARGE);
    CHECK(NULL != turn.buffer);
    for (turn.round = 0; turn.round < rounds; ++turn.round) {
        const int which = turn.round % kinds;

        turn.late = turn.round / kinds % mt_size;
        if (switches) {
            /* auto, poll, yield, sleep */
            mt_variable_write("wait", 1 + (turn.round + mt_rank) % 4);
        }
        MT_CASE("round %d: %s", turn.round, calls[which].name);
        calls[which].call(&turn);
    }
    free(turn.buffer);
    return NULL;
}

int main(int argc, char **argv)
{
    int threads, level;
    MPI_Comm *comms;

    mt_silent = mt_flag(argc, argv, "--silent");
    threads = mt_option(argc, argv, "--threads", 1);
    mt_init_threads(&argc, &argv, 2, threads > 1);
    kinds =
        mt_flag(argc, argv, "--messages") ? MESSAGES : (int) MT_COUNT_OF(calls);
    rounds = mt_option(argc, argv, "--rounds", (long) kinds * mt_size);
    ms = mt_option(argc, argv, "--ms", 20);
    switches = mt_flag(argc, argv, "--switch");
    if (switches) {
        CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &level), MPI_SUCCESS);
    }
    comms = malloc(threads * sizeof(*comms));
    CHECK(NULL != comms);
    for (int i = 0; i < threads; ++i) {
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    }
    mt_in_threads(threads, run, comms, sizeof(*comms));
    for (int i = 0; i < threads; ++i) {
        CHECK_OK(MPI_Comm_free(&comms[i]));
    }
    if (switches) {
        CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    }
    free(comms);
    return mt_finalize();
}
