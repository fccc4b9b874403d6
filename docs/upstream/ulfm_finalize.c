/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Finalize of those who are left when a process was killed. See
 * README.md.
 */
#include <mpi.h>
#include <mpi-ext.h>

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
    {
        MPI_Comm rest;
        int word;

        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Barrier(MPI_COMM_WORLD);
        if (size - 1 == rank) {
            usleep(50000); /* the others are in MPI_Recv */
            kill(getpid(), SIGKILL);
        }
        MPI_Recv(&word, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPIX_Comm_shrink(MPI_COMM_WORLD, &rest);
        MPI_Barrier(rest);
        MPI_Comm_free(&rest);
    }
#endif
    MPI_Finalize();
    if (0 == rank) {
        printf("RIGHT\n");
    }
    return 0;
}
