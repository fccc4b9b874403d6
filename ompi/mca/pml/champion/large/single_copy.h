/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which messages a receiver on the same node fetches from their sender's memory.
 *
 * Through shared memory, UCX sends up to 256 KiB as fragments: the sender
 * copies them out, UCX assembles them, and they are copied to the user's
 * buffer. Where a process can read another one's memory (CMA, XPMEM, KNEM), the
 * receiver copies once, after an exchange of two small messages and, with CMA,
 * a system call that looks up every page. The two messages are ring records
 * (RGET and FIN, see shm/rings.h), and from 64 KiB on the sender copies, too
 * (shm/copy.c).
 *
 * With a ring, messages of 16 KiB to pml_champion_ring_max can go as its
 * fragments instead, and the receiver finds out what is faster
 * (way.h). Large nonblocking sends do so only if the ring takes all of
 * it at once: those that are fetched do not need their sender again. Streams of
 * blocking sends gain by fragments, since copy-in of one message overlaps
 * copy-out of the previous one. A sender that has received nothing from its
 * receiver since its last large send is taken to stream.
 *
 * Without a ring, and where cores are shared, a limit of 64 KiB decides.
 *
 * Memory of a device, among others, can be read by its own process only. UCX ends
 * the receiver that tries to fetch it. So a sender asks the kernel, by reading
 * its own memory, before it lets others do so: once for each buffer.
 */

#ifndef MCA_PML_CHAMPION_LARGE_SINGLE_COPY_H
#define MCA_PML_CHAMPION_LARGE_SINGLE_COPY_H

#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/large/way.h"
#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** A peer of this node can read this process's memory, whether UCX is connected to
 * it or not. Lock held. */
void mca_pml_champion_single_copy_can_be_read(mca_pml_champion_peer_t *peer);

/** Slow path of ..._way, for sends that are large enough. Lock held. */
mca_pml_champion_way_t mca_pml_champion_single_copy_way_large(
    const mca_pml_champion_send_t *send, mca_pml_champion_peer_t *peer);

/** The way of a send, which has been described and starts now. Lock held. */
static inline mca_pml_champion_way_t mca_pml_champion_single_copy_way(
    const mca_pml_champion_send_t *send, mca_pml_champion_peer_t *peer)
{
    return send->length < peer->single_copy.min
               ? MCA_PML_CHAMPION_WAY_FRAGMENTS
               : mca_pml_champion_single_copy_way_large(send, peer);
}

/** Smallest message of which UCX may have the receiver fetch the data, bytes. */
enum { MCA_PML_CHAMPION_SINGLE_COPY_UCX_MIN = 4096 };

/** Can only this process read these data? The first and the last byte tell. False
 * if none of the processes of this node can read each other's memory. Lock
 * held. */
bool mca_pml_champion_single_copy_is_private(const void *data, size_t length);

/** A receiver could not fetch data: ask again for each buffer. Lock held. */
void mca_pml_champion_single_copy_failed(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_LARGE_SINGLE_COPY_H */
