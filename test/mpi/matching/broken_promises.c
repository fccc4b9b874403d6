/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program promises to do without MPI_ANY_SOURCE or MPI_ANY_TAG: for a
 * communicator, with the info keys mpi_assert_no_any_source and
 * mpi_assert_no_any_tag, when it is made or later; or for all, with the
 * parameter mq_base_assert (--all: then it was given to this run).
 *
 * What keeps the promise works. What breaks it is an error that says so, and
 * does no harm. What was queued when a promise is given or taken back stays.
 */
#include "mpi_test.h"

#define NO_ANY_SOURCE "mpi_assert_no_any_source"
#define NO_ANY_TAG "mpi_assert_no_any_tag"
#define NUM 50
#define TAG 7

static MPI_Comm dup_with(const char *source, const char *tag)
{
    MPI_Info info;
    MPI_Comm comm;

    MPI_Info_create(&info);
    MPI_Info_set(info, NO_ANY_SOURCE, source);
    MPI_Info_set(info, NO_ANY_TAG, tag);
    CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    MPI_Info_free(&info);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

static void set(MPI_Comm comm, const char *source, const char *tag)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, NO_ANY_SOURCE, source);
    MPI_Info_set(info, NO_ANY_TAG, tag);
    CHECK_OK(MPI_Comm_set_info(comm, info));
    MPI_Info_free(&info);
}

/* The call failed with an error of the class that names the assertion. */
static void check_refused(int line, const char *call, int rc, int class,
                          const char *names)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    mt_check_rc(__FILE__, line, call, rc, class);
    MPI_Error_string(rc, text, &length);
    if (NULL == strstr(text, names)) {
        mt_fail(__FILE__, line, "%s says \"%s\" and not %s", call, text, names);
    }
}

#define CHECK_REFUSED(call, class, names)                                      \
    check_refused(__LINE__, #call, (call), (class), (names))

/* Every way to look for a message, with a wildcard that was promised away. */
static void break_promise(MPI_Comm comm, int source, int tag, int class,
                          const char *names)
{
    int data, flag;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;

    CHECK_REFUSED(MPI_Recv(&data, 1, MPI_INT, source, tag, comm, &status),
                  class, names);
    CHECK_REFUSED(MPI_Irecv(&data, 1, MPI_INT, source, tag, comm, &request),
                  class, names);
    CHECK_REFUSED(MPI_Probe(source, tag, comm, &status), class, names);
    CHECK_REFUSED(MPI_Iprobe(source, tag, comm, &flag, &status), class, names);
    CHECK_REFUSED(MPI_Mprobe(source, tag, comm, &message, &status), class,
                  names);
    CHECK_REFUSED(MPI_Improbe(source, tag, comm, &flag, &message, &status),
                  class, names);
    /* A persistent one is refused when it is made or when it is started. */
    if (MPI_SUCCESS ==
        MPI_Recv_init(&data, 1, MPI_INT, source, tag, comm, &request)) {
        CHECK_REFUSED(MPI_Start(&request), class, names);
        CHECK_OK(MPI_Request_free(&request));
    } else {
        CHECK_REFUSED(
            MPI_Recv_init(&data, 1, MPI_INT, source, tag, comm, &request),
            class, names);
    }
}

static void break_promises(MPI_Comm comm, const char *what)
{
    MT_CASE("any source was promised away, %s", what);
    break_promise(comm, MPI_ANY_SOURCE, TAG, MPI_ERR_RANK, NO_ANY_SOURCE);
    MT_CASE("any tag was promised away, %s", what);
    break_promise(comm, mt_before, MPI_ANY_TAG, MPI_ERR_TAG, NO_ANY_TAG);
}

static void send_all(MPI_Comm comm, int *data, MPI_Request *request)
{
    for (int i = 0; i < NUM; ++i) {
        data[i] = 1000 * mt_rank + i;
        CHECK_OK(MPI_Isend(&data[i], 1, MPI_INT, mt_after, TAG + i % 5, comm,
                           &request[i]));
    }
}

static void receive_one(MPI_Comm comm, int i)
{
    MPI_Status status;
    int data;

    CHECK_OK(
        MPI_Recv(&data, 1, MPI_INT, mt_before, TAG + i % 5, comm, &status));
    CHECK_STATUS(&status, mt_before, TAG + i % 5, MPI_INT, 1);
    CHECK_EQ(data, 1000 * mt_before + i);
}

/* Wait until all have come, without a wildcard. */
static void wait_for_all(MPI_Comm comm)
{
    MPI_Status status;

    CHECK_OK(MPI_Probe(mt_before, TAG + (NUM - 1) % 5, comm, &status));
    for (int i = 0; i < 20; ++i) {
        int flag;

        CHECK_OK(MPI_Iprobe(mt_before, TAG, comm, &flag, &status));
        usleep(100);
    }
}

/* Unexpected and posted, by all calls that need no wildcard. */
static void exact_traffic(MPI_Comm comm)
{
    MPI_Request send[NUM], receive[NUM];
    int out[NUM], in[NUM];
    MPI_Message message;
    MPI_Status status;

    MT_CASE("exact receives, posted first");
    for (int i = NUM - 1; i >= 0; --i) {
        CHECK_OK(MPI_Irecv(&in[i], 1, MPI_INT, mt_before, TAG + i, comm,
                           &receive[i]));
    }
    MPI_Barrier(comm);
    for (int i = 0; i < NUM; ++i) {
        out[i] = 77 * mt_rank + i;
        CHECK_OK(
            MPI_Isend(&out[i], 1, MPI_INT, mt_after, TAG + i, comm, &send[i]));
    }
    CHECK_OK(MPI_Waitall(NUM, receive, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Waitall(NUM, send, MPI_STATUSES_IGNORE));
    for (int i = 0; i < NUM; ++i) {
        CHECK_EQ(in[i], 77 * mt_before + i);
    }
    MT_CASE("exact receives of unexpected messages");
    send_all(comm, out, send);
    wait_for_all(comm);
    for (int i = NUM - 1; i >= 0; --i) {
        int turn = NUM - 1 - i;

        if (turn % 10 == 3) {
            CHECK_OK(
                MPI_Mprobe(mt_before, TAG + turn % 5, comm, &message, &status));
            CHECK_OK(MPI_Mrecv(&in[turn], 1, MPI_INT, &message, &status));
            CHECK_EQ(in[turn], 1000 * mt_before + turn);
        } else {
            receive_one(comm, turn);
        }
    }
    CHECK_OK(MPI_Waitall(NUM, send, MPI_STATUSES_IGNORE));
}

/* Refused calls take no message and leave nothing posted. */
static void refused_calls_do_no_harm(MPI_Comm comm)
{
    MPI_Request send[NUM];
    int out[NUM];

    break_promises(comm, "queue empty");
    MPI_Barrier(comm);
    send_all(comm, out, send);
    wait_for_all(comm);
    break_promises(comm, "messages queued");
    MT_CASE("exact receives after refused ones");
    for (int i = 0; i < NUM; ++i) {
        receive_one(comm, i);
    }
    CHECK_OK(MPI_Waitall(NUM, send, MPI_STATUSES_IGNORE));
}

/* Receives with wildcards, of all that is sent. */
static void wildcards_are_legal(MPI_Comm comm)
{
    MPI_Request send[NUM];
    int out[NUM], in;
    MPI_Status status;

    MT_CASE("wildcards are legal");
    send_all(comm, out, send);
    for (int i = 0; i < NUM; ++i) {
        CHECK_OK(MPI_Recv(&in, 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : mt_before,
                          MPI_ANY_TAG, comm, &status));
        CHECK_STATUS(&status, mt_before, TAG + i % 5, MPI_INT, 1);
        CHECK_EQ(in, 1000 * mt_before + i);
    }
    CHECK_OK(MPI_Waitall(NUM, send, MPI_STATUSES_IGNORE));
    MPI_Barrier(comm);
}

/* Only one of the two was promised. */
static void promises_are_two(void)
{
    MPI_Comm comm = dup_with("true", "false");
    int flag;

    MT_CASE("only one promise");
    CHECK_OK(
        MPI_Iprobe(mt_before, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE));
    break_promise(comm, MPI_ANY_SOURCE, TAG, MPI_ERR_RANK, NO_ANY_SOURCE);
    set(comm, "false", "true");
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, TAG, comm, &flag, MPI_STATUS_IGNORE));
    break_promise(comm, mt_before, MPI_ANY_TAG, MPI_ERR_TAG, NO_ANY_TAG);
    exact_traffic(comm);
    MPI_Comm_free(&comm);
}

/* Messages and receives queued while the promise comes and goes. */
static void what_is_queued_survives(MPI_Comm comm)
{
    static const char *const words[][2] = {
        {"true", "true"}, {"false", "false"}, {"true", "false"}};
    MPI_Request send[NUM], posted[NUM];
    int out[NUM], in[NUM];

    MT_CASE("queued while the promise changes");
    for (int i = 0; i < NUM; ++i) {
        CHECK_OK(MPI_Irecv(&in[i], 1, MPI_INT, mt_before, 1000 + i, comm,
                           &posted[i]));
    }
    send_all(comm, out, send);
    for (size_t change = 0; change < 6; ++change) {
        wait_for_all(comm);
        set(comm, words[change % 3][0], words[change % 3][1]);
        receive_one(comm, (int) change);
    }
    for (int i = 6; i < NUM; ++i) {
        receive_one(comm, i);
    }
    CHECK_OK(MPI_Waitall(NUM, send, MPI_STATUSES_IGNORE));
    for (int i = NUM - 1; i >= 0; --i) {
        out[i] = 5 * mt_rank + i;
        CHECK_OK(MPI_Send(&out[i], 1, MPI_INT, mt_after, 1000 + i, comm));
    }
    CHECK_OK(MPI_Waitall(NUM, posted, MPI_STATUSES_IGNORE));
    for (int i = 0; i < NUM; ++i) {
        CHECK_EQ(in[i], 5 * mt_before + i);
    }
    set(comm, "false", "false");
    MPI_Barrier(comm);
}

/* A receive with wildcards that was posted before the promise still gets its
 * message; only new ones break it. */
static void receives_posted_before_are_kept(void)
{
    MPI_Comm comm = dup_with("false", "false");
    MPI_Request request;
    int out = mt_rank, in = -1;

    MT_CASE("posted before the promise");
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm,
                       &request));
    set(comm, "true", "true");
    break_promises(comm, "wildcard queued");
    CHECK_OK(MPI_Send(&out, 1, MPI_INT, mt_after, TAG, comm));
    CHECK_WAIT(&request, mt_before, TAG, MPI_INT, 1);
    CHECK_EQ(in, mt_before);
    exact_traffic(comm);
    MPI_Comm_free(&comm);
}

/* Collectives use receives of Open MPI's own. */
static void collectives(MPI_Comm comm)
{
    int *all = calloc(mt_size, sizeof(int));
    int *mine = calloc(mt_size, sizeof(int));
    int sum, root = mt_size - 1;
    MPI_Comm part;
    MPI_Request request;

    MT_CASE("collectives");
    for (int i = 0; i < mt_size; ++i) {
        mine[i] = mt_rank * 100 + i;
    }
    CHECK_OK(MPI_Allreduce(&mt_rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, mt_size * (mt_size - 1) / 2);
    CHECK_OK(MPI_Gather(&mt_rank, 1, MPI_INT, all, 1, MPI_INT, root, comm));
    CHECK_OK(MPI_Scatter(mine, 1, MPI_INT, &sum, 1, MPI_INT, root, comm));
    CHECK_EQ(sum, root * 100 + mt_rank);
    CHECK_OK(MPI_Ialltoall(mine, 1, MPI_INT, all, 1, MPI_INT, comm, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < mt_size; ++i) {
        CHECK_EQ(all[i], i * 100 + mt_rank);
    }
    CHECK_OK(MPI_Bcast(all, mt_size, MPI_INT, 0, comm));
    CHECK_OK(MPI_Scan(&mt_rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, mt_rank * (mt_rank + 1) / 2);
    CHECK_OK(MPI_Comm_split(comm, mt_rank % 2, 0, &part));
    CHECK_OK(MPI_Barrier(part));
    CHECK_OK(MPI_Comm_free(&part));
    free(all);
    free(mine);
}

/* Windows work with messages in communicators of their own. */
static void one_sided(MPI_Comm comm)
{
    int *base, got = -1;
    MPI_Win window;

    MT_CASE("one-sided");
    CHECK_OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm,
                              &base, &window));
    *base = -1;
    CHECK_OK(MPI_Win_fence(0, window));
    CHECK_OK(MPI_Put(&mt_rank, 1, MPI_INT, mt_after, 0, 1, MPI_INT, window));
    CHECK_OK(MPI_Win_fence(0, window));
    CHECK_EQ(*base, mt_before);
    CHECK_OK(MPI_Get(&got, 1, MPI_INT, mt_after, 0, 1, MPI_INT, window));
    CHECK_OK(MPI_Win_fence(0, window));
    CHECK_EQ(got, mt_rank);
    CHECK_OK(MPI_Win_free(&window));
}

/* --all: every communicator, and whatever its info says. */
static void all_communicators(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    exact_traffic(MPI_COMM_WORLD);
    exact_traffic(comm);
    refused_calls_do_no_harm(comm);
    set(comm, "false", "false");
    break_promises(comm, "info says false");
    collectives(MPI_COMM_WORLD);
    collectives(comm);
    one_sided(comm);
    MPI_Comm_free(&comm);
}

static void one_communicator(void)
{
    MPI_Comm comm = dup_with("true", "true"), child;

    exact_traffic(comm);
    collectives(comm);
    refused_calls_do_no_harm(comm);
    wildcards_are_legal(MPI_COMM_WORLD);
    exact_traffic(comm);
    set(comm, "false", "false");
    wildcards_are_legal(comm);
    what_is_queued_survives(comm);
    set(comm, "true", "true");
    refused_calls_do_no_harm(comm);
    one_sided(comm);
    /* A duplicate does not inherit the promise (MPI-4.0, section 7.4.2). */
    CHECK_OK(MPI_Comm_dup(comm, &child));
    wildcards_are_legal(child);
    MPI_Comm_free(&child);
    MPI_Comm_free(&comm);
    promises_are_two();
    receives_posted_before_are_kept();
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv, 1);
    /* MPI_Start of Open MPI 5.0 asks the error handler of this one. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (mt_flag(argc, argv, "--all")) {
        all_communicators();
    } else {
        one_communicator();
    }
    return mt_finalize();
}
