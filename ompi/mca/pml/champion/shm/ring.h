/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A ring: small records from one process to another through shared memory.
 *
 *            control           slots
 *     +-------------------+--------+--------+--------+-- ... --+--------+
 *     | position of the   | record |    record       | record  |        |
 *     | reader            |        |  of two slots   |         |        |
 *     +-------------------+--------+--------+--------+-- ... --+--------+
 *         reader writes      writer writes
 *
 * One writer, one reader; the only atomic operations are loads and stores. A
 * record occupies as many consecutive slots as it needs and begins with
 *
 *     lap    how often the writer has gone round the ring; written last, with
 *            release order. A record is valid if its lap equals the reader's
 *     size   kind and length of the payload
 *     word   16 bytes for the caller, followed by the payload
 *
 * A small record is therefore one cache line, transferred once. A record does
 * not wrap: if it does not fit before the end of the ring, a record of the kind
 * PAD fills the rest. The reader publishes its position only every quarter of
 * the ring, and the writer reads it only when the room it knows of is used up.
 *
 * Laps and payloads. In the middle of a long record, payload lies where another
 * record will have its lap; the reader must not mistake it for a lap. The
 * writer keeps track of these slots. When it learns that the reader has passed
 * them, it stores 0, which is never a valid lap, before it publishes a record
 * that leads the reader there. Until the writer reads the position again, the
 * reader cannot go beyond the first slot that the writer does not know to be
 * free. A record began in that slot, because the reader publishes its position
 * only between records; so the slot holds an old lap, and no payload.
 *
 * Cost of an 8-byte record: about 15 instructions to write it and 20 to read
 * it; one cache line to the reader, and one back every quarter of the ring.
 *
 * Data of the other side are checked before use: a record never extends beyond
 * the ring, and an impossible position is detected. The caller checks the
 * contents of records. If the other side changes memory while it is being read,
 * the contents may be wrong, but no access leaves the ring.
 *
 * This code is independent of MPI and UCX. A ring is 16 KiB and must be aligned
 * to a cache line.
 */

#ifndef MCA_PML_CHAMPION_SHM_RING_H
#define MCA_PML_CHAMPION_SHM_RING_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "opal/prefetch.h"

#pragma GCC visibility push(hidden)

enum {
    /** Bytes of a slot: two cache lines, because processors prefetch them in
     * pairs. */
    MCA_PML_CHAMPION_RING_SLOT = 128,
    /** Slots of a ring. With the control block, a ring is four pages. */
    MCA_PML_CHAMPION_RING_SLOTS = 127,
    /** The reader publishes its position each time it has read this many slots.
     */
    MCA_PML_CHAMPION_RING_QUARTER = 32,
    /** So many slots ahead a writer of many records gets a line. */
    MCA_PML_CHAMPION_RING_AHEAD = 8,
    /** Bytes of a record before its payload. */
    MCA_PML_CHAMPION_RING_HEADER = 24,
    /** Largest payload of a record of one slot, bytes. */
    MCA_PML_CHAMPION_RING_SHORT =
        MCA_PML_CHAMPION_RING_SLOT - MCA_PML_CHAMPION_RING_HEADER,
    /** Slots of the longest record, and its payload in bytes. A quarter of the
     * ring, so that the record fits as soon as the reader catches up, even
     * after padding at the end of the ring. */
    MCA_PML_CHAMPION_RING_SLOTS_MAX = 33,
    MCA_PML_CHAMPION_RING_MAX =
        MCA_PML_CHAMPION_RING_SLOTS_MAX * MCA_PML_CHAMPION_RING_SLOT -
        MCA_PML_CHAMPION_RING_HEADER
};

_Static_assert(2 * MCA_PML_CHAMPION_RING_SLOTS_MAX - 1 <=
                   MCA_PML_CHAMPION_RING_SLOTS -
                       (MCA_PML_CHAMPION_RING_QUARTER - 1),
               "the longest record would wait for ever");

/** Kinds of records: 0 is padding; the caller defines those from 1 to 255. */
enum { MCA_PML_CHAMPION_RING_PAD = 0 };

/** Threads that may sleep at the reader until a record comes. */
enum {
    /** The progress thread. It is not woken if it has started later: the copy of
     * a small message takes less than that takes from the computation. */
    MCA_PML_CHAMPION_SLEEPER_THREAD = 1,
    MCA_PML_CHAMPION_SLEEPER_WAITS = 2 /**< a thread that waits in MPI */
};

/** A slot. The fields are those of a record that begins here. */
typedef struct mca_pml_champion_ring_slot_t {
    uint32_t lap;  /**< 0: no record. Atomic */
    uint32_t size; /**< kind << 24 | bytes of payload */
    uint64_t word[2];
    /** Continues in the next slots. */
    unsigned char data[MCA_PML_CHAMPION_RING_SHORT];
} mca_pml_champion_ring_slot_t;

_Static_assert(MCA_PML_CHAMPION_RING_SLOT ==
                       sizeof(mca_pml_champion_ring_slot_t) &&
                   MCA_PML_CHAMPION_RING_HEADER ==
                       offsetof(mca_pml_champion_ring_slot_t, data),
               "layout of a slot");

/** A message that reader and writer copy together; see shm/job.h. Written by
 * the reader; `claim` and `done` by both. */
typedef struct mca_pml_champion_ring_job_t {
    uint64_t claim;    /**< parts that are left. Atomic */
    uint64_t address;  /**< of the destination in the reader's memory. Atomic */
    uint32_t sequence; /**< of the message. Atomic */
    uint32_t vpid;     /**< of the writer. Atomic */
    uint32_t done;     /**< parts that are copied. Atomic */
} mca_pml_champion_ring_job_t;

/** News of a reader for one of its writers: a cache line in the reader's area.
 * All bytes zero at first. */
typedef struct mca_pml_champion_pair_t {
    mca_pml_champion_ring_job_t job;
    uint32_t stop; /**< flow control: send nothing by ring for now. Atomic */
    /** By which way the reader wants large messages (large/way.h).
     * Atomic. */
    uint32_t advice;
    uint32_t reads; /**< the reader can read the writer's memory. Atomic */
    unsigned char unused[64 - sizeof(mca_pml_champion_ring_job_t) - 12];
} mca_pml_champion_pair_t;

_Static_assert(64 == sizeof(mca_pml_champion_pair_t), "a cache line");

/** A ring, in memory that both sides map. All bytes zero: an empty ring. */
typedef struct mca_pml_champion_ring_t {
    uint32_t read; /**< slots that the reader has passed, modulo 2^32. Atomic */
    uint64_t tail; /**< of a FIFO only (shm/fifo.h): slots reserved. Atomic */
    unsigned char unused[64 - 16];
    mca_pml_champion_pair_t pair; /**< not of a FIFO */
    mca_pml_champion_ring_slot_t slot[MCA_PML_CHAMPION_RING_SLOTS];
} mca_pml_champion_ring_t;

_Static_assert(16384 == sizeof(mca_pml_champion_ring_t), "size of a ring");

/** The writer's state; private memory. */
typedef struct mca_pml_champion_ring_writer_t {
    mca_pml_champion_ring_slot_t *next; /**< where the next record begins */
    /** Free slots from there on, as far as known, up to the end of the ring. */
    uint32_t left;
    uint32_t lap; /**< the current lap; never 0 */
    mca_pml_champion_ring_t *ring;
    uint32_t base; /**< slots written before the current lap, modulo 2^32 */
    uint32_t read; /**< the last reader position that was read */
    /** One bit a slot: it holds payload in place of a lap. */
    uint64_t dirty[2];
    bool broken; /**< the reader's position was invalid */
} mca_pml_champion_ring_writer_t;

/** The reader's state; private memory. */
typedef struct mca_pml_champion_ring_reader_t {
    mca_pml_champion_ring_slot_t *next; /**< the next record */
    uint32_t lap;
    uint32_t read; /**< slots that it has passed, modulo 2^32 */
    /** The position that was last published to the writer. */
    uint32_t published;
    mca_pml_champion_ring_slot_t *end; /**< one past the last slot */
    mca_pml_champion_ring_t *ring;
} mca_pml_champion_ring_reader_t;

/** A record as its reader sees it. */
typedef struct mca_pml_champion_ring_record_t {
    const mca_pml_champion_ring_slot_t *slot; /**< holds word and data */
    uint32_t kind;
    uint32_t length; /**< bytes of payload */
    uint32_t slots;
} mca_pml_champion_ring_record_t;

/** Start to write a ring that is empty, or to read one, or a FIFO (shm/fifo.h).
 */
void mca_pml_champion_ring_writer_init(mca_pml_champion_ring_writer_t *writer,
                                       mca_pml_champion_ring_t *ring);
void mca_pml_champion_ring_reader_init(mca_pml_champion_ring_reader_t *reader,
                                       mca_pml_champion_ring_t *ring,
                                       uint32_t num_slots);

/** Slots that a payload occupies; length <= RING_MAX. */
static inline uint32_t mca_pml_champion_ring_slots(uint32_t length)
{
    return (length + MCA_PML_CHAMPION_RING_HEADER + MCA_PML_CHAMPION_RING_SLOT -
            1) /
           MCA_PML_CHAMPION_RING_SLOT;
}

/** Is there room for a record of one slot, by the last known reader position?
 * If so, the record begins at writer->next: fill in word and data and publish
 * it before the next call. */
static inline bool mca_pml_champion_ring_has_room(
    const mca_pml_champion_ring_writer_t *writer)
{
    return OPAL_LIKELY(0 != writer->left);
}

/** Copy a payload that fits into one slot. Inlined, because a call to memcpy
 * costs more than copies of this size. */
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
            /* Keeps the compiler from emitting a call. */
            __asm__("" : "+r"(done));
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

/** Slots written so far, modulo 2^32. Once the reader's position has reached
 * this number, all records have been read. */
static inline uint32_t mca_pml_champion_ring_written(
    const mca_pml_champion_ring_writer_t *writer)
{
    return writer->base + (uint32_t) (writer->next - writer->ring->slot);
}

/** Read the reader's position again and return it, in slots modulo 2^32. */
uint32_t mca_pml_champion_ring_refresh(mca_pml_champion_ring_writer_t *writer);

/** Begin to get the line of the slot that will be written so many slots from now:
 * stores wait for their lines one after another, and the reader has these. */
static inline void mca_pml_champion_ring_prefetch_to_write(
    const mca_pml_champion_ring_writer_t *writer, int ahead)
{
    const mca_pml_champion_ring_slot_t *slot = writer->next + ahead;

#if defined(__x86_64__)
    /* The compiler's builtin would only read, unless told which processor this
     * is for. Those that do not know the instruction do nothing. */
    __asm__ volatile("prefetchw %0" : : "m"(slot->lap));
#else
    __builtin_prefetch(slot, 1);
#endif
}

/** The same for those from the next but one, as the reader looks at the next one,
 * up to RING_AHEAD. */
static inline void mca_pml_champion_ring_prefetch_all_to_write(
    const mca_pml_champion_ring_writer_t *writer)
{
    for (int ahead = 2; ahead <= MCA_PML_CHAMPION_RING_AHEAD; ++ahead) {
        mca_pml_champion_ring_prefetch_to_write(writer, ahead);
    }
}

/** Publish a record of one slot to the reader. */
static inline void mca_pml_champion_ring_publish_short(
    mca_pml_champion_ring_writer_t *writer, mca_pml_champion_ring_slot_t *slot,
    uint32_t kind, uint32_t length)
{
    --writer->left;
    writer->next = slot + 1;
    slot->size = kind << 24 | length;
    __atomic_store_n(&slot->lap, writer->lap, __ATOMIC_RELEASE);
}

/** Reserve slots for a payload of up to RING_MAX bytes, to be filled and passed
 * to ring_publish(). NULL if there is no room; the reader's position has been
 * read again by then. */
mca_pml_champion_ring_slot_t *mca_pml_champion_ring_reserve(
    mca_pml_champion_ring_writer_t *writer, uint32_t length);
void mca_pml_champion_ring_publish(mca_pml_champion_ring_writer_t *writer,
                                   mca_pml_champion_ring_slot_t *slot,
                                   uint32_t kind, uint32_t length);

/** Is there a record to read? */
static inline bool mca_pml_champion_ring_ready(
    const mca_pml_champion_ring_reader_t *reader)
{
    return __atomic_load_n(&reader->next->lap, __ATOMIC_ACQUIRE) == reader->lap;
}

/** Return the next record, which must be there; it may be a PAD. False if its
 * size is invalid: somebody else has written to the memory. The record stays
 * valid until ring_advance(). */
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

/** Publish the reader's position to the writer. */
static inline void mca_pml_champion_ring_publish_position(
    mca_pml_champion_ring_reader_t *reader)
{
    reader->published = reader->read;
    __atomic_store_n(&reader->ring->read, reader->read, __ATOMIC_RELEASE);
}

/** Release the current record and go on to the next one. */
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
        mca_pml_champion_ring_publish_position(reader);
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_RING_H */
