/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The 64-bit tags under which data of offloaded messages travel:
 *
 *     63         40 39        24 23                0
 *     |   index    |   stream   |      number       |
 *
 *     index   of the sender, given by the receiver, from 1 on
 *     stream  of messages of one (context, tag), numbered by the sender
 *     number  of the message in its stream
 *
 * Fields are exact: nothing is hashed, so two tags are equal only if all three
 * numbers are. And no tag is used twice, so that no receive can take data that
 * were not meant for it, however long either of them waits:
 *
 *   - a number is given once in its stream, as the stream only counts up;
 *   - a stream that has counted to the end is over, and its number is not given
 *     again. Messages of its (context, tag) go on under another stream;
 *   - a stream whose communicator was freed may serve another (context, tag),
 *     but goes on counting beyond all numbers that the receiver may have posted
 *     receives for: it posts none that is AHEAD or more after the last message;
 *   - when a sender has used up all streams, after 2^40 counted messages to one
 *     receiver (or 2^28 freed communicators), it sends to it without such tags.
 *
 * So no field ever wraps, and there is nothing to be proved about a wrap.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_TAG_H
#define MCA_PML_CHAMPION_OFFLOAD_TAG_H

#include <stdint.h>

#define MCA_PML_CHAMPION_TAG_INDEX_BITS 24
#define MCA_PML_CHAMPION_TAG_STREAM_BITS 16
#define MCA_PML_CHAMPION_TAG_NUMBER_BITS 24

/** How many values each field has. */
#define MCA_PML_CHAMPION_TAG_INDICES (1u << MCA_PML_CHAMPION_TAG_INDEX_BITS)
#define MCA_PML_CHAMPION_TAG_STREAMS (1u << MCA_PML_CHAMPION_TAG_STREAM_BITS)
#define MCA_PML_CHAMPION_TAG_NUMBERS (1u << MCA_PML_CHAMPION_TAG_NUMBER_BITS)

/** Receives are posted for less than this many messages ahead. */
#define MCA_PML_CHAMPION_TAG_AHEAD 4096u

/** The bits that tell senders apart; UCX wants to know. */
#define MCA_PML_CHAMPION_TAG_SENDER_MASK                                       \
    ((uint64_t) (MCA_PML_CHAMPION_TAG_INDICES - 1)                             \
     << (MCA_PML_CHAMPION_TAG_STREAM_BITS + MCA_PML_CHAMPION_TAG_NUMBER_BITS))

/** Each argument is smaller than the number of its field's values. */
static inline uint64_t mca_pml_champion_tag_pack(uint32_t index,
                                                 uint32_t stream,
                                                 uint32_t number)
{
    return (uint64_t) index << (MCA_PML_CHAMPION_TAG_STREAM_BITS +
                                MCA_PML_CHAMPION_TAG_NUMBER_BITS) |
           (uint64_t) stream << MCA_PML_CHAMPION_TAG_NUMBER_BITS | number;
}

static inline uint32_t mca_pml_champion_tag_index(uint64_t tag)
{
    return (uint32_t) (tag >> (MCA_PML_CHAMPION_TAG_STREAM_BITS +
                               MCA_PML_CHAMPION_TAG_NUMBER_BITS));
}

static inline uint32_t mca_pml_champion_tag_stream(uint64_t tag)
{
    return (uint32_t) (tag >> MCA_PML_CHAMPION_TAG_NUMBER_BITS) &
           (MCA_PML_CHAMPION_TAG_STREAMS - 1);
}

static inline uint32_t mca_pml_champion_tag_number(uint64_t tag)
{
    return (uint32_t) tag & (MCA_PML_CHAMPION_TAG_NUMBERS - 1);
}

#endif /* MCA_PML_CHAMPION_OFFLOAD_TAG_H */
