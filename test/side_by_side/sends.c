/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each send mode and size, to a receive that is posted and to one that is not;
 * buffered sends, exchanges.
 */
#include "side.h"

typedef int (*send_t)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int (*isend_t)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                       MPI_Request *);

static const struct {
    const char *name;
    send_t send;
} blocking[] = {{"Send", MPI_Send},
                {"Ssend", MPI_Ssend},
                {"Rsend", MPI_Rsend},
                {"Bsend", MPI_Bsend}};
static const struct {
    const char *name;
    isend_t send;
} nonblocking[] = {{"Isend", MPI_Isend},
                   {"Issend", MPI_Issend},
                   {"Irsend", MPI_Irsend},
                   {"Ibsend", MPI_Ibsend}};
static const int sizes[] = {0, 1, 100, 3000, 20000, SIDE_LARGE};

static void attach(int size)
{
    MPI_Buffer_attach(malloc((size_t) size), size);
}

static void detach(void)
{
    void *buffer;
    int size;

    side_say("detach: %s", side_error(MPI_Buffer_detach(&buffer, &size)));
    free(buffer);
}

static void receive(const side_comm_t *on, const char *name, int size)
{
    char what[100];
    MPI_Status status;
    int rc = MPI_Recv(side_in, size, MPI_CHAR, on->peer, SIDE_TAG, on->comm,
                      &status);

    snprintf(what, sizeof(what), "%s of %d", name, size);
    side_status(what, rc, &status);
    side_data(what, (size_t) size, 's');
}

/* Small blocking sends return before their receive; so programs expect. */
static void before_receive(const side_comm_t *on)
{
    attach(100000);
    for (int i = 0; i < 4; i += 3) { /* Send and Bsend */
        for (size_t s = 0; sizes[s] < 1000; ++s) {
            side_fill((size_t) sizes[s], 's');
            side_say(
                "%s of %d: %s", blocking[i].name, sizes[s],
                side_error(blocking[i].send(side_out, sizes[s], MPI_CHAR,
                                            on->peer, SIDE_TAG, on->comm)));
            receive(on, blocking[i].name, sizes[s]);
        }
    }
    detach();
}

static void to_posted(const side_comm_t *on)
{
    MPI_Request request;
    MPI_Status status;
    char what[100];

    attach(SIDE_LARGE + 1000);
    for (size_t i = 0; i < 4 * SIDE_COUNT_OF(sizes); ++i) {
        int size = sizes[i / 4], rc;

        side_fill((size_t) size, 's');
        MPI_Irecv(side_in, size, MPI_CHAR, on->peer, SIDE_TAG, on->comm,
                  &request);
        side_meet(on);
        rc = blocking[i % 4].send(side_out, size, MPI_CHAR, on->peer, SIDE_TAG,
                                  on->comm);
        side_say("%s of %d returns: %s", blocking[i % 4].name, size,
                 side_error(rc));
        snprintf(what, sizeof(what), "%s of %d", blocking[i % 4].name, size);
        rc = MPI_Wait(&request, &status);
        side_status(what, rc, &status);
        side_data(what, (size_t) size, 's');
    }
    detach();
}

static void unexpected(const side_comm_t *on)
{
    attach(SIDE_LARGE + 1000);
    for (size_t i = 0; i < 4 * SIDE_COUNT_OF(sizes); ++i) {
        int size = sizes[i / 4];
        MPI_Request request;

        if (2 == i % 4) {
            continue; /* ready sends may not */
        }
        side_fill((size_t) size, 's');
        nonblocking[i % 4].send(side_out, size, MPI_CHAR, on->peer, SIDE_TAG,
                                on->comm, &request);
        receive(on, nonblocking[i % 4].name, size);
        side_say("%s of %d ends: %s", nonblocking[i % 4].name, size,
                 side_error(MPI_Wait(&request, MPI_STATUS_IGNORE)));
    }
    detach();
}

static void ready(const side_comm_t *on)
{
    for (size_t s = 0; s < SIDE_COUNT_OF(sizes); ++s) {
        MPI_Request request[2];
        MPI_Status status[2];
        char what[100];
        int rc;

        side_fill((size_t) sizes[s], 's');
        MPI_Irecv(side_in, sizes[s], MPI_CHAR, on->peer, SIDE_TAG, on->comm,
                  &request[0]);
        side_meet(on);
        MPI_Irsend(side_out, sizes[s], MPI_CHAR, on->peer, SIDE_TAG, on->comm,
                   &request[1]);
        rc = MPI_Waitall(2, request, status);
        snprintf(what, sizeof(what), "Irsend of %d", sizes[s]);
        side_status(what, rc, &status[0]);
        side_data(what, (size_t) sizes[s], 's');
    }
}

/* Room for one message at a time. */
static void buffered_again(const side_comm_t *on)
{
    attach(1000 + MPI_BSEND_OVERHEAD);
    for (int i = 0; i < 10; ++i) {
        side_fill(1000, 's');
        side_say("Bsend %d: %s", i,
                 side_error(MPI_Bsend(side_out, 1000, MPI_CHAR, on->peer,
                                      SIDE_TAG, on->comm)));
        receive(on, "Bsend", 1000);
    }
    detach();
}

static void no_room(const side_comm_t *on)
{
    MPI_Request request = MPI_REQUEST_NULL;

    attach(1000 + MPI_BSEND_OVERHEAD);
    side_say("too large: %s",
             side_error(MPI_Bsend(side_out, 5000, MPI_CHAR, on->peer, SIDE_TAG,
                                  on->comm)));
    side_say("too large, Ibsend: %s",
             side_error(MPI_Ibsend(side_out, 5000, MPI_CHAR, on->peer, SIDE_TAG,
                                   on->comm, &request)));
    side_fill(1000, 's');
    side_say("fits: %s", side_error(MPI_Bsend(side_out, 1000, MPI_CHAR,
                                              on->peer, SIDE_TAG, on->comm)));
    receive(on, "Bsend", 1000);
    detach();
}

/* What is in the buffer goes out, and arrives, although it is detached. */
static void detach_first(const side_comm_t *on)
{
    MPI_Request request;
    MPI_Status status;
    int rc;

    side_fill(3000, 's');
    attach(3000 + MPI_BSEND_OVERHEAD);
    MPI_Irecv(side_in, 3000, MPI_CHAR, on->peer, SIDE_TAG, on->comm, &request);
    MPI_Bsend(side_out, 3000, MPI_CHAR, on->peer, SIDE_TAG, on->comm);
    detach();
    rc = MPI_Wait(&request, &status);
    side_status("receive", rc, &status);
    side_data("receive", 3000, 's');
}

static void exchange(const side_comm_t *on)
{
    for (size_t s = 0; s < SIDE_COUNT_OF(sizes); ++s) {
        MPI_Status status;
        char what[100];
        int rc;

        side_fill((size_t) sizes[s], 's');
        rc = MPI_Sendrecv(side_out, sizes[s], MPI_CHAR, on->peer, SIDE_TAG,
                          side_in, sizes[s], MPI_CHAR, on->peer, SIDE_TAG,
                          on->comm, &status);
        snprintf(what, sizeof(what), "Sendrecv of %d", sizes[s]);
        side_status(what, rc, &status);
        side_data(what, (size_t) sizes[s], 's');
        memset(side_in, 's', (size_t) sizes[s]);
        rc = MPI_Sendrecv_replace(side_in, sizes[s], MPI_CHAR, on->peer,
                                  SIDE_TAG, on->peer, SIDE_TAG, on->comm,
                                  &status);
        snprintf(what, sizeof(what), "Sendrecv_replace of %d", sizes[s]);
        side_status(what, rc, &status);
        side_data(what, (size_t) sizes[s], 's');
    }
}

static const side_case_t cases[] = {
    {"before_receive", before_receive, true}, {"to_posted", to_posted, false},
    {"unexpected", unexpected, false},        {"ready", ready, false},
    {"buffered_again", buffered_again, true}, {"no_room", no_room, false},
    {"detach_first", detach_first, false},    {"exchange", exchange, false},
};

SIDE_MAIN
