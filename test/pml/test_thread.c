/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The progress thread misses no event: it sleeps until UCX, a WAKE message or the
 * program wakes it.
 */

#include "arming_world.h"

/* ---- the progress thread ------------------------------------------------ */

static bool fast_path = true, switch_fails;

static bool switch_path(bool fast)
{
    if (switch_fails) {
        return false;
    }
    fast_path = fast;
    return true;
}

/* The program's progress, beside the thread. */
static void program_polls(void)
{
    if (mca_pml_champion_trylock()) {
        __atomic_store_n(&mca_pml_champion.calls, mca_pml_champion.calls + 1,
                         __ATOMIC_RELAXED);
        (void) mca_pml_champion_progress_step();
        mca_pml_champion_unlock();
    } else {
        __atomic_store_n(&mca_pml_champion.lock_wanted, true, __ATOMIC_RELAXED);
    }
}

/* The program starts an operation whose end UCX does not signal. */
static void program_begins(void)
{
    mca_pml_champion_lock();
    ++begun;
    mca_pml_champion_wake_tell();
    mca_pml_champion_unlock();
}

static void open_thread(int mode)
{
    set_lock_mine(false);
    memset(&mca_pml_champion, 0, sizeof(mca_pml_champion));
    memset(&thread, 0, sizeof(thread));
    open_rings();
    joins = 0;
    while_joining = NULL;
    wake_up_is_ucx = true;
    ucx.pending = 0;
    ucx.armed = false;
    ucx.arm_status = ucx.event_status = UCS_OK;
    ucx.arms = 0;
    ucx.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert_true(ucx.event >= 0);
    from_ucx = begun = ended = ended_shown = 0;
    fast_path = true;
    switch_fails = false;
    mca_pml_champion_mutex_init(&mca_pml_champion.lock);
    mca_pml_champion.params.progress_thread = mode;
    mca_pml_champion.params.thread_interval = 50;
    mca_pml_champion.threaded = MCA_PML_CHAMPION_ON == mode;
    mca_pml_champion_thread_switch = switch_path;
    assert_int_equal(OMPI_SUCCESS, thread_open());
}

static void close_thread(void)
{
    thread_close();
    (void) close(ucx.event);
}

static bool all_is_handled(uint64_t sent)
{
    bool handled = __atomic_load_n(&from_ucx, __ATOMIC_ACQUIRE) >= sent;

    for (int i = 0; i < RING_COUNT; ++i) {
        handled = handled &&
                  __atomic_load_n(&taken[i], __ATOMIC_ACQUIRE) == written[i];
    }
    return handled && __atomic_load_n(&ended_shown, __ATOMIC_ACQUIRE) == begun;
}

/* The thread does all the work; the program only waits. */
static void wait_for_thread(uint64_t sent)
{
    const time_t limit = time(NULL) + SECONDS;

    while (!all_is_handled(sent)) {
        assert_true(time(NULL) < limit);
        usleep(50);
    }
}

static void make_work(int rounds)
{
    uint64_t sent = 0;

    for (int round = 0; round < rounds; ++round) {
        for (uint32_t i = pml_random_below(6); i > 0; --i) {
            switch (pml_random_below(4)) {
            case 0:
                ucx_brings(1);
                ++sent;
                break;
            case 1:
                (void) write_one((int) pml_random_below(RING_COUNT));
                break;
            case 2:
                program_begins();
                break;
            default:
                program_polls();
            }
            pause_at_random();
        }
        wait_for_thread(sent);
        if (pml_random_percent(30)) { /* the thread falls asleep */
            usleep(pml_random_below(3000));
        }
    }
}

UNIT_TEST(the_thread_leaves_nothing_unseen)
{
    mca_pml_champion_counters_t counters;

    open_thread(MCA_PML_CHAMPION_ON);
    assert_int_equal(OMPI_SUCCESS, thread_start());
    make_work(400);
    close_thread();
    assert_false(mca_pml_champion.thread_asleep);
    memset(&counters, 0, sizeof(counters));
    mca_pml_champion_thread_count(&counters);
    /* Or the thread never slept. */
    assert_true(counters.thread_wakeups > 10);
    assert_true(counters.thread_notified > 10);
    assert_true(counters.thread_events > 100);
    assert_true(mca_pml_champion.counters.ring_doorbells > 0);
}

UNIT_TEST(a_thread_that_is_wanted_is_started_by_the_program)
{
    open_thread(MCA_PML_CHAMPION_AUTO);
    assert_int_equal(OMPI_SUCCESS, thread_start());
    assert_false(runs());
    assert_int_equal(0, ucx.arms);
    mca_pml_champion_progress_due(); /* nobody wants the thread */
    assert_false(runs());
    mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
    mca_pml_champion_progress_due();
    assert_true(runs());
    assert_true(mca_pml_champion.threaded);
    assert_true(mca_pml_champion.slow);
    assert_int_equal(mca_pml_champion.due, 0);
    assert_false(fast_path);
    assert_int_equal(1, mca_pml_champion.counters.thread_started);
    assert_true(0 != mca_pml_champion_thread_begun_at());
    make_work(20);
    close_thread();
    assert_false(runs());
}

UNIT_TEST(a_program_goes_on_without_the_thread_it_cannot_have)
{
    for (int what = 0; what < 4; ++what) {
        open_thread(MCA_PML_CHAMPION_AUTO);
        mca_pml_champion.output = -1;
        mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
        switch_fails = 0 == what;
        ucx.event_status = 1 == what ? UCS_ERR_UNSUPPORTED : UCS_OK;
        mca_pml_champion.ending = 2 == what;
        mca_pml_champion.finalizing = 3 == what;
        mca_pml_champion_progress_due();
        assert_false(runs());
        assert_false(mca_pml_champion.threaded);
        assert_false(mca_pml_champion.slow);
        assert_true(fast_path);
        assert_int_equal(0, mca_pml_champion.counters.thread_started);
        close_thread();
    }
}

/* Two messages may find at the same time that the thread is switched off. */
static void *another_finds_it_due(void *arg)
{
    set_lock_mine(false);
    mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
    mca_pml_champion_progress_due();
    return arg;
}

static void another_thread_calls(void)
{
    pthread_t other;

    assert_int_equal(0,
                     pthread_create(&other, NULL, another_finds_it_due, NULL));
    assert_int_equal(0, pthread_join(other, NULL));
}

UNIT_TEST(one_thread_of_the_program_puts_it_away)
{
    open_thread(MCA_PML_CHAMPION_AUTO);
    mca_pml_champion.multiple = true;
    mca_pml_champion.threaded = true;
    mca_pml_champion.slow = true;
    mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
    mca_pml_champion_progress_due();
    assert_true(runs());
    __atomic_store_n(&mca_pml_champion.params.progress_thread,
                     MCA_PML_CHAMPION_OFF, __ATOMIC_RELAXED);
    while_joining = another_thread_calls;
    while (runs()) { /* the thread may hold the lock for a moment */
        mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
        mca_pml_champion_progress_due();
    }
    assert_int_equal(1, joins);
    /* What the other one has found stays due. */
    assert_int_equal(MCA_PML_CHAMPION_DUE_THREAD, mca_pml_champion.due);
    mca_pml_champion_progress_due();
    assert_int_equal(0, mca_pml_champion.due);
    assert_false(runs());
    close_thread();
}

/* MPI_Finalize still waits for messages after the thread's end. */
UNIT_TEST(none_starts_after_the_end)
{
    open_thread(MCA_PML_CHAMPION_AUTO);
    mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
    thread_close();
    assert_int_equal(0, mca_pml_champion.due);
    mca_pml_champion_progress_due();
    assert_false(runs());
    close_thread();
}

/* ---- single steps of the thread ----------------------------------------- */

static outcome_t one_step(unsigned *idle)
{
    outcome_t outcome;

    mca_pml_champion_lock();
    outcome = work_step(idle);
    mca_pml_champion_unlock();
    return outcome;
}

/* ---- all orders --------------------------------------------------------- */

/* UCX, writers of rings and the program act in a random order: between two steps
 * of the thread, at its fences, and before and after it arms UCX. */
enum { ORDERS = 600, ACTIONS = 200 };

static struct {
    bool asleep;              /* the thread */
    bool locked;              /* thread or program act */
    bool writing[RING_COUNT]; /* nobody acts inside of itself */
    bool no_more;             /* work */
    unsigned sleeps, signalled;
} order;

static bool is_to_wake(void)
{
    struct pollfd on[] = {{.fd = thread.wake_fd, .events = POLLIN},
                          {.fd = ucx.event, .events = POLLIN}};

    return poll(on, 2, 0) > 0;
}

static void thread_acts(void)
{
    unsigned idle = 0;
    cause_t cause;

    if (order.asleep) {
        if (is_to_wake()) {
            cause = pause_for(0);
            order.signalled += SIGNALLED == cause;
            slept(cause);
            order.asleep = false;
        }
        return;
    }
    mca_pml_champion_lock();
    no_sleeper();
    order.asleep = ARMED == work_step(&idle);
    order.sleeps += order.asleep;
    mca_pml_champion_unlock();
}

static void somebody_acts(void)
{
    const uint32_t who = pml_random_below(RING_COUNT + 4);

    if (who < RING_COUNT) {
        if (!order.writing[who] && !order.no_more) {
            order.writing[who] = true;
            (void) write_one((int) who);
            order.writing[who] = false;
        }
    } else if (RING_COUNT == who) {
        if (!order.no_more) {
            ucx_brings(1);
        }
    } else if (!order.locked) {
        order.locked = true;
        if (RING_COUNT + 1 != who) {
            thread_acts();
        } else if (!order.no_more) {
            program_begins();
        }
        order.locked = false;
    }
}

static void some_act(void)
{
    for (uint32_t i = pml_random_below(4); i > 0; --i) {
        somebody_acts();
    }
}

UNIT_TEST(it_does_not_sleep_for_ever_in_any_order)
{
    unsigned sleeps = 0, signalled = 0;

    for (int number = 0; number < ORDERS; ++number) {
        open_thread(MCA_PML_CHAMPION_ON);
        thread.sleep_us = SLEEP_MIN;
        memset(&order, 0, sizeof(order));
        others = some_act;
        for (int i = 0; i < 2 * ACTIONS; ++i) {
            order.no_more = i > ACTIONS;
            somebody_acts();
            if (order.asleep && !is_to_wake() &&
                !(all_is_handled(0) && 0 == ucx.pending)) {
                fail_msg(
                    "order %d, action %d: the thread sleeps; UCX has %u "
                    "events, %llu of %llu operations have ended, of ring 0 "
                    "%llu of %llu records are taken",
                    number, i, ucx.pending, (unsigned long long) ended,
                    (unsigned long long) begun, (unsigned long long) taken[0],
                    (unsigned long long) written[0]);
            }
        }
        others = NULL;
        assert_true(all_is_handled(0));
        assert_int_equal(0, ucx.pending);
        sleeps += order.sleeps;
        signalled += order.signalled;
        close_thread();
    }
    assert_true(sleeps > ORDERS);
    assert_true(signalled > 100);
}

/* Sleeps (us is 0) are ended by UCX here, watching by time. */
static unsigned look_after(unsigned us)
{
    return look(us, 0 == us ? EVENT : TIME_IS_UP);
}

UNIT_TEST(it_sleeps_only_if_all_is_quiet)
{
    static mca_pml_champion_chore_t chore = {.polls = true};
    unsigned idle = 0;

    open_thread(MCA_PML_CHAMPION_ON);
    ucx_brings(1);
    assert_int_equal(GO_ON, one_step(&idle));
    assert_int_equal(ARMED, one_step(&idle));
    assert_true(mca_pml_champion.thread_asleep);
    assert_int_equal(1, inbox.asleep);
    mca_pml_champion.thread_asleep = false;
    mca_pml_champion_rings_wake(MCA_PML_CHAMPION_SLEEPER_THREAD);
    mca_pml_champion_chore_set(&chore, true);
    assert_int_equal(GO_ON, one_step(&idle));
    mca_pml_champion_chore_set(&chore, false);
    /* A send waits for room in a ring, which nothing signals. */
    mca_pml_champion_rings.waiting = &outs[0];
    for (int i = 1; i < IDLE_STEPS; ++i) {
        assert_int_equal(GO_ON, one_step(&idle));
    }
    assert_int_equal(STUCK, one_step(&idle));
    assert_false(mca_pml_champion.thread_asleep);
    mca_pml_champion_rings.waiting = NULL;
    close_thread();
}

UNIT_TEST(without_an_armed_ucx_it_looks_at_intervals)
{
    unsigned idle = 0;

    open_thread(MCA_PML_CHAMPION_ON);
    ucx.arm_status = UCS_ERR_BUSY;
    for (int i = 1; i < IDLE_STEPS; ++i) {
        assert_int_equal(GO_ON, one_step(&idle));
    }
    assert_int_equal(STUCK, one_step(&idle));
    assert_int_equal(50, look_after(0));
    assert_int_equal(100, look_after(50));
    assert_int_equal(LONGEST * 50, look_after(LONGEST * 50));
    idle = 0;
    ucx.arm_status = UCS_ERR_IO_ERROR;
    assert_int_equal(STUCK, one_step(&idle));
    assert_true(thread.complained);
    assert_int_equal(STUCK, one_step(&idle));
    close_thread();
}

UNIT_TEST(it_leaves_a_program_alone_that_polls)
{
    mca_pml_champion_counters_t counters;

    open_thread(MCA_PML_CHAMPION_ON);
    mca_pml_champion.calls = 6;
    assert_int_equal(100, look_after(50));
    mca_pml_champion.calls += 5; /* too few calls in 100 us */
    assert_int_equal(0, look_after(100));
    mca_pml_champion.calls += 1;
    assert_int_equal(50, look_after(0)); /* woken while the program is in MPI */
    memset(&counters, 0, sizeof(counters));
    mca_pml_champion_thread_count(&counters);
    assert_int_equal(2, counters.thread_yielded);
    close_thread();
}

/* The thread handles an event while transfers are in flight. */
static benefit_t benefit_of_an_event(void)
{
    unsigned idle = 0;

    thread.benefit = NEITHER;
    ucx_brings(1);
    assert_int_equal(GO_ON, one_step(&idle));
    return thread.benefit;
}

UNIT_TEST(it_is_of_use_only_to_a_program_that_is_away)
{
    open_thread(MCA_PML_CHAMPION_ON);
    mca_pml_champion.params.thread_late = 3600000000u; /* us */
    mca_pml_champion.inflight = 1;
    thread.pauses = mca_pml_champion_pauses;
    thread.away = mca_pml_champion_now();
    assert_int_equal(BY_ITSELF,
                     benefit_of_an_event()); /* it has just been here */
    mca_pml_champion.params.thread_late = 0;
    assert_int_equal(OF_USE, benefit_of_an_event());
    mca_pml_champion.params.thread_late = 3600000000u;
    thread.away = 0;
    ++mca_pml_champion_pauses; /* a pause ends while the thread works */
    assert_int_equal(BY_ITSELF, benefit_of_an_event());
    assert_int_equal(BY_ITSELF, benefit_of_an_event()); /* polls, preempted */
    thread.away = 0;
    ++mca_pml_champion.calls;
    assert_int_equal(BY_ITSELF, benefit_of_an_event());
    mca_pml_champion.params.thread_late = 0;
    mca_pml_champion.inflight = 0;
    close_thread();
}

/* Nothing is in flight in UCX. */
UNIT_TEST(it_is_of_use_to_sends_that_wait_for_room_in_a_ring)
{
    unsigned idle = 0;

    open_thread(MCA_PML_CHAMPION_ON);
    mca_pml_champion.params.thread_late = 0;
    mca_pml_champion_rings.waiting = &outs[0];
    thread.benefit = NEITHER;
    assert_int_equal(GO_ON, one_step(&idle));
    assert_int_equal(NEITHER, thread.benefit); /* there is no room yet */
    ring_room = 3;
    assert_int_equal(GO_ON, one_step(&idle));
    assert_int_equal(OF_USE, thread.benefit);
    assert_int_equal(0, idle);
    mca_pml_champion.params.thread_late = 3600000000u;
    thread.away = mca_pml_champion_now();
    ring_room = 1;
    assert_int_equal(GO_ON, one_step(&idle));
    assert_int_equal(BY_ITSELF, thread.benefit); /* the program waits for it */
    mca_pml_champion_rings.waiting = NULL;
    mca_pml_champion.params.thread_late = 0;
    close_thread();
}

UNIT_TEST(events_that_are_none_end_its_sleep)
{
    open_thread(MCA_PML_CHAMPION_ON);
    for (int i = 1; i < SPURIOUS_MAX; ++i) {
        assert_int_equal(0, look_after(0));
    }
    assert_int_equal(50, look_after(0));
    ucx_brings(1);
    assert_int_equal(0, look_after(0));
    close_thread();
}

/* A sleep that ends by itself; whether UCX has something then. */
static unsigned look_after_silence(bool brings)
{
    ucx.pending = brings;
    slept(TIME_IS_UP);
    return look(0, TIME_IS_UP);
}

UNIT_TEST(a_descriptor_that_stays_silent_is_not_waited_for)
{
    open_thread(MCA_PML_CHAMPION_ON);
    thread.sleep_us = SLEEP_MIN;
    for (int i = 0; i < 3; ++i) { /* nothing comes: longer sleeps */
        assert_int_equal(SLEEP_MIN << i, thread.sleep_us);
        assert_int_equal(0, look_after_silence(false));
    }
    for (int i = 1; i < MISSED_MAX; ++i) {
        assert_int_equal(0, look_after_silence(true));
        assert_int_equal(SLEEP_MIN, thread.sleep_us);
    }
    slept(EVENT); /* it speaks after all */
    for (int i = 1; i < MISSED_MAX; ++i) {
        assert_int_equal(0, look_after_silence(true));
    }
    assert_int_equal(50, look_after_silence(true));
    assert_int_equal(100, look_after(50)); /* for good */
    close_thread();
}

UNIT_TEST(the_thread_leaves_the_holder_of_the_lock_alone)
{
    open_thread(MCA_PML_CHAMPION_ON);
    assert_true(mca_pml_champion_mutex_trylock(&mca_pml_champion.lock));
    assert_int_equal(50, look_after(0));
    mca_pml_champion_mutex_unlock(&mca_pml_champion.lock);
    assert_int_equal(0, look_after(0));
    close_thread();
}

int main(void)
{
    pml_random_begin();
    return unit_run(NULL, NULL);
}
