/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens and closes the rings of a process: parameters, the board, control messages.
 */

#ifndef MCA_PML_CHAMPION_SHM_RING_WIREUP_H
#define MCA_PML_CHAMPION_SHM_RING_WIREUP_H

#include "ompi/mca/pml/champion/shm/rings.h"

#pragma GCC visibility push(hidden)

/** Decide whether rings are used. Call after receive offload has been opened
 * and UCX's context created: this depends on both. The first process of a node
 * makes its board. */
int mca_pml_champion_rings_open(void);

/** This process has a place on the board of its node: read its rings there. False
 * if it has none. Without the lock. */
bool mca_pml_champion_rings_listen(void);

/** Forget all rings, and leave the board. All endpoints must be closed, so that no
 * process uses them any more. */
void mca_pml_champion_rings_close(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_RING_WIREUP_H */
