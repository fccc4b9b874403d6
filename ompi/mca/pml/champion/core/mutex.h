/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A biased lock for short critical sections that usually one thread enters.
 *
 * A program that asks for MPI_THREAD_MULTIPLE often has one thread that calls
 * MPI. An atomic exchange costs such a program more than the rest of a small
 * send, because it waits for all earlier stores, among them those to memory
 * that another process polls. So there are two ways to take the lock:
 *
 *     biased     only the owner, by plain loads and stores: it sets `inside`
 *                and checks that it is still the owner
 *     ordinary   by an exchange of `taken`, spinning and then yielding. A
 *                thread that gets it and finds an owner revokes the bias
 *
 * Revoking is the expensive side: owner = NULL, membarrier(2), which makes all
 * running threads of the process execute a memory barrier, then wait until the
 * owner is outside. The first thread that takes the lock 1024 times in a row
 * becomes the owner. After a revocation there is never an owner again: the
 * former one may have been interrupted between its check and its store to
 * `inside`, and that store must not be mistaken for a new owner's. Without
 * membarrier(2) there is no owner.
 *
 * The lock is not recursive; trylock by the holder fails. Unlocking is a plain
 * store in both cases. There is no queue: threads that have waited for long
 * sleep for some microseconds at a time, so that a holder of lower priority can
 * run.
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
    /* Polled by waiting threads. */
    _Alignas(64) uint32_t taken; /**< atomic */
    uint32_t inside;             /**< the owner is inside; atomic */
    const void *owner;           /**< a thread, or NULL; atomic */
    /* Used only by the holder. */
    bool by_bias;     /**< the holder entered as the owner */
    bool can_bias;    /**< membarrier(2) works, and there was no owner yet */
    uint32_t streak;  /**< consecutive acquisitions by `last` */
    const void *last; /**< thread that acquired the lock last */
} mca_pml_champion_mutex_t;

/** Call before use, and later again only while it is free. */
void mca_pml_champion_mutex_init(mca_pml_champion_mutex_t *mutex);

/** The ordinary way in; for the inline functions. */
void mca_pml_champion_mutex_take(mca_pml_champion_mutex_t *mutex);
bool mca_pml_champion_mutex_try_take(mca_pml_champion_mutex_t *mutex);

/** Identity of this thread. */
static inline const void *mca_pml_champion_thread_self(void)
{
#if MCA_PML_CHAMPION_HAS_THREAD_POINTER
    return __builtin_thread_pointer();
#else
    return (const void *) (uintptr_t) pthread_self();
#endif
}

/** Is this thread the owner? Another thread may be revoking the bias. */
static inline bool mca_pml_champion_mutex_is_mine(
    const mca_pml_champion_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->owner, __ATOMIC_RELAXED) ==
           mca_pml_champion_thread_self();
}

/** Enter as the owner. False if this thread is not the owner. */
static inline bool mca_pml_champion_mutex_enter(mca_pml_champion_mutex_t *mutex)
{
    if (OPAL_UNLIKELY(!mca_pml_champion_mutex_is_mine(mutex))) {
        return false;
    }
    __atomic_store_n(&mutex->inside, 1, __ATOMIC_RELAXED);
    /* Pairs with membarrier(2) of the thread that revokes the bias. */
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

/** Take the lock if it is free; the holder may call it, too, and fails. */
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
