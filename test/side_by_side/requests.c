/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests: how many calls see that they are complete, persistent ones,
 * inactive ones, those that cannot be started, freed ones.
 */
#include "side.h"

#define NUM 6

static const int sizes[] = {0, 8, 3000, 100000};

/* Sends and receives in pairs, the receive first or not. */
static void start(const side_comm_t *on, int size, bool posted,
                  MPI_Request *request)
{
    side_fill((size_t) size, 'q');
    for (int i = 0; i < NUM; i += 2) {
        if (posted) {
            MPI_Irecv(side_in, size, MPI_CHAR, on->peer, i, on->comm,
                      &request[i]);
        }
        (i ? MPI_Isend : MPI_Issend)(side_out, size, MPI_CHAR, on->peer, i,
                                     on->comm, &request[i + 1]);
        if (!posted) {
            MPI_Irecv(side_in, size, MPI_CHAR, on->peer, i, on->comm,
                      &request[i]);
        }
    }
}

static long testall(MPI_Request *request)
{
    int flag = 0;
    long calls = 0;

    while (!flag && ++calls < SIDE_PATIENCE) {
        MPI_Testall(NUM, request, &flag, MPI_STATUSES_IGNORE);
    }
    return calls;
}

static long testsome(MPI_Request *request)
{
    int index[NUM], n, done = 0;
    long calls = 0;

    while (done < NUM && ++calls < SIDE_PATIENCE) {
        MPI_Testsome(NUM, request, &n, index, MPI_STATUSES_IGNORE);
        done += n;
    }
    return calls;
}

static long testany(MPI_Request *request)
{
    int index, flag, done = 0;
    long calls = 0;

    while (done < NUM && ++calls < SIDE_PATIENCE) {
        MPI_Testany(NUM, request, &index, &flag, MPI_STATUS_IGNORE);
        done += flag;
    }
    return calls;
}

static long test_each(MPI_Request *request)
{
    int flag;
    long calls = 0;

    for (int i = 0; i < NUM; ++i) {
        for (flag = 0; !flag && calls < SIDE_PATIENCE; ++calls) {
            MPI_Test(&request[i], &flag, MPI_STATUS_IGNORE);
        }
    }
    return calls;
}

static long get_status(MPI_Request *request)
{
    int flag;
    long calls = 0;

    for (int i = 0; i < NUM; ++i) {
        for (flag = 0; !flag && calls < SIDE_PATIENCE; ++calls) {
            MPI_Request_get_status(request[i], &flag, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request[i]);
    }
    return calls;
}

static void calls_needed(const side_comm_t *on)
{
    static const struct {
        const char *name;
        long (*complete)(MPI_Request *);
    } ways[] = {{"Testall", testall},
                {"Testsome", testsome},
                {"Testany", testany},
                {"Test", test_each},
                {"Request_get_status", get_status}};
    MPI_Request request[NUM];
    char what[100];

    for (size_t w = 0; w < SIDE_COUNT_OF(ways); ++w) {
        for (size_t s = 0; s < 2 * SIDE_COUNT_OF(sizes); ++s) {
            start(on, sizes[s / 2], s % 2, request);
            snprintf(what, sizeof(what), "%s, %d bytes, %s", ways[w].name,
                     sizes[s / 2], s % 2 ? "posted first" : "sent first");
            side_calls(on, what, ways[w].complete(request));
            side_data(what, (size_t) sizes[s / 2], 'q');
        }
    }
}

/* MPI_Recv of what was sent without blocking: the send is known to be done. */
static void after_receive(const side_comm_t *on)
{
    for (size_t s = 0; s < SIDE_COUNT_OF(sizes); ++s) {
        MPI_Request request[NUM];
        char what[100];

        side_fill((size_t) sizes[s], 'q');
        for (int i = 0; i < NUM; ++i) {
            MPI_Isend(side_out, sizes[s], MPI_CHAR, on->peer, i, on->comm,
                      &request[i]);
        }
        for (int i = 0; i < NUM; ++i) {
            MPI_Recv(side_in, sizes[s], MPI_CHAR, on->peer, i, on->comm,
                     MPI_STATUS_IGNORE);
        }
        snprintf(what, sizeof(what), "Testall, %d bytes", sizes[s]);
        side_calls(on, what, testall(request));
    }
}

static void nothing(const side_comm_t *on)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status[2];
    int index[2], n, flag, rc;

    for (int i = 0; i < 2; ++i) {
        if (1 == i) { /* an inactive one */
            MPI_Recv_init(side_in, 1, MPI_CHAR, on->peer, SIDE_TAG, on->comm,
                          &request[1]);
        }
        rc = MPI_Testall(2, request, &flag, status);
        side_say("Testall: %s, flag %d", side_error(rc), flag);
        side_status("Testall", rc, &status[1]);
        rc = MPI_Testany(2, request, &n, &flag, status);
        side_say("Testany: %s, flag %d, undefined %d", side_error(rc), flag,
                 MPI_UNDEFINED == n);
        rc = MPI_Testsome(2, request, &n, index, status);
        side_say("Testsome: %s, undefined %d", side_error(rc),
                 MPI_UNDEFINED == n);
        rc = MPI_Wait(&request[1], status);
        side_status("Wait", rc, status);
        rc = MPI_Request_get_status(request[1], &flag, status);
        side_status("Request_get_status", rc, status);
    }
    MPI_Request_free(&request[1]);
}

static void persistent(const side_comm_t *on)
{
    for (size_t s = 0; s < SIDE_COUNT_OF(sizes); ++s) {
        MPI_Request request[2];
        MPI_Status status[2];
        int rc;

        side_fill((size_t) sizes[s], 'q');
        MPI_Recv_init(side_in, sizes[s], MPI_CHAR, MPI_ANY_SOURCE, SIDE_TAG,
                      on->comm, &request[0]);
        MPI_Send_init(side_out, sizes[s], MPI_CHAR, on->peer, SIDE_TAG,
                      on->comm, &request[1]);
        for (int i = 0; i < 3; ++i) {
            rc = i % 2 ? MPI_Startall(2, request) : MPI_Start(&request[0]);
            side_say("start: %s", side_error(rc));
            if (0 == i % 2) {
                side_say("start: %s", side_error(MPI_Start(&request[1])));
            }
            rc = MPI_Waitall(2, request, status);
            side_status("received", rc, &status[0]);
            side_say("null: %d", MPI_REQUEST_NULL == request[0]);
        }
        MPI_Request_free(&request[0]);
        MPI_Request_free(&request[1]);
        side_data("received", (size_t) sizes[s], 'q');
    }
}

/* A buffered send without a buffer cannot start; the other requests can. */
static void cannot_start(const side_comm_t *on)
{
    MPI_Request request[3];
    MPI_Status status[3];
    int rc;

    side_fill(10, 'q');
    MPI_Bsend_init(side_out, 30000, MPI_CHAR, on->peer, 9, on->comm,
                   &request[0]);
    MPI_Recv_init(side_in, 10, MPI_CHAR, on->peer, 2, on->comm, &request[1]);
    MPI_Send_init(side_out, 10, MPI_CHAR, on->peer, 2, on->comm, &request[2]);
    side_say("Start: %s", side_error(MPI_Start(&request[0])));
    rc = MPI_Wait(&request[0], &status[0]);
    side_say("Wait: %s", side_error(rc));
    if (MPI_REQUEST_NULL == request[0]) {
        MPI_Bsend_init(side_out, 30000, MPI_CHAR, on->peer, 9, on->comm,
                       &request[0]);
    }
    side_say("Startall: %s",
             MPI_SUCCESS == MPI_Startall(3, request) ? "none" : "any");
    MPI_Wait(&request[2], MPI_STATUS_IGNORE);
    rc = MPI_Wait(&request[1], &status[1]);
    side_status("the others", rc, &status[1]);
    for (int i = 0; i < 3; ++i) {
        if (MPI_REQUEST_NULL != request[i]) {
            MPI_Request_free(&request[i]);
        }
    }
}

static void freed(const side_comm_t *on)
{
    MPI_Request request;
    MPI_Status status;
    int rc;

    for (size_t s = 0; s < SIDE_COUNT_OF(sizes); ++s) {
        side_fill((size_t) sizes[s], 'q');
        MPI_Isend(side_out, sizes[s], MPI_CHAR, on->peer, SIDE_TAG, on->comm,
                  &request);
        side_say("free: %s", side_error(MPI_Request_free(&request)));
        rc = MPI_Recv(side_in, sizes[s], MPI_CHAR, on->peer, SIDE_TAG, on->comm,
                      &status);
        side_status("received", rc, &status);
        side_data("received", (size_t) sizes[s], 'q');
        MPI_Irecv(side_in, sizes[s], MPI_CHAR, on->peer, SIDE_TAG, on->comm,
                  &request);
        MPI_Request_free(&request);
        MPI_Issend(side_out, sizes[s], MPI_CHAR, on->peer, SIDE_TAG, on->comm,
                   &request);
        side_say("to a freed receive: %s",
                 side_error(MPI_Wait(&request, MPI_STATUS_IGNORE)));
    }
}

/* One that fails beside one that waits. */
static void one_fails(const side_comm_t *on)
{
    MPI_Request request[3];
    MPI_Status status[2];
    int rc;

    side_fill(100, 'q');
    MPI_Irecv(side_in, 10, MPI_CHAR, on->peer, 1, on->comm, &request[0]);
    MPI_Irecv(side_in, 100, MPI_CHAR, on->peer, 2, on->comm, &request[1]);
    MPI_Send(side_out, 100, MPI_CHAR, on->peer, 1, on->comm);
    rc = MPI_Wait(&request[0], &status[0]);
    side_failed("first", rc, &status[0]);
    MPI_Isend(side_out, 100, MPI_CHAR, on->peer, 2, on->comm, &request[2]);
    rc = MPI_Wait(&request[1], &status[1]);
    side_status("second", rc, &status[1]);
    MPI_Wait(&request[2], MPI_STATUS_IGNORE);
}

static const side_case_t cases[] = {
    {"calls_needed", calls_needed, false},
    {"after_receive", after_receive, false},
    {"nothing", nothing, false},
    {"persistent", persistent, false},
    {"cannot_start", cannot_start, false},
    {"freed", freed, false},
    {"one_fails", one_fails, false},
};

SIDE_MAIN
