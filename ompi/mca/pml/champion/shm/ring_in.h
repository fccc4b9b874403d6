/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiver's side of rings: finds out which are open.
 */

#ifndef MCA_PML_CHAMPION_SHM_RING_IN_H
#define MCA_PML_CHAMPION_SHM_RING_IN_H

#include "ompi/mca/pml/champion/core/wire.h"
#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/shm/rings.h"

#pragma GCC visibility push(hidden)

/** Poll the rings that have been opened. Lock held. */
void mca_pml_champion_rings_meet(void);

/** The process at a place has written a record: the state kept for it. NULL:
 * there is no such process. Lock held. */
mca_pml_champion_ring_from_t *mca_pml_champion_ring_from(uint32_t place);

/** The first fragment of a process has come: map them all, so that the first
 * messages, by which the ways are compared, take no page faults. */
void mca_pml_champion_ring_find_fragments(mca_pml_champion_ring_from_t *from);

/** A process asks whether its memory can be read: find out, and tell it. Lock
 * held. */
void mca_pml_champion_ring_try_to_read(mca_pml_champion_ring_from_t *from);

/** A message of that length comes from a process, this way: the time now, in ns, if
 * it is to be measured; otherwise 0. */
static inline uint64_t mca_pml_champion_ring_measures(
    mca_pml_champion_ring_from_t *from, size_t length,
    mca_pml_champion_way_t way)
{
    return length >= MCA_PML_CHAMPION_WAY_MIN &&
                   mca_pml_champion_way_measures(&from->times, length, way)
               ? mca_pml_champion_now()
               : 0;
}

/** The message has been received. The sender is told which way is better. */
void mca_pml_champion_ring_record_time(mca_pml_champion_ring_from_t *from,
                                       size_t length,
                                       mca_pml_champion_way_t way,
                                       uint64_t since);

/** Set or clear the stop flag for a peer, if it uses a ring. Called by flow
 * control; see peer/throttle.h. Lock held. */
void mca_pml_champion_ring_set_stop(const mca_pml_champion_peer_t *peer,
                                    bool stop);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_RING_IN_H */
