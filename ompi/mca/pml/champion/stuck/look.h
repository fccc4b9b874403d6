/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What this process waits for, from what it has anyway: the queues of mq, the
 * requests of the call that waits, the stack.
 */

#ifndef MCA_PML_CHAMPION_STUCK_LOOK_H
#define MCA_PML_CHAMPION_STUCK_LOOK_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/stuck/state.h"

#pragma GCC visibility push(hidden)

/** Fill in the state of the calling thread, which is in that MPI call, or in none
 * if it is empty; all but `since`. Walks through the queues. Lock held. */
void mca_pml_champion_stuck_look(const char *call,
                                 mca_pml_champion_stuck_state_t *state);

/** A number that changes with each message. Lock held. */
uint64_t mca_pml_champion_stuck_moved(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STUCK_LOOK_H */
