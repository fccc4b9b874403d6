/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The cost model of transfers, the rule for delayed messages, and the clocks of
 * other processes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ompi/mca/pml/champion/rndv/thread_trigger_rule.h"
#include "ompi/mca/pml/champion/peer/cost_model_rule.h"

#define MIB ((uint64_t) 1 << 20)

static void feed(mca_pml_champion_cost_model_t *pace, uint64_t bytes,
                 double alpha, double beta)
{
    mca_pml_champion_cost_model_add(pace, bytes,
                                    mca_pml_champion_cost(alpha, beta, bytes));
}

static void a_line_is_found(void **state)
{
    mca_pml_champion_cost_model_t pace = {.samples = 0};

    (void) state;
    for (unsigned i = 0; i < 12; ++i) {
        assert_false(mca_pml_champion_cost_model_is_known(&pace));
        feed(&pace, (uint64_t) 16384 << i % 6, 8, 50000);
    }
    assert_true(mca_pml_champion_cost_model_is_known(&pace));
    assert_float_equal(8, pace.alpha, 0.01);
    assert_float_equal(50000, pace.beta, 100);
}

static void one_size_gives_no_beta(void **state)
{
    mca_pml_champion_cost_model_t pace = {.samples = 0};

    (void) state;
    for (unsigned i = 0; i < 12; ++i) {
        feed(&pace, MIB, 8, 0);
    }
    assert_float_equal(8, pace.alpha, 0.01);
    assert_float_equal(0, pace.beta, 1);
}

/* A program that computed meanwhile, every other time. */
static void long_transfers_change_little(void **state)
{
    mca_pml_champion_cost_model_t pace = {.samples = 0};

    (void) state;
    for (unsigned i = 0; i < 100; ++i) {
        feed(&pace, MIB, 8, 0 == i % 2 ? 0 : 1e7);
    }
    assert_in_range(pace.alpha * 1000, 7900, 9000);
}

static void a_slower_link_is_noticed(void **state)
{
    mca_pml_champion_cost_model_t pace = {.samples = 0};

    (void) state;
    for (unsigned i = 0; i < 20; ++i) {
        feed(&pace, MIB, 1, 0);
    }
    for (unsigned i = 0; i < 100; ++i) {
        feed(&pace, MIB, 8, 0);
    }
    assert_in_range(pace.alpha * 1000, 7900, 8100);
}

/* Neither of the two is ever negative. */
static void odd_transfers_make_no_odd_line(void **state)
{
    mca_pml_champion_cost_model_t pace = {.samples = 0};

    (void) state;
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

static void late_is_what_waits_long_enough(void **state)
{
    (void) state;
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

static void enough_is_many_or_much(void **state)
{
    mca_pml_champion_lateness_t lateness = {.late = 0};

    (void) state;
    for (unsigned i = 0; i < 7; ++i) {
        mca_pml_champion_lateness_add(&lateness, 1);
    }
    assert_false(mca_pml_champion_lateness_is_enough(&lateness, 8, 1000));
    mca_pml_champion_lateness_add(&lateness, 0);
    assert_false(mca_pml_champion_lateness_is_enough(&lateness, 8, 1000));
    mca_pml_champion_lateness_add(&lateness, 1);
    assert_true(mca_pml_champion_lateness_is_enough(&lateness, 8, 1000));
    for (unsigned i = 0; i < 64; ++i) {
        mca_pml_champion_lateness_add(&lateness, 0);
    }
    assert_false(mca_pml_champion_lateness_is_enough(&lateness, 8, 1));
    mca_pml_champion_lateness_add(&lateness, 2000);
    assert_false(mca_pml_champion_lateness_is_enough(&lateness, 8, 1000));
    mca_pml_champion_lateness_add(&lateness, 1);
    assert_true(mca_pml_champion_lateness_is_enough(&lateness, 8, 1000));
}

static void the_best_answer_is_kept(void **state)
{
    const uint32_t start = UINT32_MAX - 100; /* it wraps */
    mca_pml_champion_remote_clock_t clock = {.known = false};

    (void) state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_found),
        cmocka_unit_test(one_size_gives_no_beta),
        cmocka_unit_test(long_transfers_change_little),
        cmocka_unit_test(a_slower_link_is_noticed),
        cmocka_unit_test(odd_transfers_make_no_odd_line),
        cmocka_unit_test(late_is_what_waits_long_enough),
        cmocka_unit_test(enough_is_many_or_much),
        cmocka_unit_test(the_best_answer_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
