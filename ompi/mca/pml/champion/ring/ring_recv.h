/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receives messages from rings.
 */

#ifndef MCA_PML_CHAMPION_RING_RING_RECV_H
#define MCA_PML_CHAMPION_RING_RING_RECV_H

#include "ompi/mca/pml/champion/ring/rings.h"

#pragma GCC visibility push(hidden)

/** The three variants of mca_pml_champion_rings.take. */
unsigned mca_pml_champion_ring_take(mca_pml_champion_ring_in_t *in);
unsigned mca_pml_champion_ring_take_offload(mca_pml_champion_ring_in_t *in);
unsigned mca_pml_champion_ring_take_delayed(mca_pml_champion_ring_in_t *in);
/* Of the FIFO; there is none with offload. */
unsigned mca_pml_champion_ring_take_fifo(mca_pml_champion_ring_in_t *in);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RING_RECV_H */
