/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Progress of the program's own threads; that of the progress thread is in
 * progress/thread.c.
 */

#ifndef MCA_PML_CHAMPION_PROGRESS_PROGRESS_H
#define MCA_PML_CHAMPION_PROGRESS_PROGRESS_H

#include "ompi/mca/pml/champion/core/champion.h"

#include "opal/runtime/opal_progress.h"

#include "ompi/mca/pml/champion/ring/ring_send.h"

#pragma GCC visibility push(hidden)

/** Let UCX make progress and complete what became complete. Returns the number
 * of UCX's events and of requests completed: MPI_Testall of Open MPI 5.0 looks
 * at its requests again only if that is not 0. 0 at once if called from below
 * itself. */
int mca_pml_champion_progress(void);

/** The rest of a progress call that found something more to do, in runs with
 * one thread: do the chores, leave, complete requests. After _enter.
 * Returns the number of requests completed and events, which is passed on so
 * that the caller has nothing to keep. */
int mca_pml_champion_progress_more(int events);

/** Nothing is in the rings: a look at UCX, in runs with one thread. Returns
 * what _progress returns. */
int mca_pml_champion_progress_ucx(void);

/** Starts the progress thread, when champion.start_thread asks for it:
 * progress/thread.h enters it here. */
extern void (*mca_pml_champion_progress_begin_thread)(void);

/** One step of UCX's, and the chores.
 * Returns the number of events. Lock held. */
unsigned mca_pml_champion_progress_step(void);

/** One look at UCX in a call that is about to send: what that finds to be
 * fetched may have to wait for the send (rndv/rendezvous.h). Lock held.
 */
void mca_pml_champion_progress_before_send(void);

/** One look at UCX. Returns the number of events. Lock held. */
static inline unsigned mca_pml_champion_poll_ucx(void)
{
    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(NULL != mca_pml_champion_rings.waiting)) {
        mca_pml_champion_rings_drain();
    }
    mca_pml_champion_rings.busy = MCA_PML_CHAMPION_RINGS_BUSY;
    return ucp_worker_progress(mca_pml_champion.worker);
}

/** Take what is in the rings, from that one on, which has a record, and look at
 * UCX if it is its turn. Returns the number of events. Lock held. */
static inline unsigned mca_pml_champion_poll_rings(
    mca_pml_champion_ring_in_t *in)
{
    unsigned events;

    MCA_PML_CHAMPION_LOCKED();
    events = mca_pml_champion_rings_take(in);
    if (mca_pml_champion_rings_leave()) {
        events += mca_pml_champion_poll_ucx();
    } else if (OPAL_UNLIKELY(NULL != mca_pml_champion_rings.waiting)) {
        mca_pml_champion_rings_drain();
    }
    return events;
}

/** After a poll, in runs with one thread: leave, with what there is more to do.
 * Returns what _progress returns. */
static inline int mca_pml_champion_progress_end(int events)
{
    if (OPAL_UNLIKELY(NULL != mca_pml_champion.completed ||
                      0 != mca_pml_champion.chores)) {
        return mca_pml_champion_progress_more(events);
    }
    mca_pml_champion_progress_leave();
    return events;
}

/** Whoever waits looks at the rings so often for one look at UCX, a power of
 * two. */
enum { MCA_PML_CHAMPION_WAIT_LOOKS = 4 };

/** A look of somebody who waits found nothing in the rings: is that all? `left`
 * counts them. */
static inline bool mca_pml_champion_wait_on(unsigned left)
{
    return 0 != left % MCA_PML_CHAMPION_WAIT_LOOKS &&
           mca_pml_champion_rings.in != mca_pml_champion_rings.in_end;
}

/** One of several threads that wait; see progress/waiting.h. */
typedef struct mca_pml_champion_waiter_t {
    unsigned period; /**< every so many polls it is the turn of all components
                      */
    unsigned left;   /**< polls until then */
    unsigned idle;   /**< polls in a row that found nothing */
} mca_pml_champion_waiter_t;

static inline mca_pml_champion_waiter_t mca_pml_champion_waiter(unsigned period)
{
    return (mca_pml_champion_waiter_t){.period = period, .left = period};
}

/** A poll, and a yield after some that found nothing. Without the lock. */
void mca_pml_champion_waiter_step(mca_pml_champion_waiter_t *waiter);

/** Progress until *done is not 0, among other threads of the program that wait,
 * too. Without the lock. */
void mca_pml_champion_wait_in_turn(const uint32_t *done);

/** Progress until *done is not 0. Called without the lock. */
static inline __attribute__((always_inline)) void mca_pml_champion_wait(
    const uint32_t *done)
{
    unsigned left = mca_pml_champion.params.progress_iterations;
    mca_pml_champion_ring_in_t *in;

    MCA_PML_CHAMPION_UNLOCKED();
    while (0 == __atomic_load_n(done, __ATOMIC_ACQUIRE)) {
        if (OPAL_UNLIKELY(0 == --left)) {
            /* Other components' work, and a yield when oversubscribed. */
            left = mca_pml_champion.params.progress_iterations;
            opal_progress();
        } else if (OPAL_UNLIKELY(mca_pml_champion.multiple)) {
            mca_pml_champion_wait_in_turn(done);
        } else if (OPAL_UNLIKELY(mca_pml_champion.slow)) {
            mca_pml_champion_progress();
        } else {
            in = mca_pml_champion_rings_look();
            if (NULL != in) {
                mca_pml_champion_progress_enter();
                mca_pml_champion_poll_soon();
                (void) mca_pml_champion_poll_rings(in);
                (void) mca_pml_champion_progress_end(0);
            } else if (!mca_pml_champion_wait_on(left) &&
                       !mca_pml_champion_rings_idle()) {
                (void) mca_pml_champion_progress_ucx();
            }
        }
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PROGRESS_PROGRESS_H */
