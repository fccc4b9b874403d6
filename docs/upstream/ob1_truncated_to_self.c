/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A receive of 50 bytes for a message of 100 to oneself. See
 * README.md.
 */
#include <mpi.h>

#include <stdio.h>

static int class_of(int rc)
{
    int class;

    MPI_Error_class(rc, &class);
    return class;
}

int main(int argc, char **argv)
{
    char data[100] = {1}, into[50];
    MPI_Request request;
    int unexpected, expected;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Isend(data, 100, MPI_BYTE, 0, 0, MPI_COMM_SELF, &request);
    unexpected = class_of(
        MPI_Recv(into, 50, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(into, 50, MPI_BYTE, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(data, 100, MPI_BYTE, 0, 0, MPI_COMM_SELF);
    expected = class_of(MPI_Wait(&request, MPI_STATUS_IGNORE));
    printf("sent before the receive: class %d, after it: %d; MPI_ERR_TRUNCATE "
           "is %d\n",
           unexpected, expected, MPI_ERR_TRUNCATE);
    puts(MPI_ERR_TRUNCATE == unexpected && MPI_ERR_TRUNCATE == expected
             ? "RIGHT"
             : "WRONG");
    MPI_Finalize();
    return 0;
}
