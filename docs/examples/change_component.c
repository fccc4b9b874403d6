/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Changes the component of a communicator while messages wait in its queues,
 * and finally withdraws the choice. No message is lost, and receives with
 * wildcards get them in order.
 *
 *     mpirun -np 2 --mca pml champion ./change_component
 */

#include <mpi.h>
#include <stdio.h>

#define MESSAGES 300

static void choose(MPI_Comm comm, const char *choice)
{
    char in_force[MPI_MAX_INFO_VAL + 1] = "unknown";
    int rank, found;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_mq", choice);
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, "ompi_mq", MPI_MAX_INFO_VAL, in_force, &found);
    MPI_Info_free(&info);
    MPI_Comm_rank(comm, &rank);
    if (0 == rank) {
        printf("asked for %s, ompi_mq is %s\n", choice, in_force);
    }
}

int main(int argc, char *argv[])
{
    static const char *const choices[] = {"list", "newmad", "no_such_name",
                                          "bin:count=64", "default"};
    int rank, in, wrong = 0;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int tag = 0; tag < MESSAGES && 1 == rank; ++tag) {
        MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* now they wait at rank 0 */
    for (int i = 0; i < MESSAGES; ++i) {
        if (0 == i % 60) {
            choose(MPI_COMM_WORLD, choices[i / 60]);
        }
        if (0 == rank) {
            MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                     MPI_COMM_WORLD, &status);
            wrong += in != i || status.MPI_TAG != i;
        }
    }
    if (0 == rank) {
        printf("%d wrong messages\n", wrong);
    }
    MPI_Finalize();
    return 0 != wrong;
}
