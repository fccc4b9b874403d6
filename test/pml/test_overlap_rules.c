/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The cost model of transfers, the rule for delayed messages, the clocks of other
 * processes, and when a progress thread is given up.
 */

#include "pml_test.h"

#include "ompi/mca/pml/champion/progress/thread_use_rule.h"
#include "ompi/mca/pml/champion/large/thread_trigger_rule.h"
#include "ompi/mca/pml/champion/peer/cost_model_rule.h"

#define MIB ((uint64_t) 1 << 20)

static void feed(mca_pml_champion_cost_model_t *pace, uint64_t bytes,
                 double alpha, double beta)
{
    mca_pml_champion_cost_model_add(pace, bytes,
                                    mca_pml_champion_cost(alpha, beta, bytes));
}

UNIT_TEST(a_line_is_found)
{
    mca_pml_champion_cost_model_t pace = {.samples = 0};

    for (unsigned i = 0; i < 12; ++i) {
        assert_false(mca_pml_champion_cost_model_is_known(&pace));
        feed(&pace, (uint64_t) 16384 << i % 6, 8, 50000);
    }
    assert_true(mca_pml_champion_cost_model_is_known(&pace));
    assert_float_equal(8, pace.alpha, 0.01);
    assert_float_equal(50000, pace.beta, 100);
}

UNIT_TEST(one_size_gives_no_beta)
{
    mca_pml_champion_cost_model_t pace = {.samples = 0};

    for (unsigned i = 0; i < 12; ++i) {
        feed(&pace, MIB, 8, 0);
    }
    assert_float_equal(8, pace.alpha, 0.01);
    assert_float_equal(0, pace.beta, 1);
}

/* A program that computed meanwhile, every other time. */
UNIT_TEST(long_transfers_change_little)
{
    mca_pml_champion_cost_model_t pace = {.samples = 0};

    for (unsigned i = 0; i < 100; ++i) {
        feed(&pace, MIB, 8, 0 == i % 2 ? 0 : 1e7);
    }
    assert_in_range(pace.alpha * 1000, 7900, 9000);
}

UNIT_TEST(a_slower_link_is_noticed)
{
    mca_pml_champion_cost_model_t pace = {.samples = 0};

    for (unsigned i = 0; i < 20; ++i) {
        feed(&pace, MIB, 1, 0);
    }
    for (unsigned i = 0; i < 100; ++i) {
        feed(&pace, MIB, 8, 0);
    }
    assert_in_range(pace.alpha * 1000, 7900, 8100);
}

/* Neither of the two is ever negative. */
UNIT_TEST(odd_transfers_make_no_odd_line)
{
    mca_pml_champion_cost_model_t pace = {.samples = 0};

    mca_pml_champion_cost_model_add(&pace, 16384, 1000000);
    mca_pml_champion_cost_model_add(&pace, MIB, 1000);
    assert_true(pace.alpha >= 0 && pace.beta >= 0);
    pace = (mca_pml_champion_cost_model_t){.samples = 0};
    mca_pml_champion_cost_model_add(&pace, 16384, 1);
    mca_pml_champion_cost_model_add(&pace, MIB, 1000000);
    mca_pml_champion_cost_model_add(&pace, UINT64_MAX, 0);
    mca_pml_champion_cost_model_add(&pace, 1, 0);
    assert_true(pace.alpha >= 0 && pace.beta >= 0);
}

UNIT_TEST(late_is_what_waits_long_enough)
{
    assert_int_equal(0, mca_pml_champion_thread_trigger_loss(499, 100, 500));
    assert_int_equal(100, mca_pml_champion_thread_trigger_loss(500, 100, 500));
    assert_int_equal(0, mca_pml_champion_thread_trigger_loss(1000, 8000, 500));
    assert_int_equal(1001,
                     mca_pml_champion_thread_trigger_loss(1001, 8000, 500));
    /* What it takes is not known. */
    assert_int_equal(700, mca_pml_champion_thread_trigger_loss(700, 0, 500));
    /* Every one is. */
    assert_int_equal(1, mca_pml_champion_thread_trigger_loss(0, 8000, 0));
}

UNIT_TEST(enough_is_many_or_much)
{
    mca_pml_champion_lateness_t lateness = {.late = 0};

    for (unsigned i = 0; i < 7; ++i) {
        mca_pml_champion_lateness_add(&lateness, 1);
    }
    assert_false(mca_pml_champion_lateness_is_enough(&lateness, 8, 1000, 0));
    mca_pml_champion_lateness_add(&lateness, 0);
    assert_false(mca_pml_champion_lateness_is_enough(&lateness, 8, 1000, 0));
    mca_pml_champion_lateness_add(&lateness, 1);
    assert_true(mca_pml_champion_lateness_is_enough(&lateness, 8, 1000, 0));
    for (unsigned i = 0; i < 64; ++i) {
        mca_pml_champion_lateness_add(&lateness, 0);
    }
    assert_false(mca_pml_champion_lateness_is_enough(&lateness, 8, 1, 0));
    mca_pml_champion_lateness_add(&lateness, 2000);
    assert_false(mca_pml_champion_lateness_is_enough(&lateness, 8, 1000, 0));
    mca_pml_champion_lateness_add(&lateness, 1);
    assert_true(mca_pml_champion_lateness_is_enough(&lateness, 8, 1000, 0));
    /* Losses of long ago do not count. */
    for (unsigned i = 0; i < 64; ++i) {
        mca_pml_champion_lateness_add(&lateness, 0);
    }
    mca_pml_champion_lateness_add(&lateness, 400);
    mca_pml_champion_lateness_add(&lateness, 400);
    assert_false(mca_pml_champion_lateness_is_enough(&lateness, 8, 1000, 0));
}

UNIT_TEST(it_takes_more_after_a_thread_of_no_use)
{
    mca_pml_champion_lateness_t lateness = {.late = 0};

    for (unsigned i = 1; i < 8; ++i) {
        mca_pml_champion_lateness_add(&lateness, 1000);
        assert_int_equal(
            i >= 4, mca_pml_champion_lateness_is_enough(&lateness, 8, 2000, 1));
        assert_false(
            mca_pml_champion_lateness_is_enough(&lateness, 8, 8000, 1));
        assert_false(mca_pml_champion_lateness_is_enough(&lateness, 8, 1, 2));
    }
    for (unsigned i = 8; i <= 64; ++i) {
        assert_false(
            mca_pml_champion_lateness_is_enough(&lateness, 8, 1 << 20, 5));
        mca_pml_champion_lateness_add(&lateness, 1);
    }
    assert_true(mca_pml_champion_lateness_is_enough(&lateness, 8, 1 << 20, 5));
}

/* ---- when a thread is given up ------------------------------------------ */

#define MS ((uint64_t) 1000000)
#define PERIOD ((uint64_t) MCA_PML_CHAMPION_THREAD_USE_PERIOD)

UNIT_TEST(a_thread_ends_after_looks_and_time_in_vain)
{
    mca_pml_champion_thread_use_t use = {.looked = 0};
    uint64_t now = 1000 * MS;

    mca_pml_champion_thread_use_begins(&use, now);
    for (unsigned i = 0; i < 1000; ++i) { /* many, but not for long */
        assert_false(mca_pml_champion_thread_use_looked(&use, false, false,
                                                        now + PERIOD - 1));
    }
    assert_true(
        mca_pml_champion_thread_use_looked(&use, false, false, now + PERIOD));
    now += 100 * PERIOD; /* it slept */
    assert_false(mca_pml_champion_thread_use_looked(&use, true, false, now));
    now += 100 * PERIOD; /* and again: few looks, whatever the time */
    for (unsigned i = 1; i < MCA_PML_CHAMPION_THREAD_USE_VAIN; ++i) {
        assert_false(
            mca_pml_champion_thread_use_looked(&use, false, false, now));
    }
    assert_false(mca_pml_champion_thread_use_looked(&use, true, false, now));
    assert_false(
        mca_pml_champion_thread_use_looked(&use, false, false, now + PERIOD));
}

/* A loop that computes for long and waits for longer: the thread starts in the
 * first wait, and stays. */
UNIT_TEST(a_thread_outlives_a_wait)
{
    enum { WAIT_MS = 1500, COMPUTATION_MS = 400 };
    mca_pml_champion_thread_use_t use = {.looked = 0};
    uint64_t now = 1000 * MS;

    mca_pml_champion_thread_use_begins(&use, now);
    for (unsigned i = 0; i < 10; ++i) {
        for (unsigned ms = 0; ms < WAIT_MS; ++ms) {
            now += MS;
            assert_false(
                mca_pml_champion_thread_use_looked(&use, false, true, now));
        }
        for (unsigned ms = 0; ms < COMPUTATION_MS; ++ms) {
            now += MS;
            assert_false(
                mca_pml_champion_thread_use_looked(&use, true, false, now));
        }
    }
    /* But not a program that only waits. */
    for (unsigned ms = 1; ms < MCA_PML_CHAMPION_THREAD_USE_BY_ITSELF *
                                   MCA_PML_CHAMPION_THREAD_USE_PERIOD / MS;
         ++ms) {
        now += MS;
        assert_false(
            mca_pml_champion_thread_use_looked(&use, false, true, now));
    }
    assert_true(
        mca_pml_champion_thread_use_looked(&use, false, true, now + MS));
}

/* One life of a thread that is of use so often, then not; returns its length. */
static uint64_t live(mca_pml_champion_thread_use_t *use, unsigned uses,
                     uint64_t now)
{
    const uint64_t begun_at = now;

    mca_pml_champion_thread_use_begins(use, now);
    for (unsigned i = 0; i < uses; ++i) {
        assert_false(mca_pml_champion_thread_use_looked(use, true, false, now));
    }
    while (!mca_pml_champion_thread_use_looked(use, false, false, now)) {
        now += MS;
    }
    mca_pml_champion_thread_use_ends(use, now);
    return now - begun_at;
}

UNIT_TEST(who_was_given_up_too_early_stays_longer)
{
    mca_pml_champion_thread_use_t use = {.looked = 0};
    uint64_t now = MS;

    for (unsigned i = 0; i < 10; ++i) {
        const uint64_t expected = PERIOD << (i < 6 ? i : 6);
        const uint64_t life = live(&use, 5, now);

        assert_int_equal(expected, life);
        assert_int_equal(0, use.doubt);
        now += life + 20 * MS;
    }
    /* After a long time it is another phase. */
    now += 1000 * PERIOD;
    assert_int_equal(PERIOD << 6, live(&use, 5, now));
    assert_int_equal(6, use.patience);
}

UNIT_TEST(who_was_of_no_use_is_doubted)
{
    mca_pml_champion_thread_use_t use = {.looked = 0};
    uint64_t now = MS;

    for (unsigned i = 1; i < 10; ++i) {
        assert_int_equal(PERIOD, live(&use, i % 2, now)); /* one is none */
        assert_int_equal(i < 5 ? i : 5, use.doubt);
        assert_int_equal(0, use.patience);
        now += PERIOD + 20 * MS;
    }
    (void) live(&use, MCA_PML_CHAMPION_THREAD_USE_FEW, now);
    assert_int_equal(0, use.doubt);
}

UNIT_TEST(much_is_a_part_of_the_time)
{
    assert_int_equal(2000000, mca_pml_champion_loss_threshold(0));
    assert_int_equal(2000000, mca_pml_champion_loss_threshold(200000000));
    assert_int_equal(5000000, mca_pml_champion_loss_threshold(500000000));
    assert_int_equal(100000000, mca_pml_champion_loss_threshold(1000000000000));
}

UNIT_TEST(the_best_answer_is_kept)
{
    const uint32_t start = UINT32_MAX - 100; /* it wraps */
    mca_pml_champion_remote_clock_t clock = {.known = false};

    assert_true(mca_pml_champion_clock_is_poor(&clock, start));
    /* The other one is 5000 ahead, and has computed for 900 first. */
    mca_pml_champion_clock_answer(&clock, start, start + 5950, start + 1000);
    assert_true(mca_pml_champion_clock_is_poor(&clock, start + 1000));
    mca_pml_champion_clock_answer(&clock, start + 1000, start + 6050,
                                  start + 1100);
    assert_false(mca_pml_champion_clock_is_poor(&clock, start + 1100));
    assert_in_range(clock.offset, 4998, 5002);
    mca_pml_champion_clock_answer(&clock, start + 2000, start + 9000,
                                  start + 4000);
    assert_in_range(clock.offset, 4998, 5002);
    /* After minutes it is not to be relied on. */
    assert_true(mca_pml_champion_clock_is_poor(&clock, start + 10000000));
}

UNIT_MAIN(NULL, NULL)
