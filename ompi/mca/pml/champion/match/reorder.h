/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of messages. They are numbered in each ordered pair of processes,
 * and come by ways that keep no order among them (rings, UCX's messages, its
 * rendezvous). A message is matched when its number is the next one,
 * peer->recv_sequence; one that comes before its turn waits in its peer's list,
 * which is sorted by number. Numbers wrap; those in a list are less than 2^31
 * apart.
 *
 *     recv_sequence = 7        first                                last
 *                                8 ------> 10 ------> 11 ------> 11
 *                             message   MATCHED_EARLY   RECALLED   message
 *
 * So two things stand in that list that are no messages: the number of one that
 * was matched before its turn, because its communicator allows overtaking; and
 * that one is wanted back by its sender, which stands before the message, if
 * that is there.
 *
 * The fast path, a message that is next while the list is empty, is in mpi/am.c
 * and ring/ring_recv.c.
 */

#ifndef MCA_PML_CHAMPION_MATCH_REORDER_H
#define MCA_PML_CHAMPION_MATCH_REORDER_H

#include "ompi/mca/pml/champion/match/arrival.h"

#pragma GCC visibility push(hidden)

/** A message has come: see whether it is its turn, or need not be (info key
 * mpi_assert_allow_overtaking). Lock held. */
void mca_pml_champion_reorder_arrive(mca_pml_champion_arrival_t *arrival);

/** A message that waited (delayed, parked) arrives again. Lock held. */
void mca_pml_champion_reorder_message(mca_pml_champion_message_t *message);

/** What has become of a message that its sender wants back. */
typedef enum {
    MCA_PML_CHAMPION_GONE,    /**< it waited for its receive, and was dropped */
    MCA_PML_CHAMPION_MATCHED, /**< it is too late */
    MCA_PML_CHAMPION_NOT_YET, /**< it has not come, or not its turn */
    MCA_PML_CHAMPION_TWICE    /**< the same, and it is wanted back already */
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
mca_pml_champion_withdrawal_t mca_pml_champion_reorder_withdraw(
    mca_pml_champion_peer_t *peer, const mca_mq_envelope_t *envelope,
    uint32_t sequence, uint64_t token, mca_pml_champion_withdrawn_fn_t done);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_REORDER_H */
