/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The patterns; the man page mq_replay(1) defines them.
 */

#ifndef MQ_REPLAY_PATTERN_H
#define MQ_REPLAY_PATTERN_H

#include "sequence/replay_sequence.h"
#include "sequence/replay_wish.h"

/** Limits of the options. */
#define REPLAY_RANKS_MIN 2
#define REPLAY_RANKS_MAX 1048576
#define REPLAY_ROUNDS_MAX 1000000000
#define REPLAY_BURST_MAX 1000000
/** Most messages of one round. */
#define REPLAY_MESSAGES_MAX (UINT32_C(1) << 26)

/**
 * Make the sequence of a pattern. Ends the program if there is no such pattern,
 * or it would be too large.
 *
 * @param[in,out] wish  kept by the sequence
 */
void replay_pattern_open(replay_sequence_t *sequence, replay_wish_t *wish);
void replay_pattern_close(replay_sequence_t *sequence);

/** Print the names of all patterns, separated by a text. */
void replay_pattern_names(FILE *file, const char *separator);

#endif /* MQ_REPLAY_PATTERN_H */
