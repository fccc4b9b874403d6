/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receives messages from rings.
 */

#ifndef MCA_PML_CHAMPION_SHM_RING_RECV_H
#define MCA_PML_CHAMPION_SHM_RING_RECV_H

#include "ompi/mca/pml/champion/shm/rings.h"

#pragma GCC visibility push(hidden)

/** Set mca_pml_champion_rings.read to the variant for the areas' shape. */
void mca_pml_champion_ring_recv_open(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_RING_RECV_H */
