/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rendezvous messages: fetching their data from the sender.
 *
 * A receive that finds its message waiting could start the fetch at once. For a
 * nonblocking receive that is often wrong, because the program is about to send
 * to the same process: MPI_Irecv, MPI_Isend, MPI_Waitall, and so MPI_Sendrecv.
 * Within a node UCX copies inside the call, and over TCP the data precede the
 * partner's answer to our own request in its socket; either way the two
 * directions are serialized instead of overlapping. So the fetch is deferred
 * until a large message to that process has been sent, or to the next progress
 * call, by the program or by the progress thread:
 *
 *     MPI_Irecv   message is there: matched, deferred
 *     MPI_Isend   own request goes out; the fetch begins
 *
 * A message that finds its receive posted is fetched at once, in UCX's
 * progress: the same call may find the partner's answer to our own request, and
 * later data would precede our answer in the socket. So a send that lets
 * UCX make progress (flow control) does that when its own request is out.
 *
 * If nothing is sent before the next progress call, the delay was in vain: the
 * sender has waited, and the transfer could have overlapped with computation.
 * So the next fetch from that process begins at once, and so do the following
 * ones until one is followed by a large message to it. Fetches by adapters that
 * read remote memory by themselves (RDMA) hold nothing up and are never
 * deferred.
 */

#ifndef MCA_PML_CHAMPION_LARGE_RENDEZVOUS_H
#define MCA_PML_CHAMPION_LARGE_RENDEZVOUS_H

#include "ompi/mca/pml/champion/match/message.h"
#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** Work for the next progress call. Protected by the lock. */
typedef struct mca_pml_champion_rendezvous_t {
    mca_pml_champion_recv_t *first, *last; /**< deferred, oldest first */
    /** Peer whose message was last fetched at once, or NULL. */
    mca_pml_champion_peer_t *at_once;
    bool due; /**< there is any of the above: a chore is on */
} mca_pml_champion_rendezvous_t;

extern mca_pml_champion_rendezvous_t mca_pml_champion_rendezvous;

/** Enter the operations for rendezvous messages in mca_pml_champion_payloads.
 * Call before any message arrives. */
int mca_pml_champion_rendezvous_open(void);

/** Fetch the data of a message to its receive, whose status is filled in and
 * into which they fit. Lock held. */
void mca_pml_champion_rendezvous_fetch(mca_pml_champion_recv_t *recv,
                                       const mca_pml_champion_source_t *source);

/** Begin the deferred fetches from one peer, to which a large message has just
 * been sent; called by .._sent. Lock held. */
void mca_pml_champion_rendezvous_begin(mca_pml_champion_peer_t *peer);

/** A large message to a peer has just been sent. Lock held. */
static inline void mca_pml_champion_rendezvous_sent(
    mca_pml_champion_peer_t *peer)
{
    if (OPAL_UNLIKELY(mca_pml_champion_rendezvous.due)) {
        mca_pml_champion_rendezvous_begin(peer);
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_LARGE_RENDEZVOUS_H */
