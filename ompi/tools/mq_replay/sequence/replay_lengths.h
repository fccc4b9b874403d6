/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lengths of the queues in the course of a sequence, summed over all domains.
 * They come from the model, as they do not depend on the component.
 */

#ifndef MQ_REPLAY_LENGTHS_H
#define MQ_REPLAY_LENGTHS_H

#include "sequence/replay_sequence.h"

/** Most parts that a sequence is divided into. */
#define REPLAY_LENGTHS_MAX 256

typedef struct replay_lengths_t {
    uint64_t width; /**< operations per part; a power of two */
    uint64_t done;  /**< operations so far */
    unsigned num_parts;
    /** Largest length within each part. */
    uint64_t max[REPLAY_LENGTHS_MAX][MCA_MQ_QUEUES];
} replay_lengths_t;

/** Take the lengths in one pass over the sequence. */
void replay_lengths_take(replay_sequence_t *sequence,
                         replay_lengths_t *lengths);

#endif /* MQ_REPLAY_LENGTHS_H */
