/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that looks for messages between steps of its computation finds one
 * that has arrived within the next few looks, however many looks before it
 * found nothing. Each look that misses it costs the program a step.
 *
 *     looks_between_steps [--rounds N] [--looks N] [--size BYTES]
 *
 * Ranks form pairs. First one of each sends a few small messages while the
 * other makes no MPI call: they are sent all the same. Then, once all have
 * exchanged small messages with all others, one of each pair looks in vain so
 * many times (1000), then, by memory that the pair shares and not by MPI, has
 * its partner send a message (of 1 MiB, which does not go the same way as small
 * ones); when the partner says, by that memory, that its call has returned, the
 * looks are counted.
 */
#include <sched.h>

#include "mpi_test.h"
#include "mpi_test_shared.h"

#define TAG 7
#define ENOUGH 4 /* looks */
#define FEW 30   /* messages */

typedef struct {
    int asked; /* number of messages that are requested */
    int sent;
} shared_t;

static shared_t *shared;
static bool sends;
static int looks, size;

static void outside_mpi(const int *what, int value)
{
    while (__atomic_load_n(what, __ATOMIC_ACQUIRE) < value) {
        sched_yield();
    }
}

/* Small messages to a process that we have heard of are sent though it makes no
 * MPI call, also those with which a ring is asked for. */
static void send_to_one_who_computes(void)
{
    for (int i = 0; i < FEW; ++i) {
        if (sends) {
            CHECK_OK(MPI_Send(&i, 1, MPI_INT, mt_peer, TAG, MPI_COMM_WORLD));
        }
    }
    if (sends) {
        __atomic_store_n(&shared->sent, -1, __ATOMIC_RELEASE);
        return;
    }
    while (0 == __atomic_load_n(&shared->sent, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    for (int i = 0, got; i < FEW; ++i) {
        CHECK_OK(MPI_Recv(&got, 1, MPI_INT, mt_peer, TAG, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
        CHECK_EQ(got, i);
    }
}

/* All have sent so much to all others that they know each other, and UCX the
 * way of large messages, which takes an answer to the first one. */
static void meet(char *data)
{
    for (int i = 0; i < 100; ++i) {
        for (int far = 1; far < mt_size; ++far) {
            int to = (mt_rank + far) % mt_size;
            int from = (mt_rank + mt_size - far) % mt_size;

            CHECK_EQ(mt_swap_int(i, to, from, TAG), i);
        }
    }
    CHECK_OK(MPI_Sendrecv_replace(data, size, MPI_BYTE, mt_peer, TAG, mt_peer,
                                  TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void serve(char *data, int round)
{
    MPI_Request request;

    outside_mpi(&shared->asked, round);
    mt_fill(data, size, round);
    mt_isend(data, size, mt_peer, TAG, &request);
    __atomic_store_n(&shared->sent, round, __ATOMIC_RELEASE);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Returns the number of looks until the message was found. */
static int look(char *data, int round)
{
    MPI_Status status;
    int there = 0, taken = 0;

    for (int i = 0; i < looks; ++i) {
        CHECK_OK(MPI_Iprobe(mt_peer, TAG, MPI_COMM_WORLD, &there, &status));
        CHECK(!there);
    }
    __atomic_store_n(&shared->asked, round, __ATOMIC_RELEASE);
    outside_mpi(&shared->sent, round);
    while (!there) {
        CHECK_OK(MPI_Iprobe(mt_peer, TAG, MPI_COMM_WORLD, &there, &status));
        ++taken;
    }
    CHECK_STATUS(&status, mt_peer, TAG, MPI_BYTE, size);
    CHECK_RECV(data, size, mt_peer, TAG, MPI_COMM_WORLD, round);
    return taken;
}

int main(int argc, char **argv)
{
    int rounds, most = 0;
    char *data;

    mt_init(&argc, &argv, 2);
    rounds = mt_option(argc, argv, "--rounds", 100);
    looks = mt_option(argc, argv, "--looks", 1000);
    size = mt_option(argc, argv, "--size", 1 << 20);
    CHECK_EQ(mt_size % 2, 0);
    sends = mt_rank % 2;
    data = malloc(size);
    CHECK(NULL != data);
    shared = mt_share(sizeof(*shared), mt_peer, sends);
    MT_CASE("sending to one who computes");
    send_to_one_who_computes();
    memset(data, 0, size);
    meet(data);
    for (int round = 1; round <= rounds; ++round) {
        MT_CASE("round %d", round);
        if (sends) {
            serve(data, round);
        } else {
            int taken = look(data, round);

            most = taken > most ? taken : most;
        }
    }
    if (most > ENOUGH) {
        MT_FAIL("a message was seen with the look number %d only", most);
    }
    munmap(shared, sizeof(*shared));
    free(data);
    return mt_finalize();
}
