/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiver's side of rings: who gets one, and who gets it next.
 */

#ifndef MCA_PML_CHAMPION_RING_RING_IN_H
#define MCA_PML_CHAMPION_RING_RING_IN_H

#include "ompi/mca/pml/champion/core/wire.h"
#include "ompi/mca/pml/champion/ring/rings.h"

#pragma GCC visibility push(hidden)

/** See whether all other processes of the job have a ring to here, so that UCX
 * may be left out of polls. */
void mca_pml_champion_rings_look_for_all(void);

/** Have the sender who fills a ring know that it is to stop, or that it may go
 * on, if there is such a ring. For flow control; see peer/throttle.h. Lock
 * held. */
void mca_pml_champion_ring_set_stop(const struct mca_pml_champion_peer_t *peer,
                                    bool stop);

/** The last record of a ring that was asked back has been read: the next sender
 * gets it. Lock held. */
void mca_pml_champion_ring_in_end(mca_pml_champion_ring_in_t *in);

/* What a sender says: it wants a ring, cannot use the one it was given, or has
 * a pool of fragments. */
void mca_pml_champion_ring_asked(struct mca_pml_champion_peer_t *peer);
void mca_pml_champion_ring_declined(const struct mca_pml_champion_peer_t *peer);
void mca_pml_champion_ring_offered(
    struct mca_pml_champion_peer_t *peer,
    const mca_pml_champion_ring_control_t *control);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RING_IN_H */
