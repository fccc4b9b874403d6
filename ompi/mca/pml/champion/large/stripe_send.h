/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sender of striped messages (large/stripe.h): its list of sends that may
 * be asked for, its further endpoints, and the parts.
 */

#ifndef MCA_PML_CHAMPION_LARGE_STRIPE_SEND_H
#define MCA_PML_CHAMPION_LARGE_STRIPE_SEND_H

#include "ompi/mca/pml/champion/match/request.h"
#include "ompi/mca/pml/champion/large/stripe_sides.h"

#pragma GCC visibility push(hidden)

/** Prepare, when striping is opened, and clear away. */
void mca_pml_champion_stripe_send_open(void);
void mca_pml_champion_stripe_send_close(void);

/** Handle an ASK and an OPEN, with the address of the peer's worker. Lock held.
 */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_stripe_asked(
    mca_pml_champion_peer_t *peer,
    const mca_pml_champion_stripe_control_t *ask);
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_stripe_opens(
    mca_pml_champion_peer_t *peer,
    const mca_pml_champion_stripe_control_t *open, const void *address);

/** Enter a send that waits in the list of those that may be asked for, if its
 * peer can be reached by several connections. Lock held. */
void mca_pml_champion_stripe_enter(mca_pml_champion_send_t *send);

/** A large message was sent, whose data are in the host's memory. Lock held. */
static inline void mca_pml_champion_stripe_sent(mca_pml_champion_send_t *send)
{
    if (OPAL_UNLIKELY(mca_pml_champion_stripes.on &&
                      send->length >= mca_pml_champion_stripes.min &&
                      0 != send->pending && send->contiguous)) {
        mca_pml_champion_stripe_enter(send);
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_LARGE_STRIPE_SEND_H */
