/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One-sided communication beside messages, where both are over UCX (osc/ucx):
 * two contexts of UCX in a process, each with its own progress, over the same
 * memory.
 *
 *     one_sided_and_messages [--rounds N] [--windows N]
 *
 * The target waits in a call of the other kind; puts, gets and messages of all
 * sizes are under way at a time; messages leave from and arrive in the window's
 * memory, which is given back and used again; communicators are freed while
 * their windows live.
 */
#include "mpi_test.h"

#define TAG 181
#define DRAWS 25   /* of a number at a target that waits */
#define SLOT 40000 /* bytes that each rank has at each other */

static long *counters;
static MPI_Win counter_window;

static uint64_t key_of(int round, int from, int to, int what)
{
    return mt_key(round, from, to, (uint64_t) (TAG + what));
}

/* ---- the target waits for a message ---- */

/* Draw from the target's counter, add to the others, and tell it. */
static void draw(int target)
{
    const long one = 1;
    long got = -1, before = -1, add[3] = {1, 10, 100};
    int word = mt_rank;

    MPI_Win_lock_all(0, counter_window);
    for (int i = 0; i < DRAWS; ++i) {
        MPI_Fetch_and_op(&one, &got, MPI_LONG, target, 0, MPI_SUM,
                         counter_window);
        MPI_Win_flush(target, counter_window);
        CHECK(got > before);
        before = got;
        MPI_Accumulate(add, 3, MPI_LONG, target, 1, 3, MPI_LONG, MPI_SUM,
                       counter_window);
        MPI_Win_flush(target, counter_window);
    }
    MPI_Win_unlock_all(counter_window);
    MPI_Send(&word, 1, MPI_INT, target, TAG, MPI_COMM_WORLD);
}

/* In different calls, by turns: each makes progress in its own way. */
static void wait_for(int from, int how)
{
    MPI_Request request;
    MPI_Status status;
    int word = -1, flag = 0;

    switch (how % 4) {
    case 0:
        MPI_Recv(&word, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, &status);
        break;
    case 1:
        MPI_Probe(from, TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(&word, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, &status);
        break;
    case 2:
        MPI_Irecv(&word, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        break;
    default:
        MPI_Irecv(&word, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, &request);
        while (!flag) {
            MPI_Test(&request, &flag, &status);
        }
    }
    CHECK_STATUS(&status, from, TAG, MPI_INT, 1);
    CHECK_EQ(word, from);
}

static void test_target_waits(int round)
{
    const int target = round % mt_size;
    const long draws = (long) DRAWS * (mt_size - 1);

    MT_CASE("round %d: rank %d waits while the others draw", round, target);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, mt_rank, 0, counter_window);
    memset(counters, 0, 4 * sizeof(*counters));
    MPI_Win_unlock(mt_rank, counter_window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (target != mt_rank) {
        draw(target);
    } else {
        for (int from = 0; from < mt_size; ++from) {
            if (from != mt_rank) {
                wait_for(from, round / mt_size + from);
            }
        }
        MPI_Win_lock(MPI_LOCK_SHARED, mt_rank, 0, counter_window);
        CHECK_EQ(counters[0], draws);
        CHECK_EQ(counters[1], draws);
        CHECK_EQ(counters[2], 10 * draws);
        CHECK_EQ(counters[3], 100 * draws);
        MPI_Win_unlock(mt_rank, counter_window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- both at a time ---- */

static int size_of(int round, int from, int to, int what)
{
    static const int most[] = {8, 100, 5000, SLOT};

    return 1 + (int) (key_of(round, from, to, what + 10) %
                      (uint64_t) most[(round + what) % 4]);
}

/* To and from everybody: a put, a message that leaves from the window, and one
 * that arrives in it, all under way before any is waited for. */
static void exchange(unsigned char *memory, MPI_Win window, int round)
{
    const size_t area = (size_t) mt_size * SLOT;
    unsigned char *put_here = memory, *from_here = memory + area,
                  *to_here = memory + 2 * area;
    unsigned char *out = mt_alloc(area);
    MPI_Request *requests = malloc(2 * (size_t) mt_size * sizeof(*requests));

    for (int to = 0; to < mt_size; ++to) {
        mt_fill(out + (size_t) to * SLOT, SLOT, key_of(round, mt_rank, to, 0));
        mt_fill(from_here + (size_t) to * SLOT, SLOT,
                key_of(round, mt_rank, to, 1));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (int to = 0; to < mt_size; ++to) {
        const size_t at = (size_t) to * SLOT;

        mt_irecv(to_here + at, SLOT, to, TAG, &requests[2 * to]);
        MPI_Put(out + at, size_of(round, mt_rank, to, 0), MPI_BYTE, to,
                (MPI_Aint) mt_rank * SLOT, size_of(round, mt_rank, to, 0),
                MPI_BYTE, window);
        mt_isend(from_here + at, size_of(round, mt_rank, to, 1), to, TAG,
                 &requests[2 * to + 1]);
    }
    MPI_Waitall(2 * mt_size, requests, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, mt_rank, 0, window);
    for (int from = 0; from < mt_size; ++from) {
        const size_t at = (size_t) from * SLOT;

        CHECK_PAYLOAD(put_here + at, size_of(round, from, mt_rank, 0),
                      key_of(round, from, mt_rank, 0));
        CHECK_PAYLOAD(to_here + at, size_of(round, from, mt_rank, 1),
                      key_of(round, from, mt_rank, 1));
    }
    MPI_Win_unlock(mt_rank, window);
    free(requests);
    mt_free(out);
}

/* A window whose communicator is gone, in memory of its own or of malloc, which
 * the next one gets again. */
static void test_window(int number, int rounds)
{
    const MPI_Aint length = 3 * (MPI_Aint) mt_size * SLOT;
    const bool own = 0 == number % 2;
    unsigned char *memory = NULL;
    MPI_Win window;
    MPI_Comm comm;

    MT_CASE("window %d", number);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (own) {
        MPI_Win_allocate(length, 1, MPI_INFO_NULL, comm, &memory, &window);
    } else {
        memory = malloc(length);
        MPI_Win_create(memory, length, 1, MPI_INFO_NULL, comm, &window);
    }
    MPI_Comm_free(&comm);
    for (int round = 0; round < rounds; ++round) {
        MT_CASE("window %d, round %d: puts and messages", number, round);
        exchange(memory, window, 100 * number + round);
    }
    MT_CASE("window %d is freed", number);
    MPI_Win_free(&window);
    if (!own) {
        free(memory);
    }
}

int main(int argc, char **argv)
{
    long rounds, windows;

    mt_init(&argc, &argv, 2);
    rounds = mt_option(argc, argv, "--rounds", 4);
    windows = mt_option(argc, argv, "--windows", 8);
    counters = calloc(4, sizeof(*counters));
    MPI_Win_create(counters, 4 * (MPI_Aint) sizeof(*counters),
                   sizeof(*counters), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &counter_window);
    for (int number = 0; number < windows; ++number) {
        test_window(number, (int) rounds);
        test_target_waits(number);
    }
    MT_CASE("the last window is freed");
    MPI_Win_free(&counter_window);
    free(counters);
    return mt_finalize();
}
