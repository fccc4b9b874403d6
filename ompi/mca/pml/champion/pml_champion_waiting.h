/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How the threads of a program wait (MPI_THREAD_MULTIPLE).
 */

#ifndef OMPI_PML_CHAMPION_WAITING_H
#define OMPI_PML_CHAMPION_WAITING_H

#include "ompi/mca/pml/champion/pml_champion.h"

#pragma GCC visibility push(hidden)

/** Have MPI_Wait and its kind wait in the way of this file. */
void mca_pml_champion_waiting_open(void);

/** They wait in Open MPI's way again. */
void mca_pml_champion_waiting_close(void);

/** Progress until *done is not 0. Without the lock. */
void mca_pml_champion_waiting_for(const uint32_t *done);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_WAITING_H */
