/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sender's side of rings: opens them, and wakes their readers.
 */

#ifndef MCA_PML_CHAMPION_SHM_RING_OUT_H
#define MCA_PML_CHAMPION_SHM_RING_OUT_H

#include "ompi/mca/pml/champion/core/wire.h"
#include "ompi/mca/pml/champion/shm/rings.h"

#pragma GCC visibility push(hidden)

/** Find the doorbell of a new peer, if it is on the board. */
void mca_pml_champion_ring_find_doorbell(mca_pml_champion_peer_t *peer);

/** Open the ring, or FIFO, to a peer, if it is on the board. Returns whether it
 * is used: messages go by it. Lock held. */
bool mca_pml_champion_ring_open(mca_pml_champion_peer_t *peer);
/** Forget it, if it is open. Lock held. */
void mca_pml_champion_ring_close(mca_pml_champion_peer_t *peer);

/** The pool of fragments of this process, made now if that has not been tried.
 * False if there is none. Lock held. */
bool mca_pml_champion_ring_pool_make(void);

/** Set the limit of the fast path again, unless a send waits for the ring. Lock
 * held. */
void mca_pml_champion_ring_enable_fast_path(mca_pml_champion_ring_out_t *out);

/** No message takes the fast path to this ring or FIFO until it is enabled
 * again. Lock held. */
static inline void mca_pml_champion_ring_disable_fast_path(
    mca_pml_champion_ring_out_t *out)
{
    out->fast_max = -1;
}

/** Allow or forbid the fast path of all rings and FIFOs; forbidden once there
 * are several threads. Only one thread may be in MPI meanwhile. */
void mca_pml_champion_rings_set_fast_path(bool allow);

/** Send by the peer's ring again: the peer, which was throttled, has caught up.
 * Called by flow control; see peer/throttle.h. Lock held. */
void mca_pml_champion_ring_release(mca_pml_champion_peer_t *peer);

/** Wake the reader of a ring if it sleeps. Lock held. */
void mca_pml_champion_ring_wake_reader(mca_pml_champion_ring_out_t *out);

/** The same in runs with one thread, which take no lock. Returns
 * OMPI_SUCCESS. */
int mca_pml_champion_ring_wake_from_fast_path(mca_pml_champion_ring_out_t *out);

/** Does a thread that waits in MPI sleep there? */
static inline bool mca_pml_champion_ring_reader_waits(
    const mca_pml_champion_ring_out_t *out)
{
    return 0 != (MCA_PML_CHAMPION_SLEEPER_WAITS &
                 __atomic_load_n(&out->inbox->asleep, __ATOMIC_RELAXED));
}

/** Does the reader sleep, or may it sleep without a limit? To be called after a
 * record was published. */
static inline bool mca_pml_champion_ring_reader_sleeps(
    const mca_pml_champion_ring_out_t *out)
{
    return out->must_wake || mca_pml_champion_ring_reader_waits(out);
}

/** Has the reader set the stop flag? */
static inline bool mca_pml_champion_ring_stops(
    const mca_pml_champion_ring_out_t *out)
{
    return OPAL_UNLIKELY(0 !=
                         __atomic_load_n(&out->pair->stop, __ATOMIC_RELAXED));
}

/** Send FIN for an RGET by a control message, because there is no ring back or no
 * room in it. Lock held.
 *
 * @param read  whether its data could be read
 */
void mca_pml_champion_ring_fin_by_message(mca_pml_champion_peer_t *peer,
                                          uint32_t sequence, bool read);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_RING_OUT_H */
