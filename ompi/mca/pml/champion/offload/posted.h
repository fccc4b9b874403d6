/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receive offload: the posted receives that it tracks, their lists, and those
 * that are posted to UCX. The lock is held unless a comment says otherwise.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_POSTED_H
#define MCA_PML_CHAMPION_OFFLOAD_POSTED_H

#include "ompi/mca/pml/champion/match/message.h"
#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/offload/offload_rule.h"
#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** Recent numbers of offloaded and cancelled receives. */
extern mca_pml_champion_window_t mca_pml_champion_posted_window;

/** Is a receive large enough, and contiguous, so that offloading it can pay? */
static inline bool mca_pml_champion_posted_eligible(
    const mca_pml_champion_recv_t *recv)
{
    return recv->contiguous && recv->capacity >= mca_pml_champion_offload.min;
}

/** Does a receive have one of these flags? */
static inline bool mca_pml_champion_posted_is(
    const mca_pml_champion_recv_t *recv, uint32_t flags)
{
    return 0 != (recv->offload.flags & flags);
}

/** Add a posted receive with a wildcard to its communicator's list. */
void mca_pml_champion_posted_add_wild(mca_pml_champion_recv_t *recv,
                                      mca_pml_champion_comm_t *comm);

/** Append a posted receive to the list of its stream. */
void mca_pml_champion_posted_add(mca_pml_champion_stream_t *stream,
                                 mca_pml_champion_recv_t *recv);

/** Remove a receive from its list, if it is in one. */
void mca_pml_champion_posted_leave(mca_pml_champion_recv_t *recv);

/** Post a receive to UCX, for a message of length bytes or, if that is unknown,
 * as many as fit. cost: estimated time of the transfer, ns. */
void mca_pml_champion_posted_give(mca_pml_champion_recv_t *recv,
                                  uint64_t ucp_tag, size_t length,
                                  uint64_t cost);

/** Cancel a receive in UCX; often it is cancelled when this returns. */
void mca_pml_champion_posted_take_back(mca_pml_champion_recv_t *recv);

/** Complete a receive that has its message and data. */
void mca_pml_champion_posted_finish(mca_pml_champion_recv_t *recv,
                                    ucs_status_t status);

/** Complete a receive that the user has cancelled. */
void mca_pml_champion_posted_cancelled(mca_pml_champion_recv_t *recv);

/** Some receives of a stream are cancelled by the user: complete those that can
 * be cancelled, and keep those that are bound to get their message. */
void mca_pml_champion_posted_settle(mca_pml_champion_stream_t *stream);

/** Discard the data of a TAGGED message by a receive without room, so that UCX
 * completes the sender's request. */
void mca_pml_champion_posted_discard(mca_pml_champion_arrival_t *arrival);

/** Cancel the discards that are left. All sends of all processes are complete,
 * no communicator is left. Without the lock. */
void mca_pml_champion_posted_drain(void);

/** Does UCX still have receives? Without the lock. */
bool mca_pml_champion_posted_is_busy(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_POSTED_H */
