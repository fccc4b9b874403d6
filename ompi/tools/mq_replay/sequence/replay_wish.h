/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Options of patterns.
 */

#ifndef MQ_REPLAY_WISH_H
#define MQ_REPLAY_WISH_H

#include <stdint.h>

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

#endif /* MQ_REPLAY_WISH_H */
