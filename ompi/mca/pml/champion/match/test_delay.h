/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A network that is late and out of order on purpose, for tests: with
 * pml_champion_test_delay = N every arriving message is kept back for a random
 * number of progress calls up to N.
 */

#ifndef MCA_PML_CHAMPION_MATCH_TEST_DELAY_H
#define MCA_PML_CHAMPION_MATCH_TEST_DELAY_H

#include "ompi/mca/pml/champion/match/message.h"

#pragma GCC visibility push(hidden)

/** Keep a message back for a while if test_delay is set. */
void mca_pml_champion_test_delay_add(mca_pml_champion_message_t *message);
/** Let those go whose time has come, if there are any. Lock held. */
void mca_pml_champion_test_delay_progress(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_TEST_DELAY_H */
