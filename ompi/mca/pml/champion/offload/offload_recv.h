/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receive offload at the receiver. The lock is held unless a comment says
 * otherwise.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_RECV_H
#define MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_RECV_H

#include "ompi/mca/pml/champion/offload/invite.h"
#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/offload/posted.h"
#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** Track a posted receive that is eligible, has a wildcard, or may be from a
 * process that was asked for tags. */
void mca_pml_champion_offload_track(mca_pml_champion_recv_t *recv,
                                    mca_pml_champion_comm_t *comm);

/** Called before a receive is posted. Without the lock. */
static inline void mca_pml_champion_offload_prepare(
    const mca_pml_champion_recv_t *recv, int source, ompi_communicator_t *comm)
{
    if (mca_pml_champion_posted_eligible(recv)) {
        mca_pml_champion_invite_connect(source, comm);
    }
}

/** Called after a receive was posted in mq. */
static inline void mca_pml_champion_offload_posted(
    mca_pml_champion_recv_t *recv, mca_pml_champion_comm_t *comm)
{
    if (NULL != mca_pml_champion_offload.senders ||
        mca_pml_champion_posted_eligible(recv) ||
        MCA_MQ_ANY_SOURCE == recv->entry.envelope.source ||
        MCA_MQ_ANY_TAG == recv->entry.envelope.tag) {
        mca_pml_champion_offload_track(recv, comm);
    }
}

/** The user cancels a posted receive. True if it can be withdrawn now, always
 * while offload is off; otherwise it is withdrawn later, or has its message
 * already. */
bool mca_pml_champion_offload_cancel(mca_pml_champion_recv_t *recv);

/** A receive that was posted, and is removed from mq, is not needed any more.
 * True if UCX does not have it, so that it can be completed now. Otherwise bit
 * says what happens when UCX has cancelled it: MCA_PML_CHAMPION_TRACKED_FAILED:
 * it completes, with the status that is filled in; .._ABANDONED: nothing. */
bool mca_pml_champion_offload_give_up(mca_pml_champion_recv_t *recv,
                                      uint32_t bit);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_RECV_H */
