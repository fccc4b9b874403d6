/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiles of all processes (mq_base_profile).
 */

#ifndef MCA_PML_CHAMPION_STATS_PROFILE_H
#define MCA_PML_CHAMPION_STATS_PROFILE_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Register the functions that the recorder needs. Call before the first domain
 * is made. */
void mca_pml_champion_profile_begin(void);
/** Record the name of a communicator, which is about to be deleted or written
 * to the profile. Lock held. */
void mca_pml_champion_profile_leave(const mca_pml_champion_comm_t *comm);
/** Copy what has been recorded so far. */
void mca_pml_champion_profile_snapshot(void);
/** Write the profile of all processes, of their copies; collective over
 * MPI_COMM_WORLD. */
void mca_pml_champion_profile_write(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_PROFILE_H */
