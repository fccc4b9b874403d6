/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The estimated time of all transfers of large messages in flight, K of
 * offload/offload_rule.h, which receive offload compares with the time that a
 * receive waits. Not maintained while offload is off.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_OUTSTANDING_H
#define MCA_PML_CHAMPION_OFFLOAD_OUTSTANDING_H

#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** Protected by the lock. */
typedef struct mca_pml_champion_outstanding_t {
    bool on;      /**< set once, before there are messages */
    uint64_t sum; /**< K, ns */
} mca_pml_champion_outstanding_t;

extern mca_pml_champion_outstanding_t mca_pml_champion_outstanding;

/** The transfer of a large message begins, with its estimated time by
 * peer/cost_model.h, ns. Lock held. */
static inline void mca_pml_champion_outstanding_begins(
    mca_pml_champion_recv_t *recv, uint64_t cost)
{
    MCA_PML_CHAMPION_LOCKED();
    recv->offload.flags |= MCA_PML_CHAMPION_TRACKED_COSTS;
    recv->offload.cost = cost;
    mca_pml_champion_outstanding.sum += cost;
}

/** It has ended. Lock held. */
static inline void mca_pml_champion_outstanding_ends(
    mca_pml_champion_recv_t *recv)
{
    MCA_PML_CHAMPION_LOCKED();
    if (0 != (recv->offload.flags & MCA_PML_CHAMPION_TRACKED_COSTS)) {
        recv->offload.flags &= ~MCA_PML_CHAMPION_TRACKED_COSTS;
        mca_pml_champion_outstanding.sum -= recv->offload.cost;
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_OUTSTANDING_H */
