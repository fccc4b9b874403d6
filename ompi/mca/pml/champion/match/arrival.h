/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What becomes of a message whose turn has come (match/reorder.h), until it has
 * a receive:
 *
 *     match    is its communicator known? Else it is parked until that is. Does
 *        |     mq have a receive for it? Else it is queued as unexpected, and
 *        |     threads that wait for it in a probe are told
 *        |
 *     deliver  see match/deliver.h
 *
 * The fast path of all this is in mpi/am.c.
 */

#ifndef MCA_PML_CHAMPION_MATCH_ARRIVAL_H
#define MCA_PML_CHAMPION_MATCH_ARRIVAL_H

#include "ompi/mca/pml/champion/match/message.h"

#pragma GCC visibility push(hidden)

/** A message that waited, and whose turn has not to be looked at: match it or
 * queue it. Lock held. */
void mca_pml_champion_message_match(mca_pml_champion_message_t *message);

/** A message is next in its pair: match or queue it. Lock held. */
void mca_pml_champion_arrival_match(mca_pml_champion_arrival_t *arrival);

/** mq asks for the entry of a message that matched no receive; arg is its
 * arrival. */
mca_mq_entry_t *mca_pml_champion_arrival_entry(void *arg);

/** mq asks for the entry of an eager message of which only the first fields are
 * filled in. */
mca_mq_entry_t *mca_pml_champion_arrival_entry_eager(void *arg);

/** Drop a message whose turn has come, if it waits for its receive, because its
 * sender wants it back. False: it does not, or not any more. Lock held. */
bool mca_pml_champion_arrival_take_back(const mca_pml_champion_peer_t *peer,
                                        const mca_mq_envelope_t *envelope,
                                        uint32_t sequence);

/** Drop an arrival that its sender wants back. Lock held. */
void mca_pml_champion_arrival_recalled(mca_pml_champion_arrival_t *arrival);

/** Match the messages that came before their communicator, in order. Lock held.
 */
void mca_pml_champion_parked_release(uint32_t context);

/** Drop those that wait for a communicator. Lock held. */
void mca_pml_champion_parked_drop(void);

/** A thread that waits in MPI_Probe or MPI_Mprobe. */
typedef struct mca_pml_champion_prober_t {
    mca_mq_envelope_t envelope; /**< what it looks for */
    uint32_t found; /**< 1 when such a message was queued; release order */
    struct mca_pml_champion_prober_t *next;
} mca_pml_champion_prober_t;

/** Let a thread wait, and no more. Lock held. */
void mca_pml_champion_probers_add(mca_pml_champion_prober_t *prober);
void mca_pml_champion_probers_remove(mca_pml_champion_prober_t *prober);

/** Make those look again who wait in a context. Lock held. */
void mca_pml_champion_probers_wake(uint32_t context);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_ARRIVAL_H */
