/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/offload/outstanding.h"

mca_pml_champion_outstanding_t mca_pml_champion_outstanding;

void mca_pml_champion_outstanding_begins(mca_pml_champion_recv_t *recv,
                                         uint64_t cost)
{
    MCA_PML_CHAMPION_LOCKED();
    recv->offload.flags |= MCA_PML_CHAMPION_TRACKED_COSTS;
    recv->offload.cost = cost;
    mca_pml_champion_outstanding.sum += recv->offload.cost;
}

void mca_pml_champion_outstanding_ends(mca_pml_champion_recv_t *recv)
{
    MCA_PML_CHAMPION_LOCKED();
    if (0 != (recv->offload.flags & MCA_PML_CHAMPION_TRACKED_COSTS)) {
        recv->offload.flags &= ~MCA_PML_CHAMPION_TRACKED_COSTS;
        mca_pml_champion_outstanding.sum -= recv->offload.cost;
    }
}
