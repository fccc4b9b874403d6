/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A lock for short critical sections that mostly one thread enters.
 *
 * A program that asks for MPI_THREAD_MULTIPLE often has one thread that calls
 * MPI. An atomic exchange costs such a program more than all the rest of a
 * small send, because it waits until the stores before it, among them those to
 * memory that another process polls, have left the processor. So the lock has
 * two ways in:
 *
 *     biased     the owner, and nobody else, enters by plain loads and stores:
 *                it says that it is inside, and looks whether it is the owner
 *                still
 *     ordinary   an exchange of `taken`, spinning and then yielding. Who gets
 *                in and finds an owner takes the bias away from it
 *
 * To take it away is the expensive side: owner = NULL, membarrier(2), which
 * makes all running threads of the process execute a memory barrier, and then
 * waiting for the owner to come out. The first thread that has taken the lock
 * 1024 times in a row becomes the owner. When the bias has been taken away,
 * there is never an owner again: the former one may have been interrupted
 * between seeing that it is the owner and saying that it is inside, and what it
 * says when it goes on must not be mistaken for what a new owner says. Where
 * there is no membarrier(2) there is none at all.
 *
 * The holder of a lock may not take it again; it may try, and does not get it.
 * To let go is a plain store in both cases. There is no queue: threads that
 * have waited for long sleep for some microseconds at a time, so that a holder
 * of lower priority gets on.
 *
 * Source: Dice, Moir, Scherer, Quickly reacquirable locks (2003); asymmetric
 * barriers as in liburcu.
 */

#ifndef MCA_PML_CHAMPION_CORE_MUTEX_H
#define MCA_PML_CHAMPION_CORE_MUTEX_H

#include "ompi_config.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opal/prefetch.h"

#pragma GCC visibility push(hidden)

#if defined(__has_builtin)
#define MCA_PML_CHAMPION_HAS_THREAD_POINTER                                    \
    __has_builtin(__builtin_thread_pointer)
#else
#define MCA_PML_CHAMPION_HAS_THREAD_POINTER 0
#endif

typedef struct mca_pml_champion_mutex_t {
    /* What other threads look at while they wait. */
    _Alignas(64) uint32_t taken; /**< atomic */
    uint32_t inside;             /**< the owner is; atomic */
    const void *owner;           /**< a thread, or NULL; atomic */
    /* What only the holder looks at. */
    bool by_bias;     /**< how it got in */
    bool can_bias;    /**< there is membarrier(2), and was no owner yet */
    uint32_t streak;  /**< times in a row that `last` has taken it */
    const void *last; /**< the thread that has taken it last */
} mca_pml_champion_mutex_t;

/** Once before use, and after that again if it is free. */
void mca_pml_champion_mutex_init(mca_pml_champion_mutex_t *mutex);

/** Take it in the ordinary way; for the inline functions. */
void mca_pml_champion_mutex_take(mca_pml_champion_mutex_t *mutex);
bool mca_pml_champion_mutex_try_take(mca_pml_champion_mutex_t *mutex);

/** What tells this thread from others. */
static inline const void *mca_pml_champion_thread_self(void)
{
#if MCA_PML_CHAMPION_HAS_THREAD_POINTER
    return __builtin_thread_pointer();
#else
    return (const void *) (uintptr_t) pthread_self();
#endif
}

/** Is this thread the only one that uses the lock, as it seems? */
static inline bool mca_pml_champion_mutex_is_mine(
    const mca_pml_champion_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->owner, __ATOMIC_RELAXED) ==
           mca_pml_champion_thread_self();
}

/** Enter as the owner. False if this thread is not. */
static inline bool mca_pml_champion_mutex_enter(mca_pml_champion_mutex_t *mutex)
{
    if (OPAL_UNLIKELY(!mca_pml_champion_mutex_is_mine(mutex))) {
        return false;
    }
    __atomic_store_n(&mutex->inside, 1, __ATOMIC_RELAXED);
    /* The other half of membarrier(2). */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (OPAL_LIKELY(mca_pml_champion_mutex_is_mine(mutex))) {
        mutex->by_bias = true;
        return true;
    }
    __atomic_store_n(&mutex->inside, 0, __ATOMIC_RELEASE);
    return false;
}

static inline void mca_pml_champion_mutex_lock(mca_pml_champion_mutex_t *mutex)
{
    if (OPAL_UNLIKELY(!mca_pml_champion_mutex_enter(mutex))) {
        mca_pml_champion_mutex_take(mutex);
    }
}

/** Take it if it is free; the holder may ask, too. */
static inline bool mca_pml_champion_mutex_trylock(
    mca_pml_champion_mutex_t *mutex)
{
    if (OPAL_LIKELY(mca_pml_champion_mutex_is_mine(mutex))) {
        if (0 != __atomic_load_n(&mutex->inside, __ATOMIC_RELAXED)) {
            return false;
        }
        if (OPAL_LIKELY(mca_pml_champion_mutex_enter(mutex))) {
            return true;
        }
    }
    return mca_pml_champion_mutex_try_take(mutex);
}

static inline void mca_pml_champion_mutex_unlock(
    mca_pml_champion_mutex_t *mutex)
{
    __atomic_store_n(mutex->by_bias ? &mutex->inside : &mutex->taken, 0,
                     __ATOMIC_RELEASE);
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_MUTEX_H */
