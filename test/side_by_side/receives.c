/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Wildcards, probes, matched probes, too small receives, cancelled receives.
 */
#include "side.h"

static void send(const side_comm_t *on, int size, int tag, MPI_Request *request)
{
    side_fill((size_t) size, 'r');
    MPI_Isend(side_out, size, MPI_CHAR, on->peer, tag, on->comm, request);
}

static void finish(MPI_Request *request)
{
    side_say("send: %s", side_error(MPI_Wait(request, MPI_STATUS_IGNORE)));
}

static void wildcards(const side_comm_t *on)
{
    const int sources[] = {on->peer, MPI_ANY_SOURCE};
    const int tags[] = {SIDE_TAG, MPI_ANY_TAG};

    for (int i = 0; i < 8; ++i) {
        int size = i < 4 ? 100 : 100000, rc;
        MPI_Request request;
        MPI_Status status;

        send(on, size, SIDE_TAG, &request);
        rc = MPI_Recv(side_in, size + 1, MPI_CHAR, sources[i & 1],
                      tags[i >> 1 & 1], on->comm, &status);
        side_status("received", rc, &status);
        side_data("received", (size_t) size, 'r');
        finish(&request);
    }
}

/* The oldest that fits, whatever came between. */
static void order(const side_comm_t *on)
{
    static const int tags[] = {3, 1, 3, 2, 1};
    const int wanted[] = {1, MPI_ANY_TAG, 2, 3, MPI_ANY_TAG};
    MPI_Request request[5];

    for (int i = 0; i < 5; ++i) {
        MPI_Isend(&tags[i], 1 + i % 3, MPI_CHAR, on->peer, tags[i], on->comm,
                  &request[i]);
    }
    for (int i = 0; i < 5; ++i) {
        MPI_Status status;
        int rc = MPI_Recv(side_in, 100, MPI_CHAR, on->peer, wanted[i], on->comm,
                          &status);

        side_status("received", rc, &status);
    }
    side_say("sends: %s",
             side_error(MPI_Waitall(5, request, MPI_STATUSES_IGNORE)));
}

static void probes(const side_comm_t *on)
{
    MPI_Request request;
    MPI_Status status;
    int flag = -1, rc;
    long calls = 0;

    rc = MPI_Iprobe(on->peer, SIDE_TAG, on->comm, &flag, &status);
    side_say("nothing there: %s, flag %d", side_error(rc), flag);
    side_meet(on);
    for (int i = 0; i < 2; ++i) {
        int size = i ? 200000 : 10;

        send(on, size, SIDE_TAG, &request);
        for (flag = 0, calls = 0; !flag && calls < SIDE_PATIENCE; ++calls) {
            MPI_Iprobe(MPI_ANY_SOURCE, SIDE_TAG, on->comm, &flag, &status);
        }
        side_calls(on, "Iprobe", calls);
        rc = MPI_Probe(on->peer, MPI_ANY_TAG, on->comm, &status);
        side_status("Probe", rc, &status);
        rc = MPI_Recv(side_in, size, MPI_CHAR, on->peer, SIDE_TAG, on->comm,
                      &status);
        side_status("received", rc, &status);
        side_data("received", (size_t) size, 'r');
        finish(&request);
    }
}

static void matched_probes(const side_comm_t *on)
{
    for (int i = 0; i < 4; ++i) {
        int size = i < 2 ? 10 : 200000, rc, flag = 0;
        long calls = 0;
        MPI_Request request, receive;
        MPI_Message message;
        MPI_Status status;

        send(on, size, SIDE_TAG, &request);
        while (!flag && ++calls < SIDE_PATIENCE) {
            MPI_Improbe(on->peer, SIDE_TAG, on->comm, &flag, &message, &status);
        }
        side_calls(on, "Improbe", calls);
        side_status("Improbe", MPI_SUCCESS, &status);
        MPI_Iprobe(on->peer, SIDE_TAG, on->comm, &flag, MPI_STATUS_IGNORE);
        side_say("still there: %d", flag);
        if (i % 2) {
            rc = MPI_Mrecv(side_in, size, MPI_CHAR, &message, &status);
        } else {
            MPI_Imrecv(side_in, size, MPI_CHAR, &message, &receive);
            rc = MPI_Wait(&receive, &status);
        }
        side_status("received", rc, &status);
        side_data("received", (size_t) size, 'r');
        side_say("message: %s",
                 MPI_MESSAGE_NULL == message ? "null" : "not null");
        finish(&request);
        side_meet(on);
    }
}

/* The communicator goes before the message that was taken from it. */
static void message_outlives_comm(const side_comm_t *on)
{
    static const int sizes[] = {10, 200000};

    for (int i = 0; i < 2; ++i) {
        MPI_Request request[2];
        MPI_Message message;
        MPI_Status status;
        side_comm_t copy = *on;
        int rc;

        MPI_Comm_dup(on->comm, &copy.comm);
        MPI_Comm_set_errhandler(copy.comm, MPI_ERRORS_RETURN);
        send(&copy, sizes[i], SIDE_TAG, &request[0]);
        MPI_Mprobe(on->peer, SIDE_TAG, copy.comm, &message, &status);
        MPI_Comm_free(&copy.comm);
        rc = MPI_Imrecv(side_in, sizes[i], MPI_CHAR, &message, &request[1]);
        side_say("Imrecv: %s", side_error(rc));
        rc = MPI_Wait(&request[1], &status);
        side_status("received", rc, &status);
        side_data("received", (size_t) sizes[i], 'r');
        finish(&request[0]);
    }
}

/* sent bytes into room bytes; `spread` sends every other one of twice as many.
 */
static void too_small(const side_comm_t *on, int sent, int room, bool spread,
                      bool posted)
{
    MPI_Datatype type = MPI_CHAR;
    MPI_Request request, receive;
    MPI_Status status;
    char what[100];
    int rc;

    if (spread) {
        MPI_Type_vector(sent / 8, 1, 2, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
    }
    side_fill((size_t) sent, 'r');
    side_in[room] = 'x';
    if (posted) {
        MPI_Irecv(side_in, room, MPI_CHAR, on->peer, SIDE_TAG, on->comm,
                  &receive);
    }
    MPI_Isend(side_out, spread ? 1 : sent, type, on->peer, SIDE_TAG, on->comm,
              &request);
    rc = posted ? MPI_Wait(&receive, &status)
                : MPI_Recv(side_in, room, MPI_CHAR, on->peer, SIDE_TAG,
                           on->comm, &status);
    snprintf(what, sizeof(what), "%d into %d%s%s", sent, room,
             spread ? ", spread" : "", posted ? ", posted" : "");
    side_failed(what, rc, &status);
    side_say("%s, behind it: %c", what, side_in[room]);
    finish(&request);
    if (spread) {
        MPI_Type_free(&type);
    }
}

static void truncated(const side_comm_t *on)
{
    for (int i = 0; i < 2; ++i) {
        too_small(on, 64, 63, false, i);
        too_small(on, 1000, 0, false, i);
        too_small(on, 100000, 99999, false, i);
    }
}

static void truncated_spread(const side_comm_t *on)
{
    for (int i = 0; i < 2; ++i) {
        too_small(on, 128, 4, true, i);
        too_small(on, 100000, 1001, true, i);
    }
}

static void cancelled(const side_comm_t *on)
{
    MPI_Request request;
    MPI_Status status;
    int rc;

    for (int i = 0; i < 2; ++i) {
        MPI_Irecv(side_in, 10, MPI_CHAR, i ? MPI_ANY_SOURCE : on->peer,
                  SIDE_TAG, on->comm, &request);
        side_say("cancel: %s", side_error(MPI_Cancel(&request)));
        rc = MPI_Wait(&request, &status);
        side_say("wait: %s", side_error(rc));
        MPI_Test_cancelled(&status, &rc);
        side_say("cancelled: %d", rc);
    }
}

/* One that has its message is not cancelled. */
static void cancelled_too_late(const side_comm_t *on)
{
    MPI_Request request[2];
    MPI_Status status;
    int rc;

    MPI_Irecv(side_in, 10, MPI_CHAR, on->peer, SIDE_TAG, on->comm, &request[0]);
    send(on, 10, SIDE_TAG, &request[1]);
    side_say("cancel: %s", side_error(MPI_Cancel(&request[0])));
    rc = MPI_Wait(&request[0], &status);
    side_status("wait", rc, &status);
    finish(&request[1]);
}

static const side_case_t cases[] = {
    {"wildcards", wildcards, false},
    {"order", order, false},
    {"probes", probes, false},
    {"matched_probes", matched_probes, false},
    {"message_outlives_comm", message_outlives_comm, false},
    {"truncated", truncated, false},
    {"truncated_spread", truncated_spread, false},
    {"cancelled", cancelled, false},
    {"cancelled_too_late", cancelled_too_late, true},
};

SIDE_MAIN
