/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "sequence/replay_lengths.h"

#include <stdlib.h>
#include <string.h>

#include "sequence/replay_util.h"

typedef struct walk_t {
    replay_lengths_t *lengths;
    uint64_t now[MCA_MQ_QUEUES];
    uint64_t (*of)[MCA_MQ_QUEUES]; /* each domain */
} walk_t;

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Merge pairs of parts into parts of twice the width. */
static void fold(replay_lengths_t *lengths)
{
    for (unsigned i = 0; i < REPLAY_LENGTHS_MAX / 2; ++i) {
        for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
            lengths->max[i][queue] = larger(lengths->max[2 * i][queue],
                                            lengths->max[2 * i + 1][queue]);
        }
    }
    lengths->num_parts /= 2;
    lengths->width *= 2;
}

/* Advance to the next operation. */
static void begin_one(walk_t *walk)
{
    replay_lengths_t *lengths = walk->lengths;

    if (0 == lengths->done % lengths->width) {
        if (REPLAY_LENGTHS_MAX == lengths->num_parts) {
            fold(lengths);
        }
        if (0 == lengths->done % lengths->width) {
            memcpy(lengths->max[lengths->num_parts++], walk->now,
                   sizeof(walk->now));
        }
    }
    ++lengths->done;
}

static void grow(walk_t *walk, uint32_t domain, mca_mq_queue_t queue)
{
    uint64_t *max = &walk->lengths->max[walk->lengths->num_parts - 1][queue];

    ++walk->of[domain][queue];
    *max = larger(*max, ++walk->now[queue]);
}

static void shrink(walk_t *walk, uint32_t domain, mca_mq_queue_t queue)
{
    --walk->of[domain][queue];
    --walk->now[queue];
}

/* Remaining entries are removed with their domain. */
static void drop(walk_t *walk, uint32_t domain)
{
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        walk->now[queue] -= walk->of[domain][queue];
        walk->of[domain][queue] = 0;
    }
}

static void one(walk_t *walk, const replay_op_t *op)
{
    const mca_mq_base_effect_t *effect;
    bool withdraws;

    if (MCA_MQ_BASE_TRACE_BEGIN == op->kind) {
        return;
    }
    if (MCA_MQ_BASE_TRACE_FINISH == op->kind) {
        drop(walk, op->domain);
        return;
    }
    begin_one(walk);
    effect = &mca_mq_base_effects[op->kind];
    withdraws = effect->removes && !effect->searches;
    if (withdraws || (REPLAY_NONE != op->found && effect->removes)) {
        shrink(walk, op->domain, effect->from);
    }
    if (!withdraws && REPLAY_NONE != op->entry) {
        grow(walk, op->domain, effect->to);
    }
}

void replay_lengths_take(replay_sequence_t *sequence, replay_lengths_t *lengths)
{
    walk_t walk = {.lengths = lengths};
    uint32_t known = 0;

    memset(lengths, 0, sizeof(*lengths));
    lengths->width = 1;
    replay_sequence_rewind(sequence);
    while (replay_sequence_next(sequence)) {
        if (sequence->num_domains > known) {
            walk.of = replay_realloc(walk.of, sequence->num_domains,
                                     sizeof(*walk.of));
            memset(walk.of + known, 0,
                   (sequence->num_domains - known) * sizeof(*walk.of));
            known = sequence->num_domains;
        }
        for (size_t i = 0; i < sequence->num_ops; ++i) {
            one(&walk, &sequence->ops[i]);
        }
    }
    free(walk.of);
}
