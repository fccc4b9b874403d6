/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Progress by the program's own threads; see progress/thread.c for the progress
 * thread.
 */

#ifndef MCA_PML_CHAMPION_PROGRESS_PROGRESS_H
#define MCA_PML_CHAMPION_PROGRESS_PROGRESS_H

#include "ompi/mca/pml/champion/core/champion.h"

#include "opal/runtime/opal_progress.h"

#include "ompi/mca/pml/champion/progress/pause.h"
#include "ompi/mca/pml/champion/shm/ring_in.h"
#include "ompi/mca/pml/champion/shm/ring_send.h"

#pragma GCC visibility push(hidden)

/** Make progress and complete requests. Returns the number of UCX events and of
 * completed requests: MPI_Testall of Open MPI 5.0 looks at its requests again
 * only if that is not 0. A recursive call returns 0 at once. */
int mca_pml_champion_progress(void);

/** The end of a progress call that has more to do, in runs with one thread: do
 * the chores, leave, complete requests. After _enter. Returns events plus the
 * number of completed requests; events is passed in so that the caller need not
 * save it. */
int mca_pml_champion_progress_more(int events);

/** Poll UCX when the rings are empty, in runs with one thread. Returns the
 * value of _progress. */
int mca_pml_champion_progress_ucx(void);

/** Does the tasks of champion.due; set by progress/thread.c. */
extern void (*mca_pml_champion_progress_due)(void);

/** One poll of rings or UCX, and the chores. Returns the number of events. Lock
 * held. */
unsigned mca_pml_champion_progress_step(void);

/** Poll UCX once in a call that has sent, so that a process which only sends
 * hears of its receivers. Lock held. */
void mca_pml_champion_progress_in_send(void);

/** Poll UCX once. Returns the number of events. Lock held. */
static inline unsigned mca_pml_champion_poll_ucx(void)
{
    unsigned events;

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(NULL != mca_pml_champion_rings.waiting)) {
        (void) mca_pml_champion_rings_drain();
    }
    if (mca_pml_champion_rings_opened()) {
        mca_pml_champion_rings_meet();
    }
    mca_pml_champion_rings.busy = MCA_PML_CHAMPION_RINGS_BUSY;
    events = ucp_worker_progress(mca_pml_champion.worker);
    mca_pml_champion.ucx_events += events;
    return events;
}

/** Drain the rings, beginning with `in`, which has a record; poll UCX if that is
 * due. Returns the number of events. Lock held. */
static inline unsigned mca_pml_champion_poll_rings(
    mca_pml_champion_ring_in_t *in)
{
    unsigned events;

    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_rings.sent = 0;
    events = mca_pml_champion_rings_read(in);
    if (mca_pml_champion_rings_leave()) {
        events += mca_pml_champion_poll_ucx();
    } else if (OPAL_UNLIKELY(NULL != mca_pml_champion_rings.waiting)) {
        (void) mca_pml_champion_rings_drain();
    }
    return events;
}

/** The end of a progress call after its poll, in runs with one thread: do the
 * remaining tasks, and leave. Returns the value of _progress. */
static inline int mca_pml_champion_progress_end(int events)
{
    if (OPAL_UNLIKELY(NULL != mca_pml_champion.completed ||
                      0 != mca_pml_champion.chores)) {
        return mca_pml_champion_progress_more(events);
    }
    mca_pml_champion_progress_leave();
    return events;
}

/** A waiting thread polls the rings this many times per poll of UCX; a power of
 * two. */
enum { MCA_PML_CHAMPION_WAIT_LOOKS = 4 };

/** A waiting thread found the rings empty: is polling UCX not due yet? `left`
 * counts its polls. */
static inline bool mca_pml_champion_wait_on(unsigned left)
{
    return 0 != left % MCA_PML_CHAMPION_WAIT_LOOKS &&
           mca_pml_champion_rings.in != mca_pml_champion_rings.in_end;
}

/** State of a thread that waits for a request, or of one of several waiting
 * threads; see progress/waiting.c. */
typedef struct mca_pml_champion_waiter_t {
    unsigned period; /**< polls between two pauses */
    unsigned left;   /**< polls until the next one */
    unsigned idle;   /**< empty polls in a row */
    mca_pml_champion_pause_t pause;
} mca_pml_champion_waiter_t;

static inline mca_pml_champion_waiter_t mca_pml_champion_waiter(unsigned period)
{
    return (mca_pml_champion_waiter_t){.period = period, .left = period};
}

/** Poll once; or pause, after a number of polls. Returns whether it was a pause,
 * in which other components make progress, too. Without the lock. */
bool mca_pml_champion_waiter_step(mca_pml_champion_waiter_t *waiter);

/** Make progress until *done is not 0, with MPI_THREAD_MULTIPLE: other threads
 * of the program may be waiting, too. Without the lock. */
void mca_pml_champion_wait_in_turn(const uint32_t *done,
                                   mca_pml_champion_for_t what);

/** Make progress until *done is not 0, in a run with one thread, which has
 * polled for a while. Without the lock. */
void mca_pml_champion_wait_long(const uint32_t *done,
                                mca_pml_champion_for_t what);

/** One poll of a thread that waits, not with MPI_THREAD_MULTIPLE. `left` counts
 * down the polls. */
static inline __attribute__((always_inline)) void mca_pml_champion_wait_look(
    unsigned left)
{
    mca_pml_champion_ring_in_t *in;

    if (OPAL_UNLIKELY(mca_pml_champion.slow)) {
        mca_pml_champion_progress();
        return;
    }
    in = mca_pml_champion_rings_look();
    if (NULL != in) {
        mca_pml_champion_progress_enter();
        mca_pml_champion_poll_soon();
        (void) mca_pml_champion_poll_rings(in);
        (void) mca_pml_champion_progress_end(0);
    } else if (!mca_pml_champion_wait_on(left) &&
               !mca_pml_champion_rings_idle()) {
        (void) mca_pml_champion_progress_ucx();
    } else if (OPAL_UNLIKELY(0 != mca_pml_champion.chores) &&
               mca_pml_champion_chore_is_on(&mca_pml_champion_rings.copying)) {
        mca_pml_champion_progress_enter();
        (void) mca_pml_champion_progress_more(0);
    }
}

/** Make progress until *done is not 0. Without the lock. */
static inline __attribute__((always_inline)) void mca_pml_champion_wait(
    const uint32_t *done, mca_pml_champion_for_t what)
{
    unsigned left = mca_pml_champion_pause_after;

    MCA_PML_CHAMPION_UNLOCKED();
    while (0 == __atomic_load_n(done, __ATOMIC_ACQUIRE)) {
        if (OPAL_UNLIKELY(mca_pml_champion.multiple)) {
            mca_pml_champion_wait_in_turn(done, what);
        } else if (OPAL_UNLIKELY(0 == --left)) {
            mca_pml_champion_wait_long(done, what);
        } else {
            mca_pml_champion_wait_look(left);
        }
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PROGRESS_PROGRESS_H */
