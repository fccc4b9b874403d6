/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When UCX is polled while looks for messages find nothing.
 */

#include "pml_test.h"

#include "ompi/mca/pml/champion/core/poll_backoff.h"

enum {
    LOOKS = 200000,
    PAUSE = MCA_PML_CHAMPION_POLL_BACKOFF_PAUSE,
    VAIN = MCA_PML_CHAMPION_POLL_BACKOFF_VAIN
};

/* Is it UCX's turn at this look? Nothing is there. */
static bool look(mca_pml_champion_poll_backoff_t *turn, bool quiet)
{
    if (!mca_pml_champion_poll_backoff_due(turn)) {
        return false;
    }
    mca_pml_champion_poll_backoff_in_vain(turn, quiet);
    return true;
}

static void ucx_is_polled_before_long(void **state)
{
    mca_pml_champion_poll_backoff_t turn;
    int last = 0;

    mca_pml_champion_poll_backoff_reset(&turn);
    for (int i = 1; i <= LOOKS; ++i) {
        if (look(&turn, true)) {
            assert_true(i - last <= PAUSE);
            last = i;
        }
    }
    assert_true(LOOKS - last < PAUSE);
}

static void while_it_is_quiet_it_is_seldom_polled(void **state)
{
    mca_pml_champion_poll_backoff_t turn;
    int turns = 0;

    mca_pml_champion_poll_backoff_reset(&turn);
    for (int i = 0; i < LOOKS; ++i) {
        turns += look(&turn, true);
    }
    assert_in_range(turns, LOOKS / PAUSE, LOOKS / PAUSE + VAIN);
}

static void else_it_is_always_its_turn(void **state)
{
    mca_pml_champion_poll_backoff_t turn;

    mca_pml_champion_poll_backoff_reset(&turn);
    for (int i = 0; i < LOOKS; ++i) {
        assert_true(look(&turn, false));
    }
}

static void ucx_is_polled_at_once_when_quiet_ends(void **state)
{
    mca_pml_champion_poll_backoff_t turn;

    mca_pml_champion_poll_backoff_reset(&turn);
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 10 * round; ++i) {
            (void) look(&turn, true);
        }
        mca_pml_champion_poll_backoff_reset(&turn);
        for (int i = 0; i < VAIN; ++i) {
            assert_true(look(&turn, true));
        }
    }
}

static void the_end_of_quiet_is_noticed_at_the_next_poll(void **state)
{
    mca_pml_champion_poll_backoff_t turn;
    int waited = 0;

    mca_pml_champion_poll_backoff_reset(&turn);
    for (int i = 0; i < LOOKS; ++i) {
        (void) look(&turn, true);
    }
    while (!look(&turn, false)) {
        ++waited;
    }
    assert_true(waited < PAUSE);
    for (int i = 0; i < LOOKS; ++i) {
        assert_true(look(&turn, false));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ucx_is_polled_before_long),
        cmocka_unit_test(while_it_is_quiet_it_is_seldom_polled),
        cmocka_unit_test(else_it_is_always_its_turn),
        cmocka_unit_test(ucx_is_polled_at_once_when_quiet_ends),
        cmocka_unit_test(the_end_of_quiet_is_noticed_at_the_next_poll),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
