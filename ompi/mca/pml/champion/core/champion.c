/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/champion.h"

#include <stdarg.h>
#include <stdio.h>

mca_pml_champion_t mca_pml_champion = {
    .completed_tail = &mca_pml_champion.completed,
    .output = -1,
};

#if !defined(NDEBUG)
_Thread_local bool mca_pml_champion_lock_mine;
#endif

void mca_pml_champion_abort(int error, const char *format, ...)
{
    char line[512];
    va_list arguments;

    va_start(arguments, format);
    (void) vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    opal_output(0, "champion: %s", line);
    ompi_mpi_abort(&ompi_mpi_comm_world.comm, error);
}

void mca_pml_champion_lock_slow(void)
{
    if (!mca_pml_champion_mutex_try_take(&mca_pml_champion.lock)) {
        __atomic_store_n(&mca_pml_champion.lock_wanted, true, __ATOMIC_RELAXED);
        mca_pml_champion_mutex_take(&mca_pml_champion.lock);
    }
}
