/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Comm_revoke, where Open MPI has it (5.0 and later): what waits in the
 * communicator fails, what was sent in it is dropped, nothing new can be
 * started in it; other communicators are not concerned.
 *
 *     revoked_communicators [--told]
 *
 * Each rank revokes for itself, because without fault tolerance a revocation is
 * not propagated.
 *
 * --told  one rank revokes, and Open MPI notifies the others; needs
 *         mpirun --with-ft ulfm
 */
#include "mpi_test.h"

#include <mpi-ext.h>

#ifndef OMPI_HAVE_MPI_EXT_FTMPI

int main(void)
{
    printf("SKIP: this MPI cannot revoke\n");
    return MT_SKIP;
}

#else

#define TAG 161
#define LARGE 300000

static MPI_Comm dup_of(MPI_Comm comm)
{
    MPI_Comm dup;

    CHECK_OK(MPI_Comm_dup(comm, &dup));
    CHECK_OK(MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN));
    return dup;
}

static void revoke_comm(MPI_Comm comm)
{
    int flag = 0;

    CHECK_OK(MPIX_Comm_revoke(comm));
    CHECK_OK(MPIX_Comm_is_revoked(comm, &flag));
    CHECK(flag);
}

/* Whatever is started in it fails. */
static void expect_useless(MPI_Comm comm)
{
    MPI_Message message;
    MPI_Request request;
    int flag, value = 0;

    CHECK_RC(MPI_Send(&value, 1, MPI_INT, mt_after, TAG, comm),
             MPIX_ERR_REVOKED);
    CHECK_RC(
        MPI_Recv(&value, 1, MPI_INT, mt_before, TAG, comm, MPI_STATUS_IGNORE),
        MPIX_ERR_REVOKED);
    CHECK_RC(MPI_Iprobe(mt_before, TAG, comm, &flag, MPI_STATUS_IGNORE),
             MPIX_ERR_REVOKED);
    CHECK_RC(MPI_Probe(mt_before, TAG, comm, MPI_STATUS_IGNORE),
             MPIX_ERR_REVOKED);
    CHECK_RC(MPI_Mprobe(mt_before, TAG, comm, &message, MPI_STATUS_IGNORE),
             MPIX_ERR_REVOKED);
    CHECK_RC(MPI_Barrier(comm), MPIX_ERR_REVOKED);
    CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, mt_before, TAG, comm, &request));
    CHECK_RC(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
}

static void test_posted(void)
{
    MPI_Comm comm = dup_of(MPI_COMM_WORLD), other = dup_of(MPI_COMM_WORLD);
    const int sources[] = {mt_before, MPI_ANY_SOURCE, mt_before, MPI_ANY_SOURCE,
                           mt_rank};
    const int tags[] = {TAG, TAG, MPI_ANY_TAG, MPI_ANY_TAG, TAG + 1};
    enum { COUNT = MT_COUNT_OF(sources) };
    MPI_Request requests[COUNT], persistent, spared;
    static char buffer[LARGE], large[LARGE];
    int value[COUNT], word = 0;
    MPI_Status status;

    MT_CASE("receives that wait");
    for (int i = 0; i < COUNT; ++i) {
        CHECK_OK(MPI_Irecv(&value[i], 1, MPI_INT, sources[i], tags[i], comm,
                           &requests[i]));
    }
    CHECK_OK(MPI_Recv_init(large, LARGE, MPI_BYTE, mt_before, TAG, comm,
                           &persistent));
    CHECK_OK(MPI_Start(&persistent));
    CHECK_OK(
        MPI_Irecv(buffer, LARGE, MPI_BYTE, mt_before, TAG, other, &spared));
    revoke_comm(comm);
    for (int i = 0; i < COUNT; ++i) {
        CHECK_RC(MPI_Wait(&requests[i], &status), MPIX_ERR_REVOKED);
    }
    CHECK_RC(MPI_Wait(&persistent, &status), MPIX_ERR_REVOKED);
    if (MPI_REQUEST_NULL != persistent) { /* Open MPI frees it by itself */
        CHECK_OK(MPI_Request_free(&persistent));
    }
    MT_CASE("a revoked communicator");
    expect_useless(comm);

    MT_CASE("another communicator");
    CHECK_OK(MPI_Send(&word, 1, MPI_INT, mt_after, TAG, other));
    CHECK_WAIT(&spared, mt_before, TAG, MPI_INT, 1);
    mt_rings(other, 0);
    CHECK_OK(MPI_Comm_free(&other));
    CHECK_OK(MPI_Comm_free(&comm));
}

/* Sends to the next rank in all protocols; they end, well or not. */
static void send_all(MPI_Comm comm, MPI_Request *requests)
{
    static char data[LARGE];

    CHECK_OK(MPI_Isend(data, 8, MPI_BYTE, mt_after, TAG, comm, &requests[0]));
    CHECK_OK(
        MPI_Isend(data, 9000, MPI_BYTE, mt_after, TAG, comm, &requests[1]));
    CHECK_OK(
        MPI_Isend(data, LARGE, MPI_BYTE, mt_after, TAG, comm, &requests[2]));
    CHECK_OK(MPI_Issend(data, 8, MPI_BYTE, mt_after, TAG, comm, &requests[3]));
}

/* The next communicator has the same context id, and must not see them. */
static void test_sent(int times)
{
    for (int i = 0; i < times; ++i) {
        MPI_Comm comm = dup_of(MPI_COMM_WORLD);
        MPI_Request requests[4];

        MT_CASE("a new communicator, time %d", i);
        CHECK(!mt_is_there(MPI_ANY_SOURCE, MPI_ANY_TAG, comm));
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        mt_rings(comm, 0);
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        MT_CASE("messages that wait, time %d", i);
        if (0 == i % 2) { /* sent before */
            send_all(comm, requests);
            CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
            revoke_comm(comm);
        } else if (mt_rank % 2) { /* sent before, the others' after */
            send_all(comm, requests);
            CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
            revoke_comm(comm);
            CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        } else {
            CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
            CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
            send_all(comm, requests);
            revoke_comm(comm);
        }
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        CHECK_OK(MPI_Comm_free(&comm));
    }
}

/* The ranks wait in different calls, and rank 0 revokes. */
static void wait_to_be_told(MPI_Comm comm, int how)
{
    MPI_Message message;
    MPI_Request request;
    int value = 0, rc;

    MT_CASE("rank 0 revokes, this one is in call %d", how);
    switch (how) {
    case 0:
        rc = MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, comm,
                      MPI_STATUS_IGNORE);
        break;
    case 1:
        rc = MPI_Probe(0, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        break;
    case 2:
        rc = MPI_Mprobe(0, TAG, comm, &message, MPI_STATUS_IGNORE);
        break;
    case 3:
        CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, 0, TAG, comm, &request));
        rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    default:
        rc = MPI_Barrier(comm);
    }
    CHECK_RC(rc, MPIX_ERR_REVOKED);
}

static void test_told(int times)
{
    for (int i = 0; i < times; ++i) {
        MPI_Comm comm = dup_of(MPI_COMM_WORLD), shrunk;
        int flag = 1, size;

        if (0 == mt_rank) {
            mt_progress(MPI_COMM_WORLD, 200);
            revoke_comm(comm);
        } else {
            wait_to_be_told(comm, (mt_rank + i) % 5);
        }
        MT_CASE("agreement, time %d", i);
        CHECK_OK(MPIX_Comm_agree(comm, &flag));
        CHECK_EQ(flag, 1);
        MT_CASE("MPIX_Comm_shrink, time %d", i);
        CHECK_OK(MPIX_Comm_shrink(comm, &shrunk));
        MPI_Comm_size(shrunk, &size);
        CHECK_EQ(size, mt_size);
        mt_rings(shrunk, 0);
        CHECK_OK(MPI_Comm_free(&shrunk));
        CHECK_OK(MPI_Comm_free(&comm));
    }
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv, 2);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (mt_flag(argc, argv, "--told")) {
        test_told(mt_option(argc, argv, "--times", 10));
    } else {
        test_posted();
        test_sent(mt_option(argc, argv, "--times", 20));
    }
    return mt_finalize();
}

#endif
