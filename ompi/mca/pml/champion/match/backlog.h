/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory that messages occupy while they wait for a receive, and its limit.
 *
 * It is the memory pool's, UCX's buffers that are kept, and what matching needs
 * for such messages, which for small ones can be half as much again. The pool
 * knows its size anyway; the components of mq are asked when it has grown by a
 * part of the limit.
 *
 * The sum is compared with the limit when a message has to wait; a message that
 * finds its receive costs nothing. What follows from it is decided elsewhere
 * (conn/flow_control.h), by two functions that are entered here:
 *
 *     a message waits, the limit is exceeded  ---->  exceeded(its sender)
 *     a message waits no more  ------------------->  room(its sender), as long
 *                                                    as senders are stopped
 */

#ifndef MCA_PML_CHAMPION_MATCH_BACKLOG_H
#define MCA_PML_CHAMPION_MATCH_BACKLOG_H

#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** State of the process; protected by the lock. */
typedef struct mca_pml_champion_backlog_t {
    size_t limit;  /**< bytes; SIZE_MAX: none */
    size_t beside; /**< bytes beside those of the pool: messages that stay in
                        UCX's buffers, and what matching had allocated when it
                        was last asked */
    size_t ask_at; /**< bytes mapped by the pool at which to ask again */
    bool ask;      /**< that is due */
    /** Peers that were told to stop, counted by whoever tells them: room is
     * called only if there are any. */
    uint32_t stopped;
    /** A message of the user's waits, of that sender, and the limit is
     * exceeded. Lock held. */
    void (*exceeded)(mca_pml_champion_peer_t *peer);
    /** There may be room again; if peer is not NULL, because a message of that
     * sender waits no more. Lock held. */
    void (*room)(mca_pml_champion_peer_t *peer);
} mca_pml_champion_backlog_t;

extern mca_pml_champion_backlog_t mca_pml_champion_backlog;

/** Begin to count. Before there are messages. See above for the functions. */
void mca_pml_champion_backlog_open(
    size_t limit, void (*exceeded)(mca_pml_champion_peer_t *peer),
    void (*room)(mca_pml_champion_peer_t *peer));

/** Bytes that messages occupy which wait. */
static inline size_t mca_pml_champion_backlog_bytes(void)
{
    return mca_pml_champion.pool.mapped + mca_pml_champion_backlog.beside;
}

/** The most that they occupied at one time, and what lies beside them now. */
static inline size_t mca_pml_champion_backlog_bytes_max(void)
{
    return mca_pml_champion.pool.mapped_max + mca_pml_champion_backlog.beside;
}

/** Have matching asked what it needs. It cannot be asked at once: it may be
 * what calls, for an entry. Lock held. */
void mca_pml_champion_backlog_ask(void);

/** Ask it, and see whether there is room again. One of progress's chores. Lock
 * held. */
void mca_pml_champion_backlog_step(void);

/** The limit is exceeded, and this peer sends more. Lock held. */
void mca_pml_champion_backlog_exceeded(mca_pml_champion_peer_t *peer);

/** A message of a peer waits no more, and senders are stopped. Lock held. */
void mca_pml_champion_backlog_shrunk(mca_pml_champion_peer_t *peer);

/** A message has to wait. Lock held. */
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

/** A message of a peer waits no more. Lock held. */
static inline void mca_pml_champion_backlog_gone(mca_pml_champion_peer_t *peer)
{
    --peer->backlog.waiting;
    if (OPAL_UNLIKELY(0 != mca_pml_champion_backlog.stopped)) {
        mca_pml_champion_backlog_shrunk(peer);
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_BACKLOG_H */
