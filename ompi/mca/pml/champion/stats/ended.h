/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Statistics of a job that is ended before MPI_Finalize: by SIGTERM, which
 * comes from a batch system whose time limit is reached, from scancel, and from
 * mpirun where another rank has called MPI_Abort or died.
 *
 * A handler of signals may do next to nothing, and the reports of the other
 * files are not made for it. So a thread is made with the handler, and sleeps.
 * The handler wakes it, and holds its own thread, which is the one whose
 * messages are counted, until the report is written, for most of a second at
 * most; then SIGTERM does what it did before. A lock held by the interrupted
 * program, of malloc say, can keep the report from being written, but not the
 * process from being ended.
 *
 * All of it is there only where statistics, or what the ranks waited for
 * (stuck/signal.h), are wanted. A program that has a
 * handler of its own keeps it: one that was there before MPI_Init is called
 * after ours, one that is installed later replaces ours.
 */

#ifndef MCA_PML_CHAMPION_STATS_ENDED_H
#define MCA_PML_CHAMPION_STATS_ENDED_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** MPI_Finalize has written them: what SIGTERM does is as before MPI_Init. */
void mca_pml_champion_ended_disarm(void);

/** The table of communicators is going to change, and has changed: in between,
 * no thread may look at it without the lock. Lock held. */
void mca_pml_champion_ended_changing(void);
void mca_pml_champion_ended_changed(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_ENDED_H */
