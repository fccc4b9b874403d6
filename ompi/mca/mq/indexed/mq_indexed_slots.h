/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Slots: the queue of unexpected messages while it is short. A slot has 16 bits
 * of the source and 16 of the tag, its mark, and a pointer to the message:
 *
 *     slot           0     1     2     3    ...   47
 *     mark         | t,s | t,s | t,s |     |     |     |
 *     entry        |  *  |  *  |  *  |     |     |     |
 *     live            1     0     1     0     0     0        one bit each
 *
 * A search compares 16 marks at once. Slots are assigned in order of age, and
 * not reused until those after them are free, so that the lowest bit of a
 * comparison's result is the oldest candidate, whose whole envelope is then
 * compared. If messages are received in another order than they arrived, a
 * search through a list ends with a branch misprediction, and has loaded what
 * the list's neighbours contain, which costs more than the rest of a receive;
 * here there is no such branch, and no link.
 *
 * Two candidates with equal marks are rare: their sources or tags differ by a
 * multiple of 65536. A wildcard matches all messages in its field.
 *
 * 16 slots serve at first. When the last one has been used, the messages that
 * are left move up if they are few; otherwise there are more slots, up to 48.
 * If that is not enough, or messages are received in the order in which they
 * arrived, which a list does best, all of them go into the list.
 */

#ifndef OMPI_MCA_MQ_INDEXED_SLOTS_H
#define OMPI_MCA_MQ_INDEXED_SLOTS_H

#include "ompi_config.h"

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "opal/prefetch.h"

#include "ompi/mca/mq/mq.h"

enum {
    /** Slots that are compared at once. */
    MCA_MQ_INDEXED_SLOTS_GROUP = 16,
    MCA_MQ_INDEXED_SLOTS_MAX = 48,
    /** Most messages of a list that get slots again. */
    MCA_MQ_INDEXED_SLOTS_FEW = 8
};

/** `live` while the messages are in the list or in the table. Above all slots,
 * so that the next one is out of range. */
#define MCA_MQ_INDEXED_NO_SLOTS (UINT64_C(1) << 62)

/** `history` when the last 16 searches have found the oldest message. If fewer
 * were enough, a random order would look like this one now and then. */
#define MCA_MQ_INDEXED_ALL_OLDEST UINT16_MAX

typedef struct mca_mq_indexed_slot_array_t {
    uint32_t mark[MCA_MQ_INDEXED_SLOTS_MAX];
    mca_mq_entry_t *entry[MCA_MQ_INDEXED_SLOTS_MAX];
} mca_mq_indexed_slot_array_t;

typedef struct mca_mq_indexed_slots_t {
    /** Bits of the used slots, or NO_SLOTS; 0: no message is queued at all. */
    uint64_t live;
    mca_mq_indexed_slot_array_t *array; /**< NULL until a message is queued */
    uint16_t allowed;                   /**< slots that may be used now */
    uint16_t history; /**< one bit for each of the last searches among several
                           messages, or of a list: 1: it found the oldest. Kept
                           without a branch */
} mca_mq_indexed_slots_t;

/** Are the messages in slots? Then there is none in the list. */
static inline bool mca_mq_indexed_slots_used(
    const mca_mq_indexed_slots_t *slots)
{
    return MCA_MQ_INDEXED_NO_SLOTS != slots->live;
}

/** Messages that are in slots. */
static inline uint64_t mca_mq_indexed_slots_count(
    const mca_mq_indexed_slots_t *slots)
{
    return mca_mq_indexed_slots_used(slots)
               ? (uint64_t) __builtin_popcountll(slots->live)
               : 0;
}

/** The slot after the last used one. */
static inline uint32_t mca_mq_indexed_slots_next(
    const mca_mq_indexed_slots_t *slots)
{
    return 63 - (uint32_t) __builtin_clzll(slots->live << 1 | 1);
}

/** The mark of an envelope; that of a wildcard has all of its 16 bits set. */
static inline uint32_t mca_mq_indexed_mark_of(const mca_mq_envelope_t *envelope)
{
    return (uint32_t) (uint16_t) envelope->source | (uint32_t) envelope->tag
                                                        << 16;
}

/** The bits of a receive's mark that match all messages. */
static inline uint32_t mca_mq_indexed_mark_any(const mca_mq_envelope_t *receive)
{
    return (MCA_MQ_ANY_SOURCE == receive->source ? UINT32_C(0xffff) : 0) |
           (MCA_MQ_ANY_TAG == receive->tag ? UINT32_C(0xffff0000) : 0);
}

static inline void mca_mq_indexed_slots_set(mca_mq_indexed_slots_t *slots,
                                            uint32_t slot,
                                            mca_mq_entry_t *entry)
{
    slots->array->mark[slot] = mca_mq_indexed_mark_of(&entry->envelope);
    slots->array->entry[slot] = entry;
    slots->live |= UINT64_C(1) << slot;
    entry->where = slot;
}

/** Bits of the marks of a group that match a receive; may include free slots.
 * Compares one by one, but without a branch. */
static inline uint32_t mca_mq_indexed_slots_equal_scalar(const uint32_t *mark,
                                                         uint32_t any,
                                                         uint32_t wanted)
{
    uint32_t equal = 0;

    for (int i = 0; i < MCA_MQ_INDEXED_SLOTS_GROUP; ++i) {
        equal |= (uint32_t) ((mark[i] | any) == wanted) << i;
    }
    return equal;
}

#if defined(__SSE2__)

static inline __m128i mca_mq_indexed_slots_equal_4(const uint32_t *mark,
                                                   __m128i any, __m128i wanted)
{
    return _mm_cmpeq_epi32(
        _mm_or_si128(_mm_loadu_si128((const __m128i *) mark), any), wanted);
}

/** The function above, four marks at a time. */
static inline uint32_t mca_mq_indexed_slots_equal_group(const uint32_t *mark,
                                                        uint32_t any,
                                                        uint32_t wanted)
{
    const __m128i a = _mm_set1_epi32((int) any);
    const __m128i w = _mm_set1_epi32((int) wanted);
    const __m128i low =
        _mm_packs_epi32(mca_mq_indexed_slots_equal_4(mark, a, w),
                        mca_mq_indexed_slots_equal_4(mark + 4, a, w));
    const __m128i high =
        _mm_packs_epi32(mca_mq_indexed_slots_equal_4(mark + 8, a, w),
                        mca_mq_indexed_slots_equal_4(mark + 12, a, w));

    return (uint32_t) _mm_movemask_epi8(_mm_packs_epi16(low, high));
}

#else

#define mca_mq_indexed_slots_equal_group mca_mq_indexed_slots_equal_scalar

#endif

/** Bits of the used slots whose marks match a receive. */
static inline uint64_t mca_mq_indexed_slots_equal(
    const mca_mq_indexed_slots_t *slots, const mca_mq_envelope_t *receive)
{
    const uint32_t *mark = slots->array->mark;
    const uint32_t any = mca_mq_indexed_mark_any(receive);
    const uint32_t wanted = mca_mq_indexed_mark_of(receive);
    uint64_t equal = mca_mq_indexed_slots_equal_group(mark, any, wanted);

    for (uint32_t at = MCA_MQ_INDEXED_SLOTS_GROUP;
         OPAL_UNLIKELY(0 != slots->live >> at);
         at += MCA_MQ_INDEXED_SLOTS_GROUP) {
        equal |=
            (uint64_t) mca_mq_indexed_slots_equal_group(mark + at, any, wanted)
            << at;
    }
    return equal & slots->live;
}

/**
 * Find the oldest message that matches a receive. There is one at least, in a
 * slot. The oldest of all is tried first if it is alone, or was found by all of
 * the last searches; in a random order that branch would be mispredicted.
 *
 * @param[out] found      the message
 * @param[out] traversed  increased by the number of envelopes compared
 * @return the bit of its slot; 0: there is none, and *found is undefined
 */
static inline __attribute__((always_inline)) uint64_t mca_mq_indexed_slots_find(
    mca_mq_indexed_slots_t *slots, const mca_mq_envelope_t *receive,
    mca_mq_entry_t **found, uint64_t *traversed)
{
    const uint64_t oldest = slots->live & -slots->live;
    const bool alone = oldest == slots->live;
    uint64_t perhaps;

    *found = NULL;
    if (alone || MCA_MQ_INDEXED_ALL_OLDEST == slots->history) {
        *found = slots->array->entry[__builtin_ctzll(oldest)];
        ++*traversed;
        if (OPAL_LIKELY(mca_mq_matches(receive, &(*found)->envelope))) {
            return oldest;
        }
        if (alone) {
            return 0;
        }
    }
    perhaps = mca_mq_indexed_slots_equal(slots, receive);
    for (; 0 != perhaps; perhaps &= perhaps - 1) {
        *found = slots->array->entry[__builtin_ctzll(perhaps)];
        ++*traversed;
        if (OPAL_LIKELY(mca_mq_matches(receive, &(*found)->envelope))) {
            break;
        }
    }
    perhaps &= -perhaps;
    slots->history = (uint16_t) (slots->history << 1 | (perhaps == oldest));
    return perhaps;
}

#endif /* OMPI_MCA_MQ_INDEXED_SLOTS_H */
