/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface between flow control and rings. Flow control decides which
 * senders are throttled (match/flow_control.h); a throttled sender must not use
 * its ring, and the stop flag is beside the ring that it writes. Each side sets its
 * functions when it opens, so that neither needs the other's header.
 */

#ifndef MCA_PML_CHAMPION_PEER_THROTTLE_H
#define MCA_PML_CHAMPION_PEER_THROTTLE_H

#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** Called with the lock held. The peer need not have a ring. */
typedef struct mca_pml_champion_throttle_t {
    /* Set by shm/. */

    /** The peer throttles this process: use its ring no more until release;
     * messages that wait for room go by UCX. */
    void (*hold)(mca_pml_champion_peer_t *peer);
    void (*release)(mca_pml_champion_peer_t *peer);
    /** This process throttles the peer: set or clear the stop flag beside the
     * ring that the peer writes. */
    void (*set_stop)(const mca_pml_champion_peer_t *peer, bool stop);
    /* Set by flow control. */

    /** The stop flag was found set in the ring to this peer. */
    void (*on_stop)(mca_pml_champion_peer_t *peer);
} mca_pml_champion_throttle_t;

extern mca_pml_champion_throttle_t mca_pml_champion_throttle;

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PEER_THROTTLE_H */
