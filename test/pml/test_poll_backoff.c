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

UNIT_TEST(ucx_is_polled_before_long)
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

UNIT_TEST(while_it_is_quiet_it_is_seldom_polled)
{
    mca_pml_champion_poll_backoff_t turn;
    int turns = 0;

    mca_pml_champion_poll_backoff_reset(&turn);
    for (int i = 0; i < LOOKS; ++i) {
        turns += look(&turn, true);
    }
    assert_in_range(turns, LOOKS / PAUSE, LOOKS / PAUSE + VAIN);
}

UNIT_TEST(else_it_is_always_its_turn)
{
    mca_pml_champion_poll_backoff_t turn;

    mca_pml_champion_poll_backoff_reset(&turn);
    for (int i = 0; i < LOOKS; ++i) {
        assert_true(look(&turn, false));
    }
}

UNIT_TEST(ucx_is_polled_at_once_when_quiet_ends)
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

UNIT_TEST(the_end_of_quiet_is_noticed_at_the_next_poll)
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

UNIT_MAIN(NULL, NULL)
