/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Agreement on what all processes of a job have to do alike. Statistics, the
 * profile and what was learnt are gathered when MPI_Finalize begins, so a process that did not take
 * part would hang the others. But parameters can differ, because a wrapper, a
 * file or an environment sets them for some ranks only. So rank 0, which writes
 * them, publishes with its address what is wanted, and all processes follow it.
 */

#ifndef OMPI_PML_CHAMPION_AGREE_H
#define OMPI_PML_CHAMPION_AGREE_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** What this process's parameters ask for; part of its address. */
uint32_t mca_pml_champion_wanted(void);

/** Adopt what rank 0 wants; its address must have been published. Call before
 * the first communicator is made. */
void mca_pml_champion_agree(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_AGREE_H */
