/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Features of the queues of a sequence, whichever component serves them: looks
 * at the longer queue of a domain at random insertions.
 */

#ifndef MQ_REPLAY_FEATURES_H
#define MQ_REPLAY_FEATURES_H

#include "ompi/mca/mq/base/kit/look.h"
#include "sequence/replay_sequence.h"

/** Features, as means over the looks at queues that were not short. */
typedef struct replay_features_t {
    mca_mq_base_look_t mean;
    uint64_t looks;  /**< looks at queues that were not short */
    uint64_t all;    /**< all looks */
    uint64_t length; /**< length of the longest queue seen */
    uint64_t queued; /**< number of insertions */
    uint64_t random; /**< state of the random numbers */
    uint64_t until;  /**< insertions until the next look */
} replay_features_t;

/** Collect the features of a sequence. */
void replay_features(replay_sequence_t *sequence, replay_features_t *features);

#endif /* MQ_REPLAY_FEATURES_H */
