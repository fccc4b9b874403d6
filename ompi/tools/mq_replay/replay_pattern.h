/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The patterns; the man page mq_replay(1) defines them.
 */

#ifndef MQ_REPLAY_PATTERN_H
#define MQ_REPLAY_PATTERN_H

#include "replay_sequence.h"

/** Limits of the options. */
#define REPLAY_RANKS_MIN 2
#define REPLAY_RANKS_MAX 1048576
#define REPLAY_ROUNDS_MAX 1000000000
#define REPLAY_BURST_MAX 1000000
/** Most messages of one round. */
#define REPLAY_MESSAGES_MAX (UINT32_C(1) << 26)

/** The order in which messages arrive, relative to their receives. */
typedef enum {
    REPLAY_SHUFFLED, /**< at random, different in each round */
    REPLAY_SOURCES,  /**< shuffled, but in order within each source */
    REPLAY_SAME,
    REPLAY_REVERSE
} replay_order_t;

/** Options of the pattern mix. */
typedef struct replay_mix_t {
    uint32_t sources;    /**< number of sources; 0: all */
    uint32_t unexpected; /**< messages that arrive before their receive, % */
    uint32_t any_source; /**< receives from any source, % */
    uint32_t any_tag;    /**< receives with any tag, % */
    replay_order_t order;
} replay_mix_t;

/** The pattern and options that the user chose. */
typedef struct replay_wish_t {
    const char *pattern;
    uint32_t ranks;
    uint32_t rounds; /**< 0: the pattern's default; set to what it is */
    uint32_t burst;  /**< 0: the pattern's default; set to what it is */
    uint64_t seed;
    replay_mix_t mix; /**< for the pattern mix only */
} replay_wish_t;

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
