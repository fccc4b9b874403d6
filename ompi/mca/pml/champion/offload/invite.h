/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receive offload: which peers are asked to send large data by tag, and which
 * are asked to stop it. The lock is held unless a comment says otherwise.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_INVITE_H
#define MCA_PML_CHAMPION_OFFLOAD_INVITE_H

#include "ompi/mca/pml/champion/offload/offload.h"

#pragma GCC visibility push(hidden)

/** Does offloading a receive of this size from a peer pay? */
bool mca_pml_champion_invite_pays(const mca_pml_champion_peer_t *peer,
                                  size_t bytes);

/** The element of the table of peers for source in comm; NULL for a process of
 * another job. */
mca_pml_champion_peer_t **mca_pml_champion_invite_place(
    ompi_communicator_t *comm, int source);

/** Before a receive that may be offloaded is posted: connect to its source, if
 * asking it for tags may pay. Without the lock. */
void mca_pml_champion_invite_connect(int source, ompi_communicator_t *comm);

/** An eligible receive from a peer is posted: ask the peer to send large data
 * by tag, if that pays now, unless it was asked already. */
void mca_pml_champion_invite(mca_pml_champion_peer_t *peer, size_t bytes);

/** Called before a peer's large message is matched: decides by the last ones
 * whether to ask it to stop sending by tag. Unexpected messages do not profit
 * from tags, and receives offloaded for them would have to be cancelled. */
void mca_pml_champion_invite_review(mca_pml_champion_peer_t *peer);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_INVITE_H */
