/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Handlers of the active messages: where messages come in.
 */

#ifndef OMPI_PML_CHAMPION_AM_H
#define OMPI_PML_CHAMPION_AM_H

#include "ompi/mca/pml/champion/pml_champion.h"

#pragma GCC visibility push(hidden)

/** Have UCX call them. With receive offload on or off by then. */
int mca_pml_champion_am_register(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_AM_H */
