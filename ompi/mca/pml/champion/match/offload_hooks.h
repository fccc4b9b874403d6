/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls from matching and sending into receive offload (offload/). It sets its
 * functions when it is on. Each call is behind a test that can be true only
 * then: of the streams from or to a peer, or of a receive's flags.
 */

#ifndef MCA_PML_CHAMPION_MATCH_OFFLOAD_HOOKS_H
#define MCA_PML_CHAMPION_MATCH_OFFLOAD_HOOKS_H

#include "ompi/mca/pml/champion/match/message.h"
#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** All NULL while receive offload is off. Called with the lock held. */
typedef struct mca_pml_champion_offload_hooks_t {
    /** A message of a peer with in_streams is next in sequence. Called before
     * it is matched. */
    void (*counted)(mca_pml_champion_peer_t *peer,
                    const mca_mq_envelope_t *envelope, uint8_t kind,
                    uint64_t token);
    /** A large message of a peer with in_streams was queued as unexpected. */
    void (*unexpected)(mca_pml_champion_peer_t *peer);
    /** mq has matched a message with a receive that has flags: deliver it. */
    void (*matched)(mca_pml_champion_arrival_t *arrival,
                    mca_pml_champion_recv_t *recv);
    /** A message was sent to a peer with these out_streams. */
    void (*sent)(struct mca_pml_champion_out_streams_t *out_streams,
                 uint32_t context, int32_t tag);
} mca_pml_champion_offload_hooks_t;

extern mca_pml_champion_offload_hooks_t mca_pml_champion_offload_hooks;

/** Does receive offload know this posted receive? Its flags are valid only
 * then. */
static inline bool mca_pml_champion_offload_tracks(
    const mca_pml_champion_recv_t *recv)
{
    return OPAL_UNLIKELY(NULL != mca_pml_champion_offload_hooks.matched) &&
           0 != recv->offload.flags;
}

/** Count a message that was sent. Lock held. */
static inline void mca_pml_champion_offload_sent(
    const mca_pml_champion_peer_t *peer, uint32_t context, int tag)
{
    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(NULL != peer->offload.out_streams)) {
        mca_pml_champion_offload_hooks.sent(peer->offload.out_streams, context,
                                            tag);
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_OFFLOAD_HOOKS_H */
