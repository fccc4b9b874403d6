/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The patterns, as the man page mq_replay(1) defines them.
 */

#ifndef MQ_REPLAY_PATTERN_H
#define MQ_REPLAY_PATTERN_H

#include "replay_sequence.h"

/** Bounds of what can be asked for. */
#define REPLAY_RANKS_MIN 2
#define REPLAY_RANKS_MAX 1048576
#define REPLAY_ROUNDS_MAX 1000000000
#define REPLAY_BURST_MAX 1000000
/** Messages of one round. */
#define REPLAY_MESSAGES_MAX (UINT32_C(1) << 26)

/** In which order messages arrive, compared with their receives. */
typedef enum {
    REPLAY_SHUFFLED, /**< drawn anew each round */
    REPLAY_SOURCES,  /**< the same, but each source's in order */
    REPLAY_SAME,
    REPLAY_REVERSE
} replay_order_t;

/** The knobs of the pattern mix. */
typedef struct replay_mix_t {
    uint32_t sources;    /**< that send; 0: all */
    uint32_t unexpected; /**< messages that come before their receive, % */
    uint32_t any_source; /**< receives from any source, % */
    uint32_t any_tag;    /**< receives with any tag, % */
    replay_order_t order;
} replay_mix_t;

/** What the user asked for. */
typedef struct replay_wish_t {
    const char *pattern;
    uint32_t ranks;
    uint32_t rounds; /**< 0: the pattern's default; set to what it is */
    uint32_t burst;  /**< 0: the pattern's default; set to what it is */
    uint64_t seed;
    replay_mix_t mix; /**< for that pattern only */
} replay_wish_t;

/**
 * Make the sequence of a pattern. Ends the program if there is no such
 * pattern, or it would be too much.
 *
 * @param[in,out] wish  kept by the sequence
 */
void replay_pattern_open(replay_sequence_t *sequence, replay_wish_t *wish);
void replay_pattern_close(replay_sequence_t *sequence);

/** Print the names of all patterns, separated by a text. */
void replay_pattern_names(FILE *file, const char *separator);

#endif /* MQ_REPLAY_PATTERN_H */
