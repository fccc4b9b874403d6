/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All units (core/unit.h) together.
 */

#ifndef OMPI_PML_CHAMPION_UNITS_H
#define OMPI_PML_CHAMPION_UNITS_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Register the units' own parameters. False, after a help text, if one has a
 * value that is not allowed; the others are registered nevertheless. */
bool mca_pml_champion_units_register(void);

/** Open all units. If one cannot be opened, those before it are closed again.
 */
int mca_pml_champion_units_open(void);

/** Start all units. If one cannot be started, those before it are stopped. */
int mca_pml_champion_units_start(void);

/** Stop all units, if they have started, and close them. */
void mca_pml_champion_units_close(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_UNITS_H */
