/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Flow control: keeps senders from filling a receiver that falls behind with
 * messages until its node is out of memory.
 *
 *     sender                                    receiver
 *        |  eager messages  -------------------->  |  nobody receives them;
 *        |  ------------------------------------>  |  they reach the limit
 *        |  <-------------------------------- STOP |
 *        |  rendezvous: envelopes only --------->  |
 *        |  (a blocking send waits)                |  receives; below half
 *        |  <---------------------------------- GO |  of the limit, or if no
 *        |                                         |  message of it is queued:
 *        |  eager messages  -------------------->  |
 *
 * The limit is on the memory of unexpected messages (match/backlog.h). The
 * sender of a message that is queued beyond the limit is throttled.
 *
 * A throttled sender sends all user messages by UCX's rendezvous, small ones,
 * too, and empty ones as if they were synchronous, so that the memory for them
 * is its own. MPI's internal messages (negative tags) are not throttled: they
 * are few, and collective operations and the creation of communicators must not
 * wait for a user's receives. ACKs and messages in flight are not affected.
 * Sends that wait for room in a ring become rendezvous sends; messages given to
 * UCX before are sent as they are.
 *
 * A sender receives the STOP when it makes progress. One that only fills rings
 * or UCX makes none: it finds a stop flag beside its ring; and after
 * MCA_PML_CHAMPION_FLOW_LOOK messages to a peer by UCX it polls UCX before the
 * next one. Large messages that arrive in this poll are fetched after the send
 * (large/rendezvous.h).
 *
 * A receiver that has not sent anything needs an endpoint to its senders. Of
 * those of its node it finds the address on the board (core/board.h). Another
 * sender, when it polls for the first time, sends a HELLO, from which UCX makes
 * that endpoint.
 *
 * Messages to self count towards the limit, but their sender cannot be
 * throttled.
 *
 * A program that relies on more buffering than the limit (all processes send
 * first, then receive) deadlocks, as MPI allows. A sender that is throttled for
 * pml_champion_unexpected_patience seconds reports its receiver once.
 */

#ifndef MCA_PML_CHAMPION_MATCH_FLOW_CONTROL_H
#define MCA_PML_CHAMPION_MATCH_FLOW_CONTROL_H

#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** Messages to a peer by UCX after which the sender polls UCX. */
enum { MCA_PML_CHAMPION_FLOW_LOOK = 256 };

/** State of the process; protected by the lock. */
typedef struct mca_pml_champion_flow_t {
    size_t go_on; /**< bytes below which throttled senders are released */

    /* Parameters. */
    unsigned patience; /**< seconds; 0: no report */
} mca_pml_champion_flow_t;

extern mca_pml_champion_flow_t mca_pml_champion_flow;

/** Register the parameters. False if a value is not allowed. */
bool mca_pml_champion_flow_register(void);
/** Determine the limit and register the handlers, before there are messages. */
int mca_pml_champion_flow_open(void);
void mca_pml_champion_flow_close(void);

/* The sender's side. */

/** Flow control is due: make the next message to the peer take the slow path,
 * which polls UCX. Lock held. */
void mca_pml_champion_flow_due(mca_pml_champion_peer_t *peer);

/** Called before a message to a peer is started; the caller then polls UCX,
 * which may have a STOP from the peer. Lock held. */
void mca_pml_champion_flow_check(mca_pml_champion_peer_t *peer);

/** Reset the state of flow control with a peer whose endpoint is closed. Lock
 * held. */
void mca_pml_champion_flow_reset(mca_pml_champion_peer_t *peer);

/** Handler of FLOW messages, see peer/ctrl_msg.h. */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_flow_received(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_FLOW_CONTROL_H */
