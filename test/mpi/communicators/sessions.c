/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sessions of MPI-4, where Open MPI has them (5.0 and later):
 *
 *     MPI_Session_init (info: ompi_mq, mpi_assert_*)
 *        |
 *     group of a process set
 *        |
 *     MPI_Comm_create_from_group
 *
 * The members of such a communicator know it by context ids of their own, so
 * the ranks are made to have different ones; messages may come before the
 * receiver has the communicator; and an id is soon used again.
 *
 *     --alone    without MPI_Init: nothing but sessions
 *     --hints    what the sessions' info says holds for their communicators
 *     --times N  communicators made and freed (30)
 *     --lives N  so often MPI begins anew after all of it has ended, the first
 *                time with MPI_Init unless --alone (1)
 *     --late     when MPI begins anew, the others do not wait for rank 0, which
 *                publishes 8 s late: as with PMIx 5.0.7, which sometimes takes
 *                a process whose life has ended for dead. The program has PMIx's
 *                functions, and is linked with -rdynamic. Some messages go by
 *                rings in each life
 *     --outlive  a session, as of a library, is there before MPI_Finalize and
 *                after it, with messages that wait
 */
#include <dlfcn.h>

#include "mpi_test_variable.h"

#ifndef MPI_SESSION_NULL

int main(void)
{
    printf("SKIP: this MPI has no sessions\n");
    return MT_SKIP;
}

#else

#define LARGE 300000

/* ---- PMIx --------------------------------------------------------------- */

static bool late;         /* --late */
static bool delay;        /* the next address */
static int fences;        /* that are still not waited for, in this life */
static int nobody_waited; /* in all of them */

int PMIx_Put(unsigned char scope, const char *key, void *value);
int PMIx_Put(unsigned char scope, const char *key, void *value)
{
    int (*real)(unsigned char, const char *, void *) =
        (int (*)(unsigned char, const char *, void *)) dlsym(RTLD_NEXT,
                                                             "PMIx_Put");

    if (delay && 0 == mt_rank && NULL != strstr(key, "pml.champion")) {
        (void) sleep(8); /* PMIx waits for 2 s each time it is asked */
        delay = false;
    }
    return real(scope, key, value);
}

int PMIx_Fence_nb(const void *procs, size_t num_procs, const void *info,
                  size_t num_info, void (*then)(int, void *), void *arg);
int PMIx_Fence_nb(const void *procs, size_t num_procs, const void *info,
                  size_t num_info, void (*then)(int, void *), void *arg)
{
    int (*real)(const void *, size_t, const void *, size_t,
                void (*)(int, void *), void *) =
        (int (*)(const void *, size_t, const void *, size_t,
                 void (*)(int, void *), void *)) dlsym(RTLD_NEXT,
                                                       "PMIx_Fence_nb");

    if (fences > 0) {
        --fences;
        ++nobody_waited;
        then(0, arg);
        return 0;
    }
    return real(procs, num_procs, info, num_info, then, arg);
}

/* ------------------------------------------------------------------------- */

/* A communicator of all processes, or of this one alone. Those that are being
 * made at one time need different tags. */
static MPI_Comm comm_of(MPI_Session session, bool world)
{
    static int made;
    MPI_Group group;
    MPI_Comm comm;
    char tag[64];

    if (world) {
        snprintf(tag, sizeof(tag), "champion test, world %d", made++);
    } else {
        snprintf(tag, sizeof(tag), "champion test, rank %d", mt_rank);
    }
    CHECK_OK(MPI_Group_from_session_pset(
        session, world ? "mpi://WORLD" : "mpi://SELF", &group));
    CHECK_OK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL,
                                        MPI_ERRORS_RETURN, &comm));
    CHECK_OK(MPI_Group_free(&group));
    return comm;
}

static MPI_Session session_new(const char *key, const char *value)
{
    MPI_Session session;
    MPI_Info info = MPI_INFO_NULL;

    if (NULL != key) {
        MPI_Info_create(&info);
        MPI_Info_set(info, key, value);
    }
    CHECK_OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    if (NULL != key) {
        MPI_Info_free(&info);
    }
    return session;
}

/* Communicators made from one that was made from a group. */
static void derived(MPI_Comm comm)
{
    MPI_Comm other;
    int rank = mt_rank_in(comm);

    CHECK_OK(MPI_Comm_dup(comm, &other));
    mt_rings(other, 1);
    CHECK_OK(MPI_Comm_free(&other));
    CHECK_OK(MPI_Comm_split(comm, 0, -rank, &other));
    mt_rings(other, 2);
    mt_sum_ranks(other);
    CHECK_OK(MPI_Comm_free(&other));
}

/* A message that nobody receives is withdrawn: its receiver hears of that. */
static void test_withdrawn(MPI_Session session)
{
    MPI_Comm comm = comm_of(session, true);
    MPI_Request request;

    MT_CASE("a message is withdrawn");
    CHECK_OK(MPI_Isend(&mt_size, 1, MPI_INT, mt_after, 1, comm, &request));
    CHECK_OK(MPI_Cancel(&request));
    CHECK(mt_wait_cancelled(&request));
    CHECK_OK(MPI_Barrier(comm)); /* a receiver that is gone withdraws nothing */
    CHECK_OK(MPI_Comm_free(&comm));
}

/* Rank n keeps n of its own ids in use, so that no two ranks agree. */
static void test_messages(MPI_Session session, int times)
{
    MPI_Comm mine[8], comm;
    int own = mt_rank % 8;

    for (int i = 0; i < own; ++i) {
        MT_CASE("communicator %d of its own", i);
        mine[i] = comm_of(session, false);
    }
    for (int i = 0; i < times; ++i) {
        MT_CASE("communicator %d", i);
        comm = comm_of(session, true);
        mt_rings(comm, i);
        if (0 == i % 10) {
            mt_sum_ranks(comm);
            derived(comm);
        }
        CHECK_OK(MPI_Comm_free(&comm));
    }
    for (int i = 0; i < own; ++i) {
        mt_rings(mine[i], i);
        CHECK_OK(MPI_Comm_free(&mine[i]));
    }
}

/* Two sessions at a time, each with an algorithm of its own. */
static void test_algorithms(void)
{
    MPI_Session first = session_new("ompi_mq", "source_array");
    MPI_Session second = session_new("ompi_mq", "partner_dynamic:threshold=2");
    MPI_Comm a = comm_of(first, true);
    MPI_Comm b = comm_of(second, true);

    for (int i = 0; i < 3; ++i) {
        CHECK_INFO(a, "ompi_mq", "source_array");
        CHECK_INFO(b, "ompi_mq", "partner_dynamic:threshold=2");
        mt_rings(a, i);
        mt_rings(b, i);
    }
    CHECK_OK(MPI_Comm_free(&a));
    CHECK_OK(MPI_Comm_free(&b));
    CHECK_OK(MPI_Session_finalize(&first));
    CHECK_OK(MPI_Session_finalize(&second));
}

/* A promise of a session is one of its communicators, and of no other. */
static void test_promises(void)
{
    MPI_Session first = session_new("mpi_assert_no_any_source", "true");
    MPI_Session second = session_new(NULL, NULL);
    MPI_Comm a = comm_of(first, true);
    MPI_Comm b = comm_of(second, true);
    int flag;

    CHECK_INFO(a, "mpi_assert_no_any_source", "true");
    CHECK_RC(MPI_Iprobe(MPI_ANY_SOURCE, 5, a, &flag, MPI_STATUS_IGNORE),
             MPI_ERR_RANK);
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, 5, b, &flag, MPI_STATUS_IGNORE));
    mt_sum_ranks(a);
    mt_rings(b, 1);
    CHECK_OK(MPI_Comm_free(&a));
    CHECK_OK(MPI_Comm_free(&b));
    CHECK_OK(MPI_Session_finalize(&first));
    CHECK_OK(MPI_Session_finalize(&second));
}

/* What mt_init does, without MPI_Init. */
static void init_alone(MPI_Session session)
{
    MPI_Group group;

    mt_program = "sessions";
    CHECK_OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    MPI_Group_rank(group, &mt_rank);
    MPI_Group_size(group, &mt_size);
    mt_know_neighbours();
    MPI_Group_free(&group);
}

/* Messages wait, one of them in a matched probe, when MPI_Finalize is called;
 * others come while this process is in it. */
static void test_outlive(void)
{
    static char out[LARGE], in[LARGE];
    MPI_Session session = session_new(NULL, NULL);
    MPI_Comm comm = comm_of(session, true);
    const int next = mt_after;
    const int last = mt_before;
    MPI_Message probed;
    MPI_Request request;

    mt_fill(out, LARGE, mt_key(mt_rank, 0, 0, 0));
    MT_CASE("before MPI_Finalize");
    CHECK_OK(MPI_Send(out, 8, MPI_BYTE, next, 1, comm));
    CHECK_OK(MPI_Isend(out, LARGE, MPI_BYTE, next, 2, comm, &request));
    CHECK_OK(MPI_Send(out, 16, MPI_BYTE, next, 3, comm));
    CHECK_OK(MPI_Mprobe(last, 3, comm, &probed, MPI_STATUS_IGNORE));
    if (0 == mt_rank % 2) {
        (void) usleep(100000); /* the others are in MPI_Finalize */
    }
    CHECK_OK(MPI_Send(out, 24, MPI_BYTE, next, 4, comm));
    (void) mt_finalize();
    for (int tag = 4; tag > 0; --tag) {
        static const int lengths[] = {0, 8, LARGE, 16, 24};
        const size_t length = (size_t) lengths[tag];

        MT_CASE("after MPI_Finalize, tag %d", tag);
        if (3 == tag) {
            CHECK_OK(
                MPI_Mrecv(in, LARGE, MPI_BYTE, &probed, MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(MPI_Recv(in, LARGE, MPI_BYTE, last, tag, comm,
                              MPI_STATUS_IGNORE));
        }
        CHECK_PAYLOAD(in, length, mt_key(last, 0, 0, 0));
    }
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < 3; ++i) {
        mt_rings(comm, i);
    }
    mt_sum_ranks(comm);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Session_finalize(&session));
}

/* Messages that come by rings from now on: there are some if the others have been
 * found on the board. */
static mt_variable_t by_rings(void)
{
    mt_variable_t messages;
    int provided;

    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    messages =
        mt_variable("rings_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
    mt_variable_start(&messages);
    return messages;
}

static void test_by_rings(mt_variable_t messages)
{
    MT_CASE("messages by rings");
    CHECK(mt_variable_value(&messages) > 0);
    mt_variable_release(&messages);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
}

/* What all that is asked for does in one session. */
static void live(int argc, char **argv, int lives, bool alone)
{
    MPI_Session session = session_new(NULL, NULL);
    mt_variable_t messages = {0};

    if (alone) {
        init_alone(session);
    }
    if (mt_flag(argc, argv, "--hints")) {
        test_algorithms();
        test_promises();
    } else {
        if (late) {
            messages = by_rings();
        }
        test_messages(session, mt_option(argc, argv, "--times", 30));
        if (lives > 1) {
            test_withdrawn(session);
        }
        if (late) {
            test_by_rings(messages);
        }
    }
    MT_CASE("end of the session");
    CHECK_OK(MPI_Session_finalize(&session));
}

int main(int argc, char **argv)
{
    const bool alone = mt_flag(argc, argv, "--alone");
    const int lives = mt_option(argc, argv, "--lives", 1);

    if (alone) {
        mt_answer();
        mt_catch_signals();
    }
    if (mt_flag(argc, argv, "--outlive")) {
        mt_init(&argc, &argv, 2);
        test_outlive();
        return 0;
    }
    late = mt_flag(argc, argv, "--late");
    for (int i = 0; i < lives; ++i) {
        const bool of_init = 0 == i && !alone;

        /* A life begins with two. */
        delay = late && i > 0;
        fences = delay ? 2 : 0;

        if (of_init) {
            mt_init(&argc, &argv, 1);
        }
        live(argc, argv, lives, !of_init);
        if (of_init) {
            (void) mt_finalize();
        }
    }
    if (late) {
        CHECK_EQ(nobody_waited, 2 * (lives - 1));
    }
    return 0;
}

#endif
