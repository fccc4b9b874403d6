/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rendezvous messages: getting their data from the sender by UCX.
 *
 * A receive that is posted while its message waits could fetch it at once. If
 * it does not block, it had often better not, because the program is about to
 * send to the same process: MPI_Irecv, MPI_Isend, MPI_Waitall, and so
 * MPI_Sendrecv. Within a node UCX copies inside of the call, and over TCP the
 * data are in the partner's socket before its answer to our own request; either
 * way the two directions follow each other instead of going together. So the
 * fetch is deferred until a large message to that process has gone out, or to
 * the next progress, the program's or that of the progress thread:
 *
 *     MPI_Irecv   message is there: matched, deferred
 *     MPI_Isend   own request goes out; the fetch begins
 *
 * If nothing is sent before the next progress, it has waited in vain, and with
 * it the sender, or what the network could have brought while the program
 * computes. So the next fetch from that process begins at once, and so on until
 * a large message to it follows. Adapters that read remote memory by themselves
 * are not kept waiting: their fetches hold nothing up.
 */

#ifndef MCA_PML_CHAMPION_RNDV_RENDEZVOUS_H
#define MCA_PML_CHAMPION_RNDV_RENDEZVOUS_H

#include "ompi/mca/pml/champion/match/message.h"
#include "ompi/mca/pml/champion/request/request.h"

#pragma GCC visibility push(hidden)

/** What is to be looked at by the next progress. Protected by the lock. */
typedef struct mca_pml_champion_rendezvous_t {
    mca_pml_champion_recv_t *first, *last; /**< deferred, oldest first */
    /** Of whom a message was last fetched at once, or NULL. */
    mca_pml_champion_peer_t *at_once;
    bool due; /**< one of the above, which is one of the chores */
} mca_pml_champion_rendezvous_t;

extern mca_pml_champion_rendezvous_t mca_pml_champion_rendezvous;

/** Enter what is done with rendezvous messages in mca_pml_champion_payloads.
 * Before there are messages. */
void mca_pml_champion_rendezvous_open(void);

/** Begin what was deferred. One of progress's chores. Lock held. */
void mca_pml_champion_rendezvous_step(void);

/** The same for those of one peer, to which a large message has just gone out:
 * see .._sent. Lock held. */
void mca_pml_champion_rendezvous_begin(mca_pml_champion_peer_t *peer);

/** A large message to a peer has just gone out. Lock held. */
static inline void mca_pml_champion_rendezvous_sent(
    mca_pml_champion_peer_t *peer)
{
    if (OPAL_UNLIKELY(mca_pml_champion_rendezvous.due)) {
        mca_pml_champion_rendezvous_begin(peer);
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RNDV_RENDEZVOUS_H */
