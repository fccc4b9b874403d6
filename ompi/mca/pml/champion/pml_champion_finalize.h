/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What happens when MPI_Finalize begins, and the orderly end of all messages.
 */

#ifndef OMPI_PML_CHAMPION_FINALIZE_H
#define OMPI_PML_CHAMPION_FINALIZE_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Have the unexpected messages dropped, and reports written, when MPI_Finalize
 * begins. Call as soon as MPI_COMM_SELF exists. */
int mca_pml_champion_finalize_arm(void);

/** Drain all messages in all processes, and close all endpoints. Collective
 * over this job; without the lock. */
void mca_pml_champion_disconnect(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_FINALIZE_H */
