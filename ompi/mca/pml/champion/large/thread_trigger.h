/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides whether this process needs a progress thread
 * (pml_champion_progress_thread=auto): detects large messages that are delayed
 * for lack of one, and applies the rule in large/thread_trigger_rule.h.
 *
 *     sender                                   receiver, which computes
 *        |  ASK: what is the time?  -------->     .
 *        |  <--------  ANSWER                     .
 *        |  request, sent at t by your clock -->  . waits in the network
 *        |                                        |
 *        |                                        | MPI_Wait: seen at t + delta
 *
 * The sender of a rendezvous request writes into it when it was sent, by the
 * receiver's clock; it asks for the difference to its own when it connects to the
 * receiver, so that the first request has its time, too. So the
 * receiver knows how long a request was waiting before software looked. Neither
 * side could tell alone: a receiver that finds a request after a computation
 * cannot know whether it has just arrived.
 *
 * A sender that computes holds up its receivers, too, where no adapter reads
 * memory by itself: over TCP, the sender has to act when the receiver asks UCX
 * for the data. The receiver waits, and the sender does not know. So the
 * receiver reports when it has asked, by the sender's clock, and the sender's
 * delta is how long that report was waiting before software looked.
 *
 *     sender, which computes                   receiver, which waits
 *        |  request  ---------------------------> |
 *        .  <--------  FETCHING since t           |
 *        .  <--------  UCX: send it               .
 *        |                                        .
 *     MPI_Wait: seen at t + delta                 .
 *
 * And a transfer itself may stand still, which neither of these shows: the
 * receive began it, then the program computed. For that the longest time between
 * two looks at UCX is measured during transfers over TCP (peer/cost_model.h).
 *
 *     sender                                   receiver
 *        |  request  ---------------------------> | MPI_Probe
 *        |  <--------  UCX: send it               | MPI_Irecv
 *        |  first data  ------------------------> .
 *        | waits                                  . computes for gap
 *        |                                        |
 *        |  the rest  --------------------------> | MPI_Wait
 *
 * Schedules of collectives stand still between two small messages, too
 * (large/standstill.h); that counts like a transfer that is late.
 *
 * Only messages from other nodes count, unless pml_champion_thread_local is
 * set. Within a node a processor does the copying, so the thread takes its gain
 * from the computation.
 *
 * Costs: 4 bytes in the header of messages that are not small; two readings of
 * the clock per rendezvous; two small messages per pair of processes, and at
 * times some more; over TCP, one small message per rendezvous of 64 KiB or more
 * (for the first 64 of a peer, or 8 if they are short, then for one in 16); nothing
 * for a small message. While its thread runs, a process ignores all of this.
 */

#ifndef MCA_PML_CHAMPION_LARGE_THREAD_TRIGGER_H
#define MCA_PML_CHAMPION_LARGE_THREAD_TRIGGER_H

#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/large/thread_trigger_rule.h"
#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** Smallest message that carries a timestamp, bytes. */
#define MCA_PML_CHAMPION_THREAD_TRIGGER_BYTES 8192

/** Smallest message whose fetch is reported to its sender, bytes; smaller ones
 * fit into the sender's socket at once. */
#define MCA_PML_CHAMPION_THREAD_TRIGGER_FETCHED_BYTES 65536

/** Protected by the lock. */
typedef struct mca_pml_champion_thread_trigger_t {
    int mode;       /**< of the parameter, as last adopted */
    bool running;   /**< there is a thread */
    bool on;        /**< messages carry timestamps */
    bool watching;  /**< timestamps are evaluated: a thread may be started */
    unsigned doubt; /**< a start needs 2 to this power times as much */
    mca_pml_champion_lateness_t lateness; /**< delays of messages to and from
                                               this process */
    uint64_t since;                       /**< time of opening, ns */
} mca_pml_champion_thread_trigger_t;

extern mca_pml_champion_thread_trigger_t mca_pml_champion_thread_trigger;

/** Called when it has stopped watching; set by large/standstill.c. Lock held. */
extern void (*mca_pml_champion_thread_trigger_unwatched)(void);

/** Switch it on if the parameter asks for it. Call before any message
 * arrives. */
int mca_pml_champion_thread_trigger_open(void);

/** The thread runs: evaluate no timestamps. Lock held. */
void mca_pml_champion_thread_trigger_runs(void);

/** The thread has ended: evaluate timestamps again. A start needs 2 to the
 * power of `doubt` times as many late messages. Lock held. */
void mca_pml_champion_thread_trigger_again(unsigned doubt);

/** The timestamp of a message to a peer: now, by the peer's clock, us; 0 if
 * that is not needed or not known yet. May ask the peer for its time. Lock
 * held. */
uint32_t mca_pml_champion_thread_trigger_stamp(mca_pml_champion_peer_t *peer);

/** Software has seen the header of a rendezvous message of `bytes` bytes:
 * evaluate its timestamp. Lock held. */
void mca_pml_champion_thread_trigger_on_header(
    const mca_pml_champion_named_header_t *header, size_t bytes);

/** UCX is about to fetch `bytes` bytes from a peer; may report that to the
 * peer. Lock held. */
void mca_pml_champion_thread_trigger_fetching(mca_pml_champion_peer_t *peer,
                                              size_t bytes);

/** A schedule begins that sends much to other nodes: would it count if it stood
 * still? Lock held. */
bool mca_pml_champion_thread_trigger_counts_schedules(void);

/** It is over, and has lost so much time because the program computed, ns; 0:
 * nothing. Only while schedules count. Lock held. */
void mca_pml_champion_thread_trigger_on_schedule_end(uint64_t lost);

/** Handle a CLOCK message of a peer; see peer/ctrl_msg.h. */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_thread_trigger_received(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_LARGE_THREAD_TRIGGER_H */
