/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Taking leave of processes of other jobs. A server meets clients without end;
 * what UCX keeps for each (mapped memory, of which a system has a limited
 * number, or sockets) has to go when the last communicator with it is freed.
 *
 * UCX closes one side of a connection at a time. What the other side has under
 * way is lost then, and when it connects again, UCX pairs its endpoint with the
 * wrong one. So the two agree first, and both close. Communicators are freed by
 * each process in its own time, and the two may meet again before both have:
 *
 *     follower                          leader
 *        |  <- ASK ------------------------ |  idle
 *        |  ----- OFFER, last message ->    |
 *        |  <- AGREE, last message -------  |  idle: flushes, closes
 *      closes                               |
 *        |  <- DECLINE -------------------  |  not idle: all stays as it is
 *
 * Idle is who has no communicator with the other one, and no send to it that is
 * not complete. The process with the smaller name leads. Who has offered or
 * agreed sends no more until it has closed its endpoint or was declined; the
 * leader answers whatever its program waits for, so nobody waits for ever. Each
 * closes when it has got the last message of the other one. Both have an
 * endpoint then, for which ASK and OFFER bring the address: UCX counts the
 * endpoints of a pair, and pairs those of the same number.
 *
 * The peer itself stays, 200 bytes: sequence numbers go on, so that messages of
 * a new connection cannot be mistaken.
 *
 * UCX closes an endpoint without the consent of the other side's UCX only if
 * it handles the failure of peers (UCP_ERR_HANDLING_MODE_PEER). Then it tells,
 * too, of processes that have ended without taking leave.
 */

#ifndef MCA_PML_CHAMPION_CONN_DISCONNECT_H
#define MCA_PML_CHAMPION_CONN_DISCONNECT_H

#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** There is one communicator more. Lock held. *others says whether processes of
 * other jobs are in it. */
int mca_pml_champion_disconnect_join(ompi_communicator_t *comm, bool *others);

/** A communicator with processes of other jobs goes. Lock held. */
void mca_pml_champion_disconnect_leave(ompi_communicator_t *comm);

/** What a peer says: a DISCONNECT message, see peer/ctrl_msg.h. */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_disconnect_told(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length);

/** Go on with those who are due. Lock held, not from a callback of UCX. */
void mca_pml_champion_disconnect_step(void);

/** From here on it is heard what peers say, and endpoints that are made to
 * other jobs can be closed if `closes`. */
void mca_pml_champion_disconnect_open(bool closes);
void mca_pml_champion_disconnect_fini(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CONN_DISCONNECT_H */
