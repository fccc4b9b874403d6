/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The beginning of MPI_Finalize, and the end of all messages.
 */

#ifndef OMPI_PML_CHAMPION_FINALIZE_H
#define OMPI_PML_CHAMPION_FINALIZE_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Be told when MPI_Finalize begins. MPI_COMM_SELF is there since just now. */
int mca_pml_champion_finalize_arm(void);

/** Leave no message behind in any process, and close all endpoints. Collective
 * over this job; without the lock. */
void mca_pml_champion_disconnect(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_FINALIZE_H */
