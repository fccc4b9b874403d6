/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MPI call in which a thread is: names as C, Fortran and the profiling
 * interface have them, and a stack with several of them.
 */

#include "ompi_config.h"

#include <stdio.h>

#include "test/lib/unit.h"
#include "ompi/mca/pml/champion/stuck/call.h"

static char name[32];

static bool is_named(const char *symbol, const char *expected)
{
    return mca_pml_champion_call_of_symbol(symbol, name, sizeof(name)) &&
           0 == strcmp(expected, name);
}

UNIT_TEST(names_of_functions)
{
    assert_true(is_named("MPI_Recv", "MPI_Recv"));
    assert_true(is_named("PMPI_Recv", "MPI_Recv"));
    assert_true(is_named("mpi_recv_", "MPI_Recv"));
    assert_true(is_named("mpi_recv__", "MPI_Recv"));
    assert_true(is_named("pmpi_recv", "MPI_Recv"));
    assert_true(is_named("mpi_recv_f08_", "MPI_Recv"));
    assert_true(is_named("pmpi_waitall_f", "MPI_Waitall"));
    assert_true(is_named("mpi_comm_dup_", "MPI_Comm_dup"));
}

UNIT_TEST(other_functions)
{
    static const char *const others[] = {
        "main", "", "MPI_", "mpi_", "mpi__", "opal_progress", "P", "xMPI_Recv",
    };

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        assert_false(
            mca_pml_champion_call_of_symbol(others[i], name, sizeof(name)));
    }
}

/* Longer than there is room for. */
UNIT_TEST(a_long_name_is_cut)
{
    char short_name[8];

    assert_true(mca_pml_champion_call_of_symbol(
        "MPI_Reduce_scatter_block", short_name, sizeof(short_name)));
    assert_string_equal("MPI_Red", short_name);
}

UNIT_TEST(outside_of_mpi_there_is_none)
{
    name[0] = 'x';
    assert_false(mca_pml_champion_call_name(name, sizeof(name)));
    assert_string_equal("", name);
}

/* The outermost one is what the program has called. */
__attribute__((noinline)) bool MPI_Inner_of_test(void);
__attribute__((noinline)) bool MPI_Outer_of_test(void);

static volatile int calls;

bool MPI_Inner_of_test(void)
{
    const bool found = mca_pml_champion_call_name(name, sizeof(name));

    ++calls; /* so that this call is not the last thing that it does */
    return found;
}

bool MPI_Outer_of_test(void)
{
    const bool found = MPI_Inner_of_test();

    ++calls;
    return found;
}

UNIT_TEST(the_outermost_call_is_named)
{
    assert_true(MPI_Outer_of_test());
    assert_string_equal("MPI_Outer_of_test", name);
    assert_true(MPI_Inner_of_test());
    assert_string_equal("MPI_Inner_of_test", name);
}

UNIT_MAIN(NULL, NULL)
