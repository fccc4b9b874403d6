/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Generates the search functions for one instruction set. A source file
 * defines, before it includes this file,
 *
 *     #define FUZZY_TARGET __attribute__((target("avx2")))   or nothing
 *     #define FUZZY_WIDTH mca_mq_fuzzy_avx2                  what to define
 *
 * and a static inline function
 *
 *     uint32_t equal_16(const uint32_t *key, const uint32_t *mask,
 *                       mca_mq_fuzzy_key_t wanted);
 *         Compares 16 keys in the bits of mask, an array of
 *         16, or of wanted.mask if mask is NULL; returns a bit for each
 *         key. Whether mask is NULL is known at compile time.
 */

#define FUZZY_INLINE static inline __attribute__((always_inline)) FUZZY_TARGET
#define FUZZY_STEP 16

FUZZY_INLINE mca_mq_entry_t *search_block(const mca_mq_fuzzy_block_t *block,
                                          mca_mq_queue_t queue,
                                          mca_mq_fuzzy_key_t key,
                                          const mca_mq_envelope_t *envelope,
                                          uint64_t *traversed)
{
    for (uint32_t at = 0; at < block->used; at += FUZZY_STEP) {
        const uint32_t *masks =
            MCA_MQ_POSTED == queue ? &block->mask[at] : NULL;
        uint32_t perhaps = equal_16(&block->key[at], masks, key) &
                           (uint32_t) (block->live >> at) & 0xffff;

        for (; 0 != perhaps; perhaps &= perhaps - 1) {
            mca_mq_entry_t *entry = block->entry[at + __builtin_ctz(perhaps)];

            ++*traversed;
            if (MCA_MQ_POSTED == queue
                    ? mca_mq_matches(&entry->envelope, envelope)
                    : mca_mq_matches(envelope, &entry->envelope)) {
                return entry;
            }
        }
    }
    return NULL;
}

FUZZY_INLINE mca_mq_entry_t *search_queue(const mca_mq_fuzzy_queue_t *q,
                                          mca_mq_queue_t queue,
                                          mca_mq_fuzzy_key_t key,
                                          const mca_mq_envelope_t *envelope,
                                          uint64_t *traversed)
{
    const mca_mq_fuzzy_block_t *block;
    mca_mq_entry_t *entry;

    for (block = q->oldest; NULL != block; block = block->newer) {
        entry = search_block(block, queue, key, envelope, traversed);
        if (NULL != entry) {
            return entry;
        }
    }
    return NULL;
}

static FUZZY_TARGET mca_mq_entry_t *find_receive(
    const mca_mq_fuzzy_queue_t *q, mca_mq_fuzzy_key_t key,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    return search_queue(q, MCA_MQ_POSTED, key, envelope, traversed);
}

static FUZZY_TARGET mca_mq_entry_t *find_message(
    const mca_mq_fuzzy_queue_t *q, mca_mq_fuzzy_key_t key,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    return search_queue(q, MCA_MQ_UNEXPECTED, key, envelope, traversed);
}

const mca_mq_fuzzy_width_t FUZZY_WIDTH = {
    .find_receive = find_receive,
    .find_message = find_message,
};
