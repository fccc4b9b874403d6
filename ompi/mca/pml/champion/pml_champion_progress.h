/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Progress of the program's own threads; that of the progress thread is in
 * pml_champion_thread.c.
 */

#ifndef OMPI_PML_CHAMPION_PROGRESS_H
#define OMPI_PML_CHAMPION_PROGRESS_H

#include "ompi/mca/pml/champion/pml_champion.h"

#include "opal/runtime/opal_progress.h"

#include "ompi/mca/pml/champion/pml_champion_waiting.h"
#include "ompi/mca/pml/champion/ring/pml_champion_rings.h"

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

/** One step of UCX's, and the chores.
 * Returns the number of events. Lock held. */
unsigned mca_pml_champion_progress_step(void);

/** One look at the rings and at UCX. Returns the number of events. Lock held.
 */
static inline unsigned mca_pml_champion_poll(void)
{
    unsigned events;

    MCA_PML_CHAMPION_LOCKED();
    events = mca_pml_champion_rings_poll();
    if (OPAL_UNLIKELY(NULL != mca_pml_champion_rings.waiting)) {
        mca_pml_champion_rings_drain();
    }
    if (mca_pml_champion_rings_leave(events)) {
        events += ucp_worker_progress(mca_pml_champion.worker);
    }
    return events;
}

/** Progress until *done is not 0. Called without the lock. */
static inline void mca_pml_champion_wait(const uint32_t *done)
{
    unsigned left = mca_pml_champion.params.progress_iterations;

    MCA_PML_CHAMPION_UNLOCKED();
    while (0 == __atomic_load_n(done, __ATOMIC_ACQUIRE)) {
        if (OPAL_UNLIKELY(0 == --left)) {
            /* Other components' work, and a yield when oversubscribed. */
            left = mca_pml_champion.params.progress_iterations;
            opal_progress();
        } else if (OPAL_UNLIKELY(mca_pml_champion.multiple)) {
            mca_pml_champion_waiting_for(done);
        } else if (OPAL_UNLIKELY(mca_pml_champion.slow)) {
            mca_pml_champion_progress();
        } else {
            mca_pml_champion_progress_enter();
            (void) mca_pml_champion_poll();
            if (OPAL_UNLIKELY(NULL != mca_pml_champion.completed ||
                              0 != mca_pml_champion.chores)) {
                mca_pml_champion_progress_more(0);
            } else {
                mca_pml_champion_progress_leave();
            }
        }
    }
}

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_PROGRESS_H */
