/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When UCX is polled by a program that looks and finds nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ompi/mca/pml/champion/ring/pml_champion_turn_rule.h"

enum { LOOKS = 200000 };

/* Is it UCX's turn at this look? Nothing is there. */
static bool look(mca_pml_champion_turn_t *turn, bool rings)
{
    if (!mca_pml_champion_turn_comes(turn)) {
        return false;
    }
    mca_pml_champion_turn_in_vain(turn, rings);
    return true;
}

static void nobody_waits_much_longer_for_ucx(void **state)
{
    mca_pml_champion_turn_t turn;
    int last = 0;

    (void) state;
    mca_pml_champion_turn_reset(&turn);
    for (int i = 1; i <= LOOKS; ++i) {
        if (look(&turn, true)) {
            /* What came just after the last turn was late by all but one. */
            assert_true((i - last - 1) * 8 <= last);
            assert_true(i - last <= MCA_PML_CHAMPION_TURN_MAX);
            last = i;
        }
    }
    assert_true(LOOKS - last < MCA_PML_CHAMPION_TURN_MAX);
}

static void who_looks_all_the_time_seldom_polls_ucx(void **state)
{
    mca_pml_champion_turn_t turn;
    int turns = 0;

    (void) state;
    mca_pml_champion_turn_reset(&turn);
    for (int i = 0; i < LOOKS; ++i) {
        turns += look(&turn, true);
    }
    assert_in_range(turns, LOOKS / MCA_PML_CHAMPION_TURN_MAX,
                    LOOKS / MCA_PML_CHAMPION_TURN_MAX + 64);
}

static void without_rings_it_is_always_its_turn(void **state)
{
    mca_pml_champion_turn_t turn;

    (void) state;
    mca_pml_champion_turn_reset(&turn);
    for (int i = 0; i < LOOKS; ++i) {
        assert_true(look(&turn, false));
    }
}

static void what_comes_makes_it_attentive(void **state)
{
    mca_pml_champion_turn_t turn;

    (void) state;
    mca_pml_champion_turn_reset(&turn);
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 10 * round; ++i) {
            (void) look(&turn, true);
        }
        mca_pml_champion_turn_reset(&turn);
        for (int i = 0; i < 8; ++i) {
            assert_true(look(&turn, true));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_waits_much_longer_for_ucx),
        cmocka_unit_test(who_looks_all_the_time_seldom_polls_ucx),
        cmocka_unit_test(without_rings_it_is_always_its_turn),
        cmocka_unit_test(what_comes_makes_it_attentive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
