/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When a waiting thread may sleep, and on what; from when on it counts how long it
 * has waited.
 */

#include "ompi_config.h"

#include "pml_test.h"

#include "opal/class/opal_object.h" /* first, for 5.0 */

#include "opal/runtime/opal_progress.h"

/* Of Open MPI 5.0 it returns the number of events. */
static int progress_comes(void);
#define opal_progress progress_comes
/* Included for its choices, which only a long wait shows outside. */
#include "ompi/mca/pml/champion/progress/pause.c"
#undef opal_progress

static ucs_status_t arm_status;
static unsigned arms;

ucs_status_t ucp_worker_arm(ucp_worker_h worker)
{
    ++arms;
    return arm_status;
}

ucs_status_t ucp_worker_get_efd(ucp_worker_h worker, int *fd)
{
    *fd = 0;
    return UCS_OK;
}

static sleep_t sleeps(void)
{
    sleep_t how;

    mca_pml_champion_lock();
    how = fall_asleep();
    if (EVENT == how) {
        state.asleep = false;
    }
    mca_pml_champion_unlock();
    return how;
}

static int begin(void **unused)
{
    state.fd = 0;
    state.asleep = false;
    mca_pml_champion.completed = NULL;
    mca_pml_champion.due = 0;
    mca_pml_champion.chores = 0;
    arm_status = UCS_OK;
    arms = 0;
    return 0;
}

UNIT_TEST_WITH(with_nothing_to_do_it_sleeps_until_ucx_has_something, begin,
               NULL)
{
    assert_int_equal(EVENT, sleeps());
    assert_int_equal(1, arms);
    arm_status = UCS_ERR_BUSY;
    assert_int_equal(NOT, sleeps());
}

/* No event would end the sleep. */
UNIT_TEST_WITH(it_does_not_sleep_while_something_is_to_be_done, begin, NULL)
{
    mca_pml_champion_request_t *const some = (void *) &arms;

    mca_pml_champion.completed = some;
    assert_int_equal(NOT, sleeps());
    mca_pml_champion.completed = NULL;
    mca_pml_champion.due = MCA_PML_CHAMPION_DUE_EVENTS;
    assert_int_equal(NOT, sleeps());
    mca_pml_champion.due = MCA_PML_CHAMPION_DUE_THREAD;
    state.asleep = true; /* nor as a second thread */
    assert_int_equal(NOT, sleeps());
    state.asleep = false;
    assert_int_equal(0, arms);
    mca_pml_champion.due = 0;
    assert_int_equal(EVENT, sleeps());
}

UNIT_TEST_WITH(what_needs_polls_is_not_slept_on, begin, NULL)
{
    static mca_pml_champion_chore_t chore;

    mca_pml_champion_chore_set(&chore, true);
    assert_int_equal(EVENT, sleeps());
    chore.polls = true;
    assert_int_equal(NAP, sleeps());
    mca_pml_champion_chore_set(&chore, false);
    state.fd = -1;
    assert_int_equal(NAP, sleeps());
    state.asleep = true;
    assert_int_equal(OTHERS, sleeps());
    assert_int_equal(1, arms);
}

static unsigned come, written, found; /* messages and events of UCX, in the
                                        next progress call */

static mca_pml_champion_for_t noted; /* as a beat in the pause sees it */

static int progress_comes(void)
{
    if (mca_pml_champion_note.paused) {
        noted = mca_pml_champion_note.what;
    }
    mca_pml_champion.counters.ring_messages += come;
    mca_pml_champion_rings.went_on += written;
    mca_pml_champion.ucx_events += found;
    come = written = found = 0;
    return 0;
}

/* A pause of a thread that has waited for a second, on a busy core. Returns
 * whether it begins to wait anew. */
static bool begins_anew(void)
{
    const uint64_t since = mca_pml_champion_now() - 1000000000;
    mca_pml_champion_pause_t pause = {
        .began = since,
        .handled = (uint32_t) mca_pml_champion.counters.ring_messages +
                   mca_pml_champion_rings.went_on + mca_pml_champion.ucx_events,
    };

    arm_status = UCS_ERR_BUSY; /* it does not sleep */
    rule.limited = state.limited = true;
    pause_as(MCA_PML_CHAMPION_WAIT_AUTO, false, &pause);
    return pause.began != since;
}

/* The sender of a flood slept for longer and longer, though the receiver made
 * room all the time. */
UNIT_TEST_WITH(who_reads_or_writes_messages_waits_anew, begin, NULL)
{
    assert_false(begins_anew());
    assert_int_equal(1, arms);
    come = 1;
    assert_true(begins_anew());
    written = 1;
    assert_true(begins_anew());
    found = 1;
    assert_true(begins_anew());
    assert_false(begins_anew());
    mca_pml_champion.threaded = true; /* others may have done it */
    come = 1;
    assert_false(begins_anew());
    mca_pml_champion.threaded = false;
}

static void pause_and_see(mca_pml_champion_pause_t *pause)
{
    noted = MCA_PML_CHAMPION_FOR_UNKNOWN;
    mca_pml_champion_pause(pause);
    assert_false(mca_pml_champion_note.paused);
}

/* A report of a hang took a process for one that waits for nothing, as the others'
 * questions had come in the pause before. */
UNIT_TEST_WITH(what_is_waited_for_is_known_after_events, begin, NULL)
{
    mca_pml_champion_pause_t pause = {.began = 0}, next = {.began = 0};
    int received = 0;

    arm_status = UCS_ERR_BUSY;
    pause_and_see(&pause);
    assert_int_equal(MCA_PML_CHAMPION_FOR_UNKNOWN, noted);
    for (int i = 0; i < 4; ++i) {
        mca_pml_champion_note_wait(MCA_PML_CHAMPION_FOR_RECEIVE, &received, 1,
                                   false);
        come = found = (unsigned) i % 2;
        pause_and_see(&pause);
        assert_int_equal(MCA_PML_CHAMPION_FOR_RECEIVE, noted);
    }
    pause_and_see(&next); /* of another wait, nothing yet */
    assert_int_equal(MCA_PML_CHAMPION_FOR_UNKNOWN, noted);
    next = (mca_pml_champion_pause_t){.began = 0};
    mca_pml_champion_note_wait(MCA_PML_CHAMPION_FOR_SEND, &received, 1, false);
    pause_and_see(&next); /* nor of a third one at the same place */
    assert_int_equal(MCA_PML_CHAMPION_FOR_UNKNOWN, noted);
}

UNIT_MAIN(NULL, NULL)
