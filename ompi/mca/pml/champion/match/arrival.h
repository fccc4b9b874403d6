/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What becomes of a message that has come, until it has a receive:
 *
 *     arrive   is it its turn in its pair of processes? Else it is early, and
 *        |     waits in its peer's list
 *        |
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

/** A message has come: see whether it is its turn, or need not be (info key
 * mpi_assert_allow_overtaking). Lock held. */
void mca_pml_champion_arrival_arrive(mca_pml_champion_arrival_t *arrival);

/** A message that waited (delayed, parked) arrives again. Lock held. */
void mca_pml_champion_message_arrive(mca_pml_champion_message_t *message);

/** The same for one whose turn has not to be looked at. */
void mca_pml_champion_message_match(mca_pml_champion_message_t *message);

/** A message is next in its pair: match or queue it. Lock held. */
void mca_pml_champion_arrival_match(mca_pml_champion_arrival_t *arrival);

/** mq asks for the entry of a message that matched no receive; arg is its
 * arrival. */
mca_mq_entry_t *mca_pml_champion_arrival_entry(void *arg);

/** mq asks for the entry of an eager message of which only the first fields are
 * filled in. */
mca_mq_entry_t *mca_pml_champion_arrival_entry_eager(void *arg);

/** What has become of a message that its sender wants back. */
typedef enum {
    MCA_PML_CHAMPION_GONE,    /**< it waited for its receive, and was dropped */
    MCA_PML_CHAMPION_MATCHED, /**< it is too late */
    MCA_PML_CHAMPION_NOT_YET  /**< it has not come, or not its turn */
} mca_pml_champion_withdrawal_t;

/** The turn of a message has come that was wanted back before: it is GONE or
 * MATCHED. Lock held. */
typedef void (*mca_pml_champion_withdrawn_fn_t)(
    mca_pml_champion_peer_t *peer, uint64_t token,
    mca_pml_champion_withdrawal_t what);

/**
 * A peer, which may be this process, wants a message back that it has sent
 * (mpi/cancel.h). Lock held.
 *
 * @param[in] token  handed to done
 * @param[in] done   if NOT_YET: will be called, unless MPI is finalized before.
 *                   Never so for messages of this process to itself
 */
mca_pml_champion_withdrawal_t mca_pml_champion_arrival_withdraw(
    mca_pml_champion_peer_t *peer, const mca_mq_envelope_t *envelope,
    uint32_t sequence, uint64_t token, mca_pml_champion_withdrawn_fn_t done);

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
