/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A receive of 1 MiB for a message of 4 MiB. See README.md.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENT = 4 << 20, ROOM = 1 << 20 };

int main(int argc, char **argv)
{
    unsigned char *data = malloc(SENT);
    int rank, rc, class, beyond = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    memset(data, 0 == rank ? 1 : 7, SENT);
    if (0 == rank) {
        MPI_Send(data, SENT, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
        rc = MPI_Recv(data, ROOM, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE);
        MPI_Error_class(rc, &class);
        for (int i = ROOM; i < SENT; ++i) {
            beyond += 7 != data[i];
        }
        printf("%s, %d bytes were written beyond the buffer\n",
               MPI_ERR_TRUNCATE == class ? "MPI_ERR_TRUNCATE" : "no error",
               beyond);
        puts(0 == beyond ? "RIGHT" : "WRONG");
    }
    MPI_Finalize();
    free(data);
    return 0;
}
