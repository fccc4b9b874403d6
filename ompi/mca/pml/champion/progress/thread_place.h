/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the progress thread runs: on the cores of the parameter
 * pml_champion_thread_cores, or else on those that the process had in MPI_Init,
 * and with the scheduling policy that it had there. A new thread would inherit
 * both from the thread that starts it, which may have bound itself to one core
 * (OMP_PROC_BIND), or become a realtime thread, in the meantime.
 */

#ifndef MCA_PML_CHAMPION_PROGRESS_THREAD_PLACE_H
#define MCA_PML_CHAMPION_PROGRESS_THREAD_PLACE_H

#include "ompi_config.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/** Set the attributes of the thread; the caller destroys them. Returns an error
 * number. */
int mca_pml_champion_thread_place_attr(pthread_attr_t *attr);

/** Settings that attributes lack; called by the thread itself. */
void mca_pml_champion_thread_place_enter(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PROGRESS_THREAD_PLACE_H */
