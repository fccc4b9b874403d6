/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Marks: 16 bits of the source and of the tag of each entry of a short list of
 * receives, side by side, so that a search compares all entries at once.
 *
 *     slot           0     1     2     3    ...   15
 *     source       | s16 | s16 | s16 |     |     |     |
 *     tag          | t16 | t16 | t16 |     |     |     |
 *     entry        |  *  |  *  |  *  |     |     |     |
 *     live            1     0     1     0     0     0        one bit each
 *
 * Slots are assigned in order of age, and not reused until those after them are
 * free, so that the lowest bit of a comparison's result is the oldest
 * candidate, whose whole envelope is then compared. If messages arrive in
 * another order than their receives, a search through a list of 16 ends with a
 * branch misprediction, which costs as much as the rest of an arrival; here
 * there is no such branch.
 *
 * A wildcard has a mark of 16 ones, like its value. Receives with one are
 * candidates for all messages, as are those with equal low bits.
 *
 * A list is marked as a whole or not at all: not while it has more entries than
 * there are slots. When the last slot has been used, the few remaining entries
 * get new slots.
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
    /** `where` of an entry without a slot. */
    MCA_MQ_INDEXED_NO_MARK = 16,
    /** Most entries that get new slots. */
    MCA_MQ_INDEXED_MARKS_FEW = 8,
    /** `live` of a list that is not marked. Must be above bit NO_MARK, which an
     * entry without a slot clears when it is removed. */
    MCA_MQ_INDEXED_UNMARKED = 1 << 30
};

typedef struct mca_mq_indexed_marks_t {
    uint16_t source[MCA_MQ_INDEXED_MARKS];
    uint16_t tag[MCA_MQ_INDEXED_MARKS];
    mca_mq_entry_t *entry[MCA_MQ_INDEXED_MARKS];
} mca_mq_indexed_marks_t;

/** The slot after the last used one; out of range if the list is not marked. */
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

/** Marks of wildcards. */
#define MCA_MQ_INDEXED_MARK_ANY_SOURCE ((uint16_t) MCA_MQ_ANY_SOURCE)
#define MCA_MQ_INDEXED_MARK_ANY_TAG ((uint16_t) MCA_MQ_ANY_TAG)

/** Bits of the slots of receives whose marks match a message; may include free
 * slots. Compares one by one, but without a branch. */
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

/** The function above; compares eight at a time. */
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

#define mca_mq_indexed_marks_accept mca_mq_indexed_marks_accept_scalar

#endif

/** Find the oldest receive of a marked list for a message, or NULL. Adds the
 * number of envelopes compared to *traversed. */
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
