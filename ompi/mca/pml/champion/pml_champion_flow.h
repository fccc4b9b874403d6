/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Flow control: a receiver that falls behind is not filled with messages until
 * its node has no memory left.
 *
 *     sender                                    receiver
 *        |  eager messages  -------------------->  |  nobody receives them;
 *        |  ------------------------------------>  |  they fill the limit
 *        |  <-------------------------------- STOP |
 *        |  rendezvous: envelopes only --------->  |
 *        |  (a blocking send waits)                |  receives; below half
 *        |  <---------------------------------- GO |  of the limit, or if no
 *        |                                         |  message of it waits:
 *        |  eager messages  -------------------->  |
 *
 * What counts is memory that messages occupy while they wait for a receive:
 * the pool's, UCX's buffers that are kept, and what matching needs for them,
 * which for small messages can be half as much again. The pool knows its size
 * anyway; the components of mq are asked when it has grown by a part of the
 * limit.
 * It is compared with the limit when a message has to wait and when one that
 * waited goes; a message that finds its receive costs nothing. Whoever sends a
 * message that has to wait while the limit is exceeded is told to stop.
 *
 * A sender that is stopped sends all user messages by UCX's rendezvous, small
 * ones too, and empty ones as if they were synchronous, so that memory for what
 * it has to say is its own. Messages of MPI itself (negative tags) go on: they
 * are few, and collective operations and the creation of communicators must not
 * wait for a user's receives. So do ACKs and what is under way. Sends that wait
 * for room in a ring become rendezvous sends; what was given to UCX before is
 * sent as it is.
 *
 * A sender hears of it when it makes progress. One that fills rings or UCX
 * without ever waiting would not: it finds the stop in the ring, beside the
 * position that it reads anyway; and every MCA_PML_CHAMPION_FLOW_LOOK messages
 * to a peer that go by UCX it polls; large messages that this finds are fetched
 * after the send (pml_champion_rendezvous.h).
 *
 * A receiver that never sent anything needs a way back to its senders. So the
 * first time a sender polls, it says HELLO, from which UCX gets that way.
 *
 * Messages of a process to itself are not counted out: nobody could be told.
 *
 * If a program relies on more buffering than the limit (all send first, then
 * receive), it waits for ever, as it may by MPI's rules. A sender that stays
 * stopped for pml_champion_unexpected_patience seconds says once what it waits
 * for.
 */

#ifndef OMPI_PML_CHAMPION_FLOW_H
#define OMPI_PML_CHAMPION_FLOW_H

#include "ompi/mca/pml/champion/pml_champion_control.h"
#include "ompi/mca/pml/champion/pml_champion_peer.h"

#pragma GCC visibility push(hidden)

/** Messages to a peer by UCX after which their sender polls. */
enum { MCA_PML_CHAMPION_FLOW_LOOK = 256 };

/** State of the process; protected by the lock. */
typedef struct mca_pml_champion_flow_t {
    size_t limit;     /**< bytes; SIZE_MAX: none */
    size_t go_on;     /**< bytes below which senders may go on */
    size_t beside;    /**< bytes beside those of the pool: messages that stay in
                           UCX's buffers, and what matching had allocated when it
                           was last asked */
    size_t ask_at;    /**< bytes mapped by the pool at which to ask again */
    bool ask;         /**< that is due */
    uint32_t stopped; /**< peers that were told to stop */

    /* Parameters. */
    unsigned patience; /**< seconds; 0: for ever */
} mca_pml_champion_flow_t;

extern mca_pml_champion_flow_t mca_pml_champion_flow;

/** Register the parameters. False if one has a value that is not allowed. */
bool mca_pml_champion_flow_register(void);
/** Find the limit. */
void mca_pml_champion_flow_open(void);
void mca_pml_champion_flow_close(void);

/** Bytes that messages occupy which wait. */
static inline size_t mca_pml_champion_flow_waiting(void)
{
    return mca_pml_champion.pool.mapped + mca_pml_champion_flow.beside;
}

/** The most that they occupied at one time, and what lies beside them now. */
static inline size_t mca_pml_champion_flow_waiting_max(void)
{
    return mca_pml_champion.pool.mapped_max + mca_pml_champion_flow.beside;
}

/** Have matching asked what it needs. It cannot be asked at once: it may be
 * what calls, for an entry. Lock held. */
void mca_pml_champion_flow_ask(void);

/** Ask it, and see whether there is room again. One of progress's chores. Lock
 * held. */
void mca_pml_champion_flow_step(void);

/** Waiting messages exceed the limit, and this peer sends more. Lock held. */
void mca_pml_champion_flow_stop(mca_pml_champion_peer_t *peer);

/** A message waits no more: is there room again for those that were told to
 * stop? Its sender may go on if no other message of it waits: whoever receives
 * from it waits for the next one, maybe. Lock held. */
void mca_pml_champion_flow_look_for_room(mca_pml_champion_peer_t *peer);

/** A message has to wait. Lock held. */
static inline void mca_pml_champion_flow_waits(mca_pml_champion_peer_t *peer,
                                               int tag)
{
    ++peer->waiting;
    if (OPAL_UNLIKELY(mca_pml_champion.pool.mapped >=
                      mca_pml_champion_flow.ask_at)) {
        mca_pml_champion_flow_ask();
    }
    if (OPAL_UNLIKELY(mca_pml_champion_flow_waiting() >
                      mca_pml_champion_flow.limit) &&
        tag >= 0) {
        mca_pml_champion_flow_stop(peer);
    }
}

/** A message of a peer waits no more. Lock held. */
static inline void mca_pml_champion_flow_gone(mca_pml_champion_peer_t *peer)
{
    --peer->waiting;
    if (OPAL_UNLIKELY(0 != mca_pml_champion_flow.stopped)) {
        mca_pml_champion_flow_look_for_room(peer);
    }
}

/* The sender's side. */

/** From now on a peer's user messages go by rendezvous. Lock held. */
void mca_pml_champion_flow_hold(mca_pml_champion_peer_t *peer);

/** So many messages went by UCX that the next one has to look. Lock held. */
void mca_pml_champion_flow_due(mca_pml_champion_peer_t *peer);

/** Look whether a peer wants to be spared, before a message to it is begun.
 * Lock held. */
void mca_pml_champion_flow_look(mca_pml_champion_peer_t *peer);

/** The endpoints of a pair of processes are closed: what was said no longer
 * counts. Lock held. */
void mca_pml_champion_flow_part(mca_pml_champion_peer_t *peer);

/** What a peer says: a FLOW message, see pml_champion_control.h. */
mca_pml_champion_control_verdict_t mca_pml_champion_flow_told(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_FLOW_H */
