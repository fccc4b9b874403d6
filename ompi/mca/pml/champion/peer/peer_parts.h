/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What units keep with each peer: a struct for each, which is one field of the
 * peer. They are declared here, and not in the units' own headers, because
 * these lie above peer/ in the plan. All begin as zero; a unit that wants
 * something else enters a hook (mca_pml_champion_peer_hooks_t).
 */

#ifndef MCA_PML_CHAMPION_PEER_PEER_PARTS_H
#define MCA_PML_CHAMPION_PEER_PEER_PARTS_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Of match/: messages that came before their turn (match/reorder.h). */
typedef struct mca_pml_champion_peer_reorder_t {
    mca_pml_champion_message_t *first; /**< by sequence number; or NULL */
    mca_pml_champion_message_t *last;  /**< not valid if there is no first */
    uint32_t recalls;                  /**< among them, that are wanted back */
} mca_pml_champion_peer_reorder_t;

/** Of match/: the memory of waiting messages (match/backlog.h). */
typedef struct mca_pml_champion_peer_backlog_t {
    uint32_t waiting; /**< its messages that wait here */
} mca_pml_champion_peer_backlog_t;

/** Where a peer of another job is on its way out. */
enum {
    MCA_PML_CHAMPION_CONNECTED,
    MCA_PML_CHAMPION_DISCONNECT_OFFERED, /**< no send until it has answered */
    MCA_PML_CHAMPION_DISCONNECT_AGREED /**< no send until its endpoint is closed */
};

/** Of conn/: the connection to a process of another job
 * (conn/disconnect.h). */
typedef struct mca_pml_champion_peer_link_t {
    uint32_t comms;     /**< communicators that we share */
    uint32_t active;    /**< sends to it that are not complete */
    uint32_t recv_last; /**< it has promised to send no message from here on */
    bool closes;        /**< its endpoint can be closed */
    bool due;           /**< something has happened: news */
    uint8_t news;
    uint8_t stage;
    void *address;                     /**< UCX's, from itself; or NULL */
    mca_pml_champion_peer_t *next_due; /**< if due */
} mca_pml_champion_peer_link_t;

/** Of conn/: flow control (conn/flow_control.h). */
typedef struct mca_pml_champion_peer_flow_t {
    /* This process is its sender: */
    bool look;      /**< before the next message by UCX */
    bool greeted;   /**< it knows the way here */
    bool held_up;   /**< it wants nothing that is eager */
    uint32_t holds; /**< how often it was held up; wraps */
    uint32_t heard; /**< number of the last FLOW from it */
    /* This process is its receiver: */
    bool told_to_stop;
    uint32_t said; /**< number of the last FLOW to it */
} mca_pml_champion_peer_flow_t;

/** Of offload/; all zero while it is off. */
typedef struct mca_pml_champion_peer_offload_t {
    bool looked_at; /**< capable is known */
    bool capable;   /**< its network matches tags */
    uint64_t delta; /**< smoothed, ns; see offload/offload_rule.h */
    struct mca_pml_champion_inflows_t *inflows;   /**< it was asked for tags */
    struct mca_pml_champion_outflows_t *outflows; /**< it has asked for tags */
    mca_pml_champion_peer_t *next_sender;         /**< with inflows */
    mca_pml_champion_peer_t *next_receiver;       /**< with outflows */
} mca_pml_champion_peer_offload_t;

/** Of rndv/: from which size on it reads a message from the sender's memory
 * (rndv/single_copy.h). */
typedef struct mca_pml_champion_peer_single_copy_t {
    size_t min;           /**< bytes, where the choice is UCX's */
    size_t min_alone;     /**< of a send that is no part of a stream */
    uint32_t recv_before; /**< recv_sequence at the last such send */
} mca_pml_champion_peer_single_copy_t;

/** Of rndv/: prefetched messages (rndv/prefetch.h). */
typedef struct mca_pml_champion_peer_prefetch_t {
    uint32_t total;     /**< messages prefetched */
    uint8_t remembered; /**< in history, at most prefetch_window */
    uint8_t declined;   /**< since the last trial */
    uint64_t history;   /**< a bit for each: was it useful? */
    uint64_t
        wait; /**< of its unexpected messages for a receive; smoothed, ns */
} mca_pml_champion_peer_prefetch_t;

/** Of rndv/: fetches that wait for a send (rndv/rendezvous.h). */
typedef struct mca_pml_champion_peer_defer_t {
    bool sends_after; /**< a large message to it, since the last from it */
    bool at_once;     /**< there was none before progress was made */
} mca_pml_champion_peer_defer_t;

/** Of ring/. */
typedef struct mca_pml_champion_peer_ring_t {
    bool pool_offered; /**< it was told of the pool of fragments */
    bool pooled;       /**< it has mapped it */
    bool reads;        /**< and can read this process's memory (CMA) */
    bool can_be_read;  /**< this process can read its memory */
    int32_t pid;       /**< if it has a pool that is known */
    uint32_t num_fragments;
    /** Its own pool; NULL: unknown. */
    const struct mca_pml_champion_ring_fragments_t *fragments;
    uint32_t ask_at; /**< send_sequence from which on to ask for a ring */
} mca_pml_champion_peer_ring_t;

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PEER_PEER_PARTS_H */
