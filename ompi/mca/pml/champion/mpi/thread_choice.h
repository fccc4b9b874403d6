/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The info key ompi_progress_thread: while the communicator exists, the process
 * has a progress thread (on), or none (off), or decides by itself (auto, the
 * default). It replaces the value auto of the parameter
 * pml_champion_progress_thread; with several communicators, on goes before off.
 */

#ifndef MCA_PML_CHAMPION_MPI_THREAD_CHOICE_H
#define MCA_PML_CHAMPION_MPI_THREAD_CHOICE_H

#include "ompi/mca/pml/champion/peer/comm_table.h"

#pragma GCC visibility push(hidden)

/** Follow the key in a communicator's info, now and whenever it changes. */
int mca_pml_champion_thread_choice_subscribe(mca_pml_champion_comm_t *comm);

/** The communicator is freed. Lock held. */
void mca_pml_champion_thread_choice_leave(mca_pml_champion_comm_t *comm);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_THREAD_CHOICE_H */
