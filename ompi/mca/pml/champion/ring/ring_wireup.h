/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rings of a process, from the parameters to the end.
 */

#ifndef MCA_PML_CHAMPION_RING_RING_WIREUP_H
#define MCA_PML_CHAMPION_RING_RING_WIREUP_H

#include "ompi/mca/pml/champion/ring/rings.h"

#pragma GCC visibility push(hidden)

/** Register the parameters. False if one has a value that is not allowed. */
bool mca_pml_champion_rings_register(void);

/** Decide whether there are rings; after offload has been decided on, and
 * UCX's context has been made. */
void mca_pml_champion_rings_open(void);

/** Nobody uses rings any more: give everything back. Endpoints are closed, or
 * there never were any. */
void mca_pml_champion_rings_close(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RING_WIREUP_H */
