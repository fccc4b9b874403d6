/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "sequence/replay_features.h"

#include "sequence/replay_util.h"

/* Mean number of operations between looks. A queue of 16 entries that is filled
 * and drained repeatedly is seen at any length. */
#define EVERY 256

static void wait_for_next(replay_features_t *features)
{
    features->until = 1 + replay_below(&features->random, 2 * EVERY);
}

/* Space looks by the length, to which their time is proportional. */
static void wait_longer(replay_features_t *features, uint64_t length)
{
    features->until += length * replay_below(&features->random, 8);
}

static const replay_model_queue_t *longer_queue(const replay_model_t *model)
{
    const replay_model_queue_t *queue = model->queue;

    return queue[MCA_MQ_POSTED].length >= queue[MCA_MQ_UNEXPECTED].length
               ? &queue[MCA_MQ_POSTED]
               : &queue[MCA_MQ_UNEXPECTED];
}

static void add(replay_features_t *features, const mca_mq_base_look_t *look)
{
    mca_mq_base_look_t *mean = &features->mean;
    double share = 1.0 / (double) ++features->looks;

    mean->length += (look->length - mean->length) * share;
    mean->lane += (look->lane - mean->lane) * share;
    mean->same += (look->same - mean->same) * share;
    mean->wild += (look->wild - mean->wild) * share;
}

/* Called for each operation that queued an entry. */
static void queued(const replay_sequence_t *sequence,
                   const replay_domain_t *domain, void *arg)
{
    replay_features_t *features = arg;
    const replay_model_queue_t *queue = longer_queue(&domain->model);
    const replay_slot_t *slots = sequence->pool.slots;
    mca_mq_base_looking_t looking;
    mca_mq_base_look_t look;

    ++features->queued;
    if (queue->length > features->length) {
        features->length = queue->length;
    }
    if (0 != --features->until) {
        return;
    }
    wait_for_next(features);
    ++features->all;
    if (queue->length < MCA_MQ_BASE_LOOK_SHORT) {
        return;
    }
    wait_longer(features, queue->length);
    mca_mq_base_look_begin(&looking);
    for (uint32_t slot = queue->all.first; REPLAY_NONE != slot;
         slot = slots[slot].all.next) {
        mca_mq_base_look_add(&looking, &slots[slot].envelope);
    }
    mca_mq_base_look_end(&looking, &look);
    add(features, &look);
}

void replay_features(replay_sequence_t *sequence, replay_features_t *features)
{
    *features = (replay_features_t){.random = 1};
    wait_for_next(features);
    sequence->queued = queued;
    sequence->queued_arg = features;
    replay_sequence_rewind(sequence);
    while (replay_sequence_next(sequence)) {
    }
    sequence->queued = NULL;
}
