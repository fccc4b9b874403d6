/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory of messages that wait for a receive, and its limit.
 *
 * It consists of the memory pool, UCX's buffers that are kept, and the memory
 * of matching, which for small messages can be half of the pool's. The pool
 * counts its memory anyway; the components of mq are queried whenever the pool
 * has grown by a part of the limit.
 *
 * The sum is compared with the limit when a message is queued; a message that
 * finds its receive costs nothing. Flow control (match/flow_control.h) decides
 * about the sender, by two functions:
 *
 *     a message is queued, the limit is exceeded  -->  exceeded(its sender)
 *     a message is removed  ------------------------>  room(its sender), while
 *                                                      senders are throttled
 */

#ifndef MCA_PML_CHAMPION_MATCH_BACKLOG_H
#define MCA_PML_CHAMPION_MATCH_BACKLOG_H

#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** State of the process; protected by the lock. */
typedef struct mca_pml_champion_backlog_t {
    size_t limit;  /**< bytes; SIZE_MAX: none */
    size_t other;  /**< bytes outside the pool: messages that stay in UCX's
                        buffers, and the memory of matching at the last query */
    size_t ask_at; /**< bytes mapped by the pool at which matching is queried
                        again */
    /** Number of throttled peers, maintained by flow control: room is called
     * only if there are any. */
    uint32_t stopped;
    /** A user message of this sender is queued, and the limit is exceeded. Lock
     * held. */
    void (*exceeded)(mca_pml_champion_peer_t *peer);
    /** There may be room again; peer: the sender of a message that was removed,
     * or NULL. Lock held. */
    void (*room)(mca_pml_champion_peer_t *peer);
} mca_pml_champion_backlog_t;

extern mca_pml_champion_backlog_t mca_pml_champion_backlog;

/** Set limit and functions, before there are messages. */
void mca_pml_champion_backlog_open(
    size_t limit, void (*exceeded)(mca_pml_champion_peer_t *peer),
    void (*room)(mca_pml_champion_peer_t *peer));

/** Memory of unexpected messages, bytes. */
static inline size_t mca_pml_champion_backlog_bytes(void)
{
    return mca_pml_champion.pool.mapped + mca_pml_champion_backlog.other;
}

/** The most memory of the pool, plus that outside it now, bytes. */
static inline size_t mca_pml_champion_backlog_bytes_max(void)
{
    return mca_pml_champion.pool.mapped_max + mca_pml_champion_backlog.other;
}

/** Request a query of matching's memory, a chore: it cannot be made at once,
 * because matching may be the caller. Lock held. */
void mca_pml_champion_backlog_ask(void);

/** The limit is exceeded by a message of this peer. Lock held. */
void mca_pml_champion_backlog_exceeded(mca_pml_champion_peer_t *peer);

/** A message of a peer was removed while senders are throttled. Lock held. */
void mca_pml_champion_backlog_shrunk(mca_pml_champion_peer_t *peer);

/** A message of a peer is queued. Lock held. */
static inline void mca_pml_champion_backlog_waits(mca_pml_champion_peer_t *peer,
                                                  int tag)
{
    ++peer->backlog.waiting;
    if (OPAL_UNLIKELY(mca_pml_champion.pool.mapped >=
                      mca_pml_champion_backlog.ask_at)) {
        mca_pml_champion_backlog_ask();
    }
    if (OPAL_UNLIKELY(mca_pml_champion_backlog_bytes() >
                      mca_pml_champion_backlog.limit) &&
        tag >= 0) {
        mca_pml_champion_backlog_exceeded(peer);
    }
}

/** A queued message of a peer was removed. Lock held. */
static inline void mca_pml_champion_backlog_gone(mca_pml_champion_peer_t *peer)
{
    --peer->backlog.waiting;
    if (OPAL_UNLIKELY(0 != mca_pml_champion_backlog.stopped)) {
        mca_pml_champion_backlog_shrunk(peer);
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_BACKLOG_H */
