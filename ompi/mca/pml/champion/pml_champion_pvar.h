/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_T performance variables: all figures of pml_champion_stats_table.c, and
 * the two that pml/ob1 has. They are of this process. Those of communicators
 * are counted from when a handle is bound to the communicator, or all the time
 * with pml_champion_stats; who binds none pays nothing.
 */

#ifndef OMPI_PML_CHAMPION_PVAR_H
#define OMPI_PML_CHAMPION_PVAR_H

#include "ompi/mca/pml/champion/pml_champion.h"

#pragma GCC visibility push(hidden)

/** Register them. */
void mca_pml_champion_pvar_register(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_PVAR_H */
