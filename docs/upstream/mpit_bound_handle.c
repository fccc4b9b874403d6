/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A performance variable is bound to a communicator. See README.md.
 */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

/* The index of a variable that belongs to a communicator, or -1. */
static int find(void)
{
    int num = 0;

    MPI_T_pvar_get_num(&num);
    for (int i = 0; i < num; ++i) {
        int length = 0, no_text = 0, level, class, bind = -1, flag[3];
        MPI_Datatype type;
        MPI_T_enum enumeration;

        if (MPI_SUCCESS == MPI_T_pvar_get_info(i, NULL, &length, &level, &class,
                                               &type, &enumeration, NULL,
                                               &no_text, &bind, &flag[0],
                                               &flag[1], &flag[2]) &&
            MPI_T_BIND_MPI_COMM == bind) {
            return i;
        }
    }
    return -1;
}

int main(int argc, char **argv)
{
    struct {
        MPI_Comm comm;
        char behind[512]; /* the program's own, whatever is in it */
    } object;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int provided, count, index;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    index = find();
    if (index < 0) {
        puts("no variable belongs to a communicator");
    } else {
        memset(&object, 255, sizeof(object));
        object.comm = MPI_COMM_WORLD;
        puts(MPI_SUCCESS == MPI_T_pvar_handle_alloc(
                                session, index, &object.comm, &handle, &count)
                 ? "RIGHT"
                 : "WRONG");
    }
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
