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
 * What counts is memory that messages occupy while they wait for a receive
 * (match/backlog.h). Whoever sends a message that has to wait while the
 * limit is exceeded is told to stop.
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
 * after the send (rndv/rendezvous.h).
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

#ifndef MCA_PML_CHAMPION_CONN_FLOW_CONTROL_H
#define MCA_PML_CHAMPION_CONN_FLOW_CONTROL_H

#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** Messages to a peer by UCX after which their sender polls. */
enum { MCA_PML_CHAMPION_FLOW_LOOK = 256 };

/** State of the process; protected by the lock. */
typedef struct mca_pml_champion_flow_t {
    size_t go_on; /**< bytes below which senders may go on */

    /* Parameters. */
    unsigned patience; /**< seconds; 0: for ever */
} mca_pml_champion_flow_t;

extern mca_pml_champion_flow_t mca_pml_champion_flow;

/** Register the parameters. False if one has a value that is not allowed. */
bool mca_pml_champion_flow_register(void);
/** Find the limit, and have it watched. Before there are messages. */
void mca_pml_champion_flow_open(void);
void mca_pml_champion_flow_close(void);

/* The sender's side. */

/** So many messages went by UCX that the next one has to look. Lock held. */
void mca_pml_champion_flow_due(mca_pml_champion_peer_t *peer);

/** A message to a peer is about to be begun, and the caller looks before that
 * what UCX has, which may be that the peer wants to be spared. Lock held. */
void mca_pml_champion_flow_look(mca_pml_champion_peer_t *peer);

/** The endpoints of a pair of processes are closed: what was said no longer
 * counts. Lock held. */
void mca_pml_champion_flow_part(mca_pml_champion_peer_t *peer);

/** What a peer says: a FLOW message, see peer/ctrl_msg.h. */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_flow_told(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CONN_FLOW_CONTROL_H */
