/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "pml_test.h"

#include "ompi/mca/pml/champion/offload/offload_rule.h"
#include "ompi/mca/pml/champion/peer/cost_model_rule.h"
#include "ompi/mca/pml/champion/offload/tag.h"

UNIT_TEST(tags_keep_their_fields)
{
    static const uint32_t index[] = {1, 2, 0x800000, 0xffffff};
    static const uint32_t stream[] = {0, 1, 0x8000, 0xffff};
    static const uint32_t number[] = {0, 1, 0x800000, 0xffffff};

    for (int i = 0; i < 64; ++i) {
        uint64_t tag = mca_pml_champion_tag_pack(
            index[i & 3], stream[i >> 2 & 3], number[i >> 4]);

        assert_int_equal(index[i & 3], mca_pml_champion_tag_index(tag));
        assert_int_equal(stream[i >> 2 & 3], mca_pml_champion_tag_stream(tag));
        assert_int_equal(number[i >> 4], mca_pml_champion_tag_number(tag));
        assert_int_equal((uint64_t) index[i & 3] << 40,
                         tag & MCA_PML_CHAMPION_TAG_SENDER_MASK);
    }
    assert_int_equal(UINT64_MAX, mca_pml_champion_tag_pack(
                                     MCA_PML_CHAMPION_TAG_INDICES - 1,
                                     MCA_PML_CHAMPION_TAG_STREAMS - 1,
                                     MCA_PML_CHAMPION_TAG_NUMBERS - 1));
}

UNIT_TEST(delta_follows_its_samples)
{
    uint64_t delta = 0;

    delta = mca_pml_champion_mean(delta, 8000);
    assert_int_equal(8000, delta); /* the first one counts whole */
    delta = mca_pml_champion_mean(delta, 16000);
    assert_int_equal(9000, delta);
    delta = mca_pml_champion_mean(delta, 1000);
    assert_int_equal(8000, delta);
    for (int i = 0; i < 100; ++i) {
        delta = mca_pml_champion_mean(delta, 0);
    }
    assert_int_equal(1, delta); /* known, and as small as can be */
    for (int i = 0; i < 100; ++i) {
        delta = mca_pml_champion_mean(delta, 1000000);
    }
    assert_true(delta >= 990000 && delta <= 1000000);
    assert_int_equal(1, mca_pml_champion_mean(0, 0));
    delta = mca_pml_champion_mean(UINT64_MAX, 0);
    assert_true(delta < UINT64_MAX); /* no overflow */
}

UNIT_TEST(k_is_the_sum_of_what_is_outstanding)
{
    uint64_t one = mca_pml_champion_cost(0.08, 1500, 100000);

    assert_int_equal(9500, one);
    assert_int_equal(1500, mca_pml_champion_cost(0.08, 1500, 0));
    assert_int_equal(0, mca_pml_champion_cost(0, 0, 1 << 30));
    assert_false(mca_pml_champion_delta_pays(0, 0, 0)); /* not known */
    assert_true(mca_pml_champion_delta_pays(1, 0, 0));
    assert_false(mca_pml_champion_delta_pays(one, 0, one));
    assert_true(mca_pml_champion_delta_pays(one + 1, 0, one));
    assert_false(mca_pml_champion_delta_pays(one + 1, 3 * one, one));
    assert_true(mca_pml_champion_delta_pays(4 * one + 1, 3 * one, one));
}

/* So many candidates, all cancelled if they are offloaded; returns how many
 * were. */
static int cancelled_all(mca_pml_champion_window_t *window, int candidates,
                         uint32_t period, uint32_t percent)
{
    int offloaded = 0;

    for (int i = 0; i < candidates; ++i) {
        if (mca_pml_champion_window_allows(window, period, percent)) {
            ++window->offloaded;
            ++window->cancelled;
            ++offloaded;
        }
    }
    return offloaded;
}

UNIT_TEST(cancels_block_the_rest_of_a_period)
{
    mca_pml_champion_window_t window = {.candidates = 0};

    assert_int_equal(32, cancelled_all(&window, 256, 256, 50));
    /* The next one begins with a clean slate. */
    assert_int_equal(32, cancelled_all(&window, 256, 256, 50));
    for (int i = 0; i < 1000; ++i) {
        assert_true(mca_pml_champion_window_allows(&window, 256, 50) ||
                    0 != window.cancelled);
        ++window.offloaded;
    }
    assert_int_equal(0, window.cancelled);
}

UNIT_TEST(some_cancels_are_allowed)
{
    mca_pml_champion_window_t window = {.candidates = 0};

    for (int i = 0; i < 1000; ++i) {
        assert_true(mca_pml_champion_window_allows(&window, 100, 50));
        ++window.offloaded;
        window.cancelled += i % 2;
    }
    window = (mca_pml_champion_window_t){.offloaded = 50, .cancelled = 26};
    assert_false(mca_pml_champion_window_allows(&window, 100, 50));
    assert_true(mca_pml_champion_window_allows(&window, 100, 52));
}

UNIT_TEST(limits_of_the_limit)
{
    mca_pml_champion_window_t window = {.candidates = 0};

    assert_int_equal(500, cancelled_all(&window, 500, 64, 100));
    window = (mca_pml_champion_window_t){.offloaded = 8, .cancelled = 90};
    assert_true(mca_pml_champion_window_allows(&window, 64, 100));
    window = (mca_pml_champion_window_t){.offloaded = 63, .cancelled = 1};
    assert_false(mca_pml_champion_window_allows(&window, 64, 0));
    /* A period of one candidate: each is the first. */
    window = (mca_pml_champion_window_t){.candidates = 0};
    assert_int_equal(20, cancelled_all(&window, 20, 1, 0));
}

UNIT_MAIN(NULL, NULL)
