/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What schedules lose by standing still while the program computes: known
 * cases, and random ones against a model that keeps every interval.
 */

/* Included for what it knows of the program. */
#include "ompi/mca/pml/champion/large/standstill.c"

#include "pml_random.h"
#include "pml_world.h"

#define LARGE MCA_PML_CHAMPION_STANDSTILL_BYTES
#define MS 1000000u

enum { LATE_US = 500 };

void (*mca_pml_champion_thread_trigger_unwatched)(void);

static bool counts;
static unsigned over;          /* schedules that were told of */
static uint64_t lost, largest; /* by the last one; by any */

bool mca_pml_champion_thread_trigger_counts_schedules(void)
{
    return counts;
}

void mca_pml_champion_thread_trigger_on_schedule_end(uint64_t its)
{
    ++over;
    lost = its;
    largest = its > largest ? its : largest;
}

static int begin(void **state)
{
    memset(&mca_pml_champion, 0, sizeof(mca_pml_champion));
    memset(&program, 0, sizeof(program));
    mca_pml_champion.params.thread_late = LATE_US;
    mca_pml_champion_standstill_watched = 0;
    mca_pml_champion_standstill_open();
    pml_world.now = 5000 * (uint64_t) MS;
    counts = true;
    over = 0;
    lost = largest = 0;
    return 0;
}

/* ---- a program ----------------------------------------------------------- */

static mca_pml_champion_poll_delay_t call(size_t bytes)
{
    mca_pml_champion_poll_delay_t delay;

    mca_pml_champion_lock();
    mca_pml_champion_standstill_begins(&delay, bytes);
    mca_pml_champion_unlock();
    return delay;
}

static void end(const mca_pml_champion_poll_delay_t *delay)
{
    mca_pml_champion_lock();
    mca_pml_champion_standstill_ends(delay);
    mca_pml_champion_unlock();
}

static void look(bool goes_on)
{
    mca_pml_champion_lock();
    if (mca_pml_champion_standstill_watching()) {
        mca_pml_champion_standstill_on_poll(goes_on);
    }
    mca_pml_champion_unlock();
}

/* A pause of ns, with a look in its midst. */
static void pause_for(uint64_t ns, bool goes_on)
{
    const bool seen = mca_pml_champion_standstill_on_pause();

    pml_world.now += ns / 2;
    look(goes_on);
    pml_world.now += ns - ns / 2;
    if (seen) {
        mca_pml_champion_standstill_on_resume();
    }
}

static void unwatch_all(void)
{
    mca_pml_champion_lock();
    mca_pml_champion_thread_trigger_unwatched();
    mca_pml_champion_unlock();
}

#define TEST(name) UNIT_TEST_WITH(name, begin, NULL)

/* ---- known cases --------------------------------------------------------- */

TEST(who_computes_loses_the_rest)
{
    const mca_pml_champion_poll_delay_t delay = call(LARGE);

    assert_int_equal(1, mca_pml_champion.chores);
    pml_world.now += 60 * MS;
    pause_for(5 * MS, true);
    pause_for(8 * MS, true);
    end(&delay);
    assert_int_equal(1, over);
    assert_int_equal(13 * MS, lost);
    assert_int_equal(0, mca_pml_champion.chores);
}

TEST(who_computes_shortly_loses_that)
{
    const mca_pml_champion_poll_delay_t delay = call(LARGE);

    pml_world.now += 3 * MS;
    pause_for(13 * MS, true);
    end(&delay);
    assert_int_equal(3 * MS, lost);
}

/* Several calls that test, with computation between them. */
TEST(gaps_add_up)
{
    const mca_pml_champion_poll_delay_t delay = call(LARGE);

    for (int i = 0; i < 4; ++i) {
        pml_world.now += MS;
        look(true);
    }
    pause_for(10 * MS, true);
    end(&delay);
    assert_int_equal(4 * MS, lost);
}

TEST(who_waits_at_once_loses_nothing)
{
    const mca_pml_champion_poll_delay_t delay = call(LARGE);

    pml_world.now += (LATE_US - 1) * 1000;
    for (int i = 0; i < 20; ++i) {
        pause_for(10 * MS, true); /* loses its core, or sleeps */
    }
    end(&delay);
    assert_int_equal(1, over);
    assert_int_equal(0, lost);
}

TEST(who_polls_loses_nothing)
{
    const mca_pml_champion_poll_delay_t delay = call(LARGE);

    for (int i = 0; i < 1000; ++i) {
        pml_world.now += (LATE_US - 1) * 1000;
        look(0 == i % 3);
    }
    end(&delay);
    assert_int_equal(0, lost);
}

TEST(who_finds_nothing_waits_for_others)
{
    const mca_pml_champion_poll_delay_t delay = call(LARGE);

    pml_world.now += 60 * MS;
    look(false);
    pause_for(13 * MS, true);
    end(&delay);
    assert_int_equal(0, lost);
}

TEST(nothing_is_lost_if_all_is_there)
{
    const mca_pml_champion_poll_delay_t delay = call(LARGE);

    pml_world.now += 60 * MS;
    look(true);
    pml_world.now += (LATE_US - 1) * 1000;
    end(&delay);
    assert_int_equal(0, lost);
}

TEST(a_short_gap_beside_a_long_schedule_does_not_count)
{
    const mca_pml_champion_poll_delay_t delay = call(LARGE);

    pml_world.now += MS;
    pause_for(8 * MS, true);
    end(&delay);
    assert_int_equal(0, lost);
}

TEST(what_was_before_is_not_its_own)
{
    const mca_pml_champion_poll_delay_t first = call(LARGE);
    mca_pml_champion_poll_delay_t second;

    pml_world.now += 60 * MS;
    second = call(LARGE);
    assert_int_equal(1, mca_pml_champion.chores);
    pml_world.now += 4 * MS;
    pause_for(10 * MS, true);
    end(&second);
    assert_int_equal(4 * MS, lost);
    assert_int_equal(1, mca_pml_champion.chores);
    end(&first);
    assert_int_equal(10 * MS, lost);
    assert_int_equal(0, mca_pml_champion.chores);
}

TEST(not_all_are_watched)
{
    mca_pml_champion_poll_delay_t delay = call(LARGE - 1);

    assert_int_equal(0, mca_pml_champion.chores);
    assert_false(mca_pml_champion_standstill_on_pause());
    end(&delay);
    counts = false;
    delay = call(LARGE);
    assert_int_equal(0, mca_pml_champion.chores);
    end(&delay);
    assert_int_equal(0, over);
}

/* A thread begins in the midst of a schedule, and ends before the next one. */
TEST(who_is_not_watched_any_more_is_forgotten)
{
    const mca_pml_champion_poll_delay_t first = call(LARGE),
                                        second = call(LARGE);
    mca_pml_champion_poll_delay_t third;

    unwatch_all();
    unwatch_all();
    assert_int_equal(0, mca_pml_champion.chores);
    pml_world.now += 60 * MS;
    third = call(LARGE);
    end(&first);
    assert_int_equal(0, over);
    assert_int_equal(1, mca_pml_champion.chores);
    pml_world.now += 60 * MS;
    pause_for(13 * MS, true);
    end(&third);
    end(&second);
    assert_int_equal(1, over);
    assert_int_equal(13 * MS, lost);
    assert_int_equal(0, mca_pml_champion.chores);
}

/* The watch ends in a pause that has begun with it, and another begins there. */
TEST(pauses_are_told_of_to_their_end)
{
    mca_pml_champion_poll_delay_t delay = call(LARGE);

    assert_true(mca_pml_champion_standstill_on_pause());
    unwatch_all();
    delay = call(LARGE);
    pml_world.now += 60 * MS;
    look(true);
    mca_pml_champion_standstill_on_resume();
    pause_for(13 * MS, true);
    end(&delay);
    assert_int_equal(0, lost);
    assert_int_equal(0, program.pauses);
}

TEST(what_nobody_has_waited_for_is_forgotten_at_the_end)
{
    (void) call(LARGE);
    (void) call(LARGE);
    mca_pml_champion_standstill_close();
    assert_int_equal(0, mca_pml_champion.chores);
    mca_pml_champion_lock();
    assert_false(mca_pml_champion_standstill_watching());
    mca_pml_champion_unlock();
    assert_int_equal(0, over);
}

TEST(all_lose_something_if_no_wait_is_too_short)
{
    mca_pml_champion_poll_delay_t delay;

    mca_pml_champion.params.thread_late = 0;
    delay = call(LARGE);
    end(&delay);
    assert_int_equal(1, lost);
}

/* ---- against a model ------------------------------------------------------ */

enum { ALIVE_MAX = 8, GAPS_MAX = 4096 };

/* A schedule under way, and all gaps that counted. */
static struct {
    mca_pml_champion_poll_delay_t delay;
    uint64_t began;
    bool vague; /* it began in a gap that did not count: what it stood still is
                   known to that */
} alive[ALIVE_MAX];
static unsigned num_alive;

static struct {
    struct {
        uint64_t from, to;
    } gaps[GAPS_MAX];
    unsigned num;
    uint64_t last; /* the end of the last look or pause */
} model;

static uint64_t lost_since(uint64_t began)
{
    const uint64_t least = LATE_US * 1000;
    uint64_t stood = 0, rest;

    for (unsigned i = 0; i < model.num; ++i) {
        const uint64_t from = model.gaps[i].from, to = model.gaps[i].to;

        if (to > began) {
            stood += to - (from > began ? from : began);
        }
    }
    rest = pml_world.now - began - stood;
    if (stood < least || rest < least || stood <= rest / 8) {
        return 0;
    }
    return stood < rest ? stood : rest;
}

/* The program looked, at the end of this gap. */
static void looked(uint64_t at, bool goes_on)
{
    if (goes_on && at - model.last >= LATE_US * 1000) {
        assert_true(model.num < GAPS_MAX);
        model.gaps[model.num].from = model.last;
        model.gaps[model.num++].to = at;
    } else {
        for (unsigned i = 0; i < num_alive; ++i) {
            alive[i].vague = alive[i].vague || alive[i].began > model.last;
        }
    }
    model.last = pml_world.now;
}

static void one_begins(void)
{
    if (ALIVE_MAX == num_alive) {
        return;
    }
    if (0 == num_alive) {
        model.last = pml_world.now;
        model.num = 0;
    }
    alive[num_alive].began = pml_world.now;
    alive[num_alive].vague = false;
    alive[num_alive++].delay = call(LARGE);
}

/* Returns whether it was compared with the model. */
static bool one_ends(void)
{
    const unsigned which = pml_random_below(num_alive);
    const bool vague = alive[which].vague;

    end(&alive[which].delay);
    if (vague) {
        assert_true(2 * lost <= pml_world.now - alive[which].began);
    } else {
        assert_int_equal(lost_since(alive[which].began), lost);
    }
    alive[which] = alive[--num_alive];
    return !vague;
}

static uint64_t some_time(void)
{
    return 1000 * (uint64_t) pml_random_below(1u << pml_random_below(13));
}

TEST(random_programs_lose_what_the_model_says)
{
    const uint64_t ops = pml_random_ops(20000);
    unsigned compared = 0;

    pml_random_begin();
    num_alive = 0;
    for (uint64_t i = 0; i < ops; ++i) {
        const bool goes_on = pml_random_percent(75);
        const uint64_t at = pml_world.now;

        switch (pml_random_below(5)) {
        case 0:
            one_begins();
            break;
        case 1:
            compared += 0 != num_alive && one_ends();
            break;
        case 2:
            look(goes_on);
            looked(at, goes_on);
            break;
        case 3:
            pause_for(some_time(), goes_on);
            looked(at, goes_on);
            break;
        default:
            pml_world.now += some_time();
        }
    }
    while (0 != num_alive) {
        compared += one_ends();
    }
    assert_int_equal(0, mca_pml_champion.chores);
    assert_true(compared > over / 4);
    assert_true(largest > LATE_US * 1000);
}

UNIT_MAIN(NULL, NULL)
