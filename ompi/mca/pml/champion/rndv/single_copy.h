/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From which size on a receiver within the node fetches a message.
 *
 * A blocking send of UCX's goes in pieces up to 256 KiB over shared memory: the
 * sender copies them out, UCX puts them together, and they are copied to the
 * user. Where one process can read another one's memory (CMA, XPMEM, KNEM) its
 * receiver copies once, after an exchange of two small messages and, with CMA,
 * a system call that looks up every page. Up to pml_champion_ring_max those two
 * are records of rings (LENT and RETURN, see ring/rings.h), beyond
 * it is UCX's rendezvous. What that call costs
 * differs between machines: on one of them fetching 32 KiB took 1.78 of
 * pml/ucx's time. So it is timed, once in each process that has such a peer,
 * against a plain copy; what counts as cheap was tried on one machine only.
 * A stream of blocking sends loses by it what the copies of one message gain
 * beside the next: a sender that has heard nothing from its receiver since its
 * last large blocking send is taken to stream, and its messages go in pieces
 * (through fragments, see ring/), up to pml_champion_ring_max. Half a round
 * trip by MPI_Send, us, and GB/s of a stream of them, where the call takes 2.6
 * plain copies; in pieces by UCX, as it was before there were fragments:
 *
 *     bytes     in pieces     fetched       pml/ucx       pml/ob1
 *     16384     3.11, 12.7    2.09, 7.0     2.84, 11.1    1.88, 7.7
 *     32768     5.40, 9.7     2.87, 7.7     4.52, 12.4    2.74, 8.0
 *     65536       -,  9.4     4.0,  8.7      7.1, 12.0     3.9, 9.2
 */

#ifndef MCA_PML_CHAMPION_RNDV_SINGLE_COPY_H
#define MCA_PML_CHAMPION_RNDV_SINGLE_COPY_H

#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/request/request.h"

#pragma GCC visibility push(hidden)

/** From here on it is decided for each peer when it is connected. */
void mca_pml_champion_single_copy_open(void);

/** Bits of an answer. */
enum {
    MCA_PML_CHAMPION_SINGLE_COPY_IT = 1, /**< the send is to be fetched */
    /** What decided was whether the send is part of a stream. */
    MCA_PML_CHAMPION_SINGLE_COPY_BY_STREAM = 2
};

/** Is a send that is large enough to be fetched? Lock held. */
unsigned mca_pml_champion_single_copy_wants_large(
    const mca_pml_champion_send_t *send, const mca_pml_champion_peer_t *peer);

/** Is a send, which is described, to be fetched? Lock held. */
static inline unsigned mca_pml_champion_single_copy_wants(
    const mca_pml_champion_send_t *send, const mca_pml_champion_peer_t *peer)
{
    return send->length < peer->single_copy.min_alone
               ? 0
               : mca_pml_champion_single_copy_wants_large(send, peer);
}

/** A send to the peer starts for which that was the answer. Lock held. */
static inline void mca_pml_champion_single_copy_learn(
    mca_pml_champion_peer_t *peer, unsigned answer)
{
    if (0 != (answer & MCA_PML_CHAMPION_SINGLE_COPY_BY_STREAM)) {
        peer->single_copy.recv_before = peer->recv_sequence;
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RNDV_SINGLE_COPY_H */
