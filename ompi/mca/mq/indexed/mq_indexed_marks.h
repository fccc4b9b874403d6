/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Marks: 16 bits of the source and of the tag of each entry of a short list,
 * side by side, so that a search compares all at once.
 *
 *     slot           0     1     2     3    ...   15
 *     source       | s16 | s16 | s16 |     |     |     |
 *     tag          | t16 | t16 | t16 |     |     |     |
 *     entry        |  *  |  *  |  *  |     |     |     |
 *     live            1     0     1     0     0     0        one bit each
 *
 * Slots are given in order of age and are not used again until those at the end
 * are free, so that the lowest bit that is left of a comparison is the oldest
 * candidate; its whole envelope is compared then. A search through a list of
 * 16 ends at a branch that no processor can predict if messages are received
 * in another order than they came in, which costs as much as all the rest of a
 * receive; here there is none.
 *
 * A wildcard is marked with 16 bits that are all set, as its number has them.
 * Those of a receive that is looked for fit all messages; receives that have
 * one are candidates for all, as are those whose source or tag ends alike.
 *
 * A list is marked as a whole or not at all: not, while it is longer than what
 * has slots. When the last slot has been used, those of the few that are left
 * are given anew. Memory for the slots is taken when a second message waits for
 * the first time.
 */

#ifndef OMPI_MCA_MQ_INDEXED_MARKS_H
#define OMPI_MCA_MQ_INDEXED_MARKS_H

#include "ompi_config.h"

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "opal/prefetch.h"

#include "ompi/mca/mq/mq.h"

enum {
    MCA_MQ_INDEXED_MARKS = 16,
    /** `where` of an entry that has no slot. */
    MCA_MQ_INDEXED_NO_MARK = 16,
    /** Entries that may be given slots anew. */
    MCA_MQ_INDEXED_MARKS_FEW = 8,
    /** `live` of a list that is not marked. Above the bit of NO_MARK, which an
     * entry without a slot clears when it leaves. */
    MCA_MQ_INDEXED_UNMARKED = 1 << 30
};

typedef struct mca_mq_indexed_marks_t {
    uint16_t source[MCA_MQ_INDEXED_MARKS];
    uint16_t tag[MCA_MQ_INDEXED_MARKS];
    mca_mq_entry_t *entry[MCA_MQ_INDEXED_MARKS];
} mca_mq_indexed_marks_t;

/** The slot after the last one that is used; beyond them if the list is not
 * marked. */
static inline uint32_t mca_mq_indexed_marks_next(uint32_t live)
{
    return 31 - (uint32_t) __builtin_clz(live << 1 | 1);
}

static inline void mca_mq_indexed_marks_set(mca_mq_indexed_marks_t *marks,
                                            uint32_t slot,
                                            mca_mq_entry_t *entry)
{
    marks->source[slot] = (uint16_t) entry->envelope.source;
    marks->tag[slot] = (uint16_t) entry->envelope.tag;
    marks->entry[slot] = entry;
}

/** What wildcards are marked with. */
#define MCA_MQ_INDEXED_MARK_ANY_SOURCE ((uint16_t) MCA_MQ_ANY_SOURCE)
#define MCA_MQ_INDEXED_MARK_ANY_TAG ((uint16_t) MCA_MQ_ANY_TAG)

/** Bits of the slots of messages whose marks agree with a receive's; slots that
 * are free may be among them. One by one, but without a branch. */
static inline uint32_t mca_mq_indexed_marks_equal_scalar(
    const mca_mq_indexed_marks_t *marks, const mca_mq_envelope_t *receive)
{
    const uint32_t any_source = MCA_MQ_ANY_SOURCE == receive->source;
    const uint32_t any_tag = MCA_MQ_ANY_TAG == receive->tag;
    uint32_t equal = 0;

    for (int i = 0; i < MCA_MQ_INDEXED_MARKS; ++i) {
        uint32_t source = (uint16_t) receive->source == marks->source[i];
        uint32_t tag = (uint16_t) receive->tag == marks->tag[i];

        equal |= ((source | any_source) & (tag | any_tag)) << i;
    }
    return equal;
}

/** Bits of the slots of receives whose marks agree with a message's. */
static inline uint32_t mca_mq_indexed_marks_accept_scalar(
    const mca_mq_indexed_marks_t *marks, const mca_mq_envelope_t *message)
{
    uint32_t accept = 0;

    for (int i = 0; i < MCA_MQ_INDEXED_MARKS; ++i) {
        uint32_t source =
            (uint32_t) ((uint16_t) message->source == marks->source[i]) |
            (uint32_t) (MCA_MQ_INDEXED_MARK_ANY_SOURCE == marks->source[i]);
        uint32_t tag =
            (uint32_t) ((uint16_t) message->tag == marks->tag[i]) |
            (uint32_t) (MCA_MQ_INDEXED_MARK_ANY_TAG == marks->tag[i]);

        accept |= (source & tag) << i;
    }
    return accept;
}

#if defined(__SSE2__)

/** The same, eight at a time. */
static inline uint32_t mca_mq_indexed_marks_equal(
    const mca_mq_indexed_marks_t *marks, const mca_mq_envelope_t *receive)
{
    const __m128i any_source =
        _mm_set1_epi16(MCA_MQ_ANY_SOURCE == receive->source ? -1 : 0);
    const __m128i any_tag =
        _mm_set1_epi16(MCA_MQ_ANY_TAG == receive->tag ? -1 : 0);
    const __m128i source = _mm_set1_epi16((short) receive->source);
    const __m128i tag = _mm_set1_epi16((short) receive->tag);
    __m128i half[2];

    for (int i = 0; i < 2; ++i) {
        __m128i sources =
            _mm_loadu_si128((const __m128i *) &marks->source[8 * i]);
        __m128i tags = _mm_loadu_si128((const __m128i *) &marks->tag[8 * i]);

        half[i] = _mm_and_si128(
            _mm_or_si128(_mm_cmpeq_epi16(sources, source), any_source),
            _mm_or_si128(_mm_cmpeq_epi16(tags, tag), any_tag));
    }
    return (uint32_t) _mm_movemask_epi8(_mm_packs_epi16(half[0], half[1]));
}

static inline uint32_t mca_mq_indexed_marks_accept(
    const mca_mq_indexed_marks_t *marks, const mca_mq_envelope_t *message)
{
    const __m128i any_source =
        _mm_set1_epi16((short) MCA_MQ_INDEXED_MARK_ANY_SOURCE);
    const __m128i any_tag = _mm_set1_epi16((short) MCA_MQ_INDEXED_MARK_ANY_TAG);
    const __m128i source = _mm_set1_epi16((short) message->source);
    const __m128i tag = _mm_set1_epi16((short) message->tag);
    __m128i half[2];

    for (int i = 0; i < 2; ++i) {
        __m128i sources =
            _mm_loadu_si128((const __m128i *) &marks->source[8 * i]);
        __m128i tags = _mm_loadu_si128((const __m128i *) &marks->tag[8 * i]);

        half[i] =
            _mm_and_si128(_mm_or_si128(_mm_cmpeq_epi16(sources, source),
                                       _mm_cmpeq_epi16(sources, any_source)),
                          _mm_or_si128(_mm_cmpeq_epi16(tags, tag),
                                       _mm_cmpeq_epi16(tags, any_tag)));
    }
    return (uint32_t) _mm_movemask_epi8(_mm_packs_epi16(half[0], half[1]));
}

#else

#define mca_mq_indexed_marks_equal mca_mq_indexed_marks_equal_scalar
#define mca_mq_indexed_marks_accept mca_mq_indexed_marks_accept_scalar

#endif

/** The oldest message of a marked list for a receive, or NULL. Adds to
 * *traversed how many envelopes were compared. */
static inline mca_mq_entry_t *mca_mq_indexed_marks_find(
    const mca_mq_indexed_marks_t *marks, uint32_t live,
    const mca_mq_envelope_t *receive, uint64_t *traversed)
{
    uint32_t perhaps = mca_mq_indexed_marks_equal(marks, receive) & live;

    for (; 0 != perhaps; perhaps &= perhaps - 1) {
        mca_mq_entry_t *entry = marks->entry[__builtin_ctz(perhaps)];

        ++*traversed;
        if (OPAL_LIKELY(mca_mq_matches(receive, &entry->envelope))) {
            return entry;
        }
    }
    return NULL;
}

/** The oldest receive of a marked list for a message, or NULL. */
static inline mca_mq_entry_t *mca_mq_indexed_marks_find_receive(
    const mca_mq_indexed_marks_t *marks, uint32_t live,
    const mca_mq_envelope_t *message, uint64_t *traversed)
{
    uint32_t perhaps = mca_mq_indexed_marks_accept(marks, message) & live;

    for (; 0 != perhaps; perhaps &= perhaps - 1) {
        mca_mq_entry_t *entry = marks->entry[__builtin_ctz(perhaps)];

        ++*traversed;
        if (OPAL_LIKELY(mca_mq_matches(&entry->envelope, message))) {
            return entry;
        }
    }
    return NULL;
}

#endif /* OMPI_MCA_MQ_INDEXED_MARKS_H */
