/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Performance variables of MPI_T: they are there before MPI_Init; those of a
 * communicator count from when a handle is bound to it, also where something is
 * queued already, and there only; each handle is started and stopped by itself.
 */
#include "mpi_test.h"

#define BYTES 1000

static char buffer[16][BYTES];

static int index_of(const char *name, int class)
{
    char full[128];
    int index = -1;

    snprintf(full, sizeof(full), "pml_champion_%s", name);
    if (MPI_SUCCESS != MPI_T_pvar_get_index(full, class, &index)) {
        mt_fail(__FILE__, __LINE__, "no variable %s", full);
    }
    return index;
}

typedef struct variable_t {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int count;
} variable_t;

/* Open MPI 6.0 takes the variable that a handle is in for the communicator, and
 * what lies behind it for flags, by which it may be invalid: there are none. */
static struct {
    MPI_Comm comm;
    char behind[512];
} object;

static variable_t bound(const char *name, int class, MPI_Comm comm)
{
    variable_t variable;

    object.comm = comm;
    CHECK_EQ(MPI_T_pvar_session_create(&variable.session), MPI_SUCCESS);
    CHECK_EQ(
        MPI_T_pvar_handle_alloc(variable.session, index_of(name, class),
                                MPI_COMM_NULL == comm ? NULL : &object.comm,
                                &variable.handle, &variable.count),
        MPI_SUCCESS);
    return variable;
}

static unsigned long long value_of(const variable_t *variable)
{
    unsigned long long value;

    CHECK_EQ(variable->count, 1);
    CHECK_EQ(MPI_T_pvar_read(variable->session, variable->handle, &value),
             MPI_SUCCESS);
    return value;
}

static void start(const variable_t *variable)
{
    CHECK_EQ(MPI_T_pvar_start(variable->session, variable->handle),
             MPI_SUCCESS);
}

static void stop(const variable_t *variable)
{
    CHECK_EQ(MPI_T_pvar_stop(variable->session, variable->handle), MPI_SUCCESS);
}

static void release(variable_t *variable)
{
    CHECK_EQ(MPI_T_pvar_handle_free(variable->session, &variable->handle),
             MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_free(&variable->session), MPI_SUCCESS);
}

/* The neighbours in a ring. */
static int from(void)
{
    return (mt_rank + mt_size - 1) % mt_size;
}

static int to(void)
{
    return (mt_rank + 1) % mt_size;
}

/* Each process sends `count` messages that are unexpected, and receives them
 * afterwards. None arrives before all processes have called this, or after one
 * has returned. */
static void unexpected(MPI_Comm comm, int count)
{
    MPI_Request request[MT_COUNT_OF(buffer)];

    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) {
        MPI_Isend(buffer[0], BYTES, MPI_BYTE, to(), i, comm, &request[i]);
    }
    MPI_Probe(from(), count - 1, comm, MPI_STATUS_IGNORE); /* the last one */
    for (int i = count - 1; i >= 0; --i) {
        MPI_Recv(buffer[1], BYTES, MPI_BYTE, from(), i, comm,
                 MPI_STATUS_IGNORE);
    }
    MPI_Waitall(count, request, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void lengths(MPI_Comm comm)
{
    const int num = 5;
    MPI_Request request[5];
    variable_t peers, level, mark;
    unsigned *of = mt_alloc((size_t) mt_size * sizeof(*of));

    MT_CASE("lengths of queues");
    for (int i = 0; i < num; ++i) {
        MPI_Irecv(buffer[i], BYTES, MPI_BYTE, from(), 100 + i, comm,
                  &request[i]);
    }
    peers = bound("posted_recvq_length", MPI_T_PVAR_CLASS_SIZE, comm);
    level = bound("posted_length", MPI_T_PVAR_CLASS_LEVEL, comm);
    mark = bound("posted_queue_max", MPI_T_PVAR_CLASS_HIGHWATERMARK, comm);
    CHECK_EQ(peers.count, mt_size);
    CHECK_EQ(MPI_T_pvar_read(peers.session, peers.handle, of), MPI_SUCCESS);
    for (int i = 0; i < mt_size; ++i) {
        CHECK_EQ(of[i], i == from() ? num : 0);
    }
    CHECK_EQ(value_of(&level), num);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < num; ++i) {
        MPI_Send(buffer[15], BYTES, MPI_BYTE, to(), 100 + i, comm);
    }
    MPI_Waitall(num, request, MPI_STATUSES_IGNORE);
    CHECK_EQ(value_of(&level), 0);
    CHECK_EQ(value_of(&mark), num);
    CHECK_EQ(MPI_T_pvar_read(peers.session, peers.handle, of), MPI_SUCCESS);
    CHECK_EQ(of[from()], 0);
    release(&mark);
    release(&level);
    release(&peers);
    mt_free(of);
}

static void counters(MPI_Comm comm, MPI_Comm other)
{
    variable_t one =
        bound("unexpected_matched", MPI_T_PVAR_CLASS_COUNTER, comm);
    variable_t two =
        bound("unexpected_matched", MPI_T_PVAR_CLASS_COUNTER, comm);
    variable_t bytes = bound("messages_bytes", MPI_T_PVAR_CLASS_COUNTER, comm);
    variable_t mark =
        bound("unexpected_bytes_max", MPI_T_PVAR_CLASS_HIGHWATERMARK, comm);

    MT_CASE("counters");
    unexpected(comm, 2);
    CHECK_EQ(value_of(&one), 0);
    start(&one);
    unexpected(comm, 3);
    unexpected(other, 4);
    start(&two);
    start(&bytes);
    CHECK_EQ(value_of(&one), 3);
    unexpected(comm, 5);
    stop(&one);
    unexpected(comm, 7);
    stop(&bytes);
    CHECK_EQ(value_of(&one), 8);
    CHECK_EQ(value_of(&two), 12);
    CHECK_EQ(value_of(&bytes), 12 * BYTES);
    CHECK_EQ(value_of(&mark), 7 * BYTES);
    start(&one);
    unexpected(comm, 1);
    CHECK_EQ(value_of(&one), 9);
    CHECK_EQ(MPI_T_pvar_reset(one.session, one.handle), MPI_SUCCESS);
    CHECK_EQ(value_of(&one), 0);
    release(&mark);
    release(&bytes);
    release(&two);
    release(&one);
}

static void internal(MPI_Comm comm)
{
    variable_t users = bound("messages_count", MPI_T_PVAR_CLASS_COUNTER, comm);
    variable_t own = bound("internal_count", MPI_T_PVAR_CLASS_COUNTER, comm);

    MT_CASE("collective operations are none of the user's messages");
    start(&users);
    start(&own);
    for (int i = 0; i < 10; ++i) {
        MPI_Barrier(comm);
    }
    CHECK_EQ(value_of(&users), 0);
    CHECK(value_of(&own) >= 5); /* some may have come before */
    release(&own);
    release(&users);
}

static void errors(MPI_Comm comm)
{
    variable_t level = bound("posted_length", MPI_T_PVAR_CLASS_LEVEL, comm);
    variable_t count = bound("posted_matched", MPI_T_PVAR_CLASS_COUNTER, comm);
    unsigned long long value = 1;

    MT_CASE("what cannot be done");
    CHECK_EQ(MPI_T_pvar_start(level.session, level.handle),
             MPI_T_ERR_PVAR_NO_STARTSTOP);
    /* Open MPI 4.1 has another error than MPI_T_ERR_PVAR_NO_WRITE. */
    CHECK(MPI_SUCCESS != MPI_T_pvar_write(count.session, count.handle, &value));
    release(&count);
    release(&level);
}

/* The other half of the processes is remote. */
static void inter(void)
{
    MPI_Comm local, comm;
    variable_t peers;
    int side = mt_rank % 2;

    MT_CASE("an inter-communicator has a value for each remote process");
    MPI_Comm_split(MPI_COMM_WORLD, side, mt_rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - side, 5, &comm);
    peers = bound("unexpected_msgq_length", MPI_T_PVAR_CLASS_SIZE, comm);
    CHECK_EQ(peers.count, side == 1 ? (mt_size + 1) / 2 : mt_size / 2);
    release(&peers);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&local);
}

int main(int argc, char *argv[])
{
    variable_t before;
    MPI_Comm comm, other;
    int provided;

    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    before = bound("paths_rendezvous", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
    CHECK_EQ(value_of(&before), 0);
    start(&before);
    mt_init(&argc, &argv, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    lengths(comm);
    counters(comm, other);
    internal(comm);
    errors(comm);
    inter();
    MPI_Sendrecv(buffer[0], 1, MPI_BYTE, to(), 0, buffer[1], 1, MPI_BYTE,
                 from(), 0, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&other);
    CHECK_EQ(value_of(&before), 0);
    release(&before);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return mt_finalize();
}
