/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A FIFO beside a naive model: what each writer has written comes once, in its
 * order, unchanged.
 */

#include "ompi_config.h"

#include <pthread.h>
#include <sched.h>

#include "pml_test.h"

#include "ompi/mca/pml/champion/shm/fifo.h"
#include "pml_random.h"

enum {
    SLOTS = MCA_PML_CHAMPION_FIFO_SLOTS_MIN,
    LONGEST = MCA_PML_CHAMPION_RING_MAX - MCA_PML_CHAMPION_FIFO_TRAILER,
    WRITERS = 5,
    RECORDS = 20000 /* of each writer */
};

/* One side of a conversation: the number of the next record of a writer, and
 * what it will contain. */
typedef struct model_t {
    uint64_t number, seed;
} model_t;

typedef struct writer_t {
    mca_pml_champion_fifo_writer_t fifo;
    model_t model;
    uint64_t num_short;
} writer_t;

typedef struct world_t {
    mca_pml_champion_ring_t *fifo;
    mca_pml_champion_ring_reader_t reader;
    writer_t writers[WRITERS];
    model_t expected[WRITERS];
    uint64_t pads;
} world_t;

/* Lengths of all kinds, many of them at the edges of slots. */
static uint32_t random_length(uint64_t *seed)
{
    uint32_t kind = pml_random_from(seed) % 4, value = pml_random_from(seed);

    switch (kind) {
    case 0:
        return value % 17;
    case 1:
        return value % MCA_PML_CHAMPION_RING_SHORT;
    case 2:
        return (1 + value % MCA_PML_CHAMPION_RING_SLOTS_MAX) *
                   MCA_PML_CHAMPION_RING_SLOT -
               MCA_PML_CHAMPION_RING_HEADER - MCA_PML_CHAMPION_FIFO_TRAILER -
               value / 64 % 2;
    default:
        return value % (LONGEST + 1);
    }
}

static void world_init(world_t *world)
{
    const size_t size = mca_pml_champion_fifo_size(SLOTS);

    memset(world, 0, sizeof(*world));
    world->fifo = aligned_alloc(128, size);
    assert_non_null(world->fifo);
    memset(world->fifo, 0, size);
    mca_pml_champion_ring_reader_init(&world->reader, world->fifo, SLOTS);
    for (uint32_t i = 0; i < WRITERS; ++i) {
        mca_pml_champion_fifo_writer_init(&world->writers[i].fifo, world->fifo,
                                          SLOTS, 1000 + i);
        world->writers[i].model.seed = world->expected[i].seed = i;
    }
}

static void world_fini(world_t *world)
{
    free(world->fifo);
}

/* Begin where this many slots have been written and read. */
static void world_begin_at(world_t *world, uint64_t slots)
{
    world->fifo->tail = slots;
    world->fifo->read = world->reader.read = world->reader.published =
        (uint32_t) slots;
    world->reader.lap =
        mca_pml_champion_fifo_lap_at(&world->writers[0].fifo, slots);
    world->reader.next += slots % SLOTS;
}

/* Payload that could be mistaken for a lap: the current one, or one of the next.
 */
static void fill(unsigned char *data, uint32_t length, uint32_t lap,
                 uint64_t number)
{
    const uint32_t word = lap + (uint32_t) (number % 3);

    for (uint32_t i = 0; i < length; i += 4) {
        memcpy(data + i, &word, length - i < 4 ? length - i : 4);
    }
}

/* Half of the short records by the short way. */
static bool put(writer_t *writer)
{
    uint64_t seed = writer->model.seed;
    const uint32_t length = random_length(&seed);
    mca_pml_champion_ring_slot_t *slot = NULL;
    bool is_short =
        length <= MCA_PML_CHAMPION_FIFO_SHORT && 0 != writer->model.number % 2;

    if (is_short) {
        slot = mca_pml_champion_fifo_reserve_short(&writer->fifo);
        is_short = NULL != slot;
    }
    if (NULL == slot) {
        slot = mca_pml_champion_fifo_reserve(&writer->fifo, length);
    }
    if (NULL == slot) {
        return false;
    }
    writer->num_short += is_short;
    slot->word[0] = writer->model.number;
    slot->word[1] = ~writer->model.number;
    fill(slot->data, length, writer->fifo.lap, writer->model.number);
    mca_pml_champion_fifo_publish(&writer->fifo, slot,
                                  1 + writer->model.number % 255, length);
    writer->model.seed = seed;
    ++writer->model.number;
    return true;
}

static void check(const mca_pml_champion_ring_record_t *record, uint32_t lap,
                  model_t *expected)
{
    unsigned char data[LONGEST + 4];

    assert_int_equal(random_length(&expected->seed), record->length);
    assert_int_equal(1 + expected->number % 255, record->kind);
    assert_int_equal(expected->number, record->slot->word[0]);
    assert_int_equal(~expected->number, record->slot->word[1]);
    fill(data, record->length, lap, expected->number);
    assert_memory_equal(data, record->slot->data, record->length);
    ++expected->number;
}

static bool get(world_t *world)
{
    mca_pml_champion_ring_record_t record;
    uint32_t vpid = 0;

    while (mca_pml_champion_ring_ready(&world->reader)) {
        const bool is_pad =
            mca_pml_champion_ring_look(&world->reader, &record) &&
            MCA_PML_CHAMPION_RING_PAD == record.kind;

        assert_true(mca_pml_champion_ring_look(&world->reader, &record));
        world->pads += is_pad;
        if (!is_pad) {
            assert_true(mca_pml_champion_fifo_sender(&record, &vpid));
            assert_in_range(vpid, 1000, 1000 + WRITERS - 1);
            check(&record, world->reader.lap, &world->expected[vpid - 1000]);
        }
        mca_pml_champion_fifo_advance(&world->reader, &record);
        if (!is_pad) {
            return true;
        }
    }
    return false;
}

static void exercise(world_t *world, uint64_t records)
{
    uint64_t seed = pml_random(), written = 0, read = 0;

    while (read < records) {
        uint32_t puts = pml_random_from(&seed) % 200;
        uint32_t gets = pml_random_from(&seed) % 200;

        while (0 != puts-- && written < records &&
               put(&world->writers[pml_random_from(&seed) % WRITERS])) {
            ++written;
        }
        while (0 != gets-- && get(world)) {
            ++read;
        }
        if (read == written) {
            assert_false(get(world));
        }
    }
    assert_false(get(world));
}

UNIT_TEST(records_come_as_they_were_written)
{
    world_t world;

    world_init(&world);
    exercise(&world, 200000);
    assert_true(world.pads > 1000);
    for (unsigned i = 0; i < WRITERS; ++i) {
        assert_true(world.writers[i].num_short > 1000);
    }
    world_fini(&world);
}

UNIT_TEST(laps_and_positions_wrap)
{
    const uint64_t starts[] = {UINT32_MAX - 1000, /* the position */
                               ((uint64_t) UINT32_MAX - 2) * SLOTS + 17};
    world_t world;

    for (unsigned i = 0; i < 2; ++i) {
        world_init(&world);
        world_begin_at(&world, starts[i]);
        exercise(&world, 5000);
        assert_true(0 == i || world.reader.lap < 5000);
        assert_int_not_equal(0, world.reader.lap);
        world_fini(&world);
    }
}

UNIT_TEST(a_full_fifo_takes_no_more)
{
    writer_t *writer;
    world_t world;

    world_init(&world);
    writer = &world.writers[0];
    for (unsigned round = 0; round < 1000; ++round) {
        while (put(writer)) {
            continue;
        }
        while (NULL != mca_pml_champion_fifo_reserve(&writer->fifo, 0)) {
            /* It is published as an empty record of padding. */
            mca_pml_champion_fifo_publish_slot(
                writer->fifo.slots + ((uint32_t) world.fifo->tail - 1) % SLOTS,
                0, writer->fifo.lap);
        }
        assert_false(put(writer));
        while (get(&world)) {
            continue;
        }
        assert_true(world.expected[0].number == writer->model.number);
    }
    world_fini(&world);
}

UNIT_TEST(the_longest_record_finds_room_in_an_empty_fifo)
{
    mca_pml_champion_ring_record_t record;
    mca_pml_champion_ring_slot_t *slot;
    writer_t *writer;
    world_t world;

    world_init(&world);
    writer = &world.writers[1];
    for (unsigned i = 0; i < 5000; ++i) {
        slot =
            mca_pml_champion_fifo_reserve(&writer->fifo, i % 7 ? LONGEST : 0);
        assert_non_null(slot);
        mca_pml_champion_fifo_publish(&writer->fifo, slot, 1,
                                      i % 7 ? LONGEST : 0);
        do {
            assert_true(mca_pml_champion_ring_ready(&world.reader));
            assert_true(mca_pml_champion_ring_look(&world.reader, &record));
            mca_pml_champion_fifo_advance(&world.reader, &record);
        } while (MCA_PML_CHAMPION_RING_PAD == record.kind);
    }
    world_fini(&world);
}

/* A record waits for those before it, whoever writes them. */
UNIT_TEST(a_record_waits_for_the_one_before)
{
    mca_pml_champion_ring_slot_t *first, *second;
    world_t world;

    world_init(&world);
    first = mca_pml_champion_fifo_reserve(&world.writers[0].fifo, 8);
    second = mca_pml_champion_fifo_reserve(&world.writers[1].fifo, 8);
    assert_ptr_equal(first + 1, second);
    mca_pml_champion_fifo_publish(&world.writers[1].fifo, second, 1, 8);
    assert_false(mca_pml_champion_ring_ready(&world.reader));
    mca_pml_champion_fifo_publish(&world.writers[0].fifo, first, 1, 8);
    assert_true(mca_pml_champion_ring_ready(&world.reader));
    world_fini(&world);
}

UNIT_TEST(a_record_without_a_sender_is_refused)
{
    mca_pml_champion_ring_record_t record;
    uint32_t vpid = 0;
    world_t world;

    world_init(&world);
    mca_pml_champion_fifo_publish_slot(world.writers[0].fifo.slots,
                                       1u << 24 | 3, 1);
    assert_true(mca_pml_champion_ring_look(&world.reader, &record));
    assert_false(mca_pml_champion_fifo_sender(&record, &vpid));
    /* One that is longer than the rest of the FIFO. */
    mca_pml_champion_fifo_publish_slot(world.writers[0].fifo.slots,
                                       1u << 24 | 0xffffff, 1);
    assert_false(mca_pml_champion_ring_look(&world.reader, &record));
    world_fini(&world);
}

UNIT_TEST(numbers_of_slots_are_powers_of_two)
{
    assert_int_equal(SLOTS, mca_pml_champion_fifo_slots(0));
    assert_int_equal(1024, mca_pml_champion_fifo_slots(1024));
    assert_int_equal(1024, mca_pml_champion_fifo_slots(2047));
    assert_int_equal(MCA_PML_CHAMPION_FIFO_SLOTS_MAX,
                     mca_pml_champion_fifo_slots(UINT64_MAX));
    assert_int_equal(SLOTS, mca_pml_champion_fifo_slots(SLOTS));
    assert_int_equal(SLOTS, mca_pml_champion_fifo_slots(SLOTS / 2));
    assert_int_equal(512, mca_pml_champion_fifo_slots(1000));
    assert_int_equal(
        MCA_PML_CHAMPION_FIFO_SLOTS_MAX,
        mca_pml_champion_fifo_slots(2 * MCA_PML_CHAMPION_FIFO_SLOTS_MAX));
}

static void *write_all(void *arg)
{
    writer_t *writer = arg;

    while (writer->model.number < RECORDS) {
        if (!put(writer)) {
            sched_yield();
        }
    }
    return NULL;
}

UNIT_TEST(writers_of_several_threads)
{
    pthread_t threads[WRITERS];
    world_t world;
    uint64_t read = 0;

    world_init(&world);
    for (unsigned i = 0; i < WRITERS; ++i) {
        assert_int_equal(
            0, pthread_create(&threads[i], NULL, write_all, &world.writers[i]));
    }
    while (read < (uint64_t) WRITERS * RECORDS) {
        if (get(&world)) {
            ++read;
        } else {
            sched_yield();
        }
    }
    for (unsigned i = 0; i < WRITERS; ++i) {
        assert_int_equal(0, pthread_join(threads[i], NULL));
        assert_int_equal(RECORDS, world.expected[i].number);
    }
    assert_false(get(&world));
    world_fini(&world);
}

int main(void)
{
    pml_random_begin();
    return unit_run(NULL, NULL);
}
