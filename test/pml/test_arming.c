/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * No event is missed: by a process that polls UCX only when a doorbell rings,
 * and by one that marks its rings and sleeps while others write to them.
 */

#include "arming_world.h"

/* Included for the board, which this process makes as it likes. */
#include "ompi/mca/pml/champion/core/board.c"

/* ---- doorbells ---------------------------------------------------------- */

/* An event and its doorbell came after a poll that found nothing, and before
 * the doorbells were read. */
static bool rung_late;

/* Values that processes have rung the doorbell with. */
static uint32_t last[RING_COUNT];

static void ring_as(uint32_t process)
{
    mca_pml_champion_doorbell_last = last[process];
    mca_pml_champion_doorbell_ring(&inbox.doorbell);
    last[process] = mca_pml_champion_doorbell_last;
}

/* Poll like mca_pml_champion_progress, with empty rings. True if UCX was
 * polled. */
static bool look_at_ucx(unsigned *pending)
{
    unsigned events;

    if (mca_pml_champion_rings_idle()) {
        return false;
    }
    events = __atomic_exchange_n(pending, 0, __ATOMIC_ACQUIRE);
    rung_late = 0 == pml_random_below(500);
    if (rung_late) {
        ++*pending;
        ring_as(pml_random_below(RING_COUNT));
    }
    mca_pml_champion_rings_polled(0 != events);
    return true;
}

static head_t head;
static mca_pml_champion_entry_t entry;

/* All processes are on the board. */
static void open_doorbells(void)
{
    open_rings();
    mca_pml_champion_poll_soon();
    mca_pml_champion.inflight = 0;
    mca_pml_champion.job_size = RING_COUNT + 1;
    board.head = &head;
    board.mine = &entry;
    inbox.doorbell = mca_pml_champion_rings.doorbell = UINT32_C(1) << 31;
    head.posted = RING_COUNT + 1;
    head.strangers = 0;
    for (uint32_t i = 0; i < RING_COUNT; ++i) { /* they wrap soon */
        last[i] = i - MCA_PML_CHAMPION_DOORBELL_SENDERS * pml_random_below(4);
    }
}

UNIT_TEST(a_look_after_a_doorbell_polls)
{
    unsigned pending = 0, left_out = 0;

    set_lock_mine(true);
    open_doorbells();
    for (int i = 0; i < 100000; ++i) {
        const bool rings_now = 0 == pml_random_below(300);
        const bool rung = rings_now || rung_late;

        if (rings_now) {
            /* The message may arrive after its doorbell. */
            pending += pml_random_below(2);
            ring_as(pml_random_below(RING_COUNT));
        }
        if (0 == pml_random_below(2000)) {
            mca_pml_champion_inflight_begin();
        }
        if (mca_pml_champion.inflight > 0 && pml_random_percent(10)) {
            mca_pml_champion_inflight_end();
        }
        if (look_at_ucx(&pending)) {
            assert_int_equal(rung_late, pending);
        } else {
            ++left_out;
            assert_false(rung);
            assert_int_equal(0, mca_pml_champion.inflight);
        }
    }
    assert_true(left_out > 10000);
}

/* An event without a doorbell, or long after it, is found all the same. */
UNIT_TEST(without_a_doorbell_it_takes_some_looks)
{
    unsigned pending = 0, looks = 0;

    set_lock_mine(true);
    open_doorbells();
    for (int i = 0; i < 100000; ++i) {
        pending += 0 == pending && 0 == pml_random_below(500);
        /* What is pending after a poll came during that poll. */
        looks = look_at_ucx(&pending) || 0 == pending ? 0 : looks + 1;
        assert_true(looks < MCA_PML_CHAMPION_POLL_BACKOFF_PAUSE);
    }
}

/* One of another job, one that is not on the board, one that has not found this
 * one there: they ring no doorbell. */
UNIT_TEST(a_process_without_a_doorbell_is_polled_for_at_every_look)
{
    unsigned pending = 0;

    set_lock_mine(true);
    open_doorbells();
    for (int why = 0; why < 3; ++why) {
        mca_pml_champion_rings.unrung = 0 == why;
        head.posted = RING_COUNT + (1 != why);
        head.strangers = 2 == why;
        (void) look_at_ucx(&pending);
        mca_pml_champion_poll_soon();
        for (int i = 0; i < 1000; ++i) {
            assert_true(look_at_ucx(&pending));
        }
    }
    mca_pml_champion_doorbell_ring(&mca_pml_champion_doorbell_dummy);
    mca_pml_champion_rings.unrung = false;
}

/* Several ring at once: whichever store is the last, the word has changed. */
UNIT_TEST(no_ring_hides_another_one)
{
    open_doorbells();
    for (int i = 0; i < 100000; ++i) {
        const uint32_t before =
            mca_pml_champion_doorbell_rings(&inbox.doorbell);

        for (uint32_t k = 1 + pml_random_below(5); 0 != k; --k) {
            ring_as(pml_random_below(RING_COUNT));
            assert_int_not_equal(
                before, mca_pml_champion_doorbell_rings(&inbox.doorbell));
        }
    }
}

enum { UCX_MESSAGES = 3000 };

static unsigned by_ucx; /* messages that have arrived; atomic */
static unsigned seen;   /* messages that were found; atomic */

static void *send_by_ucx(void *arg)
{
    for (unsigned i = 0; i < UCX_MESSAGES; ++i) {
        __atomic_fetch_add(&by_ucx, 1, __ATOMIC_RELEASE);
        ring_as(i % RING_COUNT);
        while (__atomic_load_n(&seen, __ATOMIC_ACQUIRE) <= i) {
            sched_yield();
        }
        for (unsigned k = 0; k < i % 2000; ++k) {
            __asm__ __volatile__("");
        }
    }
    return NULL;
}

UNIT_TEST(doorbells_are_heard_while_another_rings)
{
    unsigned looks = 0, worst = 0;
    pthread_t writer;

    set_lock_mine(true);
    open_doorbells();
    by_ucx = seen = 0;
    assert_int_equal(0, pthread_create(&writer, NULL, send_by_ucx, NULL));
    while (seen < UCX_MESSAGES) {
        const bool there = 0 != __atomic_load_n(&by_ucx, __ATOMIC_ACQUIRE);
        const unsigned before = seen;

        if (!mca_pml_champion_rings_idle()) {
            unsigned events = __atomic_exchange_n(&by_ucx, 0, __ATOMIC_ACQUIRE);

            mca_pml_champion_rings_polled(0 != events);
            __atomic_store_n(&seen, seen + events, __ATOMIC_RELEASE);
        }
        looks = there && before == seen ? looks + 1 : 0;
        worst = looks > worst ? looks : worst;
        if (0 == pml_random_below(50)) {
            sched_yield();
        }
    }
    assert_int_equal(0, pthread_join(writer, NULL));
    assert_true(worst < MCA_PML_CHAMPION_POLL_BACKOFF_PAUSE);
}

/* ---- a reader that sleeps ----------------------------------------------- */

static struct timespec deadline(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += SECONDS;
    return time;
}

enum { RECORDS = 20000 };

static uint64_t writer_seed;

static bool is_taken(int ring)
{
    return __atomic_load_n(&taken[ring], __ATOMIC_ACQUIRE) == written[ring];
}

static void *write_all(void *arg)
{
    uint64_t random = writer_seed;

    set_lock_mine(true);
    for (unsigned i = 0; i < RECORDS;) {
        int ring;

        random = random * 6364136223846793005u + 1442695040888963407u;
        ring = (int) ((random >> 33) % RING_COUNT);
        i += write_one(ring);
        while (0 != (random >> 35) % 4 && !is_taken(ring)) {
            sched_yield(); /* no other record will wake the reader */
        }
        if (0 == (random >> 40) % 4) {
            usleep((random >> 50) % 20);
        } else if (0 == (random >> 40) % 3) {
            sched_yield();
        }
    }
    return NULL;
}

/* The writer publishes a record and then reads the reader's mark; the reader
 * sets its mark and then polls once more. */
UNIT_TEST(a_reader_that_sleeps_is_woken)
{
    unsigned sleeps = 0, refused = 0;
    struct timespec until = deadline();
    pthread_t writer;
    uint64_t sum = 0;

    set_lock_mine(true);
    open_rings();
    wake_up_is_ucx = false;
    mca_pml_champion.counters.ring_doorbells = 0;
    assert_int_equal(0, sem_init(&wake_up, 0, 0));
    writer_seed = pml_random_below(UINT32_MAX);
    assert_int_equal(0, pthread_create(&writer, NULL, write_all, NULL));
    while (sum < RECORDS) {
        if (0 != take_all()) {
            sum = taken[0] + taken[1] + taken[2];
            continue;
        }
        pause_at_random();
        if (mca_pml_champion_rings_sleep(MCA_PML_CHAMPION_SLEEPER_THREAD)) {
            ++sleeps;
            assert_int_equal(0, sem_timedwait(&wake_up, &until));
            mca_pml_champion_rings_wake(MCA_PML_CHAMPION_SLEEPER_THREAD);
        } else {
            ++refused;
            assert_int_equal(0,
                             __atomic_load_n(&inbox.asleep, __ATOMIC_RELAXED));
        }
    }
    assert_int_equal(0, pthread_join(writer, NULL));
    assert_true(sleeps > 100);
    assert_true(refused > 0);
    assert_true(mca_pml_champion.counters.ring_doorbells >= sleeps);
    sem_destroy(&wake_up);
}

UNIT_TEST(a_reader_does_not_sleep_while_a_ring_has_records)
{
    set_lock_mine(true);
    open_rings();
    wake_up_is_ucx = false;
    assert_int_equal(0, sem_init(&wake_up, 0, 0));
    mca_pml_champion.counters.ring_doorbells = 0;
    assert_true(write_one(1));
    assert_false(mca_pml_champion_rings_sleep(MCA_PML_CHAMPION_SLEEPER_THREAD));
    assert_true(write_one(1));
    assert_int_equal(0, mca_pml_champion.counters.ring_doorbells);
    assert_int_equal(2, take_all());
    assert_true(mca_pml_champion_rings_sleep(MCA_PML_CHAMPION_SLEEPER_THREAD));
    assert_true(write_one(2));
    assert_true(write_one(2)); /* one wake-up is enough */
    assert_int_equal(1, mca_pml_champion.counters.ring_doorbells);
    mca_pml_champion_rings_wake(MCA_PML_CHAMPION_SLEEPER_THREAD);
    assert_true(write_one(0));
    assert_int_equal(1, mca_pml_champion.counters.ring_doorbells);
    sem_destroy(&wake_up);
}

/* ---- all orders of marks, records and wake-ups -------------------------- */

/* Writers, and a thread and a call that waits, which both sleep, act in a random
 * order: each at any time, and at the fences of the others. A wake-up is under
 * way for any time, and reaches one of those that sleep, or both. The call ends
 * when it finds nothing, and the program calls again. */
static const uint32_t sleeper[] = {MCA_PML_CHAMPION_SLEEPER_THREAD,
                                   MCA_PML_CHAMPION_SLEEPER_WAITS};
enum { SLEEPERS = 2, ORDERS = 600, ACTIONS = 300 };

static struct {
    uint32_t present; /* those that there are: bits */
    uint32_t busy;    /* percentage of turns in which a writer writes */
    bool asleep[SLEEPERS];
    bool writing[RING_COUNT], reading; /* nobody acts inside of itself */
    bool no_more;                      /* records */
    bool away;                         /* no call waits */
    unsigned sleeps, refused;
} order;

static int under_way(void)
{
    int wake_ups;

    assert_int_equal(0, sem_getvalue(&wake_up, &wake_ups));
    return wake_ups;
}

static void sleeper_acts(uint32_t i)
{
    if (!order.asleep[i]) {
        if (0 != take_all()) {
            return;
        }
        order.away =
            1 == i && 0 != (order.present & 1) && pml_random_once_in(2);
        if (!order.away) {
            others_act();
            order.asleep[i] = mca_pml_champion_rings_sleep(sleeper[i]);
            order.sleeps += order.asleep[i];
            order.refused += !order.asleep[i];
        }
    } else if (0 == sem_trywait(&wake_up)) {
        for (uint32_t k = 0; k < SLEEPERS; ++k) {
            if (order.asleep[k] && (k == i || pml_random_once_in(2))) {
                order.asleep[k] = false;
                mca_pml_champion_rings_wake(sleeper[k]);
            }
        }
    }
}

static void somebody_acts(void)
{
    const uint32_t who = pml_random_below(RING_COUNT + SLEEPERS);
    const uint32_t i = who - RING_COUNT;

    if (who < RING_COUNT) {
        if (!order.writing[who] && !order.no_more &&
            pml_random_percent(order.busy)) {
            order.writing[who] = true;
            (void) write_one((int) who);
            order.writing[who] = false;
        }
    } else if (!order.reading && 0 != (order.present & sleeper[i])) {
        order.reading = true;
        if (order.away && 1 == i) {
            order.away = !order.no_more && pml_random_percent(95);
        } else {
            sleeper_acts(i);
        }
        order.reading = false;
    }
}

static void some_act(void)
{
    for (uint32_t i = pml_random_below(4); i > 0; --i) {
        somebody_acts();
    }
}

/* Nobody is in the middle of anything. */
static void somebody_is_to_wake(int number, int action)
{
    for (uint32_t i = 0; i < SLEEPERS; ++i) {
        if (0 != (order.present & sleeper[i]) && !order.asleep[i] &&
            !(1 == i && order.away)) {
            return;
        }
    }
    for (int i = 0; i < RING_COUNT; ++i) {
        if (written[i] != taken[i] && 0 == under_way()) {
            fail_msg(
                "order %d, action %d: all sleep (%u), %llu of %llu records "
                "of ring %d are taken, no wake-up is under way",
                number, action, order.present, (unsigned long long) taken[i],
                (unsigned long long) written[i], i);
        }
    }
}

UNIT_TEST(nobody_sleeps_for_ever_in_any_order)
{
    static const uint32_t busy[] = {4, 20, 100};
    unsigned sleeps = 0, refused = 0;

    set_lock_mine(true);
    wake_up_is_ucx = false;
    for (int number = 0; number < ORDERS; ++number) {
        open_rings();
        memset(&order, 0, sizeof(order));
        order.present = 1 + (uint32_t) number % 3;
        order.busy = busy[number / 3 % 3];
        assert_int_equal(0, sem_init(&wake_up, 0, 0));
        others = some_act;
        for (int i = 0; i < 2 * ACTIONS; ++i) {
            order.no_more = i > ACTIONS;
            somebody_acts();
            somebody_is_to_wake(number, i);
        }
        others = NULL;
        for (int i = 0; i < RING_COUNT; ++i) {
            assert_int_equal(written[i], taken[i]);
        }
        sleeps += order.sleeps;
        refused += order.refused;
        sem_destroy(&wake_up);
    }
    assert_true(sleeps > ORDERS);
    assert_true(refused > 10);
}

/* It is not polled yet: nobody would look at its records. */
UNIT_TEST(a_ring_that_is_opened_keeps_the_reader_awake)
{
    open_rings();
    inbox.opened = UINT64_C(1) << 63;
    assert_false(mca_pml_champion_rings_sleep(MCA_PML_CHAMPION_SLEEPER_THREAD));
    mca_pml_champion_rings.opened = inbox.opened;
    assert_true(mca_pml_champion_rings_sleep(MCA_PML_CHAMPION_SLEEPER_THREAD));
    mca_pml_champion_rings_wake(MCA_PML_CHAMPION_SLEEPER_THREAD);
}

int main(void)
{
    pml_random_begin();
    return unit_run(NULL, NULL);
}
