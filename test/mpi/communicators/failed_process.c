/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process is killed, and the others go on, where Open MPI tolerates faults
 * (mpirun --with-ft ulfm): whoever probes for its messages, receives or sends is
 * told so; what it sent before is still there; messages between the others are
 * as ever, and after MPIX_Comm_shrink the communicator of those who are left.
 *
 *     failed_process [--blocked FIRST] [--alone]
 *
 * --blocked  the others are in blocking calls when it dies: rank r in the one of
 *            number r + FIRST
 * --alone    without --with-ft: the others probe until mpirun ends the job
 */
#include "mpi_test.h"

#include <mpi-ext.h>

#define TAG 171
#define NOBODYS_TAG 199
#define LARGE 300000
#define SMALL 3000
#define CALLS 9 /* that the others are in */

/* The last rank is the one that dies. */
static int victim, alive;

static uint64_t key_of(int from, int what)
{
    return mt_key(from, what, 0, TAG);
}

/* What it sends before it dies; whoever has it knows that it is all there. */
static void die(void)
{
    static unsigned char data[SMALL];
    int token;

    for (int to = 0; to < alive; ++to) {
        for (int what = 0; what < 3; ++what) {
            mt_fill(data, SMALL, key_of(victim, what));
            mt_send(data, SMALL, to, TAG + 10 + what);
        }
    }
    for (int from = 0; from < alive; ++from) {
        MPI_Recv(&token, 1, MPI_INT, from, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    usleep(50000); /* the others shall be in their calls */
    kill(getpid(), SIGKILL);
    pause();
}

/* All that it sent has arrived here: the last one has. */
static void let_die(void)
{
    int token = 0;

    MPI_Probe(victim, TAG + 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&token, 1, MPI_INT, victim, TAG, MPI_COMM_WORLD);
}

static void probe_until_ended(void)
{
    let_die();
    for (;;) {
        MT_CASE("MPI_Iprobe until mpirun ends this");
        CHECK(!mt_is_there(victim, NOBODYS_TAG, MPI_COMM_WORLD));
        CHECK(!mt_is_there(MPI_ANY_SOURCE, NOBODYS_TAG, MPI_COMM_WORLD));
    }
}

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

/* The first to be told, by the call that says so: it looks on until then. */
static void iprobe_until_told(void)
{
    int flag = 0, rc, class = MPI_SUCCESS;

    MT_CASE("MPI_Iprobe until the failure is known");
    do {
        rc = MPI_Iprobe(victim, NOBODYS_TAG, MPI_COMM_WORLD, &flag,
                        MPI_STATUS_IGNORE);
        CHECK(!flag);
    } while (MPI_SUCCESS == rc);
    MPI_Error_class(rc, &class);
    CHECK_EQ(class, MPIX_ERR_PROC_FAILED);
}

/* In a call that can only end with an error. */
static void blocked(int how)
{
    static unsigned char data[LARGE];
    const int from = how % CALLS < 4 ? victim : MPI_ANY_SOURCE;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message;
    MPI_Status status;
    int rc;

    MT_CASE("blocking call %d", how % CALLS);
    switch (how % CALLS) {
    case 0:
        rc = MPI_Recv(data, LARGE, MPI_BYTE, victim, NOBODYS_TAG,
                      MPI_COMM_WORLD, &status);
        break;
    case 1:
    case 4:
        rc = MPI_Probe(from, NOBODYS_TAG, MPI_COMM_WORLD, &status);
        break;
    case 2:
    case 5:
        rc = MPI_Mprobe(from, NOBODYS_TAG, MPI_COMM_WORLD, &message, &status);
        break;
    case 3:
        mt_irecv(data, LARGE, victim, NOBODYS_TAG, &request);
        rc = MPI_Wait(&request, &status);
        break;
    case 6:
        rc = MPI_Barrier(MPI_COMM_WORLD);
        break;
    case 7:
        rc = MPI_Ssend(data, SMALL, MPI_BYTE, victim, NOBODYS_TAG,
                       MPI_COMM_WORLD);
        break;
    default:
        mt_recv_init(data, LARGE, victim, NOBODYS_TAG, &request);
        CHECK_OK(MPI_Start(&request));
        rc = MPI_Wait(&request, &status);
    }
    CHECK_RC(rc, MPIX_ERR_PROC_FAILED);
    if (MPI_REQUEST_NULL != request) {
        CHECK_OK(MPI_Request_free(&request));
    }
}

/* What it sent before is probed and received as ever. */
static void test_messages_before(void)
{
    static unsigned char data[SMALL];
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    MPI_Status status;
    int flag = 0;

    MT_CASE("a message that was sent before");
    CHECK_OK(MPI_Iprobe(victim, TAG + 10, MPI_COMM_WORLD, &flag, &status));
    CHECK(flag);
    CHECK_STATUS(&status, victim, TAG + 10, MPI_BYTE, SMALL);
    mt_irecv(data, SMALL, victim, TAG + 10, &request);
    CHECK_WAIT(&request, victim, TAG + 10, MPI_BYTE, SMALL);
    CHECK_PAYLOAD(data, SMALL, key_of(victim, 0));
    CHECK_OK(MPI_Improbe(MPI_ANY_SOURCE, TAG + 11, MPI_COMM_WORLD, &flag,
                         &message, &status));
    CHECK(flag);
    CHECK_STATUS(&status, victim, TAG + 11, MPI_BYTE, SMALL);
    CHECK_OK(MPI_Mrecv(data, SMALL, MPI_BYTE, &message, &status));
    CHECK_PAYLOAD(data, SMALL, key_of(victim, 1));
}

/* Probes and receives that cannot be served any more. */
static void test_errors(void)
{
    static unsigned char data[LARGE];
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int flag = 0;

    MT_CASE("probes for the process that failed");
    for (int i = 0; i < 6; ++i) {
        const int from = i % 2 ? MPI_ANY_SOURCE : victim;

        CHECK_RC(MPI_Iprobe(from, NOBODYS_TAG, MPI_COMM_WORLD, &flag, &status),
                 MPIX_ERR_PROC_FAILED);
        CHECK(!flag);
        CHECK_RC(MPI_Improbe(from, NOBODYS_TAG, MPI_COMM_WORLD, &flag, &message,
                             &status),
                 MPIX_ERR_PROC_FAILED);
        CHECK(!flag);
    }
    for (int how = 0; how < CALLS; ++how) {
        blocked(how);
    }
    MT_CASE("sends to the process that failed");
    CHECK_RC(MPI_Send(data, 8, MPI_BYTE, victim, TAG, MPI_COMM_WORLD),
             MPIX_ERR_PROC_FAILED);
    CHECK_RC(MPI_Ssend(data, LARGE, MPI_BYTE, victim, TAG, MPI_COMM_WORLD),
             MPIX_ERR_PROC_FAILED);
}

/* A receive from any source waits on; the program has to say that it knows. */
static void test_any_source(void)
{
    int next = (mt_rank + 1) % alive, last = (mt_rank + alive - 1) % alive;
    MPI_Request request;
    MPI_Status status;
    int flag = 0, word = mt_rank, got = -1;

    MT_CASE("a receive from any source");
    CHECK_OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, TAG + 1,
                       MPI_COMM_WORLD, &request));
    CHECK_RC(MPI_Wait(&request, &status), MPIX_ERR_PROC_FAILED_PENDING);
    CHECK(MPI_REQUEST_NULL != request);
    CHECK_OK(MPIX_Comm_failure_ack(MPI_COMM_WORLD));
    /* Nobody sends before the other one has come so far. */
    CHECK_OK(MPI_Sendrecv(NULL, 0, MPI_INT, last, TAG + 3, NULL, 0, MPI_INT,
                          next, TAG + 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Send(&word, 1, MPI_INT, next, TAG + 1, MPI_COMM_WORLD));
    CHECK_WAIT(&request, last, TAG + 1, MPI_INT, 1);
    CHECK_EQ(got, last);

    MT_CASE("probes for any source, once the failure is acknowledged");
    CHECK(!mt_is_there(MPI_ANY_SOURCE, NOBODYS_TAG, MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(&word, 1, MPI_INT, next, TAG + 2, MPI_COMM_WORLD));
    while (!flag) {
        CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, TAG + 2, MPI_COMM_WORLD, &flag,
                            &status));
    }
    CHECK_STATUS(&status, last, TAG + 2, MPI_INT, 1);
    CHECK_OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, TAG + 2, MPI_COMM_WORLD,
                      &status));
    CHECK_EQ(got, last);
}

/* Messages of each protocol between those who are left, in the communicator
 * that has lost a member. */
static void test_neighbours(void)
{
    static unsigned char out[LARGE], in[LARGE];
    int next = (mt_rank + 1) % alive, last = (mt_rank + alive - 1) % alive;
    static const int sizes[] = {0, 8, SMALL, LARGE};
    MPI_Request request;

    MT_CASE("messages between the others");
    for (int i = 0; i < (int) MT_COUNT_OF(sizes); ++i) {
        mt_fill(out, sizes[i], key_of(mt_rank, i));
        mt_irecv(in, LARGE, last, TAG, &request);
        mt_send(out, sizes[i], next, TAG);
        CHECK_WAIT(&request, last, TAG, MPI_BYTE, sizes[i]);
        CHECK_PAYLOAD(in, sizes[i], key_of(last, i));
    }
}

static void test_shrink(void)
{
    MPI_Comm shrunk;
    int size;

    MT_CASE("MPIX_Comm_shrink");
    CHECK_OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &shrunk));
    MPI_Comm_size(shrunk, &size);
    CHECK_EQ(size, alive);
    MT_CASE("the communicator of those who are left");
    mt_rings(shrunk, 0);
    mt_sum_ranks(shrunk);
    CHECK_OK(MPI_Comm_free(&shrunk));
}

static void go_on(int first)
{
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    let_die();
    if (first >= 0) {
        blocked(mt_rank + first);
    } else {
        iprobe_until_told();
    }
    test_messages_before();
    test_errors();
    test_any_source();
    test_neighbours();
    test_shrink();
}

#else

static void go_on(int first)
{
}

#endif

int main(int argc, char **argv)
{
    const bool alone = mt_flag(argc, argv, "--alone");

#ifndef OMPI_HAVE_MPI_EXT_FTMPI
    if (!alone) {
        printf("SKIP: this MPI does not tolerate faults\n");
        return MT_SKIP;
    }
#endif
    mt_init(&argc, &argv, 3);
    victim = mt_size - 1;
    alive = mt_size - 1;
    if (mt_rank == victim) {
        die();
    }
    if (alone) {
        probe_until_ended();
    } else {
        go_on(mt_option(argc, argv, "--blocked", -1));
    }
    return mt_finalize();
}
