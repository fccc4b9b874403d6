/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * champion's performance and control variables, by MPI_T. They are there from
 * MPI_T_init_thread on.
 */
#ifndef MPI_TEST_VARIABLE_H
#define MPI_TEST_VARIABLE_H

#include "mpi_test.h"

typedef struct mt_variable_t {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int count; /* values */
} mt_variable_t;

/** The variable pml_champion_NAME; of a communicator, or MPI_COMM_NULL. To be
 * released. */
static inline mt_variable_t mt_variable(const char *name, int class,
                                        MPI_Comm comm)
{
    /* Open MPI 6.0 takes the variable that a handle is in for the communicator,
     * and what lies behind it for flags, by which it may be invalid: there are
     * none. */
    static struct {
        MPI_Comm comm;
        char behind[512];
    } object;
    mt_variable_t variable;
    char full[128];
    int index;

    snprintf(full, sizeof(full), "pml_champion_%s", name);
    if (MPI_SUCCESS != MPI_T_pvar_get_index(full, class, &index)) {
        MT_FAIL("no variable %s", full);
    }
    object.comm = comm;
    CHECK_EQ(MPI_T_pvar_session_create(&variable.session), MPI_SUCCESS);
    CHECK_EQ(
        MPI_T_pvar_handle_alloc(variable.session, index,
                                MPI_COMM_NULL == comm ? NULL : &object.comm,
                                &variable.handle, &variable.count),
        MPI_SUCCESS);
    return variable;
}

static inline void mt_variable_start(const mt_variable_t *variable)
{
    CHECK_EQ(MPI_T_pvar_start(variable->session, variable->handle),
             MPI_SUCCESS);
}

static inline void mt_variable_stop(const mt_variable_t *variable)
{
    CHECK_EQ(MPI_T_pvar_stop(variable->session, variable->handle), MPI_SUCCESS);
}

/** Of one that has one value. */
static inline unsigned long long mt_variable_value(
    const mt_variable_t *variable)
{
    unsigned long long value;

    CHECK_EQ(variable->count, 1);
    CHECK_EQ(MPI_T_pvar_read(variable->session, variable->handle, &value),
             MPI_SUCCESS);
    return value;
}

/** Writes the control variable pml_champion_NAME, an enumeration or a number;
 * it reads so afterwards. */
static inline void mt_variable_write(const char *name, int value)
{
    MPI_T_cvar_handle handle;
    int index, count, back = ~value;
    char full[128];

    snprintf(full, sizeof(full), "pml_champion_%s", name);
    CHECK_EQ(MPI_T_cvar_get_index(full, &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count),
             MPI_SUCCESS);
    CHECK_EQ(count, 1);
    CHECK_EQ(MPI_T_cvar_write(handle, &value), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_read(handle, &back), MPI_SUCCESS);
    CHECK_EQ(back, value);
    CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
}

static inline void mt_variable_release(mt_variable_t *variable)
{
    CHECK_EQ(MPI_T_pvar_handle_free(variable->session, &variable->handle),
             MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_free(&variable->session), MPI_SUCCESS);
}

#endif /* MPI_TEST_VARIABLE_H */
