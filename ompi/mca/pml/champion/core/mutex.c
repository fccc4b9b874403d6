/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/mutex.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* How a thread waits: first it polls, then it yields, then it sleeps. */
enum { LOOKS = 100, YIELDS = 100, SLEEP_NS = 50000 };

/* Consecutive acquisitions that make a thread the owner. */
enum { STREAK = 1024 };

static bool membarrier(int command)
{
    return 0 == syscall(SYS_membarrier, command, 0, 0);
}

void mca_pml_champion_mutex_init(mca_pml_champion_mutex_t *mutex)
{
    *mutex = (mca_pml_champion_mutex_t){
        .can_bias = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED),
    };
}

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Wait until the word is 0; *times counts the attempts, from 0. */
static void wait_for_zero(const uint32_t *word, unsigned *times)
{
    static const struct timespec sleep = {0, SLEEP_NS};

    while (0 != __atomic_load_n(word, __ATOMIC_ACQUIRE)) {
        if (*times < LOOKS) {
            relax();
        } else if (*times < LOOKS + YIELDS) {
            (void) sched_yield();
        } else {
            (void) clock_nanosleep(CLOCK_MONOTONIC, 0, &sleep, NULL);
            continue;
        }
        ++*times;
    }
}

/* Revoke the bias. When this returns, the former owner is outside the lock. */
static void take_bias_away(mca_pml_champion_mutex_t *mutex)
{
    unsigned times = 0;

    __atomic_store_n(&mutex->owner, NULL, __ATOMIC_RELAXED);
    /* Either the owner sees this store, or its store to `inside` is seen here.
     * membarrier can only fail for lack of kernel memory, which is temporary.
     */
    while (!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
        (void) sched_yield();
    }
    wait_for_zero(&mutex->inside, &times);
    /* The former owner may still set `inside` and clear it again, so that
     * nobody else may ever use that word. */
    mutex->can_bias = false;
}

/* The holder becomes the owner. */
static void become_owner(mca_pml_champion_mutex_t *mutex, const void *self)
{
    mutex->by_bias = true;
    mutex->streak = 0;
    __atomic_store_n(&mutex->inside, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&mutex->owner, self, __ATOMIC_RELEASE);
    __atomic_store_n(&mutex->taken, 0, __ATOMIC_RELEASE);
}

/* This thread has set `taken`. */
static void on_taken(mca_pml_champion_mutex_t *mutex)
{
    const void *self = mca_pml_champion_thread_self();

    if (OPAL_UNLIKELY(NULL !=
                      __atomic_load_n(&mutex->owner, __ATOMIC_RELAXED))) {
        take_bias_away(mutex);
    }
    mutex->by_bias = false;
    if (mutex->last != self) {
        mutex->last = self;
        mutex->streak = 0;
    } else if (OPAL_UNLIKELY(++mutex->streak >= STREAK) && mutex->can_bias) {
        become_owner(mutex, self);
    }
}

static inline bool is_free(const mca_pml_champion_mutex_t *mutex)
{
    return 0 == __atomic_load_n(&mutex->taken, __ATOMIC_RELAXED);
}

static inline bool exchange(mca_pml_champion_mutex_t *mutex)
{
    return 0 == __atomic_exchange_n(&mutex->taken, 1, __ATOMIC_ACQUIRE);
}

void mca_pml_champion_mutex_take(mca_pml_champion_mutex_t *mutex)
{
    unsigned times = 0;

    while (OPAL_UNLIKELY(!exchange(mutex))) {
        wait_for_zero(&mutex->taken, &times);
    }
    on_taken(mutex);
}

bool mca_pml_champion_mutex_try_take(mca_pml_champion_mutex_t *mutex)
{
    if (!is_free(mutex) || !exchange(mutex)) {
        return false;
    }
    on_taken(mutex);
    return true;
}
