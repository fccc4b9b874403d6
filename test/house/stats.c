/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Traffic of which all is known, for test/house/stats. In the communicator
 * "lopsided" each rank but 0 sends rank 0 messages of 100 bytes, as many as
 * its number times 3, before their receives; and one of 20000 bytes that is
 * received from any source. In one with a name that is no UTF-8, has a
 * quote, and would forge a line and reach the terminal, each rank sends itself one message whose receive is posted. Two that
 * have the same name, "twice", one after the other, see one message each.
 */

#include <mpi.h>
#include <string.h>

#define LARGE 20000

static char buffer[LARGE];

static MPI_Comm named(const char *name)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, name);
    return comm;
}

static void lopsided(int rank, int size)
{
    MPI_Comm comm = named("lopsided");
    MPI_Status status;
    int flag;

    for (int i = 0; i < 3 * rank; ++i) {
        MPI_Send(buffer, 100, MPI_BYTE, 0, i, comm);
    }
    MPI_Barrier(comm);
    for (int from = size - 1; from > 0 && 0 == rank; --from) {
        for (int i = 0; i < 3 * from; ++i) {
            MPI_Recv(buffer, 100, MPI_BYTE, from, i, comm, MPI_STATUS_IGNORE);
        }
    }
    MPI_Iprobe(MPI_ANY_SOURCE, 7777, comm, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
    if (rank > 0) {
        MPI_Send(buffer, LARGE, MPI_BYTE, 0, 1, comm);
    }
    for (int i = 1; i < size && 0 == rank; ++i) {
        MPI_Recv(buffer, LARGE, MPI_BYTE, MPI_ANY_SOURCE, 1, comm, &status);
    }
    MPI_Comm_free(&comm);
}

static void to_oneself(int rank)
{
    MPI_Comm comm = named("odd \"\xff\\ \xc3\xa4\nchampion: \033[1m\xc2\x9b");
    MPI_Request request;

    MPI_Irecv(buffer, 64, MPI_BYTE, rank, MPI_ANY_TAG, comm, &request);
    MPI_Send(buffer + 64, 64, MPI_BYTE, rank, 3, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
}

static void twice(int rank, int size)
{
    for (int i = 0; i < 2; ++i) {
        MPI_Comm comm = named("twice");

        MPI_Sendrecv(buffer, 1, MPI_BYTE, (rank + 1) % size, 0, buffer + 1, 1,
                     MPI_BYTE, (rank + size - 1) % size, 0, comm,
                     MPI_STATUS_IGNORE);
        MPI_Comm_free(&comm);
    }
}

int main(int argc, char *argv[])
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    lopsided(rank, size);
    to_oneself(rank);
    twice(rank, size);
    for (int i = 0; i < 100; ++i) {
        int value = i, sum;

        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
