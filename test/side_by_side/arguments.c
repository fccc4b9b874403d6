/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_PROC_NULL, messages of nothing, wrong arguments.
 */
#include "side.h"

static void proc_null(const side_comm_t *on)
{
    MPI_Request request[3];
    MPI_Message message;
    MPI_Status status;
    int rc, flag = -1;

    side_say("Send: %s", side_error(MPI_Send(side_out, 5, MPI_CHAR,
                                             MPI_PROC_NULL, 1, on->comm)));
    side_say("Ssend: %s", side_error(MPI_Ssend(side_out, 5, MPI_CHAR,
                                               MPI_PROC_NULL, 1, on->comm)));
    side_say("Bsend: %s", side_error(MPI_Bsend(side_out, 5, MPI_CHAR,
                                               MPI_PROC_NULL, 1, on->comm)));
    rc = MPI_Recv(side_in, 5, MPI_CHAR, MPI_PROC_NULL, 1, on->comm, &status);
    side_status("Recv", rc, &status);
    rc = MPI_Probe(MPI_PROC_NULL, 1, on->comm, &status);
    side_status("Probe", rc, &status);
    rc = MPI_Iprobe(MPI_PROC_NULL, 1, on->comm, &flag, &status);
    side_say("Iprobe: flag %d", flag);
    side_status("Iprobe", rc, &status);
    rc = MPI_Mprobe(MPI_PROC_NULL, 1, on->comm, &message, &status);
    side_status("Mprobe", rc, &status);
    side_say("no process: %d", MPI_MESSAGE_NO_PROC == message);
    rc = MPI_Mrecv(side_in, 5, MPI_CHAR, &message, &status);
    side_status("Mrecv", rc, &status);
    MPI_Isend(side_out, 5, MPI_CHAR, MPI_PROC_NULL, 1, on->comm, &request[0]);
    MPI_Irecv(side_in, 5, MPI_CHAR, MPI_PROC_NULL, 1, on->comm, &request[1]);
    MPI_Recv_init(side_in, 5, MPI_CHAR, MPI_PROC_NULL, 1, on->comm,
                  &request[2]);
    MPI_Start(&request[2]);
    for (int i = 0; i < 3; ++i) {
        rc = MPI_Test(&request[i], &flag, &status);
        side_say("Test: flag %d", flag);
        if (i > 0) {
            side_status("Test", rc, &status);
        }
    }
    MPI_Request_free(&request[2]);
    rc = MPI_Sendrecv(side_out, 5, MPI_CHAR, MPI_PROC_NULL, 1, side_in, 5,
                      MPI_CHAR, MPI_PROC_NULL, 1, on->comm, &status);
    side_status("Sendrecv", rc, &status);
}

static void nothing(const side_comm_t *on)
{
    MPI_Datatype empty, none = MPI_CHAR;
    const int counts[] = {0, 0, 5};
    MPI_Request request;
    MPI_Status status;

    MPI_Type_contiguous(0, MPI_CHAR, &empty);
    MPI_Type_commit(&empty);
    for (int i = 0; i < 3; ++i) {
        int count = -1, rc;
        MPI_Datatype type = i ? empty : none;

        MPI_Isend(NULL, counts[i], type, on->peer, SIDE_TAG, on->comm,
                  &request);
        rc = MPI_Recv(NULL, counts[i], type, on->peer, SIDE_TAG, on->comm,
                      &status);
        side_status("received", rc, &status);
        MPI_Get_count(&status, type, &count);
        side_say("count: %d", count);
        MPI_Get_elements(&status, type, &count);
        side_say("elements: %d", count);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&empty);
}

/* All that is wrong is known before a message is made of it. */
static void wrong(const side_comm_t *on)
{
    MPI_Datatype open;
    MPI_Request request;
    MPI_Status status;
    int flag;

    MPI_Type_contiguous(2, MPI_CHAR, &open);
    side_say("rank: %s",
             side_error(MPI_Send(side_out, 1, MPI_CHAR, 99, 1, on->comm)));
    side_say("negative rank: %s",
             side_error(MPI_Send(side_out, 1, MPI_CHAR, -77, 1, on->comm)));
    side_say("any source: %s",
             side_error(
                 MPI_Send(side_out, 1, MPI_CHAR, MPI_ANY_SOURCE, 1, on->comm)));
    side_say("tag: %s", side_error(MPI_Send(side_out, 1, MPI_CHAR, on->peer, -5,
                                            on->comm)));
    side_say("any tag: %s", side_error(MPI_Send(side_out, 1, MPI_CHAR, on->peer,
                                                MPI_ANY_TAG, on->comm)));
    side_say("count: %s", side_error(MPI_Send(side_out, -1, MPI_CHAR, on->peer,
                                              1, on->comm)));
    side_say("type: %s",
             side_error(MPI_Send(side_out, 1, open, on->peer, 1, on->comm)));
    side_say("null type: %s",
             side_error(MPI_Send(side_out, 1, MPI_DATATYPE_NULL, on->peer, 1,
                                 on->comm)));
    side_say("receive, rank: %s", side_error(MPI_Recv(side_in, 1, MPI_CHAR, 99,
                                                      1, on->comm, &status)));
    side_say("receive, tag: %s",
             side_error(MPI_Irecv(side_in, 1, MPI_CHAR, on->peer, -5, on->comm,
                                  &request)));
    side_say("receive, count: %s",
             side_error(MPI_Irecv(side_in, -1, MPI_CHAR, on->peer, 1, on->comm,
                                  &request)));
    side_say("probe, rank: %s",
             side_error(MPI_Iprobe(99, 1, on->comm, &flag, &status)));
    MPI_Type_free(&open);
}

static void largest_tag(const side_comm_t *on)
{
    MPI_Request request;
    MPI_Status status;
    int *bound, flag, rc;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    MPI_Isend(side_out, 1, MPI_CHAR, on->peer, *bound, on->comm, &request);
    rc = MPI_Recv(side_in, 1, MPI_CHAR, on->peer, *bound, on->comm, &status);
    side_say("received: %s, the tag is %s", side_error(rc),
             status.MPI_TAG == *bound ? "right" : "wrong");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const side_case_t cases[] = {
    {"proc_null", proc_null, false},
    {"nothing", nothing, false},
    {"wrong", wrong, false},
    {"largest_tag", largest_tag, false},
};

SIDE_MAIN
