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

/* Consecutive acquisitions that make a thread the owner: the first one, and
 * after many. */
enum { STREAK = 1024, LONGEST_STREAK = 65536 };

static bool membarrier(int command)
{
    return 0 == syscall(SYS_membarrier, command, 0, 0);
}

void mca_pml_champion_mutex_init(mca_pml_champion_mutex_t *mutex)
{
    *mutex = (mca_pml_champion_mutex_t){
        .inside = mutex->words,
        .wanted = STREAK,
        .owners = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
                      ? 0
                      : MCA_PML_CHAMPION_MUTEX_OWNERS,
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
    /* The former owner may still set this word and clear it again, so that
     * nobody else may ever use it. */
    wait_for_zero(mutex->inside, &times);
    if (mutex->wanted < LONGEST_STREAK) {
        mutex->wanted *= 2;
    }
}

/* The holder becomes the owner. */
static void become_owner(mca_pml_champion_mutex_t *mutex, const void *self)
{
    uint32_t *word = &mutex->words[mutex->owners++];

    mutex->entered = word;
    mutex->streak = 0;
    __atomic_store_n(word, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&mutex->inside, word, __ATOMIC_RELAXED);
    __atomic_store_n(&mutex->owner, self, __ATOMIC_RELEASE);
    __atomic_store_n(&mutex->taken, 0, __ATOMIC_RELEASE);
}

/* This thread has set `taken`. */
static void took(mca_pml_champion_mutex_t *mutex)
{
    const void *self = mca_pml_champion_thread_self();

    if (OPAL_UNLIKELY(NULL !=
                      __atomic_load_n(&mutex->owner, __ATOMIC_RELAXED))) {
        take_bias_away(mutex);
    }
    mutex->entered = &mutex->taken;
    if (mutex->last != self) {
        mutex->last = self;
        mutex->streak = 0;
    } else if (OPAL_UNLIKELY(++mutex->streak >= mutex->wanted) &&
               mutex->owners < MCA_PML_CHAMPION_MUTEX_OWNERS) {
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
    took(mutex);
}

bool mca_pml_champion_mutex_try_take(mca_pml_champion_mutex_t *mutex)
{
    if (!is_free(mutex) || !exchange(mutex)) {
        return false;
    }
    took(mutex);
    return true;
}
