/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/large/stripe_sides.h"

#include <stdlib.h>

mca_pml_champion_stripes_t mca_pml_champion_stripes;

mca_pml_champion_peer_stripe_t *mca_pml_champion_stripe_of(
    mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(NULL == peer->stripe)) {
        peer->stripe = calloc(1, sizeof(*peer->stripe));
    }
    return peer->stripe;
}

bool mca_pml_champion_stripe_tell(
    mca_pml_champion_peer_t *peer,
    const mca_pml_champion_stripe_control_t *control, size_t length)
{
    return UCS_OK ==
           mca_pml_champion_ctrl_msg_send(
               peer, MCA_PML_CHAMPION_AM_STRIPE, control, length,
               UCP_AM_SEND_FLAG_EAGER | mca_pml_champion_ctrl_msg_reply(peer));
}
