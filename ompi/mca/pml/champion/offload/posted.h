/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receive offload: the receives that it knows, in which list they are, and what
 * of them UCX has. The lock is held unless a comment says otherwise.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_POSTED_H
#define MCA_PML_CHAMPION_OFFLOAD_POSTED_H

#include "ompi/mca/pml/champion/match/message.h"
#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/offload/offload_rule.h"
#include "ompi/mca/pml/champion/request/request.h"

#pragma GCC visibility push(hidden)

/** How many were offloaded and taken back lately. */
extern mca_pml_champion_window_t mca_pml_champion_posted_window;

/** Can offloading a receive be worth it at all? */
static inline bool mca_pml_champion_posted_eligible(
    const mca_pml_champion_recv_t *recv)
{
    return recv->contiguous && recv->capacity >= mca_pml_champion_offload.min;
}

/** Has a receive one of these flags? */
static inline bool mca_pml_champion_posted_is(
    const mca_pml_champion_recv_t *recv, uint32_t flags)
{
    return 0 != (recv->offload.flags & flags);
}

/** Remember a queued receive that has a wildcard. */
void mca_pml_champion_posted_add_wild(mca_pml_champion_recv_t *recv,
                                      mca_pml_champion_comm_t *comm);

/** Append a queued receive to the list of its stream. */
void mca_pml_champion_posted_add(mca_pml_champion_inflow_t *flow,
                                 mca_pml_champion_recv_t *recv);

/** Take a receive out of the list it is in, if any. */
void mca_pml_champion_posted_leave(mca_pml_champion_recv_t *recv);

/** Give a receive to UCX, for a message of length bytes or, if that is not
 * known yet, as many as fit. It costs so many ns. */
void mca_pml_champion_posted_give(mca_pml_champion_recv_t *recv,
                                  uint64_t ucp_tag, size_t length,
                                  uint64_t cost);

/** Ask UCX to give a receive back; often it has when this returns. */
void mca_pml_champion_posted_take_back(mca_pml_champion_recv_t *recv);

/** A receive has its message and its data: complete it. */
void mca_pml_champion_posted_finish(mca_pml_champion_recv_t *recv,
                                    ucs_status_t status);

/** The user's cancelling of a receive has come to its end. */
void mca_pml_champion_posted_cancelled(mca_pml_champion_recv_t *recv);

/** Some receives of a stream are unwanted: see which can be cancelled, and
 * which are bound to get their message. */
void mca_pml_champion_posted_settle(mca_pml_champion_inflow_t *flow);

/** Nobody wants the data of a TAGGED message. A receive without room makes UCX
 * tell the sender that it is done. */
void mca_pml_champion_posted_discard(mca_pml_champion_arrival_t *arrival);

/** Cancel in UCX the receives of discarded data that are left. All sends of all
 * processes are complete, no communicator is left. Without the lock. */
void mca_pml_champion_posted_drain(void);

/** Does UCX still have receives? Without the lock. */
bool mca_pml_champion_posted_is_busy(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_POSTED_H */
