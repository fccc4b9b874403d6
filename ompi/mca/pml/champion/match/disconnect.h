/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Disconnecting from processes of other jobs. A server may meet any number of
 * clients; UCX's resources for each of them (mapped memory, of which a system
 * has a limited number, or sockets) have to be freed with the last communicator
 * shared with it.
 *
 * UCX closes one side of a connection at a time. Data in flight from the other
 * side are lost then, and when it connects again, UCX pairs its endpoint with a
 * wrong one. So the two processes agree first, and both close. Each frees its
 * communicators in its own time, and they may share a new one before both are
 * idle:
 *
 *     follower                          leader
 *        |  <- ASK ------------------------ |  idle
 *        |  ----- OFFER, last message ->    |
 *        |  <- AGREE, last message -------  |  idle: flushes, closes
 *      closes                               |
 *        |  <- DECLINE -------------------  |  not idle: stay connected
 *
 * A process is idle if it shares no communicator with the peer and has no
 * pending send to it. The process with the smaller name leads. After an OFFER
 * or AGREE a process does not send until it has closed its endpoint or is
 * declined; the leader answers whatever its program waits for, so there is no
 * deadlock. Each closes when it has received the last message of the other one.
 * Both must have an endpoint for that, to the address that goes ahead of ASK and
 * OFFER in pieces (ADDRESS): UCX numbers the endpoints of a pair, and pairs those
 * with the same number. Pieces, because a process may end right after its OFFER:
 * in front of a message that it cannot send at once, UCX asks the peer for its
 * endpoint, and the peer's UCX reports an error if it looks later.
 *
 * The peer object is kept: sequence numbers continue, so that
 * messages of a new connection cannot be mistaken for older ones.
 *
 * UCX closes an endpoint without the other side only in the mode that handles
 * failures (UCP_ERR_HANDLING_MODE_PEER). Then it also reports processes that
 * have ended without disconnecting.
 */

#ifndef MCA_PML_CHAMPION_MATCH_DISCONNECT_H
#define MCA_PML_CHAMPION_MATCH_DISCONNECT_H

#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** A communicator was created. *others: it has processes of other jobs. Lock
 * held. */
int mca_pml_champion_disconnect_join(ompi_communicator_t *comm, bool *others);

/** A communicator with processes of other jobs is freed. Lock held. */
void mca_pml_champion_disconnect_leave(ompi_communicator_t *comm);

/** Handler of DISCONNECT messages, see peer/ctrl_msg.h. */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_disconnect_received(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length);

/** Can endpoints to other jobs be closed? Set with UCX's worker, before _open.
 */
extern bool mca_pml_champion_closes;

/** Register the handlers. */
int mca_pml_champion_disconnect_open(void);
void mca_pml_champion_disconnect_fini(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_DISCONNECT_H */
