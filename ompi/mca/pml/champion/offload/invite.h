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

/** Is a receive of so many bytes from a peer worth it? */
bool mca_pml_champion_invite_pays(const mca_pml_champion_peer_t *peer,
                                  size_t bytes);

/** Where the peer that is source in comm is kept, or will be; NULL if it is of
 * another job. */
mca_pml_champion_peer_t **mca_pml_champion_invite_place(
    ompi_communicator_t *comm, int source);

/** Before a receive that may be offloaded is posted: connect to its source, if
 * asking it for tags may pay. Without the lock. */
void mca_pml_champion_invite_connect(int source, ompi_communicator_t *comm);

/** Ask a peer to send large data by tag, if there is a reason to. */
void mca_pml_champion_invite(mca_pml_champion_peer_t *peer, size_t bytes);

/** A peer's next large message is about to be matched: are the last ones a
 * reason to ask it for no more tags? Unexpected messages gain nothing by them,
 * and a receive that was offloaded would have to be taken back. */
void mca_pml_champion_invite_review(mca_pml_champion_peer_t *peer);

/** That message was queued as unexpected. */
void mca_pml_champion_invite_unexpected(mca_pml_champion_peer_t *peer);

/** A receive from a peer is posted that could be offloaded: ask it again? */
void mca_pml_champion_invite_renew(mca_pml_champion_peer_t *peer, size_t bytes);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_INVITE_H */
