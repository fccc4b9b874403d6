/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What receive offload (offload/) has to be told by code that works without it.
 * offload enters its functions when it is on. Each is called behind a test that
 * is true only then: of a peer's inflows or outflows, or of a receive's flags.
 */

#ifndef MCA_PML_CHAMPION_MATCH_OFFLOAD_HOOKS_H
#define MCA_PML_CHAMPION_MATCH_OFFLOAD_HOOKS_H

#include "ompi/mca/pml/champion/match/message.h"
#include "ompi/mca/pml/champion/request/request.h"

#pragma GCC visibility push(hidden)

/** All NULL while receive offload is off. Called with the lock held. */
typedef struct mca_pml_champion_offload_hooks_t {
    /** A message from a peer with inflows is next in its pair. Before it is
     * matched. */
    void (*counted)(mca_pml_champion_peer_t *peer,
                    const mca_mq_envelope_t *envelope, uint8_t kind,
                    uint64_t token);
    /** A large message of a peer with inflows is queued as unexpected. */
    void (*unexpected)(mca_pml_champion_peer_t *peer);
    /** mq has given a message to a receive of which flags are set: deliver it.
     */
    void (*matched)(mca_pml_champion_arrival_t *arrival,
                    mca_pml_champion_recv_t *recv);
    /** A message was sent to a peer with these outflows. */
    void (*sent)(struct mca_pml_champion_outflows_t *outflows, uint32_t context,
                 int32_t tag);
} mca_pml_champion_offload_hooks_t;

extern mca_pml_champion_offload_hooks_t mca_pml_champion_offload_hooks;

/** May a receive that was queued be known to receive offload? Only then are its
 * flags valid. */
static inline bool mca_pml_champion_offload_tracks(
    const mca_pml_champion_recv_t *recv)
{
    return OPAL_UNLIKELY(NULL != mca_pml_champion_offload_hooks.matched) &&
           0 != recv->offload.flags;
}

/** A message was sent. Lock held. */
static inline void mca_pml_champion_offload_sent(
    const mca_pml_champion_peer_t *peer, uint32_t context, int tag)
{
    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(NULL != peer->offload.outflows)) {
        mca_pml_champion_offload_hooks.sent(peer->offload.outflows, context,
                                            tag);
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_OFFLOAD_HOOKS_H */
