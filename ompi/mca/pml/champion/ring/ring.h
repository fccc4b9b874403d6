/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A ring: small records from one process to another through shared memory.
 *
 *            control           slots
 *     +-------------------+--------+--------+--------+-- ... --+--------+
 *     | how far the reader| record |    record       | record  |        |
 *     | has come          |        |  of two slots   |         |        |
 *     +-------------------+--------+--------+--------+-- ... --+--------+
 *         reader writes      writer writes
 *
 * One writer, one reader, and no atomic operation but loads and stores. A
 * record occupies as many consecutive slots as it needs; it begins with
 *
 *     lap    how often the writer has been round: written last, with release
 *            order. A record is there when its lap is the one the reader is in
 *     size   kind and length of the payload
 *     word   16 bytes of the caller's, and then the payload
 *
 * so that a small record is one cache line that travels once. It never goes
 * over the end of the ring: what is left there is filled with a record of the
 * kind PAD. The reader publishes how far it has come only every quarter of the
 * ring, and the writer looks there only when the room it knows of is used up.
 *
 * Laps and payloads. A slot in the middle of a long record has payload where
 * another record will have its lap, and the reader must not take one for the
 * other. The writer remembers such slots. When it learns that the reader is
 * past them it stores 0, which is no lap, before it publishes anything that
 * leads the reader there. Between this moment and the next such one the reader
 * can come as far as the first slot that the writer does not know to be free;
 * that one is the beginning of a record, because the reader publishes its
 * position between records only, and its lap is an old one.
 *
 * Costs, in 8-byte records: about 15 instructions to write one, 20 to read
 * one; one cache line there, and one back every quarter of the ring.
 *
 * What the other side has written is checked before it is used: a record never
 * reaches beyond the ring, and a position that cannot be is noticed. The
 * contents of a record are the caller's to check. Memory that the other side
 * changes while it is being read can give wrong contents, never an access
 * outside of the ring.
 *
 * The structure knows nothing of MPI or UCX. A ring is 16 KiB and must be
 * aligned to a cache line.
 */

#ifndef MCA_PML_CHAMPION_RING_RING_H
#define MCA_PML_CHAMPION_RING_RING_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "opal/prefetch.h"

#pragma GCC visibility push(hidden)

enum {
    /** Bytes of a slot: two lines, because processors fetch them in pairs. */
    MCA_PML_CHAMPION_RING_SLOT = 128,
    /** Slots of a ring. With the control it is four pages. */
    MCA_PML_CHAMPION_RING_SLOTS = 127,
    /** The reader publishes its position every so many slots. */
    MCA_PML_CHAMPION_RING_QUARTER = 32,
    /** Bytes of a record before its payload. */
    MCA_PML_CHAMPION_RING_HEADER = 24,
    /** Largest payload of a record of one slot, bytes. */
    MCA_PML_CHAMPION_RING_SHORT =
        MCA_PML_CHAMPION_RING_SLOT - MCA_PML_CHAMPION_RING_HEADER,
    /** Slots of the longest record, and its payload in bytes. With the slots
     * before it that are left out, room for it can always come. */
    MCA_PML_CHAMPION_RING_SLOTS_MAX = 33,
    MCA_PML_CHAMPION_RING_MAX =
        MCA_PML_CHAMPION_RING_SLOTS_MAX * MCA_PML_CHAMPION_RING_SLOT -
        MCA_PML_CHAMPION_RING_HEADER
};

_Static_assert(2 * MCA_PML_CHAMPION_RING_SLOTS_MAX - 1 <=
                   MCA_PML_CHAMPION_RING_SLOTS -
                       (MCA_PML_CHAMPION_RING_QUARTER - 1),
               "the longest record would wait for ever");

/** Kinds of records; the caller has those from 1 to 255. */
enum { MCA_PML_CHAMPION_RING_PAD = 0 };

/** A slot, as the first one of a record. */
typedef struct mca_pml_champion_ring_slot_t {
    uint32_t lap;  /**< 0: nothing. Atomic */
    uint32_t size; /**< kind << 24 | bytes of payload */
    uint64_t word[2];
    unsigned char data[MCA_PML_CHAMPION_RING_SHORT]; /**< and on */
} mca_pml_champion_ring_slot_t;

_Static_assert(MCA_PML_CHAMPION_RING_SLOT ==
                       sizeof(mca_pml_champion_ring_slot_t) &&
                   MCA_PML_CHAMPION_RING_HEADER ==
                       offsetof(mca_pml_champion_ring_slot_t, data),
               "layout of a slot");

/** A ring, in memory that both sides have. All zero: empty. */
typedef struct mca_pml_champion_ring_t {
    uint32_t read;    /**< slots the reader is past, modulo 2^32. Atomic */
    uint32_t asleep;  /**< the reader does not look by itself. Atomic */
    uint64_t mark[2]; /**< what it is known by; see ring_segment.h */
    uint32_t stop;    /**< the reader wants no more, for now. Atomic */
    unsigned char unused[MCA_PML_CHAMPION_RING_SLOT / 2 - 28];
    /* A line of the writer's. */
    uint32_t
        doorbell; /**< it has sent something by UCX: see core/inflight.h. Atomic
                   */
    unsigned char unused_too[MCA_PML_CHAMPION_RING_SLOT / 2 - 4];
    mca_pml_champion_ring_slot_t slot[MCA_PML_CHAMPION_RING_SLOTS];
} mca_pml_champion_ring_t;

_Static_assert(16384 == sizeof(mca_pml_champion_ring_t), "size of a ring");

/** The writer's side; its own memory. */
typedef struct mca_pml_champion_ring_writer_t {
    mca_pml_champion_ring_slot_t *next; /**< where the next record begins */
    uint32_t left; /**< slots from there on that may be written at once */
    uint32_t lap;  /**< the present one; never 0 */
    mca_pml_champion_ring_t *ring;
    uint32_t base;     /**< slots written before the present lap, modulo 2^32 */
    uint32_t read;     /**< the reader's position as far as known */
    uint64_t dirty[2]; /**< slots that have payload in place of a lap */
    bool broken;       /**< the reader's position made no sense */
} mca_pml_champion_ring_writer_t;

/** The reader's side; its own memory. */
typedef struct mca_pml_champion_ring_reader_t {
    mca_pml_champion_ring_slot_t *next; /**< the next record */
    uint32_t lap;
    uint32_t read;      /**< slots that it is past, modulo 2^32 */
    uint32_t published; /**< the same as the writer was told */
    mca_pml_champion_ring_slot_t *end; /**< behind the last slot */
    mca_pml_champion_ring_t *ring;
} mca_pml_champion_ring_reader_t;

/** A record as its reader sees it. */
typedef struct mca_pml_champion_ring_record_t {
    const mca_pml_champion_ring_slot_t *slot; /**< word and data are in it */
    uint32_t kind;
    uint32_t length; /**< bytes of payload */
    uint32_t slots;
} mca_pml_champion_ring_record_t;

/** Begin to use a ring that is empty and has never been used, or was emptied
 * since. */
void mca_pml_champion_ring_writer_init(mca_pml_champion_ring_writer_t *writer,
                                       mca_pml_champion_ring_t *ring);
void mca_pml_champion_ring_reader_init(mca_pml_champion_ring_reader_t *reader,
                                       mca_pml_champion_ring_t *ring);

/** Make a ring as if it had never been used; its mark stays. Nobody uses it. */
void mca_pml_champion_ring_empty(mca_pml_champion_ring_t *ring);

/** Slots that a payload takes, length <= RING_MAX. */
static inline uint32_t mca_pml_champion_ring_slots(uint32_t length)
{
    return (length + MCA_PML_CHAMPION_RING_HEADER + MCA_PML_CHAMPION_RING_SLOT -
            1) /
           MCA_PML_CHAMPION_RING_SLOT;
}

/** Is there room for a record of one slot, as far as is known? Then it is at
 * writer->next. The caller fills in word and data, and publishes it before it
 * looks for room again. */
static inline bool mca_pml_champion_ring_has_room(
    const mca_pml_champion_ring_writer_t *writer)
{
    return OPAL_LIKELY(0 != writer->left);
}

/** Copy a payload that fits one slot, without a call. */
static inline __attribute__((always_inline)) void
mca_pml_champion_ring_copy_short(unsigned char *to, const void *from,
                                 size_t length)
{
    const unsigned char *source = from;

    if (OPAL_LIKELY(length - 8 <= 8)) {
        uint64_t first, last;

        memcpy(&first, source, 8);
        memcpy(&last, source + length - 8, 8);
        memcpy(to, &first, 8);
        memcpy(to + length - 8, &last, 8);
    } else if (length > 16) {
        size_t done = 0;

        do {
            memcpy(to + done, source + done, 16);
            done += 16;
            __asm__("" : "+r"(done)); /* or it becomes a call */
        } while (done + 16 < length);
        memcpy(to + length - 16, source + length - 16, 16);
    } else if (length >= 4) {
        uint32_t first, last;

        memcpy(&first, source, 4);
        memcpy(&last, source + length - 4, 4);
        memcpy(to, &first, 4);
        memcpy(to + length - 4, &last, 4);
    } else if (0 != length) {
        to[0] = source[0];
        to[length / 2] = source[length / 2];
        to[length - 1] = source[length - 1];
    }
}

/** Slots that have been written, modulo 2^32: the reader is past all records
 * once that is its position. */
static inline uint32_t mca_pml_champion_ring_written(
    const mca_pml_champion_ring_writer_t *writer)
{
    return writer->base + (uint32_t) (writer->next - writer->ring->slot);
}

/** See how far the reader has come, in the same numbers. */
uint32_t mca_pml_champion_ring_refresh(mca_pml_champion_ring_writer_t *writer);

/** Let the reader have a record of one slot. */
static inline void mca_pml_champion_ring_publish_short(
    mca_pml_champion_ring_writer_t *writer, mca_pml_champion_ring_slot_t *slot,
    uint32_t kind, uint32_t length)
{
    --writer->left;
    writer->next = slot + 1;
    slot->size = kind << 24 | length;
    __atomic_store_n(&slot->lap, writer->lap, __ATOMIC_RELEASE);
}

/** Get slots for any payload up to RING_MAX, and let the reader have them. NULL
 * if there is no room: this looks for it. */
mca_pml_champion_ring_slot_t *mca_pml_champion_ring_reserve(
    mca_pml_champion_ring_writer_t *writer, uint32_t length);
void mca_pml_champion_ring_publish(mca_pml_champion_ring_writer_t *writer,
                                   mca_pml_champion_ring_slot_t *slot,
                                   uint32_t kind, uint32_t length);

/** Is there a record? */
static inline bool mca_pml_champion_ring_ready(
    const mca_pml_champion_ring_reader_t *reader)
{
    return __atomic_load_n(&reader->next->lap, __ATOMIC_ACQUIRE) == reader->lap;
}

/** Look at a record that is there, PAD included. False if it cannot be: the
 * memory was written by somebody else. It stays until the next call of advance.
 */
static inline bool mca_pml_champion_ring_look(
    const mca_pml_champion_ring_reader_t *reader,
    mca_pml_champion_ring_record_t *record)
{
    const mca_pml_champion_ring_slot_t *slot = reader->next;
    uint32_t size = __atomic_load_n(&slot->size, __ATOMIC_RELAXED);

    record->slot = slot;
    record->kind = size >> 24;
    record->length = size & 0xffffff;
    record->slots = 1;
    if (OPAL_UNLIKELY(record->length > MCA_PML_CHAMPION_RING_SHORT)) {
        record->slots = mca_pml_champion_ring_slots(record->length);
        return record->slots <= (size_t) (reader->end - slot);
    }
    return true;
}

/** Let the writer know how far this is. */
static inline void mca_pml_champion_ring_tell(
    mca_pml_champion_ring_reader_t *reader)
{
    reader->published = reader->read;
    __atomic_store_n(&reader->ring->read, reader->read, __ATOMIC_RELEASE);
}

/** Go on to the next record. */
static inline void mca_pml_champion_ring_advance(
    mca_pml_champion_ring_reader_t *reader, uint32_t slots)
{
    mca_pml_champion_ring_slot_t *next = reader->next + slots;

    if (OPAL_UNLIKELY(reader->end == next)) {
        next = reader->ring->slot;
        reader->lap += UINT32_MAX == reader->lap ? 2 : 1;
    }
    reader->next = next;
    reader->read += slots;
    if (OPAL_UNLIKELY(reader->read - reader->published >=
                      MCA_PML_CHAMPION_RING_QUARTER)) {
        mca_pml_champion_ring_tell(reader);
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RING_H */
