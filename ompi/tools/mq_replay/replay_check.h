/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares what a component finds, and has queued, with the model. The program
 * ends at the first difference.
 */

#ifndef MQ_REPLAY_CHECK_H
#define MQ_REPLAY_CHECK_H

#include "replay_state.h"

/** Compare the results of the current batch, whose operations are ops. */
void replay_check(const replay_state_t *state, const replay_op_t *ops);

/** Compare the queues of all domains at the end of a part. */
void replay_check_queues(const replay_state_t *state);

#endif /* MQ_REPLAY_CHECK_H */
