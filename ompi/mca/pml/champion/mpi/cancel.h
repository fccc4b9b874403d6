/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Cancel of a send: its message is taken back if its receiver has not
 * matched it. MPI has deprecated that, because it makes small messages dear in
 * many implementations. Here nothing is kept for it but the number that each
 * message has in its pair of processes anyway: the receiver knows it, too.
 *
 *     sender                                   receiver
 *        |  message  --------------------------->  |  waits for a receive
 *        |  RECALL: ASK, envelope, number ------>  |  looks for it: drops it,
 *        |                                         |  or has matched it
 *        |  <------ RECALL: CANCELLED, or LATE     |
 *
 * The send is complete when the answer has come, and what a send of its kind
 * waits for has, too: UCX's completion, an ACK. A receiver that drops a message
 * sees to that, as it does for those that nobody received at the end. A send
 * that was complete when it was cancelled is not so for that time.
 *
 * The message and the ASK may go different ways, rings and UCP, and messages
 * wait at the receiver until their turn comes. If the turn has not come, the
 * ASK waits in the list of match/reorder.h, under the number of the message,
 * which is dropped when it is its turn; its number counts all the same. That
 * list takes the arrivals of its peer off the fast path while there is
 * something in it.
 *
 * So all kinds of messages are taken back in the same way: eager ones, those
 * that wait for room in a ring, those that are partly there, rendezvous
 * messages, also of a sender that was told to stop (conn/flow_control.h),
 * prefetched ones, those sent by tag, synchronous and buffered ones. Messages
 * of a process to itself are looked for at once. Matched is what MPI_Mprobe has
 * taken, too.
 *
 * A send is not cancelled, which MPI allows, if the processes have parted
 * meanwhile (conn/disconnect.h), if it is one of more sends than have a
 * request of their own (request/completed_send.h), or if another thread is just
 * completing it.
 *
 * MPI_Wait of a cancelled send wants an answer of the receiver, which gives it
 * in any of its MPI calls that make progress.
 */

#ifndef MCA_PML_CHAMPION_MPI_CANCEL_H
#define MCA_PML_CHAMPION_MPI_CANCEL_H

#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/request/request.h"

#pragma GCC visibility push(hidden)

/** MPI_Cancel of a send. Nothing is done the second time, or with flag 0. */
int mca_pml_champion_cancel_send(ompi_request_t *request, int flag);

/** The same of one that was complete when its call returned. */
int mca_pml_champion_cancel_sent(ompi_request_t *request, int flag);

/** A send was cancelled that was about to complete: go on with it. True if it
 * waits now. Without the lock. */
bool mca_pml_champion_cancel_recall(mca_pml_champion_send_request_t *request);

/** From here on it is heard what peers say. */
void mca_pml_champion_cancel_open(void);

/** When the worker is gone. */
void mca_pml_champion_cancel_close(void);

/** What a peer says: a RECALL message, see peer/ctrl_msg.h. */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_cancel_told(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_CANCEL_H */
