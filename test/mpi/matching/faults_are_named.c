/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The first message of a node that is longer than its receive is named in a
 * line, which the row expects: sender, tag, communicator, both lengths; of a
 * collective operation, which. So is the first one that nobody has received
 * when its communicator, or MPI, ends. Others are not.
 *
 *     faults_are_named recv|irecv|mrecv|self|bcast|ibcast|free|finalize
 *                      |cancelled|received
 *
 * The last two are no faults: a send that is cancelled, and messages that are
 * received late, some of them after a matched probe.
 */
#include "mpi_test.h"

#define TAG 7
#define TAG_READY 8

static MPI_Comm comm;
static const char *way = "recv";
static char out[80000], in[16];

/* What goes to standard error goes to a file, and then to where it would have
 * gone. */
static int stderr_before;
static FILE *said;

static void listen_begin(void)
{
    said = tmpfile();
    stderr_before = dup(STDERR_FILENO);
    CHECK(NULL != said && stderr_before >= 0);
    CHECK(dup2(fileno(said), STDERR_FILENO) >= 0);
}

/* How many faults are named there. */
static int listen_end(void)
{
    char line[512];
    int named = 0;

    CHECK(dup2(stderr_before, STDERR_FILENO) >= 0);
    rewind(said);
    while (NULL != fgets(line, sizeof(line), said)) {
        fputs(line, stderr);
        named += NULL != strstr(line, "champion: ");
    }
    fclose(said);
    close(stderr_before);
    return named;
}

static bool is(const char *name)
{
    return 0 == strcmp(way, name);
}

static void receive(int source)
{
    MPI_Status status;

    for (int i = 0; i < 2; ++i) {
        CHECK_RC(MPI_Recv(in, 8, MPI_BYTE, source, TAG, comm, &status),
                 MPI_ERR_TRUNCATE);
        CHECK_EQ(status.MPI_SOURCE, source);
    }
}

static void receive_matched(void)
{
    MPI_Message message;
    MPI_Status status;

    for (int i = 0; i < 2; ++i) {
        CHECK_OK(MPI_Mprobe(MPI_ANY_SOURCE, TAG, comm, &message, &status));
        CHECK_RC(MPI_Mrecv(in, 8, MPI_BYTE, &message, &status),
                 MPI_ERR_TRUNCATE);
    }
}

static void receive_nonblocking(void)
{
    MPI_Request request[2];

    for (int i = 0; i < 2; ++i) {
        CHECK_OK(MPI_Irecv(in, 16, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm,
                           &request[i]));
    }
    for (int i = 0; i < 2; ++i) {
        CHECK_RC(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    }
}

static void messages(void)
{
    const int length = is("irecv") ? 80000 : 800;

    if (1 == mt_rank) {
        CHECK_OK(MPI_Send(out, length, MPI_BYTE, 0, TAG, comm));
        CHECK_OK(MPI_Send(out, length, MPI_BYTE, 0, TAG, comm));
    } else if (0 != mt_rank) {
        return;
    } else if (is("recv")) {
        receive(1);
    } else if (is("mrecv")) {
        receive_matched();
    } else {
        receive_nonblocking();
    }
}

static void to_self(void)
{
    MPI_Request request;

    CHECK_OK(MPI_Isend(out, 800, MPI_BYTE, mt_rank, TAG, comm, &request));
    CHECK_RC(MPI_Recv(in, 8, MPI_BYTE, mt_rank, TAG, comm, MPI_STATUS_IGNORE),
             MPI_ERR_TRUNCATE);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* The root broadcasts more than the other one expects. Of more ranks, Open MPI's
 * broadcast would leave some waiting when it fails in one. */
static void broadcast(void)
{
    void *data = 0 == mt_rank ? out : in;
    const int count = 0 == mt_rank ? 800 : 8;
    MPI_Request request;

    MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, mt_rank < 2 ? 0 : MPI_UNDEFINED, 0, &comm);
    if (MPI_COMM_NULL == comm) {
        return;
    }
    MPI_Comm_set_name(comm, "halo");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (is("bcast")) {
        (void) MPI_Bcast(data, count, MPI_BYTE, 0, comm);
    } else {
        (void) MPI_Ibcast(data, count, MPI_BYTE, 0, comm, &request);
        (void) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* No receive is ever posted for the message. */
static void cancel(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag;

    if (1 == mt_rank) {
        CHECK_OK(MPI_Issend(out, 800, MPI_BYTE, 0, TAG, comm, &request));
        mt_tell(0, TAG_READY, comm);
        CHECK_OK(MPI_Cancel(&request));
        CHECK_OK(MPI_Wait(&request, &status));
        CHECK_OK(MPI_Test_cancelled(&status, &flag));
        CHECK(flag);
    } else if (0 == mt_rank) {
        mt_hear(1, TAG_READY, comm);
    }
}

static void receive_late(void)
{
    MPI_Request request[3];
    MPI_Message message;

    if (1 == mt_rank) {
        for (int i = 0; i < 3; ++i) {
            CHECK_OK(MPI_Isend(out, 0 == i ? 80000 : 800, MPI_BYTE, 0, TAG,
                               comm, &request[i]));
        }
        mt_tell(0, TAG_READY, comm);
        CHECK_OK(MPI_Waitall(3, request, MPI_STATUSES_IGNORE));
    } else if (0 == mt_rank) {
        mt_hear(1, TAG_READY, comm);
        CHECK_OK(MPI_Mprobe(1, TAG, comm, &message, MPI_STATUS_IGNORE));
        for (int i = 0; i < 2; ++i) {
            CHECK_OK(
                MPI_Recv(out, 800, MPI_BYTE, 1, TAG, comm, MPI_STATUS_IGNORE));
        }
        CHECK_OK(MPI_Mrecv(out, 80000, MPI_BYTE, &message, MPI_STATUS_IGNORE));
    }
}

/* So many messages are there, and rank 0 receives none of them. */
static void leave(int count, int length, MPI_Comm on)
{
    static MPI_Request request[3];

    if (1 == mt_rank) {
        for (int i = 0; i < count; ++i) {
            CHECK_OK(MPI_Isend(out, length, MPI_BYTE, 0, TAG, on, &request[i]));
        }
        mt_tell(0, TAG_READY, on);
        for (int i = 0; i < count; ++i) {
            MPI_Request_free(&request[i]);
        }
    } else if (0 == mt_rank) {
        mt_hear(1, TAG_READY, on);
    }
}

int main(int argc, char **argv)
{
    int named, sum = 0;

    way = argc > 1 ? argv[1] : way;
    mt_init(&argc, &argv, 2);
    MT_CASE("%s", way);
    if (is("finalize")) {
        leave(1, 80000, MPI_COMM_WORLD);
        return mt_finalize();
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "halo");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    /* That of requests that are no messages. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    listen_begin();
    if (is("self")) {
        to_self();
    } else if (is("bcast") || is("ibcast")) {
        broadcast();
    } else if (is("free")) {
        leave(3, 800, comm);
    } else if (is("cancelled")) {
        cancel();
    } else if (is("received")) {
        receive_late();
    } else {
        messages();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (MPI_COMM_NULL != comm) {
        MPI_Comm_free(&comm);
    }
    named = listen_end();
    MPI_Reduce(&named, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (0 == mt_rank) {
        CHECK_EQ(sum, !is("cancelled") && !is("received"));
    }
    return mt_finalize();
}
