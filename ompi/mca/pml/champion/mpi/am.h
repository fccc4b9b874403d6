/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Handlers of the active messages: where messages come in.
 */

#ifndef MCA_PML_CHAMPION_MPI_AM_H
#define MCA_PML_CHAMPION_MPI_AM_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Have UCX call them. With receive offload on or off by then. */
int mca_pml_champion_am_register(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_AM_H */
