/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/pml_champion_progress.h"

#include "ompi/mca/pml/champion/pml_champion_delay.h"
#include "ompi/mca/pml/champion/pml_champion_parting.h"
#include "ompi/mca/pml/champion/pml_champion_request.h"
#include "ompi/mca/pml/champion/pml_champion_thread.h"

static void chores(void)
{
    if (NULL != mca_pml_champion.delayed) {
        mca_pml_champion_delay_progress();
    }
    if (NULL != mca_pml_champion_partings.due) {
        mca_pml_champion_parting_step();
    }
    if (mca_pml_champion_flow.ask) {
        mca_pml_champion_flow_step();
    }
}

unsigned mca_pml_champion_progress_step(void)
{
    unsigned events;

    MCA_PML_CHAMPION_LOCKED();
    events = mca_pml_champion_poll();
    if (OPAL_UNLIKELY(0 != mca_pml_champion.chores)) {
        chores();
    }
    return events;
}

/* The lock keeps a call from below itself away as well. */
static __attribute__((noinline)) int progress_threaded(void)
{
    mca_pml_champion_request_t *completed;
    unsigned events;

    if (!mca_pml_champion_trylock()) {
        __atomic_store_n(&mca_pml_champion.lock_wanted, true, __ATOMIC_RELAXED);
        return 0;
    }
    __atomic_store_n(&mca_pml_champion.calls, mca_pml_champion.calls + 1,
                     __ATOMIC_RELAXED);
    events = mca_pml_champion_progress_step();
    completed = mca_pml_champion_request_pop_all();
    mca_pml_champion_unlock();
    return (int) events + mca_pml_champion_request_complete_all(completed);
}

/* The progress thread is wanted, or there are threads. */
static __attribute__((noinline)) int progress_slow(void)
{
    if (OPAL_UNLIKELY(__atomic_load_n(&mca_pml_champion.start_thread,
                                      __ATOMIC_RELAXED)) &&
        !mca_pml_champion.in_progress) {
        mca_pml_champion_thread_begin();
    }
    if (mca_pml_champion.threaded) {
        return progress_threaded();
    }
    if (!mca_pml_champion.in_progress) {
        mca_pml_champion_progress_enter();
        return mca_pml_champion_progress_more((int) mca_pml_champion_poll());
    }
    return 0;
}

int mca_pml_champion_progress(void)
{
    int events;

    if (OPAL_UNLIKELY(mca_pml_champion.slow)) {
        return progress_slow();
    }
    if (OPAL_UNLIKELY(mca_pml_champion.in_progress)) {
        return 0;
    }
    mca_pml_champion_progress_enter();
    events = (int) mca_pml_champion_poll();
    if (OPAL_UNLIKELY(NULL != mca_pml_champion.completed ||
                      0 != mca_pml_champion.chores)) {
        return mca_pml_champion_progress_more(events);
    }
    mca_pml_champion_progress_leave();
    return events;
}

__attribute__((noinline)) int mca_pml_champion_progress_more(int events)
{
    mca_pml_champion_request_t *completed;

    if (0 != mca_pml_champion.chores) {
        chores();
    }
    completed = mca_pml_champion_request_pop_all();
    mca_pml_champion_progress_leave();
    return events + mca_pml_champion_request_complete_all(completed);
}
