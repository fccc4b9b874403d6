/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The handlers of active messages, where all messages from UCX come in.
 */

#ifndef MCA_PML_CHAMPION_MPI_AM_H
#define MCA_PML_CHAMPION_MPI_AM_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Register the handlers with UCX. */
int mca_pml_champion_am_register(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_AM_H */
