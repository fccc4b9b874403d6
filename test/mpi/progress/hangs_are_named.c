/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A job hangs, or seems to, and champion says why, which the row expects.
 *
 *     hangs_are_named CASE [usr2|term]
 *
 * usr2, term: after a while that signal comes, to each rank.
 * With pml_champion_stuck_after, and pml_champion_stuck_action abort for the
 * cases that hang; the others end by themselves: their ranks do something else
 * for SECONDS, and then go on. Of more than four ranks the others wait in
 * MPI_Barrier.
 */
#include "mpi_test.h"

#include <signal.h>
#include <sys/wait.h>

#define TAG 7
#define WRONG 8
#define SECONDS 10
#define LARGE (1 << 22)
#define MANY 100

static MPI_Comm comm, other;
static char *buffer;
static int number;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

static void receive(int source, int tag, MPI_Comm from)
{
    MPI_Recv(&number, 1, MPI_INT, source, tag, from, MPI_STATUS_IGNORE);
}

static void send(int target, int tag, MPI_Comm to)
{
    MPI_Send(&number, 1, MPI_INT, target, tag, to);
}

/* ---- messages ---- */

static void wrong_tag(void)
{
    if (0 == mt_rank) {
        receive(1, TAG, comm);
    } else if (1 == mt_rank) {
        send(0, WRONG, comm);
    }
}

static void wrong_communicator(void)
{
    if (0 == mt_rank) {
        receive(1, TAG, comm);
    } else if (1 == mt_rank) {
        send(0, TAG, other);
    }
}

static void wrong_source(void)
{
    if (0 == mt_rank) {
        receive(mt_size > 2 ? mt_size - 1 : 0, TAG, comm);
    } else if (1 == mt_rank) {
        send(0, TAG, comm);
    }
}

static void never_received(void)
{
    if (0 == mt_rank) {
        MPI_Ssend(&number, 1, MPI_INT, 1, TAG, comm);
    }
}

static void large_never_received(void)
{
    if (0 == mt_rank) {
        MPI_Send(buffer, LARGE, MPI_BYTE, 1, TAG, comm);
    }
}

static void one_too_few(void)
{
    for (int i = 0; i < 3 && mt_rank < 2; ++i) {
        if (0 == mt_rank) {
            receive(1, TAG, comm);
        } else if (i < 2) {
            send(0, TAG, comm);
        }
    }
}

static void send_and_send(void)
{
    if (mt_rank < 2) {
        MPI_Send(buffer, LARGE, MPI_BYTE, 1 - mt_rank, TAG, comm);
        receive(1 - mt_rank, TAG, comm);
    }
}

static void receive_and_receive(void)
{
    if (mt_rank < 2) {
        receive(1 - mt_rank, TAG, comm);
        send(1 - mt_rank, TAG, comm);
    }
}

static void ring(void)
{
    MPI_Ssend(&number, 1, MPI_INT, mt_after, TAG, comm);
    receive(mt_before, TAG, comm);
}

static void one_of_many(void)
{
    MPI_Request request[MANY];

    for (int i = 0; i < MANY && mt_rank < 2; ++i) {
        if (0 == mt_rank) {
            MPI_Irecv(buffer + i, 1, MPI_BYTE, 1, i, comm, &request[i]);
        } else if (42 != i) {
            MPI_Send(buffer, 1, MPI_BYTE, 0, i, comm);
        }
    }
    if (0 == mt_rank) {
        MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
    }
}

static void any_of_two(void)
{
    MPI_Request request[2];
    int which;

    if (0 == mt_rank) {
        MPI_Irecv(buffer, 1, MPI_BYTE, 1, TAG, comm, &request[0]);
        MPI_Irecv(buffer + 1, 1, MPI_BYTE, mt_size - 1, TAG, comm, &request[1]);
        MPI_Waitany(2, request, &which, MPI_STATUS_IGNORE);
    }
}

static void any_source(void)
{
    if (0 == mt_rank) {
        receive(MPI_ANY_SOURCE, TAG, comm);
    }
}

static void probe(void)
{
    if (0 == mt_rank) {
        MPI_Probe(1, TAG, comm, MPI_STATUS_IGNORE);
    }
}

static void to_self(void)
{
    if (0 == mt_rank) {
        send(0, WRONG, comm);
        receive(0, TAG, comm);
    }
}

static void sendrecv(void)
{
    if (0 == mt_rank) {
        MPI_Sendrecv(&number, 1, MPI_INT, 1, TAG, buffer, 1, MPI_INT, 1, TAG,
                     comm, MPI_STATUS_IGNORE);
    } else if (1 == mt_rank) {
        receive(0, TAG, comm);
    }
}

/* ---- collective operations ---- */

static void barrier_and_allreduce(void)
{
    int sum;

    if (mt_size - 1 == mt_rank) {
        MPI_Barrier(comm);
    } else {
        MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm);
    }
}

static void other_root(void)
{
    MPI_Bcast(buffer, LARGE, MPI_CHAR, mt_size - 1 == mt_rank ? 0 : 1, comm);
}

static void other_root_before_barrier(void)
{
    MPI_Gather(&number, 1, MPI_INT, buffer, 1, MPI_INT,
               mt_size - 1 == mt_rank ? 1 : 0, comm);
    MPI_Barrier(comm);
}

static void left_out(void)
{
    if (1 == mt_rank) {
        receive(0, TAG, comm);
    } else {
        MPI_Barrier(comm);
    }
}

static void left_out_of_nonblocking(void)
{
    MPI_Request request;

    if (1 == mt_rank) {
        receive(0, TAG, comm);
    } else {
        MPI_Ibarrier(comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void left_out_of_dup(void)
{
    MPI_Comm more;

    if (1 == mt_rank) {
        receive(0, TAG, comm);
    } else {
        MPI_Comm_dup(comm, &more);
    }
}

static void ended(void)
{
    if (0 == mt_rank) {
        receive(1, TAG, comm);
    } else {
        MPI_Finalize();
        exit(0);
    }
}

/* ---- what only seems to hang, or is slow ---- */

static void poll_by_test(void)
{
    const double begun = now();
    MPI_Request request;
    int found = 0;

    if (0 == mt_rank) {
        MPI_Irecv(&number, 1, MPI_INT, 1, TAG, comm, &request);
        while (!found && now() - begun < SECONDS) {
            MPI_Test(&request, &found, MPI_STATUS_IGNORE);
        }
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(comm);
}

/* Whatever the calls are in which it is seen. */
static void poll_in_turn(void)
{
    const double begun = now();
    MPI_Request request;
    int found = 0, other_found;

    if (0 == mt_rank) {
        MPI_Irecv(&number, 1, MPI_INT, 1, TAG, comm, &request);
        while (!found && now() - begun < SECONDS) {
            MPI_Test(&request, &found, MPI_STATUS_IGNORE);
            MPI_Iprobe(1, WRONG, comm, &other_found, MPI_STATUS_IGNORE);
        }
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(comm);
}

static void poll_by_iprobe(void)
{
    const double begun = now();
    int found = 0;

    while (0 == mt_rank && !found && now() - begun < SECONDS) {
        MPI_Iprobe(1, TAG, comm, &found, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(comm);
}

static int seconds = SECONDS;

static void compute(void)
{
    const double begun = now();

    while (1 == mt_rank && now() - begun < seconds) {
    }
    MPI_Barrier(comm);
}

static void sleep_outside(void)
{
    if (1 == mt_rank) {
        sleep(SECONDS);
    }
    MPI_Barrier(comm);
}

/* Ranks 1 and 3 of four seem to wait for each other alone, but a collective
 * operation goes on while rank 1 waits for a message, as soon as rank 0 has
 * begun it. */
static void in_the_background(void)
{
    MPI_Request request;
    int sum;

    if (0 == mt_rank) {
        sleep(SECONDS);
    }
    MPI_Iallreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    if (1 == mt_rank) {
        receive(3, TAG, comm);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (3 == mt_rank) {
        send(1, TAG, comm);
    }
    MPI_Barrier(comm);
}

/* A child of its own lets it go on. */
static void stop(void)
{
    const pid_t self = getpid();
    pid_t child;

    if (1 == mt_rank) {
        child = fork();
        if (0 == child) {
            sleep(SECONDS);
            kill(self, SIGCONT);
            _exit(0);
        }
        kill(self, SIGSTOP);
        waitpid(child, NULL, 0);
    }
    MPI_Barrier(comm);
}

/* ---- other jobs ---- */

static char *program;

/* A child that computes for a while, and answers: of another job nothing is known. */
static void spawned(void)
{
    char *arguments[] = {"child", NULL};
    MPI_Comm children;

    MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, comm, &children,
                   MPI_ERRCODES_IGNORE);
    if (0 == mt_rank) {
        receive(0, TAG, children);
        CHECK(SECONDS == number);
    }
    MPI_Barrier(children);
    MPI_Comm_disconnect(&children);
}

static void child(MPI_Comm parent)
{
    sleep(SECONDS);
    number = SECONDS;
    send(0, TAG, parent);
    MPI_Barrier(parent);
    MPI_Comm_disconnect(&parent);
}

/* ---- signals ---- */

static int signal_number;

static void on_alarm(int number)
{
    (void) number;
    raise(signal_number);
}

static void signal_later(const char *name)
{
    CHECK(0 == strcmp(name, "usr2") || 0 == strcmp(name, "term"));
    signal_number = 0 == strcmp(name, "usr2") ? SIGUSR2 : SIGTERM;
    signal(SIGALRM, on_alarm);
    alarm(SECONDS);
    seconds = 3 * SECONDS;
}

/* ---- all ---- */

static const struct {
    const char *name;
    void (*act)(void);
} cases[] = {
    {"wrong_tag", wrong_tag},
    {"wrong_communicator", wrong_communicator},
    {"wrong_source", wrong_source},
    {"never_received", never_received},
    {"large_never_received", large_never_received},
    {"one_too_few", one_too_few},
    {"send_and_send", send_and_send},
    {"receive_and_receive", receive_and_receive},
    {"ring", ring},
    {"one_of_many", one_of_many},
    {"any_of_two", any_of_two},
    {"any_source", any_source},
    {"probe", probe},
    {"to_self", to_self},
    {"sendrecv", sendrecv},
    {"barrier_and_allreduce", barrier_and_allreduce},
    {"other_root", other_root},
    {"other_root_before_barrier", other_root_before_barrier},
    {"left_out", left_out},
    {"left_out_of_nonblocking", left_out_of_nonblocking},
    {"left_out_of_dup", left_out_of_dup},
    {"ended", ended},
    {"poll_by_test", poll_by_test},
    {"poll_in_turn", poll_in_turn},
    {"poll_by_iprobe", poll_by_iprobe},
    {"compute", compute},
    {"sleep_outside", sleep_outside},
    {"stop", stop},
    {"in_the_background", in_the_background},
    {"spawned", spawned},
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    MPI_Comm parent;
    size_t i = 0;

    mt_init(&argc, &argv, 1);
    MT_CASE("%s", name);
    MPI_Comm_get_parent(&parent);
    if (MPI_COMM_NULL != parent) {
        child(parent);
        return mt_finalize();
    }
    CHECK(mt_size > 1);
    program = argv[0];
    while (i < MT_COUNT_OF(cases) && 0 != strcmp(name, cases[i].name)) {
        ++i;
    }
    CHECK(i < MT_COUNT_OF(cases));
    buffer = calloc(1, LARGE);
    CHECK(NULL != buffer);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "halo");
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_name(other, "other");
    if (argc > 2) {
        signal_later(argv[2]);
    }
    cases[i].act();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&other);
    free(buffer);
    return mt_finalize();
}
