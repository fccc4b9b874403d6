/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A FIFO: a ring (shm/ring.h) that several processes write, and one reads. On
 * large nodes a receiver has one for all senders, so that the cost of a poll does
 * not grow with their number, and its memory by a few slots for each of them.
 *
 *     control            slots, a power of two
 *     +----------------+-----------+--------+------------------ ... --+
 *     | tail, position | record of | record |  record of two slots    |
 *     | of the reader  | sender A  | of B   |  of A                   |
 *     +----------------+-----------+--------+------------------ ... --+
 *
 * Records, laps and the reader are those of a ring. A writer reserves slots by
 * advancing the tail (compare and swap), fills them and publishes the record by
 * its lap. The reader comes to a record when all before it are published: a
 * writer that is preempted between the two steps delays the others' records, and
 * one that dies there ends them: the job ends then, too, but with fault
 * tolerance.
 *
 * Payload where laps would be: a writer does not know what others have written.
 * So the reader stores 0 there before it publishes that it has passed the
 * record.
 *
 * Room: the tail and the reader's position are in one cache line, which the
 * writer of a record needs anyway.
 *
 * Each record ends with the sender's place on the board, 4 bytes.
 *
 * Source of the idea: the receive queues that all processes of a node write in
 * MPICH's nemesis (Buntinas, Mercier, Gropp, "Design and evaluation of Nemesis,
 * a scalable, low-latency, message-passing communication subsystem") and in
 * UCX's shared memory transports. Those link cells or copy through elements of
 * one size; here records have as many slots as they need.
 */

#ifndef MCA_PML_CHAMPION_SHM_FIFO_H
#define MCA_PML_CHAMPION_SHM_FIFO_H

#include <string.h>

#include "ompi/mca/pml/champion/shm/ring.h"

#pragma GCC visibility push(hidden)

enum {
    /** Number of slots of a FIFO: a power of two within these limits. */
    MCA_PML_CHAMPION_FIFO_SLOTS_MIN = 256,
    MCA_PML_CHAMPION_FIFO_SLOTS_MAX = 65536,
    /** Bytes of a record after its payload: the sender's place. */
    MCA_PML_CHAMPION_FIFO_TRAILER = 4,
    /** Largest payload of a record of one slot. */
    MCA_PML_CHAMPION_FIFO_SHORT =
        MCA_PML_CHAMPION_RING_SHORT - MCA_PML_CHAMPION_FIFO_TRAILER
};

/** A writer's state; private memory. The first fields are at the places of a
 * ring's: for that writer there is never room. */
typedef struct mca_pml_champion_fifo_writer_t {
    mca_pml_champion_ring_slot_t *slots;
    uint32_t none; /**< 0 */
    uint32_t lap;  /**< of the slots that are reserved */
    mca_pml_champion_ring_t *fifo;
    uint32_t num_slots;
    uint32_t place;   /**< of this process, on the board */
    uint32_t written; /**< where the last record ends, in slots modulo 2^32 */
} mca_pml_champion_fifo_writer_t;

_Static_assert(offsetof(mca_pml_champion_fifo_writer_t, none) ==
                       offsetof(mca_pml_champion_ring_writer_t, left) &&
                   offsetof(mca_pml_champion_fifo_writer_t, fifo) ==
                       offsetof(mca_pml_champion_ring_writer_t, ring),
               "a FIFO's writer looks like a ring's that is full");

/** Bytes of a FIFO. */
static inline size_t mca_pml_champion_fifo_size(uint32_t num_slots)
{
    return offsetof(mca_pml_champion_ring_t, slot) +
           (size_t) num_slots * MCA_PML_CHAMPION_RING_SLOT;
}

/** The number of slots that a FIFO has where so many are wanted: the largest
 * that is allowed and not above, or the smallest. */
uint32_t mca_pml_champion_fifo_slots(uint64_t wanted);

/** Start to write a FIFO. Its memory is all zero, or in use. */
void mca_pml_champion_fifo_writer_init(mca_pml_champion_fifo_writer_t *writer,
                                       mca_pml_champion_ring_t *fifo,
                                       uint32_t num_slots, uint32_t place);

/** Reserve slots for a payload of up to RING_MAX - TRAILER bytes, to be filled
 * and passed to _publish before anything else is done. NULL if there is no
 * room. */
mca_pml_champion_ring_slot_t *mca_pml_champion_fifo_reserve(
    mca_pml_champion_fifo_writer_t *writer, uint32_t length);
/** Would there be room now? */
bool mca_pml_champion_fifo_has_room(
    const mca_pml_champion_fifo_writer_t *writer, uint32_t length);

/** The lap at a position. The reader's goes from 1 to UINT32_MAX, and again. */
static inline uint32_t mca_pml_champion_fifo_lap_at(
    const mca_pml_champion_fifo_writer_t *writer, uint64_t position)
{
    const uint64_t round =
        position >> (unsigned) __builtin_ctz(writer->num_slots);

    return OPAL_LIKELY(round < UINT32_MAX)
               ? (uint32_t) round + 1
               : (uint32_t) (round % UINT32_MAX) + 1;
}

/** Reserve one slot, as _reserve does for a payload of up to FIFO_SHORT bytes.
 * NULL if that was not possible at once. */
static inline mca_pml_champion_ring_slot_t *mca_pml_champion_fifo_reserve_short(
    mca_pml_champion_fifo_writer_t *writer)
{
    mca_pml_champion_ring_t *fifo = writer->fifo;
    uint64_t tail = __atomic_load_n(&fifo->tail, __ATOMIC_RELAXED);

    if (OPAL_UNLIKELY((uint32_t) tail -
                          __atomic_load_n(&fifo->read, __ATOMIC_ACQUIRE) >=
                      writer->num_slots) ||
        OPAL_UNLIKELY(!__atomic_compare_exchange_n(&fifo->tail, &tail, tail + 1,
                                                   false, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED))) {
        return NULL;
    }
    writer->lap = mca_pml_champion_fifo_lap_at(writer, tail);
    return writer->slots + ((uint32_t) tail & (writer->num_slots - 1));
}

/** Publish a record whose size is complete, of kind and bytes. */
static inline void mca_pml_champion_fifo_publish_slot(
    mca_pml_champion_ring_slot_t *slot, uint32_t size, uint32_t lap)
{
    __atomic_store_n(&slot->size, size, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->lap, lap, __ATOMIC_RELEASE);
}

/** Publish a record, behind whose payload the sender's place goes. */
static inline void mca_pml_champion_fifo_publish(
    const mca_pml_champion_fifo_writer_t *writer,
    mca_pml_champion_ring_slot_t *slot, uint32_t kind, uint32_t length)
{
    memcpy(slot->data + length, &writer->place, sizeof(writer->place));
    mca_pml_champion_fifo_publish_slot(
        slot, kind << 24 | (length + MCA_PML_CHAMPION_FIFO_TRAILER),
        writer->lap);
}

/** Take the sender's place off a record. False if the record is too short. */
static inline bool mca_pml_champion_fifo_sender(
    mca_pml_champion_ring_record_t *record, uint32_t *place)
{
    if (OPAL_UNLIKELY(record->length < MCA_PML_CHAMPION_FIFO_TRAILER)) {
        return false;
    }
    record->length -= MCA_PML_CHAMPION_FIFO_TRAILER;
    memcpy(place, record->slot->data + record->length, sizeof(*place));
    return true;
}

/** Release the current record, of more than one slot, and go on to the next one.
 */
void mca_pml_champion_fifo_advance_long(mca_pml_champion_ring_reader_t *reader,
                                        uint32_t kind, uint32_t slots);

/** Release the current record and go on to the next one. */
static inline void mca_pml_champion_fifo_advance(
    mca_pml_champion_ring_reader_t *reader,
    const mca_pml_champion_ring_record_t *record)
{
    if (OPAL_LIKELY(1 == record->slots)) {
        mca_pml_champion_ring_advance(reader, 1);
    } else {
        mca_pml_champion_fifo_advance_long(reader, record->kind, record->slots);
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_FIFO_H */
