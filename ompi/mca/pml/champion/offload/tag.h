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
 *     index   of the sender, assigned by the receiver, from 1 on
 *     stream  of messages of one (context, tag), numbered by the sender
 *     number  of the message in its stream
 *
 * Nothing is hashed: two tags are equal only if all three fields are. And no
 * tag is used twice, so that a receive can never take data that are not meant
 * for it, however long either of them waits:
 *
 *   - a stream only counts up, so that each number is used once;
 *   - a stream at the end of its numbers is not used again. Messages of its
 *     (context, tag) continue in another stream;
 *   - the stream of a freed communicator may be reused for another (context,
 *     tag), but skips all numbers for which the receiver may have posted
 *     receives: it posts none that is AHEAD or more after the last message;
 *   - a sender that has used up all streams, after 2^40 counted messages to one
 *     receiver (or 2^28 freed communicators), sends without tags.
 *
 * So no field ever wraps.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_TAG_H
#define MCA_PML_CHAMPION_OFFLOAD_TAG_H

#include <stdint.h>

#define MCA_PML_CHAMPION_TAG_INDEX_BITS 24
#define MCA_PML_CHAMPION_TAG_STREAM_BITS 16
#define MCA_PML_CHAMPION_TAG_NUMBER_BITS 24

/** Number of values of each field. */
#define MCA_PML_CHAMPION_TAG_INDICES (1u << MCA_PML_CHAMPION_TAG_INDEX_BITS)
#define MCA_PML_CHAMPION_TAG_STREAMS (1u << MCA_PML_CHAMPION_TAG_STREAM_BITS)
#define MCA_PML_CHAMPION_TAG_NUMBERS (1u << MCA_PML_CHAMPION_TAG_NUMBER_BITS)

/** Receives are posted to UCX for fewer than this many messages ahead. */
#define MCA_PML_CHAMPION_TAG_AHEAD 4096u

/** The bits that identify the sender; UCX uses them for hashing. */
#define MCA_PML_CHAMPION_TAG_SENDER_MASK                                       \
    ((uint64_t) (MCA_PML_CHAMPION_TAG_INDICES - 1)                             \
     << (MCA_PML_CHAMPION_TAG_STREAM_BITS + MCA_PML_CHAMPION_TAG_NUMBER_BITS))

/** Compose a tag; each argument is within its field. */
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
