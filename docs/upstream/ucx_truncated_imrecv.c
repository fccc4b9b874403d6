/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Imrecv of 50 bytes of a message of 100. See README.md.
 */
#include <mpi.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    char data[100] = {1};
    MPI_Message message;
    MPI_Request request;
    int rank, rc, class;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (0 == rank) {
        MPI_Send(data, 100, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        rc = MPI_Imrecv(data, 50, MPI_BYTE, &message, &request);
        if (MPI_SUCCESS == rc) {
            rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Error_class(rc, &class);
        puts(MPI_ERR_TRUNCATE == class ? "RIGHT" : "WRONG");
    }
    MPI_Finalize();
    return 0;
}
