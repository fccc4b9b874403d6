/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What all processes of a job have to do alike. Statistics and the profile are
 * gathered when MPI_Finalize begins, so a process that did not take part would
 * hang the others; and parameters can differ, because a wrapper, a file or an
 * environment sets them for some ranks only. So rank 0, which writes both,
 * says with its address what is wanted, and all do as it says.
 */

#ifndef OMPI_PML_CHAMPION_AGREE_H
#define OMPI_PML_CHAMPION_AGREE_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** What this process was asked for; for its address. */
uint32_t mca_pml_champion_wanted(void);

/** Follow rank 0, whose address must have been published. Before the first
 * communicator is made. */
void mca_pml_champion_agree(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_AGREE_H */
