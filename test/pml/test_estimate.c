/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What rules that learn have in common, beside a naive model of each.
 */

#include "ompi/mca/pml/champion/core/estimate.h"
#include "pml_random.h"
#include "pml_test.h"

/* Small and large ones alike. */
static uint64_t any(void)
{
    return pml_random() >> pml_random_below(64);
}

UNIT_TEST(limits_hold_and_the_upper_one_wins)
{
    for (uint64_t i = pml_random_ops(10000); i > 0; --i) {
        const uint64_t value = any(), least = any(), most = any();
        const uint64_t is = mca_pml_champion_within(value, least, most);
        const __uint128_t twice = (__uint128_t) 2 * value;

        assert_true(is <= most && (is >= least || is == most));
        assert_true(is == value || is == least || is == most);
        if (least <= value && value <= most) {
            assert_true(is == value);
        }
        assert_true(mca_pml_champion_doubled(value, least, most) ==
                    (twice > most    ? most
                     : twice < least ? (least < most ? least : most)
                                     : (uint64_t) twice));
    }
    assert_int_equal(5, mca_pml_champion_doubled(0, 5, 100));
    assert_int_equal(98, mca_pml_champion_doubled(49, 5, 99));
    assert_int_equal(99, mca_pml_champion_doubled(50, 5, 99));
}

UNIT_TEST(each_class_of_sizes_is_twice_as_large)
{
    for (uint64_t i = pml_random_ops(10000); i > 0; --i) {
        const unsigned first = pml_random_below(30);
        const unsigned classes = 1 + pml_random_below(30);
        const uint64_t bytes = any();
        unsigned class = 0;

        while (class + 1 < classes && bytes >= UINT64_C(1)
                                                   << (first + class + 1)) {
            ++class;
        }
        assert_int_equal(class,
                         mca_pml_champion_size_class(bytes, first, classes));
    }
}

UNIT_TEST(a_mean_approaches_its_samples)
{
    uint64_t mean = 0;

    for (uint64_t i = pml_random_ops(10000); i > 0; --i) {
        const uint64_t sample = any();
        /* Rounded towards 0 as the difference rises, away from it as it falls. */
        const __int128_t change = (__int128_t) sample - mean;
        const __int128_t next =
            0 == mean ? (__int128_t) sample
                      : mean + (change < 0 ? (change - 7) / 8 : change / 8);

        mean = mca_pml_champion_mean(mean, sample);
        assert_true(mean == (uint64_t) next + (0 == next));
    }
}

UNIT_TEST(a_history_has_the_last_events)
{
    enum { MOST = 64 };
    bool events[MOST];

    for (unsigned window = 1; window <= MOST; ++window) {
        mca_pml_champion_history_t history = {.known = 0};

        for (unsigned i = 0; i < 3 * MOST; ++i) {
            const unsigned known = i + 1 < window ? i + 1 : window;
            unsigned count = 0;

            events[i % window] = 0 != pml_random_once_in(3);
            mca_pml_champion_history_add(&history, window, events[i % window]);
            assert_int_equal(known, history.known);
            for (unsigned k = 0; k < known; ++k) {
                count += events[(i - k) % window];
                assert_int_equal(events[(i - k) % window],
                                 history.bits >> k & 1);
            }
            assert_int_equal(count, mca_pml_champion_history_count(&history));
        }
    }
}

int main(void)
{
    pml_random_begin();
    return unit_run(NULL, NULL);
}
