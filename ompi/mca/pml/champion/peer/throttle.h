/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What flow control and rings ask of each other. Flow control decides who has
 * to stop and who may go on (conn/flow_control.h); a ring is where much of what
 * has to stop would go, and where the word stands for whoever writes it. Both
 * enter their side when they open, and neither needs the other's header.
 */

#ifndef MCA_PML_CHAMPION_PEER_THROTTLE_H
#define MCA_PML_CHAMPION_PEER_THROTTLE_H

#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** All are called with the lock held. There need not be a ring. */
typedef struct mca_pml_champion_throttle_t {
    /* Entered by rings. */

    /** This process sends to a peer that falls behind: nothing goes by its ring
     * until it is released, and what waits for room goes by UCX. */
    void (*hold)(mca_pml_champion_peer_t *peer);
    void (*release)(mca_pml_champion_peer_t *peer);
    /** This process falls behind: have the sender who fills a ring know that it
     * is to stop, or that it may go on. */
    void (*set_stop)(const mca_pml_champion_peer_t *peer, bool stop);

    /* Entered by flow control. */

    /** The word to stop was found in a ring to this peer. */
    void (*stop_seen)(mca_pml_champion_peer_t *peer);
} mca_pml_champion_throttle_t;

extern mca_pml_champion_throttle_t mca_pml_champion_throttle;

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PEER_THROTTLE_H */
