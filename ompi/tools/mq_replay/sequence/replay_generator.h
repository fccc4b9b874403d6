/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Helpers for generating patterns.
 */

#ifndef REPLAY_GENERATOR_H
#define REPLAY_GENERATOR_H

#include "sequence/replay_sequence.h"
#include "sequence/replay_wish.h"
#include "sequence/replay_util.h"

typedef struct replay_pattern_t replay_pattern_t;

/** A pattern that is being generated. */
typedef struct replay_generator_t {
    const replay_pattern_t *pattern;
    const replay_wish_t *wish;
    replay_sequence_t *sequence;
    uint32_t ranks;
    uint32_t burst;
    uint32_t round;
    uint64_t random;
    uint64_t messages; /**< number per round */
    /** Scratch arrays for messages, or for twice as many halves of them. */
    uint32_t *items;
    uint32_t *others;
    /** Peers, for patterns with few of them. */
    uint32_t num_peers;
    uint32_t peers[32];
    uint32_t counts[32]; /**< messages of each peer */
} replay_generator_t;

/** A pattern. */
struct replay_pattern_t {
    const char *name;
    uint32_t rounds; /**< by default */
    uint32_t burst;  /**< by default */
    bool any_source;
    bool any_tag;
    bool many_contexts;
    /** Set messages, and whatever else is constant. */
    void (*prepare)(replay_generator_t *generator);
    void (*round)(replay_generator_t *generator);
};

/** Patterns of applications, and synthetic patterns that cover everything mq
 * can do; the last one has no name. */
extern const replay_pattern_t replay_applications[];
extern const replay_pattern_t replay_made_up[];

static inline void replay_add(replay_generator_t *g,
                              mca_mq_base_operation_t kind, int32_t source,
                              int32_t tag)
{
    mca_mq_envelope_t envelope = {0, source, tag};

    replay_emit(g->sequence, 0, kind, &envelope);
}

static inline void replay_arrive(replay_generator_t *g, uint32_t source,
                                 uint32_t tag)
{
    replay_add(g, MCA_MQ_BASE_ARRIVE, (int32_t) source, (int32_t) tag);
}

static inline void replay_post(replay_generator_t *g, uint32_t source,
                               uint32_t tag)
{
    replay_add(g, MCA_MQ_BASE_POST, (int32_t) source, (int32_t) tag);
}

/** Fill items with 0, 1, ... in random order. */
void replay_fresh_order(replay_generator_t *g, uint32_t *items, uint32_t count);

/** Choose so many different ranks as peers at random, or all if there are
 * fewer. */
void replay_choose_peers(replay_generator_t *g, uint32_t count);

#endif /* REPLAY_GENERATOR_H */
