/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Passes over a sequence: runs its operations in batches, and counts or times
 * them.
 */

#ifndef MQ_REPLAY_PASS_H
#define MQ_REPLAY_PASS_H

#include "replay_state.h"

/** Make the state for a sequence; component may be NULL. Ends the program if
 * out of memory. */
replay_state_t *replay_state_new(replay_sequence_t *sequence,
                                 const mca_mq_base_component_t *component);
void replay_state_free(replay_state_t *state);

/** Cost of reading the clock, ns; it is subtracted from every batch. */
double replay_timer_cost(void);

/** Make a pass over the sequence. Returns false if out of memory, or if the
 * component declines (state->declined). */
bool replay_pass(replay_state_t *state, replay_pass_t pass);

#endif /* MQ_REPLAY_PASS_H */
