/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sender's side of rings: requests, maps and returns them.
 */

#ifndef MCA_PML_CHAMPION_RING_RING_OUT_H
#define MCA_PML_CHAMPION_RING_RING_OUT_H

#include "ompi/mca/pml/champion/core/wire.h"
#include "ompi/mca/pml/champion/ring/rings.h"

#pragma GCC visibility push(hidden)

/** Send a control message about rings to a peer; name is that of the memory to
 * map, or NULL. False if it cannot be sent: no ring is set up then, and
 * messages go by UCX. Lock held. */
bool mca_pml_champion_ring_ctrl_send(
    struct mca_pml_champion_peer_t *peer, uint16_t what,
    const mca_pml_champion_segment_name_t *name);

/** Request a ring from a peer, if it is on this node and enough messages have
 * been sent since the last request. Lock held. */
void mca_pml_champion_ring_ask(struct mca_pml_champion_peer_t *peer);

/** The same for a peer to which messages go by FIFO: only if enough of those
 * that this process sends by FIFOs go to it. Lock held. */
void mca_pml_champion_ring_ask_for_share(struct mca_pml_champion_peer_t *peer);

/** Request a ring when send_sequence is `at`, if that is sooner. Lock held. */
void mca_pml_champion_ring_ask_sooner(struct mca_pml_champion_peer_t *peer,
                                      uint32_t at);

/** Announce the pool of fragments to a peer, once, if there is a ring to
 * it, because a message has just gone by UCX, or in one record, that would have
 * used the pool. Lock held. */
void mca_pml_champion_ring_offer(struct mca_pml_champion_peer_t *peer);

/** Set the limit of the fast path again: the ring has been granted, or no send
 * waits for it any more. Lock held. */
void mca_pml_champion_ring_simplify(mca_pml_champion_ring_out_t *out);

/** Nothing takes the fast path to a ring or FIFO until it is simplified again.
 * Lock held. */
static inline void mca_pml_champion_ring_complicate(
    mca_pml_champion_ring_out_t *out)
{
    out->simple_max = -1;
    out->fifo_max = -1;
}

/** Allow or forbid the fast path of all rings and FIFOs; forbidden once there
 * are several threads. Only one thread may be in MPI meanwhile. */
void mca_pml_champion_rings_set_simple(bool simple);

/** Send by the peer's ring again: the peer, which was throttled, has caught up.
 * Called by flow control; see peer/throttle.h. Lock held. */
void mca_pml_champion_ring_release(struct mca_pml_champion_peer_t *peer);

/** Have the next message to a peer that is reached by FIFO take the slow path, or
 * let it go by FIFO again; see peer/throttle.h. Lock held. */
void mca_pml_champion_ring_slow(struct mca_pml_champion_peer_t *peer,
                                bool slow);

/** Wake the reader of a ring if it sleeps. Lock held. */
void mca_pml_champion_ring_wake_reader(mca_pml_champion_ring_out_t *out);

/** The same in runs with one thread, which take no lock. Returns
 * OMPI_SUCCESS. */
int mca_pml_champion_ring_wake_simple(mca_pml_champion_ring_out_t *out);

/** Does a thread that waits in MPI sleep there? */
static inline bool mca_pml_champion_ring_reader_waits(
    const mca_pml_champion_ring_out_t *out)
{
    return 0 != (MCA_PML_CHAMPION_SLEEPER_WAITS &
                 __atomic_load_n(&out->writer.ring->asleep, __ATOMIC_RELAXED));
}

/** Does the reader sleep, or may it sleep without a limit? To be called after a
 * record was published. */
static inline bool mca_pml_champion_ring_reader_sleeps(
    const mca_pml_champion_ring_out_t *out)
{
    return out->wakes || mca_pml_champion_ring_reader_waits(out);
}

/** Send FIN for an RGET by a control message, because there is no ring back or no
 * room in it. Lock held.
 *
 * @param read  whether its data could be read
 */
void mca_pml_champion_ring_fin_by_message(struct mca_pml_champion_peer_t *peer,
                                          uint32_t sequence, bool read);

/** END has been written into a revoked ring: unmap it. Lock held. */
void mca_pml_champion_ring_out_end(mca_pml_champion_ring_out_t *out);

/** Unmap the peer's ring, if there is one. Lock held. */
void mca_pml_champion_ring_out_close(struct mca_pml_champion_peer_t *peer);

/** Find a peer's FIFO on the board. Returns whether it is used: messages go by it
 * then as long as there is no ring. Lock held. */
bool mca_pml_champion_ring_fifo_open(struct mca_pml_champion_peer_t *peer);
/** Forget it, if it is known. Lock held. */
void mca_pml_champion_ring_fifo_close(struct mca_pml_champion_peer_t *peer);

/* Control messages of a receiver: it grants a ring (GRANT), or has mapped the
 * pool of fragments (POOLED). Lock held. */
void mca_pml_champion_ring_granted(
    struct mca_pml_champion_peer_t *peer,
    const mca_pml_champion_ring_control_t *control);
void mca_pml_champion_ring_pooled(
    struct mca_pml_champion_peer_t *peer,
    const mca_pml_champion_ring_control_t *control);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RING_OUT_H */
