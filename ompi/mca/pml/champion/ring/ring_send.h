/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages into rings.
 */

#ifndef MCA_PML_CHAMPION_RING_RING_SEND_H
#define MCA_PML_CHAMPION_RING_RING_SEND_H

#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/ring/ring_out.h"
#include "ompi/mca/pml/champion/ring/rings.h"

#pragma GCC visibility push(hidden)

/** Send a small message by a peer's ring, whatever it consists of. True if it
 * is in the ring; *out stands for it then, unless out is NULL. Without the
 * lock. */
bool mca_pml_champion_ring_send(struct mca_pml_champion_peer_t *peer,
                                const struct mca_pml_champion_comm_t *comm,
                                int tag, const void *buffer, size_t count,
                                struct ompi_datatype_t *datatype, size_t length,
                                struct mca_pml_champion_completed_send_t **out);

/** A message of that length, bytes, goes by UCX: if only the pool of fragments
 * keeps it from the peer's ring, announce the pool. Lock held. */
static inline void mca_pml_champion_ring_missed(mca_pml_champion_peer_t *peer,
                                                size_t length)
{
    MCA_PML_CHAMPION_LOCKED();
    if (&mca_pml_champion_ring_none != peer->out &&
        length <= mca_pml_champion_rings.max &&
        !mca_pml_champion_peer_has_ring_for(peer, length)) {
        mca_pml_champion_ring_offer(peer);
    }
}

/** Send what there is a ring for, at once or when there is room: send->pending
 * says which. Its header is filled in. Lock held. */
void mca_pml_champion_ring_start(struct mca_pml_champion_send_t *send,
                                 struct mca_pml_champion_peer_t *peer);

/** Have its receiver read a contiguous send for which there is a ring. False,
 * with nothing done, if that cannot be now. Else as above; it is not complete.
 */
bool mca_pml_champion_ring_rget(struct mca_pml_champion_send_t *send,
                                struct mca_pml_champion_peer_t *peer);

/** The receiver has read what was lent as the message of that number. False if
 * there is no such rget. Lock held. */
bool mca_pml_champion_ring_fin_came(mca_pml_champion_ring_out_t *out,
                                    uint32_t sequence);

/** Tell a sender that its message has been read. Lock held. */
void mca_pml_champion_ring_fin(struct mca_pml_champion_peer_t *peer,
                               uint32_t sequence);

/** Write what waits, as far as there is room. Lock held. */
void mca_pml_champion_rings_drain(void);

/** What flow control calls; see peer/throttle.h. Lock held. */
void mca_pml_champion_ring_hold(struct mca_pml_champion_peer_t *peer);

/** The reader wants a ring back: write what waits, and END. Lock held. */
void mca_pml_champion_ring_return(mca_pml_champion_ring_out_t *out);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RING_SEND_H */
