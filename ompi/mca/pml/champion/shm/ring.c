/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/shm/ring.h"

#include <string.h>

#define SLOTS ((uint32_t) MCA_PML_CHAMPION_RING_SLOTS)

void mca_pml_champion_ring_writer_init(mca_pml_champion_ring_writer_t *writer,
                                       mca_pml_champion_ring_t *ring)
{
    *writer = (mca_pml_champion_ring_writer_t){
        .next = ring->slot,
        .left = SLOTS,
        .lap = 1,
        .ring = ring,
    };
}

void mca_pml_champion_ring_reader_init(mca_pml_champion_ring_reader_t *reader,
                                       mca_pml_champion_ring_t *ring,
                                       uint32_t num_slots)
{
    *reader = (mca_pml_champion_ring_reader_t){
        .next = ring->slot,
        .lap = 1,
        .end = ring->slot + num_slots,
        .ring = ring,
    };
}

static inline uint32_t index_of(const mca_pml_champion_ring_writer_t *writer)
{
    return (uint32_t) (writer->next - writer->ring->slot);
}

/* Slots that are free as far as is known. */
static inline uint32_t known_free(const mca_pml_champion_ring_writer_t *writer)
{
    return SLOTS - (writer->base + index_of(writer) - writer->read);
}

/* Nothing in these slots may look like a lap any more. */
static void clean(mca_pml_champion_ring_writer_t *writer, uint32_t count)
{
    uint32_t i = (index_of(writer) + known_free(writer)) % SLOTS;

    if (0 == (writer->dirty[0] | writer->dirty[1])) {
        return;
    }
    for (; 0 != count; --count) {
        uint64_t bit = (uint64_t) 1 << i % 64;

        if (writer->dirty[i / 64] & bit) {
            writer->dirty[i / 64] &= ~bit;
            __atomic_store_n(&writer->ring->slot[i].lap, 0, __ATOMIC_RELAXED);
        }
        i = SLOTS == i + 1 ? 0 : i + 1;
    }
}

uint32_t mca_pml_champion_ring_refresh(mca_pml_champion_ring_writer_t *writer)
{
    uint32_t read = __atomic_load_n(&writer->ring->read, __ATOMIC_ACQUIRE);
    uint32_t used = SLOTS - known_free(writer);

    if (OPAL_UNLIKELY(read - writer->read > used)) {
        writer->broken = true;
    } else {
        clean(writer, read - writer->read);
        writer->read = read;
    }
    return writer->read;
}

static void wrap(mca_pml_champion_ring_writer_t *writer)
{
    writer->next = writer->ring->slot;
    writer->base += SLOTS;
    writer->lap += UINT32_MAX == writer->lap ? 2 : 1;
}

/* The slots behind the first of a record have payload where laps would be. */
static void make_dirty(mca_pml_champion_ring_writer_t *writer, uint32_t slots)
{
    uint32_t first = index_of(writer) + 1;

    for (uint32_t i = first; i < first - 1 + slots; ++i) {
        writer->dirty[i / 64] |= (uint64_t) 1 << i % 64;
    }
}

void mca_pml_champion_ring_publish(mca_pml_champion_ring_writer_t *writer,
                                   mca_pml_champion_ring_slot_t *slot,
                                   uint32_t kind, uint32_t length)
{
    const uint32_t slots = mca_pml_champion_ring_slots(length);

    make_dirty(writer, slots);
    writer->left -= slots;
    writer->next = slot + slots;
    slot->size = kind << 24 | length;
    __atomic_store_n(&slot->lap, writer->lap, __ATOMIC_RELEASE);
}

/* Leave the end of the ring out. What is in these slots stays there, so that
 * they count as dirty: a lap in one of them may be any number of laps old. */
static void pad(mca_pml_champion_ring_writer_t *writer, uint32_t slots)
{
    writer->left = slots;
    mca_pml_champion_ring_publish(
        writer, writer->next, MCA_PML_CHAMPION_RING_PAD,
        slots * MCA_PML_CHAMPION_RING_SLOT - MCA_PML_CHAMPION_RING_HEADER);
    wrap(writer);
}

static bool find_room(mca_pml_champion_ring_writer_t *writer, uint32_t slots)
{
    uint32_t to_end = SLOTS - index_of(writer), padding, available;

    if (0 == to_end) {
        wrap(writer);
        to_end = SLOTS;
    }
    padding = slots > to_end ? to_end : 0;
    if (known_free(writer) < padding + slots) {
        (void) mca_pml_champion_ring_refresh(writer);
    }
    available = known_free(writer);
    if (OPAL_UNLIKELY(0 != padding)) {
        if (available < padding + slots) {
            return false;
        }
        pad(writer, padding);
        available -= padding;
        to_end = SLOTS;
    }
    writer->left = available < to_end ? available : to_end;
    return slots <= writer->left;
}

mca_pml_champion_ring_slot_t *mca_pml_champion_ring_reserve(
    mca_pml_champion_ring_writer_t *writer, uint32_t length)
{
    uint32_t slots = mca_pml_champion_ring_slots(length);

    if (writer->left < slots && !find_room(writer, slots)) {
        return NULL;
    }
    return writer->next;
}
