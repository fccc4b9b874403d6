/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages that a progress thread would have brought on: whether this process
 * is worth one (pml_champion_progress_thread=auto) by the rule of
 * rndv/thread_trigger_rule.h.
 *
 *     sender                                   receiver, which computes
 *        |  ASK: what is the time?  -------->     .
 *        |  <--------  ANSWER                     .
 *        |  request, sent at t by your clock -->  . waits in the network
 *        |                                        |
 *        |                                        | MPI_Wait: seen at t + delta
 *
 * The sender of a rendezvous request writes into it when it was sent, by the
 * clock of the receiver; how far that is from its own it finds out by asking.
 * So the receiver learns how long a request was there before software looked,
 * which neither of the two could tell alone: a receiver that finds a request
 * when it comes from a computation may find one that has just come.
 *
 * A sender that computes holds its receivers up likewise where the network has
 * no adapter that reads memory by itself: over TCP it has to send when the
 * receiver asks UCX for the data. The receiver waits, and the sender does not
 * know it. So a receiver says when it has asked, by the sender's clock; and the
 * sender takes for delta how long that was there before software looked.
 *
 *     sender, which computes                   receiver, which waits
 *        |  request  ---------------------------> |
 *        .  <--------  FETCHING since t           |
 *        .  <--------  UCX: send it               .
 *        |                                        .
 *     MPI_Wait: seen at t + delta                 .
 *
 * Only messages from other nodes count, unless thread_local is set. Within a
 * node the processor copies, and what the thread does beside a computation is
 * taken from that.
 *
 * Costs: 4 bytes in the header of messages that are not small, two looks at the
 * clock for a rendezvous, two empty messages for each pair of processes and
 * later perhaps some more; over TCP one for a rendezvous of 64 KiB or more (for
 * the first 64 of a peer, then for one of 16); nothing for a small message. A
 * process whose thread runs looks at none of it any more.
 */

#ifndef MCA_PML_CHAMPION_RNDV_THREAD_TRIGGER_H
#define MCA_PML_CHAMPION_RNDV_THREAD_TRIGGER_H

#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/rndv/thread_trigger_rule.h"
#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** Smallest message that says when it was sent, bytes. */
#define MCA_PML_CHAMPION_THREAD_TRIGGER_BYTES 8192

/** Smallest message whose sender is told that it is fetched, bytes: less than
 * that is in the sender's socket at once. */
#define MCA_PML_CHAMPION_THREAD_TRIGGER_FETCHED_BYTES 65536

/** Protected by the lock. */
typedef struct mca_pml_champion_thread_trigger_t {
    bool on;       /**< messages say when they were sent */
    bool watching; /**< and are looked at: a thread may be started */
    mca_pml_champion_lateness_t lateness; /**< of messages to this process */
    mca_pml_champion_lateness_t sending;  /**< of messages from it */
    uint64_t since;                       /**< ns; when it was opened */
} mca_pml_champion_thread_trigger_t;

extern mca_pml_champion_thread_trigger_t mca_pml_champion_thread_trigger;

/** See whether it is wanted. Before there are messages. */
void mca_pml_champion_thread_trigger_open(void);

/** When a message to a peer is sent, by the peer's clock, us; 0 if that is of
 * no interest, or not known yet. May ask. Lock held. */
uint32_t mca_pml_champion_thread_trigger_stamp(mca_pml_champion_peer_t *peer);

/** A request for so many bytes, which was sent at that time, has been seen.
 * Lock held. */
void mca_pml_champion_thread_trigger_seen(
    const mca_pml_champion_named_header_t *header, size_t bytes);

/** So many bytes are about to be fetched from a peer by UCX. May tell it. Lock
 * held. */
void mca_pml_champion_thread_trigger_fetching(mca_pml_champion_peer_t *peer,
                                              size_t bytes);

/** What a peer says: a CLOCK message, see peer/ctrl_msg.h. */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_thread_trigger_told(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RNDV_THREAD_TRIGGER_H */
