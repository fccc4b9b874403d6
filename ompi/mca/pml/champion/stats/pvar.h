/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_T performance variables: all figures of stats/stats_table.c, and
 * the two that pml/ob1 has. They are of this process. Those of communicators
 * are counted from when a handle is bound to the communicator, or all the time
 * with pml_champion_stats; who binds none pays nothing.
 */

#ifndef MCA_PML_CHAMPION_STATS_PVAR_H
#define MCA_PML_CHAMPION_STATS_PVAR_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Register them. */
void mca_pml_champion_pvar_register(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_PVAR_H */
