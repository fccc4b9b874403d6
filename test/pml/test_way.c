/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which way large messages within a node take: sender and receiver on a
 * simulated machine, whose times change.
 */

#include "ompi_config.h"

#include "pml_test.h"

#include "ompi/mca/pml/champion/large/way.h"

#define FRAGMENTS MCA_PML_CHAMPION_WAY_FRAGMENTS
#define FETCHED MCA_PML_CHAMPION_WAY_FETCHED

enum {
    TRIALS = 2 * MCA_PML_CHAMPION_WAY_TRIALS,
    RETRY = MCA_PML_CHAMPION_WAY_RETRY,
    CLASSES = MCA_PML_CHAMPION_WAY_CLASSES,
    LENGTH = 40000
};

/* What a message takes, ns. */
typedef struct machine_t {
    unsigned fragments, fetched;
} machine_t;

static mca_pml_champion_way_times_t times;
static uint8_t sent[CLASSES];

static int setup(void **state)
{
    times = (mca_pml_champion_way_times_t){0};
    for (int i = 0; i < CLASSES; ++i) {
        sent[i] = 0;
    }
    return 0;
}

/* Send a message, which takes `more` longer than it need. Returns its way. */
static mca_pml_champion_way_t send_one(machine_t machine, size_t length,
                                       bool stream, unsigned more)
{
    const unsigned class = mca_pml_champion_way_class(length);
    const mca_pml_champion_way_t way =
        mca_pml_champion_way_of(&(mca_pml_champion_way_facts_t){
            .length = length,
            .ring = true,
            .waits = true,
            .stream = stream,
            .measured = true,
            .sent = sent[class],
            .advice = times.advice,
        });

    sent[class] = mca_pml_champion_way_count(sent[class]);
    if (mca_pml_champion_way_measures(&times, length, way)) {
        mca_pml_champion_way_record_time(
            &times, length, way,
            (FETCHED == way ? machine.fetched : machine.fragments) + more);
    }
    return way;
}

/* How many of so many messages are fetched. */
static unsigned fetched_of(unsigned count, machine_t machine, bool stream)
{
    unsigned fetched = 0;

    for (unsigned i = 0; i < count; ++i) {
        fetched += FETCHED == send_one(machine, LENGTH, stream, 0);
    }
    return fetched;
}

/* Slow ones are rare, some are very slow. */
static unsigned noise(void)
{
    return 0 == rand() % 4 ? (unsigned) rand() % 100000 : 0;
}

UNIT_TEST_WITH(classes_are_of_twice_the_size, setup, NULL)
{
    assert_int_equal(0, mca_pml_champion_way_class(16384));
    assert_int_equal(0, mca_pml_champion_way_class(32767));
    assert_int_equal(1, mca_pml_champion_way_class(32768));
    assert_int_equal(2, mca_pml_champion_way_class(65536));
    assert_int_equal(CLASSES - 1, mca_pml_champion_way_class(131072));
    assert_int_equal(CLASSES - 1, mca_pml_champion_way_class(SIZE_MAX));
}

/* Each way is tried at first, then the faster one is taken, but for one in
 * RETRY. */
UNIT_TEST_WITH(the_faster_way_is_learnt, setup, NULL)
{
    const machine_t fast = {1300, 3500}, slow = {9000, 3500};

    assert_int_equal(TRIALS / 2, fetched_of(TRIALS, fast, false));
    assert_int_equal(10, fetched_of(10 * RETRY, fast, false));
    setup(NULL);
    assert_int_equal(TRIALS / 2, fetched_of(TRIALS, slow, false));
    assert_int_equal(10 * RETRY - 10, fetched_of(10 * RETRY, slow, false));
}

/* Caches are cold, pages not mapped. */
UNIT_TEST_WITH(the_first_ones_may_be_slow, setup, NULL)
{
    const machine_t machine = {1300, 3500};

    for (int i = 0; i < TRIALS; ++i) {
        (void) send_one(machine, LENGTH, false, i < TRIALS / 2 - 1 ? 9000 : 0);
    }
    assert_int_equal(1, fetched_of(RETRY, machine, false));
}

UNIT_TEST_WITH(classes_are_learnt_apart, setup, NULL)
{
    const machine_t fast = {1300, 3500}, slow = {9000, 3500};
    mca_pml_champion_way_t small, large;

    for (int i = 0; i < RETRY; ++i) {
        small = send_one(fast, 16384, false, 0);
        large = send_one(slow, 65536, false, 0);
        if (i >= TRIALS && i + 1 < RETRY) {
            assert_int_equal(FRAGMENTS, small);
            assert_int_equal(FETCHED, large);
        }
    }
}

/* A stream is fetched only if that is much faster. */
UNIT_TEST_WITH(streams_want_more, setup, NULL)
{
    const machine_t little = {4000, 3300}, much = {6000, 3300};

    (void) fetched_of(TRIALS, little, true);
    assert_int_equal(1, fetched_of(RETRY, little, true));
    assert_int_equal(RETRY - 1, fetched_of(RETRY, little, false));
    setup(NULL);
    (void) fetched_of(TRIALS, much, true);
    assert_int_equal(RETRY - 1, fetched_of(RETRY, much, true));
}

/* Times that hardly differ do not make it change its mind. */
UNIT_TEST_WITH(equal_ways_are_not_swapped, setup, NULL)
{
    unsigned changes = 0;
    uint32_t before;

    (void) fetched_of(RETRY, (machine_t){3000, 3000}, false);
    for (int i = 0; i < 20 * RETRY; ++i) {
        const machine_t machine = {3000 + (unsigned) rand() % 150,
                                   3000 + (unsigned) rand() % 150};

        before = times.advice;
        (void) send_one(machine, LENGTH, false, 0);
        changes += before != times.advice;
    }
    assert_in_range(changes, 0, 1);
}

UNIT_TEST_WITH(slow_ones_are_not_believed, setup, NULL)
{
    unsigned fetched = 0;

    for (int i = 0; i < 50 * RETRY; ++i) {
        fetched += FETCHED ==
                   send_one((machine_t){1500, 3500}, LENGTH, false, noise());
    }
    assert_in_range(fetched, 50, 80);
}

/* The other way is found to have become the faster one. */
UNIT_TEST_WITH(changes_are_noticed, setup, NULL)
{
    const machine_t fast = {1300, 3500}, slow = {9000, 3500};

    for (int i = 0; i < 3; ++i) {
        (void) fetched_of(400, fast, false);
        assert_in_range(fetched_of(RETRY, fast, false), 1, 1);
        (void) fetched_of(400, slow, false);
        assert_in_range(fetched_of(RETRY, slow, false), RETRY - 1, RETRY - 1);
    }
}

/* The choice, in other words. Nothing is measured where no receive waits: then
 * there is no advice, and fragments go, for which the sender does not wait. */
static mca_pml_champion_way_t model(const mca_pml_champion_way_facts_t *facts)
{
    const bool small = facts->length < 65536;
    const unsigned first = facts->length < 32768    ? 0
                           : small                  ? 2
                           : facts->length < 131072 ? 4
                                                    : 6;
    const unsigned advice = facts->advice >> first & 3;
    bool fetch, stream;

    if (!facts->ring) {
        return small ? FRAGMENTS : FETCHED;
    }
    stream = facts->stream && (facts->waits || small);
    if (!facts->measured) {
        fetch = stream ? facts->length > 65536 : !small;
    } else if (facts->sent < 6) {
        fetch = facts->sent >= 3;
    } else {
        fetch = 3 == advice || (2 == advice && !stream);
        if (255 == facts->sent) {
            fetch = !fetch;
        }
    }
    if (fetch) {
        return FETCHED;
    }
    return small || facts->waits ? FRAGMENTS : MCA_PML_CHAMPION_WAY_IF_ROOM;
}

UNIT_TEST_WITH(every_message_has_one_way, setup, NULL)
{
    static const size_t lengths[] = {16384, 32767, 32768,  65535,  65536,
                                     65537, 98304, 131072, 1 << 20};
    static const uint8_t counts[] = {0, 2, 3, 5, 6, 100, 254, 255};

    for (size_t i = 0; i < 9 * 8 * 16 * 256; ++i) {
        const size_t bits = i / 72 % 16;
        const mca_pml_champion_way_facts_t facts = {
            .length = lengths[i % 9],
            .ring = 0 != (bits & 1),
            .waits = 0 != (bits & 2),
            .stream = 0 != (bits & 4),
            .measured = 0 != (bits & 8),
            .sent = counts[i / 9 % 8],
            .advice = (uint32_t) (i / 72 / 16),
        };

        assert_int_equal(model(&facts), mca_pml_champion_way_of(&facts));
    }
}

UNIT_TEST_WITH(times_of_any_size, setup, NULL)
{
    const size_t length = LENGTH;

    mca_pml_champion_way_record_time(&times, length, FRAGMENTS, 0);
    mca_pml_champion_way_record_time(&times, length, FETCHED, UINT64_MAX);
    mca_pml_champion_way_record_time(&times, length, FETCHED, UINT64_MAX);
    assert_int_equal(1, times.of[1].ns[0]);
    assert_int_equal(UINT32_MAX, times.of[1].ns[1]);
    assert_int_equal(MCA_PML_CHAMPION_WAY_ADVICE_FRAGMENTS,
                     mca_pml_champion_way_advice(times.advice, 1));
    assert_int_equal(MCA_PML_CHAMPION_WAY_ADVICE_NONE,
                     mca_pml_champion_way_advice(times.advice, 0));
}

UNIT_MAIN(NULL, NULL)
