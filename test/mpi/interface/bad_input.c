/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Wrong arguments give the error class that MPI names, and harm nothing else.
 *
 *     bad_input [--buffered] [--fatal rank|truncation]
 *
 * --buffered only buffered sends without enough of a buffer
 * --fatal    leaves the default error handler: the job ends with a message
 */
#include "mpi_test.h"

#define TAG 151

static MPI_Comm comm;
static int peer;

/* What a wrong call must not disturb: a message each way. */
static void traffic(void)
{
    static int step;
    static const int sizes[] = {8, 5000, 100000};
    int size = sizes[step++ % 3];
    unsigned char *in = mt_alloc(size);
    unsigned char *out = mt_payload(size, mt_key(mt_rank, step, 0, 0));
    MPI_Status status;

    CHECK_OK(MPI_Sendrecv(out, size, MPI_BYTE, peer, TAG, in, size, MPI_BYTE,
                          peer, TAG, comm, &status));
    CHECK_STATUS(&status, peer, TAG, MPI_BYTE, size);
    CHECK_PAYLOAD(in, size, mt_key(peer, step, 0, 0));
    MT_FREE(in, out);
}

/* Every call that takes a peer, a tag, a count and a type; what is for any
 * source or tag is wrong for sends only. */
static void check_arguments(const char *what, int class, int to, int tag,
                            int count, MPI_Datatype type)
{
    const bool is_any = MPI_ANY_SOURCE == to || MPI_ANY_TAG == tag;
    int data[4] = {0, 0, 0, 0}, flag;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message;
    MPI_Status status;

    MT_CASE("wrong %s", what);
    CHECK_RC(MPI_Send(data, count, type, to, tag, comm), class);
    CHECK_RC(MPI_Ssend(data, count, type, to, tag, comm), class);
    CHECK_RC(MPI_Bsend(data, count, type, to, tag, comm), class);
    CHECK_RC(MPI_Rsend(data, count, type, to, tag, comm), class);
    CHECK_RC(MPI_Isend(data, count, type, to, tag, comm, &request), class);
    CHECK_RC(MPI_Issend(data, count, type, to, tag, comm, &request), class);
    CHECK_RC(MPI_Ibsend(data, count, type, to, tag, comm, &request), class);
    CHECK_RC(MPI_Irsend(data, count, type, to, tag, comm, &request), class);
    CHECK_RC(MPI_Send_init(data, count, type, to, tag, comm, &request), class);
    CHECK_RC(MPI_Ssend_init(data, count, type, to, tag, comm, &request), class);
    CHECK_RC(MPI_Sendrecv(data, count, type, to, tag, data + 2, 1, MPI_INT,
                          MPI_PROC_NULL, 0, comm, &status),
             class);
    if (!is_any) {
        CHECK_RC(MPI_Recv(data, count, type, to, tag, comm, &status), class);
        CHECK_RC(MPI_Irecv(data, count, type, to, tag, comm, &request), class);
        CHECK_RC(MPI_Recv_init(data, count, type, to, tag, comm, &request),
                 class);
    }
    if (!is_any && MPI_ERR_COUNT != class && MPI_ERR_TYPE != class) {
        CHECK_RC(MPI_Probe(to, tag, comm, &status), class);
        CHECK_RC(MPI_Iprobe(to, tag, comm, &flag, &status), class);
        CHECK_RC(MPI_Mprobe(to, tag, comm, &message, &status), class);
        CHECK_RC(MPI_Improbe(to, tag, comm, &flag, &message, &status), class);
    }
    traffic();
}

static void check_others(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype uncommitted;
    int data[4] = {0, 0, 0, 0};
    MPI_Status status;

    MT_CASE("type that is not committed");
    MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
    CHECK_RC(MPI_Send(data, 1, uncommitted, peer, TAG, comm), MPI_ERR_TYPE);
    CHECK_RC(MPI_Recv(data, 1, uncommitted, peer, TAG, comm, &status),
             MPI_ERR_TYPE);
    MPI_Type_free(&uncommitted);

    MT_CASE("null communicator");
    CHECK_RC(MPI_Send(data, 1, MPI_INT, peer, TAG, MPI_COMM_NULL),
             MPI_ERR_COMM);
    CHECK_RC(MPI_Irecv(data, 1, MPI_INT, peer, TAG, MPI_COMM_NULL, &request),
             MPI_ERR_COMM);

    MT_CASE("null buffer");
    CHECK_RC(MPI_Send(NULL, 1, MPI_INT, peer, TAG, comm), MPI_ERR_BUFFER);
    CHECK_RC(MPI_Recv(NULL, 1, MPI_INT, peer, TAG, comm, &status),
             MPI_ERR_BUFFER);

    MT_CASE("null request");
    request = MPI_REQUEST_NULL;
    CHECK_RC(MPI_Start(&request), MPI_ERR_REQUEST);
    CHECK_RC(MPI_Cancel(&request), MPI_ERR_REQUEST);
    CHECK_RC(MPI_Request_free(&request), MPI_ERR_REQUEST);
}

static void check_buffered(void)
{
    const int size = 1 << 20; /* too large to go out at once */
    char *large = calloc(1, size), buffer[200];
    MPI_Request request;
    void *detached;
    int detached_size;

    MT_CASE("buffered send without a buffer");
    CHECK_RC(MPI_Bsend(large, size, MPI_BYTE, peer, TAG, comm), MPI_ERR_BUFFER);
    MT_CASE("buffered send with too small a buffer");
    MPI_Buffer_attach(buffer, sizeof(buffer));
    CHECK_RC(MPI_Bsend(large, size, MPI_BYTE, peer, TAG, comm), MPI_ERR_BUFFER);
    CHECK_RC(MPI_Ibsend(large, size, MPI_BYTE, peer, TAG, comm, &request),
             MPI_ERR_BUFFER);
    MPI_Buffer_detach(&detached, &detached_size);
    CHECK(detached == (void *) buffer);
    free(large);
}

/* Receives posted before stay posted, and get what is theirs. */
static void check_bystanders(void)
{
    int in[2] = {0, 0}, out[2] = {1, 2};
    MPI_Request request[2];
    MPI_Status status[2];

    MT_CASE("receives posted before the wrong calls");
    MPI_Irecv(&in[0], 1, MPI_INT, peer, TAG + 1, comm, &request[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, TAG + 2, comm, &request[1]);
    check_arguments("rank", MPI_ERR_RANK, mt_size, TAG + 1, 1, MPI_INT);
    check_others();
    for (int i = 0; i < 2; ++i) {
        MPI_Send(&out[i], 1, MPI_INT, peer, TAG + 1 + i, comm);
    }
    CHECK_OK(MPI_Waitall(2, request, status));
    for (int i = 0; i < 2; ++i) {
        CHECK_STATUS(&status[i], peer, TAG + 1 + i, MPI_INT, 1);
        CHECK_EQ(in[i], out[i]);
    }
}

static void fatal(bool rank)
{
    int data[2] = {0, 0};

    if (rank) {
        MPI_Send(data, 1, MPI_INT, mt_size, TAG, MPI_COMM_WORLD);
    } else {
        MPI_Sendrecv(data, 2, MPI_INT, peer, TAG, data, 1, MPI_INT, peer, TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    fprintf(stderr, "still alive\n");
}

int main(int argc, char **argv)
{
    int *tag_ub, found;

    mt_init(&argc, &argv, 2);
    peer = mt_peer;
    if (peer >= mt_size) {
        peer = mt_rank;
    }
    if (mt_flag(argc, argv, "--fatal")) {
        fatal(mt_flag(argc, argv, "rank"));
        return mt_finalize();
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &found);

    if (mt_flag(argc, argv, "--buffered")) {
        check_buffered();
        traffic();
        traffic();
        MPI_Comm_free(&comm);
        return mt_finalize();
    }
    check_arguments("rank, too large", MPI_ERR_RANK, mt_size, TAG, 1, MPI_INT);
    check_arguments("rank, far too large", MPI_ERR_RANK, INT32_MAX, TAG, 1,
                    MPI_INT);
    check_arguments("rank, negative", MPI_ERR_RANK, -17, TAG, 1, MPI_INT);
    check_arguments("rank, any source", MPI_ERR_RANK, MPI_ANY_SOURCE, TAG, 1,
                    MPI_INT);
    check_arguments("tag, negative", MPI_ERR_TAG, peer, -17, 1, MPI_INT);
    check_arguments("tag, any", MPI_ERR_TAG, peer, MPI_ANY_TAG, 1, MPI_INT);
    if (*tag_ub < INT32_MAX) {
        check_arguments("tag, too large", MPI_ERR_TAG, peer, *tag_ub + 1, 1,
                        MPI_INT);
    }
    check_arguments("count", MPI_ERR_COUNT, peer, TAG, -1, MPI_INT);
    check_arguments("type", MPI_ERR_TYPE, peer, TAG, 1, MPI_DATATYPE_NULL);
    check_others();
    traffic();
    check_bystanders();
    traffic();
    MPI_Comm_free(&comm);
    return mt_finalize();
}
