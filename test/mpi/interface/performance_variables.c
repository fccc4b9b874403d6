/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Performance variables of MPI_T: they are there before MPI_Init; those of a
 * communicator count from when a handle is bound to it, also where something is
 * queued already, and there only; each handle is started and stopped by itself.
 */
#include "mpi_test_variable.h"

#define BYTES 1000

static char buffer[16][BYTES];

/* Each process sends `count` messages that are unexpected, and receives them
 * afterwards. None arrives before all processes have called this, or after one
 * has returned. */
static void unexpected(MPI_Comm comm, int count)
{
    MPI_Request request[MT_COUNT_OF(buffer)];

    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) {
        MPI_Isend(buffer[0], BYTES, MPI_BYTE, mt_after, i, comm, &request[i]);
    }
    MPI_Probe(mt_before, count - 1, comm, MPI_STATUS_IGNORE); /* the last one */
    for (int i = count - 1; i >= 0; --i) {
        MPI_Recv(buffer[1], BYTES, MPI_BYTE, mt_before, i, comm,
                 MPI_STATUS_IGNORE);
    }
    MPI_Waitall(count, request, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void lengths(MPI_Comm comm)
{
    const int num = 5;
    MPI_Request request[5];
    mt_variable_t peers, level, mark;
    unsigned *of = mt_alloc(mt_size * sizeof(*of));

    MT_CASE("lengths of queues");
    for (int i = 0; i < num; ++i) {
        MPI_Irecv(buffer[i], BYTES, MPI_BYTE, mt_before, 100 + i, comm,
                  &request[i]);
    }
    peers = mt_variable("posted_recvq_length", MPI_T_PVAR_CLASS_SIZE, comm);
    level = mt_variable("posted_length", MPI_T_PVAR_CLASS_LEVEL, comm);
    mark =
        mt_variable("posted_queue_max", MPI_T_PVAR_CLASS_HIGHWATERMARK, comm);
    CHECK_EQ(peers.count, mt_size);
    CHECK_EQ(MPI_T_pvar_read(peers.session, peers.handle, of), MPI_SUCCESS);
    for (int i = 0; i < mt_size; ++i) {
        CHECK_EQ(of[i], i == mt_before ? num : 0);
    }
    CHECK_EQ(mt_variable_value(&level), num);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < num; ++i) {
        MPI_Send(buffer[15], BYTES, MPI_BYTE, mt_after, 100 + i, comm);
    }
    MPI_Waitall(num, request, MPI_STATUSES_IGNORE);
    CHECK_EQ(mt_variable_value(&level), 0);
    CHECK_EQ(mt_variable_value(&mark), num);
    CHECK_EQ(MPI_T_pvar_read(peers.session, peers.handle, of), MPI_SUCCESS);
    CHECK_EQ(of[mt_before], 0);
    mt_variable_release(&mark);
    mt_variable_release(&level);
    mt_variable_release(&peers);
    mt_free(of);
}

static void counters(MPI_Comm comm, MPI_Comm other)
{
    mt_variable_t one =
        mt_variable("unexpected_matched", MPI_T_PVAR_CLASS_COUNTER, comm);
    mt_variable_t two =
        mt_variable("unexpected_matched", MPI_T_PVAR_CLASS_COUNTER, comm);
    mt_variable_t bytes =
        mt_variable("messages_bytes", MPI_T_PVAR_CLASS_COUNTER, comm);
    mt_variable_t mark = mt_variable("unexpected_bytes_max",
                                     MPI_T_PVAR_CLASS_HIGHWATERMARK, comm);

    MT_CASE("counters");
    unexpected(comm, 2);
    CHECK_EQ(mt_variable_value(&one), 0);
    mt_variable_start(&one);
    unexpected(comm, 3);
    unexpected(other, 4);
    mt_variable_start(&two);
    mt_variable_start(&bytes);
    CHECK_EQ(mt_variable_value(&one), 3);
    unexpected(comm, 5);
    mt_variable_stop(&one);
    unexpected(comm, 7);
    mt_variable_stop(&bytes);
    CHECK_EQ(mt_variable_value(&one), 8);
    CHECK_EQ(mt_variable_value(&two), 12);
    CHECK_EQ(mt_variable_value(&bytes), 12 * BYTES);
    CHECK_EQ(mt_variable_value(&mark), 7 * BYTES);
    mt_variable_start(&one);
    unexpected(comm, 1);
    CHECK_EQ(mt_variable_value(&one), 9);
    CHECK_EQ(MPI_T_pvar_reset(one.session, one.handle), MPI_SUCCESS);
    CHECK_EQ(mt_variable_value(&one), 0);
    mt_variable_release(&mark);
    mt_variable_release(&bytes);
    mt_variable_release(&two);
    mt_variable_release(&one);
}

static void internal(MPI_Comm comm)
{
    mt_variable_t users =
        mt_variable("messages_count", MPI_T_PVAR_CLASS_COUNTER, comm);
    mt_variable_t own =
        mt_variable("internal_count", MPI_T_PVAR_CLASS_COUNTER, comm);

    MT_CASE("collective operations are none of the user's messages");
    mt_variable_start(&users);
    mt_variable_start(&own);
    for (int i = 0; i < 10; ++i) {
        MPI_Barrier(comm);
    }
    CHECK_EQ(mt_variable_value(&users), 0);
    CHECK(mt_variable_value(&own) >= 5); /* some may have come before */
    mt_variable_release(&own);
    mt_variable_release(&users);
}

static void errors(MPI_Comm comm)
{
    mt_variable_t level =
        mt_variable("posted_length", MPI_T_PVAR_CLASS_LEVEL, comm);
    mt_variable_t count =
        mt_variable("posted_matched", MPI_T_PVAR_CLASS_COUNTER, comm);
    unsigned long long value = 1;

    MT_CASE("what cannot be done");
    CHECK_EQ(MPI_T_pvar_start(level.session, level.handle),
             MPI_T_ERR_PVAR_NO_STARTSTOP);
    /* Open MPI 4.1 has another error than MPI_T_ERR_PVAR_NO_WRITE. */
    CHECK(MPI_SUCCESS != MPI_T_pvar_write(count.session, count.handle, &value));
    mt_variable_release(&count);
    mt_variable_release(&level);
}

/* The other half of the processes is remote. */
static void inter(void)
{
    MPI_Comm local, comm;
    mt_variable_t peers;
    int side = mt_rank % 2;

    MT_CASE("an inter-communicator has a value for each remote process");
    MPI_Comm_split(MPI_COMM_WORLD, side, mt_rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - side, 5, &comm);
    peers = mt_variable("unexpected_msgq_length", MPI_T_PVAR_CLASS_SIZE, comm);
    CHECK_EQ(peers.count, side == 1 ? (mt_size + 1) / 2 : mt_size / 2);
    mt_variable_release(&peers);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&local);
}

int main(int argc, char *argv[])
{
    mt_variable_t before;
    MPI_Comm comm, other;
    int provided;

    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    before = mt_variable("paths_rendezvous", MPI_T_PVAR_CLASS_COUNTER,
                         MPI_COMM_NULL);
    CHECK_EQ(mt_variable_value(&before), 0);
    mt_variable_start(&before);
    mt_init(&argc, &argv, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    lengths(comm);
    counters(comm, other);
    internal(comm);
    errors(comm);
    inter();
    MPI_Sendrecv(buffer[0], 1, MPI_BYTE, mt_after, 0, buffer[1], 1, MPI_BYTE,
                 mt_before, 0, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&other);
    CHECK_EQ(mt_variable_value(&before), 0);
    mt_variable_release(&before);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return mt_finalize();
}
