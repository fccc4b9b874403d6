/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receive offload (offload/offload.h) in the layers below it: the state of a
 * receive, and calls from matching and sending, which are made while it is on.
 */

#ifndef MCA_PML_CHAMPION_MATCH_OFFLOAD_HOOKS_H
#define MCA_PML_CHAMPION_MATCH_OFFLOAD_HOOKS_H

#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** Bits of mca_pml_champion_offload_state_t.flags. */
enum {
    /** It has a wildcard and is in its communicator's list. */
    MCA_PML_CHAMPION_TRACKED_WILD = 1,
    /** It is in the list of its stream. */
    MCA_PML_CHAMPION_TRACKED_LISTED = 2,
    /** posted_at is valid. */
    MCA_PML_CHAMPION_TRACKED_TIMED = 4,
    /** It is posted to UCX, whose callback is pending. */
    MCA_PML_CHAMPION_TRACKED_AT_UCX = 8,
    /** It is being cancelled in UCX. */
    MCA_PML_CHAMPION_TRACKED_CANCELLING = 16,
    /** UCX has received the data of message `ucp_tag` into its buffer. */
    MCA_PML_CHAMPION_TRACKED_LANDED = 32,
    /** mq has matched it with message `ucp_tag`. */
    MCA_PML_CHAMPION_TRACKED_MATCHED = 64,
    /** The user has cancelled it. */
    MCA_PML_CHAMPION_TRACKED_UNWANTED = 128,
    /** It failed, and completes when UCX has cancelled it. */
    MCA_PML_CHAMPION_TRACKED_FAILED = 256,
    /** It is abandoned by MPI_Finalize. */
    MCA_PML_CHAMPION_TRACKED_ABANDONED = 512,
    /** cost is included in mca_pml_champion_outstanding. */
    MCA_PML_CHAMPION_TRACKED_COSTS = 1024
};

typedef struct mca_pml_champion_offload_state_t {
    uint32_t flags;      /**< 0: the other fields are invalid */
    ucs_status_t status; /**< UCX's, if LANDED */
    struct mca_pml_champion_recv_t *next, *previous; /**< in its list */
    struct mca_pml_champion_stream_t *stream;        /**< if LISTED */
    mca_pml_champion_comm_t *comm;                   /**< if WILD */
    uint64_t ucp_tag;   /**< if AT_UCX, LANDED or MATCHED */
    void *request;      /**< UCX's, if AT_UCX */
    uint64_t posted_at; /**< ns */
    uint64_t cost;      /**< ns */
    /** Its message, to be delivered once UCX has cancelled the receive. */
    mca_pml_champion_message_t *held;
} mca_pml_champion_offload_state_t;

struct mca_pml_champion_arrival_t;

/** Set while receive offload is on, otherwise NULL. Called with the lock
 * held. */
typedef struct mca_pml_champion_offload_hooks_t {
    /** A message of a peer with in_streams is next in sequence. Called before
     * it is matched. */
    void (*counted)(mca_pml_champion_peer_t *peer,
                    const mca_mq_envelope_t *envelope, uint8_t kind,
                    uint64_t token);
    /** mq has matched a message with a receive that has flags: deliver it. */
    void (*matched)(struct mca_pml_champion_arrival_t *arrival,
                    struct mca_pml_champion_recv_t *recv);
    /** A message was sent to a peer with slow_sends. */
    void (*sent)(mca_pml_champion_peer_t *peer, uint32_t context, int32_t tag);
} mca_pml_champion_offload_hooks_t;

extern mca_pml_champion_offload_hooks_t mca_pml_champion_offload_hooks;

/** A message was sent to a peer: count it. Lock held. */
static inline void mca_pml_champion_sent(mca_pml_champion_peer_t *peer,
                                         uint32_t context, int tag)
{
    MCA_PML_CHAMPION_LOCKED();
    ++peer->send_sequence;
    if (OPAL_UNLIKELY(peer->slow_sends)) {
        mca_pml_champion_offload_hooks.sent(peer, context, tag);
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_OFFLOAD_HOOKS_H */
