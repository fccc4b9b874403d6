/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/shm/fifo.h"

#include <string.h>

bool mca_pml_champion_fifo_slots_valid(uint32_t num_slots)
{
    return num_slots >= MCA_PML_CHAMPION_FIFO_SLOTS_MIN &&
           num_slots <= MCA_PML_CHAMPION_FIFO_SLOTS_MAX &&
           0 == (num_slots & (num_slots - 1));
}

uint32_t mca_pml_champion_fifo_slots(uint64_t wanted)
{
    uint32_t slots = MCA_PML_CHAMPION_FIFO_SLOTS_MIN;

    while (2 * (uint64_t) slots <= wanted &&
           slots < MCA_PML_CHAMPION_FIFO_SLOTS_MAX) {
        slots *= 2;
    }
    return slots;
}

/* A FIFO's slots begin where a ring's do, but there are more of them. */
static mca_pml_champion_ring_slot_t *slots_of(mca_pml_champion_ring_t *fifo)
{
    return (void *) ((char *) fifo + offsetof(mca_pml_champion_ring_t, slot));
}

void mca_pml_champion_fifo_writer_init(mca_pml_champion_fifo_writer_t *writer,
                                       mca_pml_champion_ring_t *fifo,
                                       uint32_t num_slots, uint32_t place)
{
    *writer = (mca_pml_champion_fifo_writer_t){
        .fifo = fifo,
        .slots = slots_of(fifo),
        .num_slots = num_slots,
        .place = place,
    };
}

void mca_pml_champion_fifo_reader_init(mca_pml_champion_ring_reader_t *reader,
                                       mca_pml_champion_ring_t *fifo,
                                       uint32_t num_slots)
{
    *reader = (mca_pml_champion_ring_reader_t){
        .next = slots_of(fifo),
        .lap = 1,
        .end = slots_of(fifo) + num_slots,
        .ring = fifo,
    };
}

static void publish_slot(mca_pml_champion_ring_slot_t *slot, uint32_t size,
                         uint32_t lap)
{
    __atomic_store_n(&slot->size, size, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->lap, lap, __ATOMIC_RELEASE);
}

/* Leave the end of the FIFO out. */
static void pad_end(mca_pml_champion_ring_slot_t *slot, uint32_t slots,
                    uint32_t lap)
{
    publish_slot(
        slot,
        (uint32_t) MCA_PML_CHAMPION_RING_PAD << 24 |
            (slots * MCA_PML_CHAMPION_RING_SLOT - MCA_PML_CHAMPION_RING_HEADER),
        lap);
}

mca_pml_champion_ring_slot_t *mca_pml_champion_fifo_reserve(
    mca_pml_champion_fifo_writer_t *writer, uint32_t length)
{
    mca_pml_champion_ring_t *fifo = writer->fifo;
    const uint32_t slots =
        mca_pml_champion_ring_slots(length + MCA_PML_CHAMPION_FIFO_TRAILER);
    uint64_t tail = __atomic_load_n(&fifo->tail, __ATOMIC_RELAXED);
    uint32_t index, padding;

    do {
        index = (uint32_t) tail & (writer->num_slots - 1);
        padding =
            writer->num_slots - index < slots ? writer->num_slots - index : 0;
        /* A tail that is older than the position makes the result large: then
         * it is read again. */
        if (OPAL_UNLIKELY((uint32_t) tail + padding + slots -
                              __atomic_load_n(&fifo->read, __ATOMIC_ACQUIRE) >
                          writer->num_slots)) {
            const uint64_t now = __atomic_load_n(&fifo->tail, __ATOMIC_RELAXED);

            if (now == tail) {
                return NULL;
            }
            tail = now;
            continue;
        }
        if (OPAL_LIKELY(__atomic_compare_exchange_n(
                &fifo->tail, &tail, tail + padding + slots, true,
                __ATOMIC_RELAXED, __ATOMIC_RELAXED))) {
            break;
        }
    } while (true);
    if (OPAL_UNLIKELY(0 != padding)) {
        pad_end(writer->slots + index, padding,
                mca_pml_champion_fifo_lap_at(writer, tail));
        tail += padding;
        index = 0;
    }
    writer->lap = mca_pml_champion_fifo_lap_at(writer, tail);
    writer->written = (uint32_t) tail + slots;
    return writer->slots + index;
}

bool mca_pml_champion_fifo_has_room(
    const mca_pml_champion_fifo_writer_t *writer, uint32_t length)
{
    const mca_pml_champion_ring_t *fifo = writer->fifo;
    const uint32_t slots =
        mca_pml_champion_ring_slots(length + MCA_PML_CHAMPION_FIFO_TRAILER);
    const uint32_t tail =
        (uint32_t) __atomic_load_n(&fifo->tail, __ATOMIC_RELAXED);

    return tail - __atomic_load_n(&fifo->read, __ATOMIC_ACQUIRE) + slots <=
           writer->num_slots;
}

void mca_pml_champion_fifo_publish(const mca_pml_champion_fifo_writer_t *writer,
                                   mca_pml_champion_ring_slot_t *slot,
                                   uint32_t kind, uint32_t length)
{
    memcpy(slot->data + length, &writer->place, sizeof(writer->place));
    publish_slot(slot, kind << 24 | (length + MCA_PML_CHAMPION_FIFO_TRAILER),
                 writer->lap);
}

void mca_pml_champion_fifo_advance_long(
    mca_pml_champion_ring_reader_t *reader,
    const mca_pml_champion_ring_record_t *record)
{
    /* Nothing was written into the slots of padding: what is there is an old
     * lap. */
    if (OPAL_UNLIKELY(MCA_PML_CHAMPION_RING_PAD != record->kind)) {
        for (uint32_t i = 1; i < record->slots; ++i) {
            __atomic_store_n(&reader->next[i].lap, 0, __ATOMIC_RELAXED);
        }
    }
    mca_pml_champion_ring_advance(reader, record->slots);
}
