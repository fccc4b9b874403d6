/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses a component for one communicator when it is created. Every rank
 * receives from all others in a different order than they send.
 *
 *     mpirun -np 4 --mca pml champion ./choose_component
 */

#include <mpi.h>
#include <stdio.h>

#define TAGS 100

int main(int argc, char *argv[])
{
    char in_force[MPI_MAX_INFO_VAL + 1] = "unknown";
    int rank, size, found, in, wrong = 0;
    MPI_Comm comm;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_mq", "partner_dynamic:threshold=50,metric=median");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, "ompi_mq", MPI_MAX_INFO_VAL, in_force, &found);
    MPI_Info_free(&info);

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int to = 0; to < size; ++to) {
        for (int tag = 0; tag < TAGS && to != rank; ++tag) {
            int out = rank * TAGS + tag;

            MPI_Send(&out, 1, MPI_INT, to, tag, comm);
        }
    }
    for (int from = size - 1; from >= 0; --from) {
        for (int tag = TAGS - 1; tag >= 0 && from != rank; --tag) {
            MPI_Recv(&in, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
            wrong += in != from * TAGS + tag;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm);
    if (0 == rank) {
        printf("ompi_mq is %s, %d wrong messages\n", in_force, wrong);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0 != wrong;
}
