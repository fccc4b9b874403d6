/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <pthread.h>
#include <sched.h>

#include "ompi/mca/pml/champion/shm/ring.h"

#include "pml_random.h"
#include "pml_test.h"

#define LONGEST MCA_PML_CHAMPION_RING_MAX
#define SHORT MCA_PML_CHAMPION_RING_SHORT

/* Both sides of a ring, and what the next record on each must be. */
typedef struct pair_t {
    mca_pml_champion_ring_t *ring;
    mca_pml_champion_ring_writer_t writer;
    mca_pml_champion_ring_reader_t reader;
    uint64_t written, read; /* records */
    uint64_t seed_written, seed_read;
    uint32_t pads;
} pair_t;

/* Lengths of all kinds, many of them at the edges of slots. */
static uint32_t random_length(uint64_t *seed)
{
    uint32_t kind = pml_random_from(seed) % 4, value = pml_random_from(seed);

    switch (kind) {
    case 0:
        return value % 17;
    case 1:
        return value % (SHORT + 1);
    case 2:
        return (1 + value % MCA_PML_CHAMPION_RING_SLOTS_MAX) *
                   MCA_PML_CHAMPION_RING_SLOT -
               MCA_PML_CHAMPION_RING_HEADER - value / 64 % 2;
    default:
        return value % (LONGEST + 1);
    }
}

static void pair_init(pair_t *pair)
{
    memset(pair, 0, sizeof(*pair));
    pair->ring = aligned_alloc(64, sizeof(*pair->ring));
    assert_non_null(pair->ring);
    memset(pair->ring, 0, sizeof(*pair->ring));
    pair->seed_written = pair->seed_read = 1;
    mca_pml_champion_ring_writer_init(&pair->writer, pair->ring);
    mca_pml_champion_ring_reader_init(&pair->reader, pair->ring,
                                      MCA_PML_CHAMPION_RING_SLOTS);
}

static void pair_fini(pair_t *pair)
{
    free(pair->ring);
}

/* Payload that could be mistaken for a lap: the current one, the next one or an
 * old one. */
static void fill(void *data, uint32_t length, uint32_t lap, uint64_t number)
{
    uint32_t word = lap + (uint32_t) (number % 3), done;

    for (done = 0; done + sizeof(word) <= length; done += sizeof(word)) {
        memcpy((char *) data + done, &word, sizeof(word));
    }
    memset((char *) data + done, (int) number, length - done);
}

static bool filled(const void *data, uint32_t length, uint32_t lap,
                   uint64_t number)
{
    unsigned char expected[LONGEST];

    fill(expected, length, lap, number);
    return 0 == memcmp(expected, data, length);
}

static bool put(pair_t *pair)
{
    uint64_t seed = pair->seed_written;
    uint32_t length = random_length(&seed);
    mca_pml_champion_ring_slot_t *slot;
    bool is_short = length <= SHORT && 0 != (pair->written & 1);

    slot = is_short && mca_pml_champion_ring_has_room(&pair->writer)
               ? pair->writer.next
               : mca_pml_champion_ring_reserve(&pair->writer, length);
    if (NULL == slot) {
        return false;
    }
    slot->word[0] = pair->written;
    slot->word[1] = ~pair->written;
    fill(slot->data, length, pair->writer.lap, pair->written);
    if (is_short) {
        mca_pml_champion_ring_publish_short(&pair->writer, slot,
                                            1 + pair->written % 255, length);
    } else {
        mca_pml_champion_ring_publish(&pair->writer, slot,
                                      1 + pair->written % 255, length);
    }
    pair->seed_written = seed;
    ++pair->written;
    return true;
}

static bool get(pair_t *pair)
{
    mca_pml_champion_ring_record_t record;

    while (mca_pml_champion_ring_ready(&pair->reader)) {
        assert_true(mca_pml_champion_ring_look(&pair->reader, &record));
        if (MCA_PML_CHAMPION_RING_PAD == record.kind) {
            ++pair->pads;
            mca_pml_champion_ring_advance(&pair->reader, record.slots);
            continue;
        }
        assert_int_equal(1 + pair->read % 255, record.kind);
        assert_int_equal(random_length(&pair->seed_read), record.length);
        assert_int_equal(pair->read, record.slot->word[0]);
        assert_int_equal(~pair->read, record.slot->word[1]);
        assert_true(filled(record.slot->data, record.length, pair->reader.lap,
                           pair->read));
        mca_pml_champion_ring_advance(&pair->reader, record.slots);
        ++pair->read;
        return true;
    }
    return false;
}

/* Write and read a random number of records at a time. */
static void exercise(pair_t *pair, uint32_t records)
{
    uint64_t seed = pml_random();

    while (pair->read < records) {
        uint32_t puts = pml_random_from(&seed) % 200;
        uint32_t gets = pml_random_from(&seed) % 200;

        while (0 != puts-- && pair->written < records && put(pair)) {
            continue;
        }
        while (0 != gets-- && get(pair)) {
            continue;
        }
        /* An empty ring must look empty. */
        if (pair->read == pair->written) {
            assert_false(get(pair));
        }
    }
    assert_false(get(pair));
}

UNIT_TEST(records_come_as_they_were_written)
{
    pair_t pair;

    pair_init(&pair);
    exercise(&pair, 200000);
    assert_true(pair.pads > 1000);
    pair_fini(&pair);
}

UNIT_TEST(laps_and_positions_wrap)
{
    const uint32_t base = UINT32_MAX - 5 * MCA_PML_CHAMPION_RING_SLOTS / 2;
    pair_t pair;

    pair_init(&pair);
    pair.writer.lap = pair.reader.lap = UINT32_MAX - 2;
    pair.writer.base = pair.writer.read = base;
    pair.reader.read = pair.reader.published = pair.ring->read = base;
    exercise(&pair, 5000);
    assert_true(pair.reader.lap < UINT32_MAX - 2);
    assert_int_not_equal(0, pair.reader.lap);
    pair_fini(&pair);
}

UNIT_TEST(a_full_ring_takes_no_more)
{
    mca_pml_champion_ring_slot_t *slot;
    mca_pml_champion_ring_record_t record;
    pair_t pair;

    pair_init(&pair);
    for (int round = 0; round < 1000; ++round) {
        uint32_t count = 0, i;

        while (NULL !=
               (slot = mca_pml_champion_ring_reserve(&pair.writer, 0))) {
            slot->word[0] = count++;
            mca_pml_champion_ring_publish_short(&pair.writer, slot, 1, 0);
        }
        /* The known position of the reader may be a quarter of the ring old. */
        assert_true(count > MCA_PML_CHAMPION_RING_SLOTS -
                                MCA_PML_CHAMPION_RING_QUARTER);
        assert_false(mca_pml_champion_ring_has_room(&pair.writer));
        assert_null(mca_pml_champion_ring_reserve(&pair.writer, 0));
        assert_null(mca_pml_champion_ring_reserve(&pair.writer, LONGEST));
        for (i = 0; mca_pml_champion_ring_ready(&pair.reader); ++i) {
            assert_true(mca_pml_champion_ring_look(&pair.reader, &record));
            assert_int_equal(1, record.kind);
            assert_int_equal(i, record.slot->word[0]);
            mca_pml_champion_ring_advance(&pair.reader, record.slots);
        }
        assert_int_equal(count, i);
    }
    assert_false(pair.writer.broken);
    pair_fini(&pair);
}

UNIT_TEST(the_longest_record_finds_room_in_an_empty_ring)
{
    mca_pml_champion_ring_slot_t *slot;
    mca_pml_champion_ring_record_t record;
    pair_t pair;

    pair_init(&pair);
    for (uint32_t before = 0; before < 5000; ++before) {
        slot = mca_pml_champion_ring_reserve(&pair.writer,
                                             0 == before % 3 ? LONGEST : 0);
        assert_non_null(slot);
        mca_pml_champion_ring_publish(&pair.writer, slot, 1,
                                      0 == before % 3 ? LONGEST : 0);
        while (mca_pml_champion_ring_ready(&pair.reader)) {
            assert_true(mca_pml_champion_ring_look(&pair.reader, &record));
            mca_pml_champion_ring_advance(&pair.reader, record.slots);
        }
    }
    pair_fini(&pair);
}

UNIT_TEST(garbage_is_noticed_or_harmless)
{
    mca_pml_champion_ring_record_t record;
    uint64_t seed = pml_random(), looked = 0, refused = 0;
    pair_t pair;

    pair_init(&pair);
    for (int round = 0; round < 2000; ++round) {
        uint32_t *words = (uint32_t *) pair.ring->slot;

        for (size_t i = 0; i < sizeof(pair.ring->slot) / 4; ++i) {
            words[i] = pml_random_from(&seed) << pml_random_from(&seed) % 32;
        }
        mca_pml_champion_ring_reader_init(&pair.reader, pair.ring,
                                          MCA_PML_CHAMPION_RING_SLOTS);
        for (int i = 0; i < 10; ++i) {
            const unsigned char *end = (unsigned char *) (pair.ring + 1);

            pair.reader.next->lap = pair.reader.lap;
            if (!mca_pml_champion_ring_look(&pair.reader, &record)) {
                ++refused;
                break;
            }
            ++looked;
            assert_true(record.slot->data + record.length <= end);
            assert_true(record.slots > 0);
            mca_pml_champion_ring_advance(&pair.reader, record.slots);
            assert_true((unsigned char *) pair.reader.next < end);
        }
    }
    assert_true(looked > 100);
    assert_true(refused > 100);
    pair_fini(&pair);
}

UNIT_TEST(an_impossible_position_is_noticed)
{
    mca_pml_champion_ring_slot_t *slot;
    pair_t pair;

    pair_init(&pair);
    pair.ring->read = 5000;
    for (int i = 0; i < 10000 && !pair.writer.broken; ++i) {
        slot = mca_pml_champion_ring_reserve(&pair.writer, 0);
        if (NULL != slot) {
            mca_pml_champion_ring_publish_short(&pair.writer, slot, 1, 0);
        }
    }
    assert_true(pair.writer.broken);
    assert_false(mca_pml_champion_ring_has_room(&pair.writer));
    pair_fini(&pair);
}

enum { THREADED = 200000 };

static void *write_all(void *arg)
{
    pair_t *pair = arg;

    while (pair->written < THREADED) {
        if (!put(pair)) {
            sched_yield();
        }
    }
    return NULL;
}

UNIT_TEST(two_threads)
{
    pthread_t thread;
    pair_t pair, writing;

    pair_init(&pair);
    writing = pair; /* its own copy, as a process would have */
    assert_int_equal(0, pthread_create(&thread, NULL, write_all, &writing));
    while (pair.read < THREADED) {
        if (!get(&pair)) {
            sched_yield();
        }
    }
    assert_int_equal(0, pthread_join(thread, NULL));
    assert_false(get(&pair));
    assert_false(writing.writer.broken);
    pair_fini(&pair);
}

int main(void)
{
    pml_random_begin();
    return unit_run(NULL, NULL);
}
