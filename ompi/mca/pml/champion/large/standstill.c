/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/large/standstill.h"

#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/large/thread_trigger.h"

uint32_t mca_pml_champion_standstill_watched;

/* Protected by the lock. */
static mca_pml_champion_poll_gaps_t program;
static uint32_t this_watch =
    1; /* schedules of an earlier watch are left alone */

static uint64_t least(void)
{
    return (uint64_t) mca_pml_champion.params.thread_late * 1000;
}

static void set_watched(uint32_t schedules)
{
    __atomic_store_n(&mca_pml_champion_standstill_watched, schedules,
                     __ATOMIC_RELAXED);
    mca_pml_champion_chore_set(&mca_pml_champion_schedules_chore,
                               0 != schedules ||
                                   mca_pml_champion_schedules_chore.polls);
}

void mca_pml_champion_standstill_begins(mca_pml_champion_poll_delay_t *delay,
                                        size_t bytes)
{
    uint64_t now;

    MCA_PML_CHAMPION_LOCKED();
    delay->watch = 0;
    if (bytes < MCA_PML_CHAMPION_STANDSTILL_BYTES ||
        !mca_pml_champion_thread_trigger_counts_schedules()) {
        return;
    }
    now = mca_pml_champion_now();
    if (!mca_pml_champion_standstill_watching()) {
        mca_pml_champion_poll_gaps_begin(&program, now);
    }
    set_watched(mca_pml_champion_standstill_watched + 1);
    *delay = mca_pml_champion_poll_delay_begin(&program, now);
    delay->watch = this_watch;
}

void mca_pml_champion_standstill_ends(
    const mca_pml_champion_poll_delay_t *delay)
{
    MCA_PML_CHAMPION_LOCKED();
    if (delay->watch != this_watch) {
        return;
    }
    set_watched(mca_pml_champion_standstill_watched - 1);
    mca_pml_champion_thread_trigger_on_schedule_end(
        mca_pml_champion_poll_delay_lost(delay, &program,
                                         mca_pml_champion_now(), least()));
}

void mca_pml_champion_standstill_on_poll(bool goes_on)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_poll_gaps_polled(&program, mca_pml_champion_now(), goes_on,
                                      least());
}

bool mca_pml_champion_standstill_on_pause(void)
{
    MCA_PML_CHAMPION_UNLOCKED();
    if (OPAL_LIKELY(0 == __atomic_load_n(&mca_pml_champion_standstill_watched,
                                         __ATOMIC_RELAXED))) {
        return false;
    }
    mca_pml_champion_lock();
    mca_pml_champion_poll_gaps_pause(&program, mca_pml_champion_now());
    mca_pml_champion_unlock();
    return true;
}

void mca_pml_champion_standstill_on_resume(void)
{
    MCA_PML_CHAMPION_UNLOCKED();
    mca_pml_champion_lock();
    mca_pml_champion_poll_gaps_resume(&program, mca_pml_champion_now());
    mca_pml_champion_unlock();
}

/* Watch none of those that are under way any longer. */
static void unwatch(void)
{
    MCA_PML_CHAMPION_LOCKED();
    if (mca_pml_champion_standstill_watching()) {
        set_watched(0);
        this_watch += 1 + (UINT32_MAX == this_watch);
    }
}

void mca_pml_champion_standstill_open(void)
{
    mca_pml_champion_thread_trigger_unwatched = unwatch;
}

void mca_pml_champion_standstill_close(void)
{
    mca_pml_champion_lock();
    unwatch();
    mca_pml_champion_unlock();
}
