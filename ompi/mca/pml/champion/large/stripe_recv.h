/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiver of striped messages (large/stripe.h): how many connections it
 * wants, and where the parts go.
 */

#ifndef MCA_PML_CHAMPION_LARGE_STRIPE_RECV_H
#define MCA_PML_CHAMPION_LARGE_STRIPE_RECV_H

#include "ompi/mca/pml/champion/match/transfer_types.h"
#include "ompi/mca/pml/champion/large/stripe_sides.h"

#pragma GCC visibility push(hidden)

/** Prepare, when striping is opened: transfers come here first if it is on. */
void mca_pml_champion_stripe_recv_open(void);
/** Transfers do so no longer. */
void mca_pml_champion_stripe_recv_close(void);

/** Handle a HELLO and a DECLINE. Lock held. */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_stripe_greeted(
    mca_pml_champion_peer_t *peer,
    const mca_pml_champion_stripe_control_t *hello);
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_stripe_declined(
    mca_pml_champion_peer_t *peer,
    const mca_pml_champion_stripe_control_t *decline);

/** UCX's handler of PARTs. */
ucs_status_t mca_pml_champion_stripe_part(void *arg, const void *header,
                                          size_t header_length, void *data,
                                          size_t length,
                                          const ucp_am_recv_param_t *param);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_LARGE_STRIPE_RECV_H */
