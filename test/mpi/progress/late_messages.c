/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How soon a process learns that it needs a progress thread, and that it does
 * not any more. The ranks form pairs, of which the two are on different hosts.
 *
 *     late_messages [--patience SECONDS] CASE...
 *
 *   late     rank 1 computes, then receives
 *   begun    rank 1 begins to receive, then computes; the message was there
 *   sending  rank 0 sends in the background while it computes, rank 1 waits
 *   standing all compute beside MPI_Iallreduce, of which three ranks and more
 *            send messages too small to show that they are late
 *   given_up small messages to and fro, until nobody has a thread
 *
 * Each but the last is done MESSAGES times. Which rank learnt after how many
 * messages is in the statistics. The sums are checked.
 */
#include "mpi_test.h"

enum {
    TAG = 7,
    MESSAGES = 6,
    SIZE = 1 << 20,
    INTS = 1 << 20,
    COMPUTATION = 30000 /* us */
};

static unsigned char *in, *out;
static bool sends; /* this rank is its pair's sender */
static double patience;

static void send_one(void)
{
    mt_send(out, SIZE, mt_peer, TAG);
}

static void receive_one(void)
{
    CHECK_OK(MPI_Recv(in, SIZE, MPI_BYTE, mt_peer, TAG, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
}

static void late(void)
{
    if (sends) {
        send_one();
    } else {
        usleep(COMPUTATION);
        receive_one();
    }
}

static void begun(void)
{
    MPI_Request request;

    if (sends) {
        send_one();
        return;
    }
    CHECK_OK(MPI_Probe(mt_peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    mt_irecv(in, SIZE, mt_peer, TAG, &request);
    usleep(COMPUTATION);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void sending(void)
{
    MPI_Request request;

    if (!sends) {
        receive_one();
        return;
    }
    mt_isend(out, SIZE, mt_peer, TAG, &request);
    usleep(COMPUTATION);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void standing(void)
{
    static int from[INTS], sums[INTS];
    MPI_Request request;

    for (int i = 0; i < INTS; ++i) {
        from[i] = i + mt_rank;
    }
    CHECK_OK(MPI_Iallreduce(from, sums, INTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                            &request));
    usleep(COMPUTATION);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < INTS; ++i) {
        CHECK_EQ(sums[i], mt_size * i + mt_size * (mt_size - 1) / 2);
    }
}

/* Both tell whether they have none. */
static void given_up(void)
{
    double until = mt_now() + patience;
    int mine = false, theirs = false;
    char id[32];

    for (unsigned n = 1; !mine || !theirs; ++n) {
        if (0 == n % 100) {
            mine = 0 == mt_find_thread(id);
            CHECK(mt_now() < until);
        }
        theirs = mt_swap_int(mine, mt_peer, mt_peer, TAG);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
    int times;
} cases[] = {{"late", late, MESSAGES},
             {"begun", begun, MESSAGES},
             {"sending", sending, MESSAGES},
             {"standing", standing, MESSAGES},
             {"given_up", given_up, 1}};

static bool run(const char *name)
{
    for (size_t i = 0; i < MT_COUNT_OF(cases); ++i) {
        if (0 != strcmp(name, cases[i].name)) {
            continue;
        }
        for (int n = 0; n < cases[i].times; ++n) {
            MT_CASE("%s %d", name, n);
            cases[i].run();
        }
        return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    bool ran = false;

    mt_init(&argc, &argv, 2);
    CHECK_EQ(mt_size % 2, 0);
    patience = mt_option(argc, argv, "--patience", 60);
    sends = 0 == mt_rank % 2;
    in = mt_alloc(SIZE);
    out = mt_alloc(SIZE);
    for (int i = 1; i < argc; ++i) {
        ran |= run(argv[i]);
    }
    CHECK(ran);
    MT_FREE(in, out);
    mt_finalize();
    return 0;
}
