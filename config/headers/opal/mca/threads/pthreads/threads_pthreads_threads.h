/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stands in for a header of Open MPI 5.0 and 6.0; see threads_pthreads_mutex.h.
 * opal/mca/threads/threads.h defines the rest of a thread itself.
 */

#ifndef CHAMPION_THREADS_PTHREADS_THREADS_H
#define CHAMPION_THREADS_PTHREADS_THREADS_H

#include <pthread.h>
#include <sched.h>

static inline void opal_thread_yield(void)
{
    sched_yield();
}

#endif /* CHAMPION_THREADS_PTHREADS_THREADS_H */
