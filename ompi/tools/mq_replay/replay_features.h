/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the queues of a sequence look like, whichever component serves them:
 * the longer queue of a domain at random operations that queue an entry.
 */

#ifndef MQ_REPLAY_FEATURES_H
#define MQ_REPLAY_FEATURES_H

#include "ompi/mca/mq/base/kit/look.h"
#include "replay_sequence.h"

/** Means over the looks at queues that were not short. */
typedef struct replay_features_t {
    mca_mq_base_look_t mean;
    uint64_t looks;  /**< at queues that were not short */
    uint64_t all;    /**< looks there were */
    uint64_t length; /**< the longest that was looked at */
    uint64_t queued; /**< operations that queued an entry */
    uint64_t random; /**< state */
    uint64_t until;  /**< operations that queue until the next look */
} replay_features_t;

/** Go through a sequence and look at it. */
void replay_features(replay_sequence_t *sequence, replay_features_t *features);

/** An operation of a sequence was generated that queued an entry. */
void replay_features_queued(replay_features_t *features,
                            const replay_sequence_t *sequence,
                            const replay_domain_t *domain);

#endif /* MQ_REPLAY_FEATURES_H */
