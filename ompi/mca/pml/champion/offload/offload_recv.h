/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receive offload at the receiver. The lock is held unless it says otherwise.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_RECV_H
#define MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_RECV_H

#include "ompi/mca/pml/champion/offload/invite.h"
#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/offload/posted.h"
#include "ompi/mca/pml/champion/request/request.h"

#pragma GCC visibility push(hidden)

/** Have TAGGED messages delivered, and this told what it has to know of others
 * (match/offload_hooks.h). Before there are any. */
void mca_pml_champion_offload_recv_open(void);

/** A receive was queued in mq that is eligible, has a wildcard, or may be from
 * a process that was asked for tags. */
void mca_pml_champion_offload_track(mca_pml_champion_recv_t *recv,
                                    mca_pml_champion_comm_t *comm);

/** Before a receive is posted. Without the lock. */
static inline void mca_pml_champion_offload_prepare(
    const mca_pml_champion_recv_t *recv, int source, ompi_communicator_t *comm)
{
    if (mca_pml_champion_posted_eligible(recv)) {
        mca_pml_champion_invite_connect(source, comm);
    }
}

/** A receive was queued in mq. */
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

/** The user cancels a receive that is queued. True if it can be withdrawn now;
 * otherwise that happens later, or it has its message already. */
bool mca_pml_champion_offload_cancel(mca_pml_champion_recv_t *recv);

/** A receive that was queued has failed, and its status says so; it is in no
 * queue of mq any more. True if it can be completed now; otherwise that happens
 * when UCX has given it back. */
bool mca_pml_champion_offload_fail(mca_pml_champion_recv_t *recv);

/** A receive that was queued is forgotten, MPI_Finalize is at work. */
void mca_pml_champion_offload_abandon(mca_pml_champion_recv_t *recv);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_RECV_H */
