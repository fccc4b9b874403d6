/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stands in for a header of Open MPI 5.0 and 6.0 that their installed headers
 * include and distributions do not install: what opal/mca/threads/mutex.h and
 * wait_sync.h say of locks and conditions, on POSIX threads. It is found only
 * where the installation has none of its own (-idirafter).
 */

#ifndef CHAMPION_THREADS_PTHREADS_MUTEX_H
#define CHAMPION_THREADS_PTHREADS_MUTEX_H

#include <pthread.h>
#include <stdbool.h>

/* These are members of structures that libopen-pal works with. */
typedef pthread_mutex_t opal_thread_internal_mutex_t;
typedef pthread_cond_t opal_thread_internal_cond_t;

#define OPAL_THREAD_INTERNAL_MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#define OPAL_THREAD_INTERNAL_COND_INITIALIZER PTHREAD_COND_INITIALIZER

/** Returns 0, or an error number. */
static inline int opal_thread_internal_mutex_init(
    opal_thread_internal_mutex_t *mutex, bool recursive)
{
    pthread_mutexattr_t attributes;
    int rc;

    if (!recursive) {
        return pthread_mutex_init(mutex, NULL);
    }
    rc = pthread_mutexattr_init(&attributes);
    if (0 != rc) {
        return rc;
    }
    rc = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    if (0 == rc) {
        rc = pthread_mutex_init(mutex, &attributes);
    }
    pthread_mutexattr_destroy(&attributes);
    return rc;
}

static inline void opal_thread_internal_mutex_destroy(
    opal_thread_internal_mutex_t *mutex)
{
    pthread_mutex_destroy(mutex);
}

static inline void opal_thread_internal_mutex_lock(
    opal_thread_internal_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
}

/** Returns 0 if it was locked, 1 if another thread has it. */
static inline int opal_thread_internal_mutex_trylock(
    opal_thread_internal_mutex_t *mutex)
{
    return 0 != pthread_mutex_trylock(mutex);
}

static inline void opal_thread_internal_mutex_unlock(
    opal_thread_internal_mutex_t *mutex)
{
    pthread_mutex_unlock(mutex);
}

/** Returns 0, or an error number. */
static inline int opal_thread_internal_cond_init(
    opal_thread_internal_cond_t *condition)
{
    return pthread_cond_init(condition, NULL);
}

static inline void opal_thread_internal_cond_destroy(
    opal_thread_internal_cond_t *condition)
{
    pthread_cond_destroy(condition);
}

static inline void opal_thread_internal_cond_wait(
    opal_thread_internal_cond_t *condition, opal_thread_internal_mutex_t *mutex)
{
    pthread_cond_wait(condition, mutex);
}

static inline void opal_thread_internal_cond_signal(
    opal_thread_internal_cond_t *condition)
{
    pthread_cond_signal(condition);
}

static inline void opal_thread_internal_cond_broadcast(
    opal_thread_internal_cond_t *condition)
{
    pthread_cond_broadcast(condition);
}

#endif /* CHAMPION_THREADS_PTHREADS_MUTEX_H */
