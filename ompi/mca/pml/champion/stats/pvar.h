/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_T performance variables: all entries of stats/stats_table.c, and the two
 * that pml/ob1 has, for this process. Those of a communicator are counted once
 * a handle is bound to it, or always with pml_champion_stats; otherwise they
 * cost nothing.
 */

#ifndef MCA_PML_CHAMPION_STATS_PVAR_H
#define MCA_PML_CHAMPION_STATS_PVAR_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Register all performance variables. */
void mca_pml_champion_pvar_register(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_PVAR_H */
