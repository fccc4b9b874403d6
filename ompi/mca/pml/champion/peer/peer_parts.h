/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * State of units with each peer: one struct a unit, a field of the peer. They
 * are declared here because the units' own headers are above peer/ in the plan.
 * All are zero at first; a unit that needs other values adds a hook
 * (mca_pml_champion_peer_hooks_t).
 */

#ifndef MCA_PML_CHAMPION_PEER_PEER_PARTS_H
#define MCA_PML_CHAMPION_PEER_PEER_PARTS_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/core/estimate.h"
#include "ompi/mca/pml/champion/core/wire.h"
#include "ompi/mca/pml/champion/peer/flows_rule.h"

#pragma GCC visibility push(hidden)

/** match/: messages that arrived out of order (match/reorder.h). */
typedef struct mca_pml_champion_peer_reorder_t {
    mca_pml_champion_message_t *first; /**< by sequence number; or NULL */
    mca_pml_champion_message_t *last;  /**< not valid if there is no first */
    uint32_t recalls;                  /**< number of RECALLED entries */
} mca_pml_champion_peer_reorder_t;

/** match/: memory of unexpected messages (match/backlog.h). */
typedef struct mca_pml_champion_peer_backlog_t {
    uint32_t waiting; /**< its unexpected messages here */
} mca_pml_champion_peer_backlog_t;

/** Stages of disconnecting from a peer of another job. */
enum {
    MCA_PML_CHAMPION_CONNECTED,
    MCA_PML_CHAMPION_DISCONNECT_OFFERED, /**< sends wait for its answer */
    MCA_PML_CHAMPION_DISCONNECT_AGREED   /**< sends wait until its endpoint is
                                            closed */
};

/** An address as sent by the peer. */
typedef struct mca_pml_champion_peer_address_t {
    uint32_t length, came; /**< of ucx, and of its part that came; bytes */
    int32_t pid;           /**< the peer's process id, if it can be looked for
                                here; otherwise 0 */
    char ucx[];
} mca_pml_champion_peer_address_t;

/** match/: the connection to a process of another job (match/disconnect.h). */
typedef struct mca_pml_champion_peer_link_t {
    uint32_t comms;     /**< communicators shared with it */
    uint32_t active;    /**< incomplete sends to it */
    uint32_t recv_last; /**< sequence from which on it sends nothing */
    bool closes;        /**< its endpoint can be closed */
    bool due;           /**< it has events */
    uint8_t events;
    uint8_t stage;
    mca_pml_champion_peer_address_t *address; /**< all of it, or NULL */
    mca_pml_champion_peer_address_t *coming;  /**< in pieces, or NULL */
    mca_pml_champion_peer_t *next_due;        /**< next in the list of peers
                                                   with events */
} mca_pml_champion_peer_link_t;

/** match/: flow control (match/flow_control.h). */
typedef struct mca_pml_champion_peer_flow_t {
    /* As a sender to the peer: */
    bool check;      /**< check flow control before the next message by UCX */
    bool hello_sent; /**< a HELLO with this process's address was sent */
    bool throttled;  /**< the peer takes envelopes only */
    uint32_t stops;  /**< how often the peer throttled this process; wraps */
    uint32_t last_received; /**< number of the last FLOW received from it */
    /* As a receiver from the peer: */
    bool stopped;       /**< this process throttles the peer */
    uint32_t last_sent; /**< number of the last FLOW sent to it */
} mca_pml_champion_peer_flow_t;

/** offload/: receive offload; all zero while it is off. */
typedef struct mca_pml_champion_peer_offload_t {
    bool looked_at; /**< capable is known */
    bool capable;   /**< its network matches tags */
    uint64_t delta; /**< smoothed, ns; see offload/offload_rule.h */
    mca_pml_champion_history_t unexpected; /**< were its last large messages? */
    /** Streams from it: it was asked to send by tag. */
    struct mca_pml_champion_streams_t *in_streams;
    /** Streams to it: it has asked to be sent by tag; see slow_sends. */
    struct mca_pml_champion_streams_t *out_streams;
    mca_pml_champion_peer_t *next_sender;   /**< next peer with in_streams */
    mca_pml_champion_peer_t *next_receiver; /**< next peer with out_streams */
} mca_pml_champion_peer_offload_t;

/** large/: messages by several connections (large/stripe.h). */
typedef struct mca_pml_champion_peer_stripe_t {
    /* As a receiver from the peer: */
    mca_pml_champion_flows_rule_t rule;
    bool unlike;     /**< not all messages of this busy period came as the rule
                          says */
    uint32_t opened; /**< connections that it was asked for; 0: none */
    uint32_t heard;  /**< a bit for each further one that has greeted */
    uint32_t declined; /**< messages in a row that it did not send in parts */
    uint32_t pass;     /**< so many are not asked for because of that */
    /* As a sender to it: */
    struct mca_pml_champion_send_t *first; /**< sends that may be asked for,
                                                the oldest first */
    struct mca_pml_champion_send_t *last;
    bool here;          /**< it was told how to reach this process */
    uint32_t under_way; /**< sends whose parts are not all sent */
    uint32_t made;      /**< number of further endpoints */
    uint32_t good;      /**< of these, the first ones that are not lost */
    ucp_ep_h ep[MCA_PML_CHAMPION_STRIPES_MAX - 1];
    bool connected[MCA_PML_CHAMPION_STRIPES_MAX - 1]; /**< its HELLO is sent */
} mca_pml_champion_peer_stripe_t;

/** large/: whether it reads messages from the sender's memory
 * (large/single_copy.h). */
typedef struct mca_pml_champion_peer_single_copy_t {
    size_t min;           /**< smaller ones never, bytes; SIZE_MAX: none */
    uint32_t recv_before; /**< recv_sequence at the last such send, to detect
                               streams */
    /** How many were sent by the way that is measured, of each class of sizes,
     * and what the receiver advises, in its ring (large/way.h). */
    uint8_t sent[4];
    const uint32_t *advice;
} mca_pml_champion_peer_single_copy_t;

/** large/: prefetching (large/prefetch.h). */
typedef struct mca_pml_champion_peer_prefetch_t {
    uint32_t total;                    /**< messages prefetched */
    uint8_t declined;                  /**< since the last trial */
    mca_pml_champion_history_t useful; /**< of the last ones */
    uint64_t wait; /**< smoothed time that its unexpected messages wait for a
                   receive, ns */
} mca_pml_champion_peer_prefetch_t;

/** large/: fetches deferred until a send (large/rendezvous.h). */
typedef struct mca_pml_champion_peer_defer_t {
    bool sends_after; /**< a large message was sent to it since the last one
                           from it */
    bool at_once;     /**< fetch at once: no send preceded progress */
} mca_pml_champion_peer_defer_t;

/** shm/: rings. */
typedef struct mca_pml_champion_peer_ring_t {
    bool reads;    /**< it can read this process's memory (CMA) */
    bool asked;    /**< it was asked whether it can */
    bool stranger; /**< it was not found on the board of this node */
    /** Messages from it, if one has come. */
    struct mca_pml_champion_ring_from_t *from;
    /** RGETs to it whose FIN has not come yet, oldest first. */
    struct mca_pml_champion_send_t *rgets, **rgets_tail;
    /** Next in the list of peers with RGETs that this process may help to copy;
     * valid if it is listed. */
    mca_pml_champion_peer_t *next_with_rgets;
    bool rgets_listed; /**< it is in that list */
} mca_pml_champion_peer_ring_t;

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PEER_PEER_PARTS_H */
