/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiver's side of rings: grants them to senders and revokes them.
 */

#ifndef MCA_PML_CHAMPION_RING_RING_IN_H
#define MCA_PML_CHAMPION_RING_RING_IN_H

#include "ompi/mca/pml/champion/core/wire.h"
#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/ring/rings.h"

#pragma GCC visibility push(hidden)

/** Find out whether all other processes of the job have a ring to this one. If
 * so, polls may skip UCX. */
void mca_pml_champion_rings_look_for_all(void);

/** Number of slots that FIFOs are to have on this node; 0: there are none. */
uint32_t mca_pml_champion_rings_fifo_slots(void);

/** A FIFO may come: have what it needs, and what the progress thread, which starts
 * before, must not see change. */
void mca_pml_champion_rings_fifo_expect(void);

/** Read the area of this process on the board as its FIFO. False if there is none.
 * Without the lock. */
bool mca_pml_champion_rings_fifo_open(
    unsigned (*take)(mca_pml_champion_ring_in_t *in));

/** The ring that was granted to a peer, or NULL. The memory of the ring itself
 * stays valid until the rings are closed. Lock held. */
mca_pml_champion_ring_in_t *mca_pml_champion_ring_in_of(
    const struct mca_pml_champion_peer_t *peer);

/** A message of that length comes by the ring, this way: the time now, in ns, if
 * it is to be measured; otherwise 0. */
static inline uint64_t mca_pml_champion_ring_measures(
    mca_pml_champion_ring_in_t *in, size_t length,
    mca_pml_champion_copy_way_t way)
{
    return length >= MCA_PML_CHAMPION_COPY_WAY_MIN &&
                   mca_pml_champion_copy_way_measures(&in->times, length, way)
               ? mca_pml_champion_now()
               : 0;
}

/** It has been received. The sender is told what is better. */
void mca_pml_champion_ring_took(mca_pml_champion_ring_in_t *in, size_t length,
                                mca_pml_champion_copy_way_t way,
                                uint64_t since);

/** Set or clear the stop flag in the ring that the peer writes, if there is
 * one. Called by flow control; see peer/throttle.h. Lock held. */
void mca_pml_champion_ring_set_stop(const struct mca_pml_champion_peer_t *peer,
                                    bool stop);

/** Set the stop flag of the FIFO, which stays set; see peer/throttle.h. Lock
 * held. */
void mca_pml_champion_rings_ask_hello(void);

/** END has been read from a ring that was revoked: grant the ring to its
 * successor. Lock held. */
void mca_pml_champion_ring_in_end(mca_pml_champion_ring_in_t *in);

/* Control messages of a sender: it requests a ring (ASK), cannot map the one it
 * was granted (DECLINE), or announces its pool of fragments (POOL). Lock held.
 */
void mca_pml_champion_ring_asked(struct mca_pml_champion_peer_t *peer);
void mca_pml_champion_ring_declined(const struct mca_pml_champion_peer_t *peer);
void mca_pml_champion_ring_offered(
    struct mca_pml_champion_peer_t *peer,
    const mca_pml_champion_ring_control_t *control);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RING_IN_H */
