/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <pthread.h>
#include <sched.h>

#include "pml_test.h"

/* Included for STREAK. */
#include "ompi/mca/pml/champion/core/mutex.c"

/* What the lock protects. */
static mca_pml_champion_mutex_t mutex;
static uint64_t total;
static int holder; /* 0: nobody */
static bool overlap;

/* Ends the threads, once the bias has been revoked often enough.  */
static bool ending; /* atomic */

static void section(int me)
{
    overlap = overlap || 0 != holder;
    holder = me;
    ++total;
    holder = 0;
}

static void lock_once(int me)
{
    mca_pml_champion_mutex_lock(&mutex);
    section(me);
    mca_pml_champion_mutex_unlock(&mutex);
}

static void start(void)
{
    mca_pml_champion_mutex_init(&mutex);
    total = 0;
    holder = 0;
    overlap = false;
    __atomic_store_n(&ending, false, __ATOMIC_RELAXED);
}

static bool has_owner(void)
{
    return NULL != __atomic_load_n(&mutex.owner, __ATOMIC_RELAXED);
}

/* Lock often enough to become the owner. */
static void get_bias(void)
{
    for (uint32_t i = 0; i < 4 * STREAK; ++i) {
        lock_once(1);
    }
}

UNIT_TEST(one_thread_becomes_the_owner)
{
    start();
    lock_once(1);
    assert_false(has_owner());
    get_bias();
    if (!mutex.can_bias) {
        skip();
    }
    assert_true(mca_pml_champion_mutex_is_mine(&mutex));
    assert_int_equal(mutex.taken, 0);
    assert_int_equal(mutex.inside, 0);
}

UNIT_TEST(without_membarrier_there_is_no_owner)
{
    start();
    mutex.can_bias = false;
    get_bias();
    assert_false(has_owner());
}

/* Recursion, with and without the bias, and in the call that makes the thread
 * the owner. */
UNIT_TEST(the_holder_does_not_get_it_again)
{
    start();
    for (uint32_t i = 0; i < 4 * STREAK; ++i) {
        mca_pml_champion_mutex_lock(&mutex);
        assert_false(mca_pml_champion_mutex_trylock(&mutex));
        mca_pml_champion_mutex_unlock(&mutex);
        assert_true(mca_pml_champion_mutex_trylock(&mutex));
        assert_false(mca_pml_champion_mutex_trylock(&mutex));
        mca_pml_champion_mutex_unlock(&mutex);
    }
    assert_int_equal(has_owner(), mutex.can_bias);
}

static void *try_once(void *arg)
{
    *(bool *) arg = mca_pml_champion_mutex_try_take(&mutex);
    if (*(bool *) arg) {
        mca_pml_champion_mutex_unlock(&mutex);
    }
    return NULL;
}

UNIT_TEST(another_thread_takes_the_bias_away)
{
    pthread_t thread;
    bool got = false;

    start();
    get_bias();
    assert_int_equal(0, pthread_create(&thread, NULL, try_once, &got));
    assert_int_equal(0, pthread_join(thread, NULL));
    assert_true(got);
    assert_false(has_owner());
    /* There is never an owner again: the former one may be about to enter. */
    lock_once(1);
    get_bias();
    assert_false(has_owner());
}

/* Locks all the time, so that it becomes the owner. */
static void *busy(void *arg)
{
    uint64_t times = 0;

    while (!__atomic_load_n(&ending, __ATOMIC_RELAXED)) {
        if (0 == times % 3) {
            while (!mca_pml_champion_mutex_trylock(&mutex)) {
                (void) sched_yield();
            }
            section(1);
            mca_pml_champion_mutex_unlock(&mutex);
        } else {
            lock_once(1);
        }
        ++times;
    }
    *(uint64_t *) arg = times;
    return NULL;
}

/* Locks as soon as there is an owner, this many times. */
static uint64_t disturb(int me, unsigned times)
{
    for (unsigned i = 0; i < times; ++i) {
        while (mutex.can_bias && !has_owner()) {
            (void) sched_yield();
        }
        lock_once(me);
    }
    return times;
}

static void *disturber(void *arg)
{
    *(uint64_t *) arg = disturb(3, 300);
    return NULL;
}

UNIT_TEST(one_thread_is_inside_at_a_time)
{
    uint64_t first = 0, third = 0, second;
    pthread_t threads[2];

    start();
    assert_int_equal(0, pthread_create(&threads[0], NULL, busy, &first));
    assert_int_equal(0, pthread_create(&threads[1], NULL, disturber, &third));
    second = disturb(2, 300);
    assert_int_equal(0, pthread_join(threads[1], NULL));
    __atomic_store_n(&ending, true, __ATOMIC_RELAXED);
    assert_int_equal(0, pthread_join(threads[0], NULL));
    assert_false(overlap);
    assert_int_equal(total, first + second + third);
}

UNIT_MAIN(NULL, NULL)
