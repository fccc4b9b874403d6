/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From which message size on a receiver on the same node fetches the data by
 * single copy.
 *
 * Through shared memory, UCX sends up to 256 KiB as fragments: the sender
 * copies them out, UCX assembles them, and they are copied to the user's
 * buffer. Where a process can read another one's memory (CMA, XPMEM, KNEM), the
 * receiver copies once, after an exchange of two small messages and, with CMA,
 * a system call that looks up every page. The two messages are ring records
 * (RGET and FIN, see ring/rings.h), and from 64 KiB on the sender copies, too
 * (copy/copy.h). The cost of that call differs between machines: on one of
 * them fetching 32 KiB took 1.78 times as long as pml/ucx. So each process that
 * has such a peer times it once against a plain copy; the threshold for "cheap"
 * was tried on one machine only. Streams of blocking sends lose: with two
 * copies, copy-in of one message overlaps copy-out of the previous one. A
 * sender that has received nothing from its receiver since its last large
 * blocking send is taken to stream, and its messages go as ring fragments (see
 * ring/), up to pml_champion_ring_max. Half a round trip by MPI_Send, us, and
 * GB/s of a stream, where the call takes 2.6 plain copies; the fragments here
 * are UCX's, as before champion had its own:
 *
 *     bytes     fragments     fetched       pml/ucx       pml/ob1
 *     16384     3.11, 12.7    2.09, 7.0     2.84, 11.1    1.88, 7.7
 *     32768     5.40, 9.7     2.87, 7.7     4.52, 12.4    2.74, 8.0
 *     65536       -,  9.4     4.0,  8.7      7.1, 12.0     3.9, 9.2
 */

#ifndef MCA_PML_CHAMPION_RNDV_SINGLE_COPY_H
#define MCA_PML_CHAMPION_RNDV_SINGLE_COPY_H

#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/request/request.h"

#pragma GCC visibility push(hidden)

/** Have the limits of each peer set when it is connected. */
void mca_pml_champion_single_copy_open(void);

/** Bits of the answer of ..._wants. */
enum {
    MCA_PML_CHAMPION_SINGLE_COPY_IT = 1, /**< the receiver should fetch the
                                              data */
    /** The answer depended on whether the send is part of a stream. */
    MCA_PML_CHAMPION_SINGLE_COPY_BY_STREAM = 2
};

/** Slow path of ..._wants, for sends that are large enough. Lock held. */
unsigned mca_pml_champion_single_copy_wants_large(
    const mca_pml_champion_send_t *send, const mca_pml_champion_peer_t *peer);

/** Should the receiver fetch the data of this send, which has been described?
 * Lock held. */
static inline unsigned mca_pml_champion_single_copy_wants(
    const mca_pml_champion_send_t *send, const mca_pml_champion_peer_t *peer)
{
    return send->length < peer->single_copy.min_alone
               ? 0
               : mca_pml_champion_single_copy_wants_large(send, peer);
}

/** A send to the peer starts, for which ..._wants gave this answer. Lock
 * held. */
static inline void mca_pml_champion_single_copy_learn(
    mca_pml_champion_peer_t *peer, unsigned answer)
{
    if (0 != (answer & MCA_PML_CHAMPION_SINGLE_COPY_BY_STREAM)) {
        peer->single_copy.recv_before = peer->recv_sequence;
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RNDV_SINGLE_COPY_H */
