/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Cancel of a send: its message is withdrawn if the receiver has not
 * matched it. MPI has deprecated this because it makes small messages expensive
 * in many implementations. Here it needs no state but the sequence number that
 * each message has anyway, and that the receiver knows, too.
 *
 *     sender                                   receiver
 *        |  message  --------------------------->  |  waits for a receive
 *        |  RECALL: ASK, envelope, number ------>  |  looks for it: drops it,
 *        |                                         |  or has matched it
 *        |  <------ RECALL: CANCELLED, or LATE     |
 *
 * A cancelled send completes once the answer and its usual completion events
 * (UCX's completion, an ACK) have arrived. A receiver that drops a message
 * triggers these events, as it does for messages that nobody has received by
 * MPI_Finalize. A send that was complete when it was cancelled is pending until
 * the answer arrives.
 *
 * The message and the ASK may go different ways, rings and UCP, and messages
 * wait at the receiver until their turn comes. If the turn has not come, the
 * ASK waits in the list of match/reorder.h, under the number of the message,
 * which is dropped when it is its turn; its number counts all the same. That
 * list takes the arrivals of its peer off the fast path while there is
 * something in it.
 *
 * So all kinds of messages are withdrawn in one way: eager, waiting for room in
 * a ring, incomplete, rendezvous, stopped by flow control
 * (match/flow_control.h), prefetched, sent by tag, synchronous and buffered. A
 * message to self is looked up directly. A message that MPI_Mprobe has taken
 * counts as matched.
 *
 * A send is not cancelled, as MPI permits, if the processes have disconnected
 * meanwhile (match/disconnect.h), if there were more completed sends than
 * requests to record them (match/completed_send.h), or if another thread is
 * just completing it.
 *
 * MPI_Wait of a cancelled send returns after the receiver has answered, which
 * it does in any MPI call that makes progress.
 */

#ifndef MCA_PML_CHAMPION_MPI_CANCEL_H
#define MCA_PML_CHAMPION_MPI_CANCEL_H

#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** MPI_Cancel of a send. No effect the second time, or if flag is 0. */
int mca_pml_champion_cancel_send(ompi_request_t *request, int flag);

/** MPI_Cancel of a send that was complete when its call returned, so that its
 * request is a mca_pml_champion_completed_send_t. */
int mca_pml_champion_cancel_sent(ompi_request_t *request, int flag);

/** Ask for the message of a send that was cancelled just before its completion.
 * True if the send waits for the answer now. Without the lock. */
bool mca_pml_champion_cancel_recall(mca_pml_champion_send_request_t *request);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_CANCEL_H */
