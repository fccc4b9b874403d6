/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A slow network that reorders messages, for tests: with
 * pml_champion_test_delay = N every arriving message is delayed for a random
 * number of progress calls up to N.
 */

#ifndef MCA_PML_CHAMPION_MATCH_TEST_DELAY_H
#define MCA_PML_CHAMPION_MATCH_TEST_DELAY_H

#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/match/message.h"

#pragma GCC visibility push(hidden)

/** On while messages are delayed. */
extern mca_pml_champion_chore_t mca_pml_champion_test_delay;

/** Delay a message; only if test_delay is set. over: called when its time is
 * over, the same for all. Lock held. */
void mca_pml_champion_test_delay_add(
    mca_pml_champion_message_t *message,
    void (*over)(mca_pml_champion_message_t *message));

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_TEST_DELAY_H */
