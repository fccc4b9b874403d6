/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/progress/progress.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/match/request.h"

/* Empty polls between two yields of a waiting thread. */
enum { IDLE_POLLS = 8 };

void (*mca_pml_champion_progress_due)(void);

unsigned mca_pml_champion_progress_step(void)
{
    mca_pml_champion_ring_in_t *in = mca_pml_champion_rings_look();
    unsigned events;

    MCA_PML_CHAMPION_LOCKED();
    events = NULL == in ? mca_pml_champion_poll_ucx()
                        : mca_pml_champion_poll_rings(in);
    if (OPAL_UNLIKELY(0 != mca_pml_champion.chores)) {
        events += mca_pml_champion_chores_step();
    }
    return events;
}

void mca_pml_champion_progress_in_send(void)
{
    MCA_PML_CHAMPION_LOCKED();
    /* With threads, the lock excludes other callers. */
    if (mca_pml_champion.threaded) {
        (void) ucp_worker_progress(mca_pml_champion.worker);
        if (0 != mca_pml_champion.schedules) {
            mca_pml_champion_wake_tell(); /* one may be able to go on */
        }
    } else if (!mca_pml_champion.in_progress) {
        mca_pml_champion.in_progress = true;
        (void) ucp_worker_progress(mca_pml_champion.worker);
        mca_pml_champion.in_progress = false;
    }
}

/* Progress in runs with threads. The lock excludes recursive calls as well. */
static __attribute__((noinline)) int progress_threaded(void)
{
    unsigned events;

    if (!mca_pml_champion_trylock()) {
        __atomic_store_n(&mca_pml_champion.lock_wanted, true, __ATOMIC_RELAXED);
        return 0;
    }
    __atomic_store_n(&mca_pml_champion.calls, mca_pml_champion.calls + 1,
                     __ATOMIC_RELAXED);
    events = mca_pml_champion_progress_step();
    events += (unsigned) mca_pml_champion_unlock_and_complete();
    if (0 != events &&
        OPAL_UNLIKELY(0 != __atomic_load_n(&mca_pml_champion_pause_sleepers,
                                           __ATOMIC_RELAXED))) {
        mca_pml_champion_pause_wake();
    }
    return (int) events;
}

/* Progress when a ring has records. A separate function, so that an idle call
 * saves no registers. */
static __attribute__((noinline)) int progress_rings(
    mca_pml_champion_ring_in_t *in)
{
    unsigned events;

    mca_pml_champion_progress_enter();
    events = mca_pml_champion_poll_rings(in);
    return mca_pml_champion_progress_end((int) events);
}

__attribute__((noinline)) int mca_pml_champion_progress_ucx(void)
{
    unsigned events;

    mca_pml_champion_progress_enter();
    events = mca_pml_champion_poll_ucx();
    mca_pml_champion_rings_polled(0 != events);
    return mca_pml_champion_progress_end((int) events);
}

__attribute__((noinline)) int mca_pml_champion_progress_more(int events)
{
    mca_pml_champion_request_t *completed;

    if (0 != mca_pml_champion.chores) {
        events += (int) mca_pml_champion_chores_step();
    }
    completed = mca_pml_champion_request_pop_all();
    mca_pml_champion_progress_leave();
    return events + mca_pml_champion_request_complete_all(completed);
}

/* Progress off the fast path: a recursive call, something that is due, or a run
 * with threads. */
static __attribute__((noinline)) int progress_slow(void)
{
    mca_pml_champion_ring_in_t *in;

    if (mca_pml_champion.in_progress) {
        return 0;
    }
    if (OPAL_UNLIKELY(
            0 != __atomic_load_n(&mca_pml_champion.due, __ATOMIC_RELAXED))) {
        mca_pml_champion_progress_due();
    }
    if (mca_pml_champion.threaded) {
        return progress_threaded();
    }
    in = mca_pml_champion_rings_look();
    return NULL == in ? mca_pml_champion_progress_ucx() : progress_rings(in);
}

/* Is this a run with one thread, and not a recursive call? One load tests both
 * flags. */
static inline bool is_plain(void)
{
    uint16_t slow_and_in_progress;

    _Static_assert(offsetof(mca_pml_champion_t, in_progress) ==
                           offsetof(mca_pml_champion_t, slow) + 1 &&
                       1 == sizeof(bool),
                   "one number of 16 bits");
    memcpy(&slow_and_in_progress, &mca_pml_champion.slow,
           sizeof(slow_and_in_progress));
    return 0 == slow_and_in_progress;
}

int mca_pml_champion_progress(void)
{
    mca_pml_champion_ring_in_t *in;

    if (OPAL_UNLIKELY(!is_plain())) {
        return progress_slow();
    }
    in = mca_pml_champion_rings_look();
    if (NULL != in) {
        return progress_rings(in);
    }
    if (mca_pml_champion_rings_idle() &&
        OPAL_LIKELY(0 == mca_pml_champion.chores)) {
        return 0;
    }
    return mca_pml_champion_progress_ucx();
}

bool mca_pml_champion_waiter_step(mca_pml_champion_waiter_t *waiter)
{
    const bool pause = OPAL_UNLIKELY(0 == --waiter->left);

    MCA_PML_CHAMPION_UNLOCKED();
    if (pause) {
        mca_pml_champion_pause(&waiter->pause);
        waiter->left = mca_pml_champion.multiple || waiter->pause.others
                           ? waiter->period
                           : mca_pml_champion_pause_after;
    } else if (0 != mca_pml_champion_progress()) {
        waiter->idle = 0;
        return false;
    }
    ++waiter->idle;
    if (mca_pml_champion.multiple && 0 == waiter->idle % IDLE_POLLS &&
        !mca_pml_champion_mutex_is_mine(&mca_pml_champion.lock)) {
        sched_yield();
    }
    return pause;
}

void mca_pml_champion_wait_in_turn(const uint32_t *done,
                                   mca_pml_champion_for_t what)
{
    mca_pml_champion_waiter_t waiter =
        mca_pml_champion_waiter(MCA_PML_CHAMPION_POLLS);

    MCA_PML_CHAMPION_UNLOCKED();
    while (0 == __atomic_load_n(done, __ATOMIC_ACQUIRE)) {
        if (OPAL_UNLIKELY(mca_pml_champion_waiter_step(&waiter))) {
            mca_pml_champion_note_wait(what, done, 1, false);
        }
    }
}

void mca_pml_champion_wait_long(const uint32_t *done,
                                mca_pml_champion_for_t what)
{
    mca_pml_champion_pause_t pause = {0};

    MCA_PML_CHAMPION_UNLOCKED();
    do {
        mca_pml_champion_pause(&pause);
        mca_pml_champion_note_wait(what, done, 1, false);
        for (unsigned left = mca_pml_champion_pause_after;
             0 != --left && 0 == __atomic_load_n(done, __ATOMIC_ACQUIRE);) {
            mca_pml_champion_wait_look(left);
        }
    } while (0 == __atomic_load_n(done, __ATOMIC_ACQUIRE));
}
