/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Matches messages whose turn has come (match/reorder.h):
 *
 *     match    If the communicator is not known, the message is parked until it
 *        |     is. If mq has no receive for it, it is queued as unexpected, and
 *        |     threads that probe for it are notified
 *        |
 *     deliver  see match/deliver.h
 *
 * The fast paths are in mpi/am.c and shm/ring_recv.c.
 */

#ifndef MCA_PML_CHAMPION_MATCH_ARRIVAL_H
#define MCA_PML_CHAMPION_MATCH_ARRIVAL_H

#include "ompi/mca/pml/champion/match/message.h"

#pragma GCC visibility push(hidden)

/** Match a message that is next in its pair of processes, or queue it. Lock
 * held. */
void mca_pml_champion_arrival_match(mca_pml_champion_arrival_t *arrival);

/** Called by mq for a message that matched no receive: returns the entry to
 * queue, or NULL to drop the message. arg is its mca_pml_champion_arrival_t. */
mca_mq_entry_t *mca_pml_champion_arrival_entry(void *arg);

/** Like mca_pml_champion_arrival_entry(), for an eager message of which only
 * the first fields of the arrival are filled in. */
mca_mq_entry_t *mca_pml_champion_arrival_entry_eager(void *arg);

/** Drop a message whose turn has come, because its sender has cancelled it, if
 * it still waits for a receive or its communicator. False if it was matched
 * already. Lock held. */
bool mca_pml_champion_arrival_take_back(const mca_pml_champion_peer_t *peer,
                                        const mca_mq_envelope_t *envelope,
                                        uint32_t sequence);

/** Drop an arrival because its sender has cancelled it. Lock held. */
void mca_pml_champion_arrival_recalled(mca_pml_champion_arrival_t *arrival);

/** Match the messages that arrived before their communicator was known, in
 * order. Lock held. */
void mca_pml_champion_parked_release(uint32_t context);

/** Drop the messages whose communicator is not known. Lock held. */
void mca_pml_champion_parked_drop(void);

/** A thread that waits in MPI_Probe or MPI_Mprobe. */
typedef struct mca_pml_champion_prober_t {
    mca_mq_envelope_t envelope; /**< to be found */
    uint32_t found; /**< 1 once a matching message was queued; release order */
    struct mca_pml_champion_prober_t *next;
} mca_pml_champion_prober_t;

/** Add a thread to those that are notified, or remove it. Lock held. */
void mca_pml_champion_probers_add(mca_pml_champion_prober_t *prober);
void mca_pml_champion_probers_remove(mca_pml_champion_prober_t *prober);

/** Notify the threads that probe in a context, so that they look again. Lock
 * held. */
void mca_pml_champion_probers_wake(uint32_t context);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_ARRIVAL_H */
