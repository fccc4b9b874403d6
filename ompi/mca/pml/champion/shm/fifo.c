/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/shm/fifo.h"

uint32_t mca_pml_champion_fifo_slots(uint64_t wanted)
{
    uint32_t slots = MCA_PML_CHAMPION_FIFO_SLOTS_MIN;

    while (2 * (uint64_t) slots <= wanted &&
           slots < MCA_PML_CHAMPION_FIFO_SLOTS_MAX) {
        slots *= 2;
    }
    return slots;
}

void mca_pml_champion_fifo_writer_init(mca_pml_champion_fifo_writer_t *writer,
                                       mca_pml_champion_ring_t *fifo,
                                       uint32_t num_slots, uint32_t place)
{
    *writer = (mca_pml_champion_fifo_writer_t){
        .fifo = fifo,
        .slots = fifo->slot, /* more than a ring has */
        .num_slots = num_slots,
        .place = place,
    };
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
        /* Leave the end of the FIFO out. */
        mca_pml_champion_fifo_publish_slot(
            writer->slots + index,
            (uint32_t) MCA_PML_CHAMPION_RING_PAD << 24 |
                (padding * MCA_PML_CHAMPION_RING_SLOT -
                 MCA_PML_CHAMPION_RING_HEADER),
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

void mca_pml_champion_fifo_advance_long(mca_pml_champion_ring_reader_t *reader,
                                        uint32_t kind, uint32_t slots)
{
    /* Nothing was written into the slots of padding: what is there is an old
     * lap. */
    if (OPAL_UNLIKELY(MCA_PML_CHAMPION_RING_PAD != kind)) {
        for (uint32_t i = 1; i < slots; ++i) {
            __atomic_store_n(&reader->next[i].lap, 0, __ATOMIC_RELAXED);
        }
    }
    mca_pml_champion_ring_advance(reader, slots);
}
