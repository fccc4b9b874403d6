/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Restores the order of messages. Each ordered pair of processes numbers its
 * messages, because their routes (rings, eager messages of UCX, its rendezvous)
 * are not ordered with each other. A message is matched when its number equals
 * peer->recv_sequence. A message that arrives out of order is kept in its
 * peer's list, which is sorted by number. Numbers wrap; those in a list are
 * less than 2^31 apart.
 *
 *     recv_sequence = 7        first                                last
 *                                8 ------> 10 ------> 11 ------> 11
 *                             message   MATCHED_EARLY   RECALLED   message
 *
 * Two kinds of entries are not messages. MATCHED_EARLY stands for a message
 * that was matched out of order, because its communicator allows overtaking.
 * RECALLED means that the sender has cancelled the message of that number; it
 * precedes the message itself, if that has arrived.
 *
 * The fast path, for a message that is next while the list is empty, is in
 * mpi/am.c and shm/ring_recv.c, which test peer->slow_arrivals. With receive
 * offload, and on the test network (match/test_delay.h), all messages take the
 * slow path, which is here.
 */

#ifndef MCA_PML_CHAMPION_MATCH_REORDER_H
#define MCA_PML_CHAMPION_MATCH_REORDER_H

#include "ompi/mca/pml/champion/match/arrival.h"

#pragma GCC visibility push(hidden)

/** A message has arrived: match it if it is next in its pair of processes, or
 * if order does not matter (info key mpi_assert_allow_overtaking); else keep
 * it. Returns whether it is ahead of its turn: others are to come first, by
 * another route. Lock held. */
bool mca_pml_champion_reorder_arrive(mca_pml_champion_arrival_t *arrival);

/** Like mca_pml_champion_reorder_arrive(), for a message that was assembled
 * from fragments. Lock held. */
void mca_pml_champion_reorder_message(mca_pml_champion_message_t *message);

/** Result of a request to drop a message (MPI_Cancel of its send). */
typedef enum {
    MCA_PML_CHAMPION_GONE,    /**< it had no receive yet, and was dropped */
    MCA_PML_CHAMPION_MATCHED, /**< it is matched: too late */
    MCA_PML_CHAMPION_NOT_YET, /**< it has not arrived, or is out of order */
    MCA_PML_CHAMPION_TWICE /**< like NOT_YET, but this request is a duplicate */
} mca_pml_champion_withdrawal_t;

/** Called when the turn of a message has come that was recalled before; the
 * result is GONE or MATCHED. Lock held. */
typedef void (*mca_pml_champion_withdrawn_fn_t)(
    mca_pml_champion_peer_t *peer, uint64_t token,
    mca_pml_champion_withdrawal_t what);

/**
 * A peer, which may be this process, has cancelled a message that it has sent
 * (mpi/cancel.h): drop it if it is not matched. Lock held.
 *
 * @param[in] token  argument of done
 * @param[in] done   called later if the result is NOT_YET, unless MPI is
 *                   finalized before. Messages to self are never NOT_YET
 */
mca_pml_champion_withdrawal_t mca_pml_champion_reorder_withdraw(
    mca_pml_champion_peer_t *peer, const mca_mq_envelope_t *envelope,
    uint32_t sequence, uint64_t token, mca_pml_champion_withdrawn_fn_t done);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_REORDER_H */
