/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns a trace into a sequence of operations.
 */

#ifndef MQ_REPLAY_TRACE_H
#define MQ_REPLAY_TRACE_H

#include "sequence/replay_sequence.h"

/**
 * Open a trace. Reads it once as a whole, and ends the program if it is
 * invalid.
 *
 * @param[in] path  kept, not copied
 */
void replay_trace_open(replay_sequence_t *sequence, const char *path);
void replay_trace_close(replay_sequence_t *sequence);

#endif /* MQ_REPLAY_TRACE_H */
