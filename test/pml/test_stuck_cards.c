/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the cards of a node tell: both sides' counts of messages, what the kernel
 * knows of processes that say nothing, and nothing of cards that are damaged.
 */

#include "ompi_config.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/lib/unit.h"
#include "ompi/mca/pml/champion/stuck/cards.h"

enum { PLACES = 3, NOW = 100000, STALE = 3000, PIDS = 77 };

typedef mca_pml_champion_stuck_words_t words_t;
typedef mca_pml_champion_stuck_process_t process_t;

/* ---- a board ---- */

static words_t card[PLACES];
static mca_pml_champion_entry_t entry[PLACES];
static process_t *seen;

const mca_pml_champion_board_shape_t *mca_pml_champion_board_shape(void)
{
    static const mca_pml_champion_board_shape_t shape = {.places = PLACES};

    return &shape;
}

/* Places are in another order than vpids. */
static uint32_t vpid_of(uint32_t place)
{
    return PLACES - 1 - place;
}

mca_pml_champion_entry_t *mca_pml_champion_board_at(uint32_t place,
                                                    uint32_t *vpid)
{
    *vpid = vpid_of(place);
    return 0 == entry[place].pid ? NULL : &entry[place];
}

bool mca_pml_champion_board_hear(uint32_t place, void *words, size_t length)
{
    assert_int_equal(sizeof(words_t), length);
    memcpy(words, &card[place], length);
    return true;
}

/* That of a vpid. */
static words_t *of(uint32_t vpid)
{
    return &card[vpid_of(vpid)];
}

static void begin(void)
{
    memset(card, 0, sizeof(card));
    for (uint32_t i = 0; i < PLACES; ++i) {
        entry[i].pid = getpid();
        card[i].beat = NOW - 10;
        card[i].began = NOW - 5000;
        card[i].pids = PIDS;
        card[i].state.vpid = vpid_of(i);
        card[i].state.where = MCA_PML_CHAMPION_STUCK_WAITS;
    }
}

static const process_t *look(uint32_t vpid)
{
    size_t count;

    free(seen);
    seen = mca_pml_champion_stuck_cards(NOW, PIDS, &count);
    assert_int_equal(PLACES, count);
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(i, seen[i].state.vpid);
    }
    return &seen[vpid];
}

static void waits_for(uint32_t vpid, mca_pml_champion_stuck_kind_t kind,
                      uint32_t other, uint32_t messages)
{
    mca_pml_champion_stuck_state_t *state = &of(vpid)->state;

    state->item[state->items++] = (mca_pml_champion_stuck_item_t){
        .kind = kind, .vpid = other, .count = 1, .messages = messages};
    state->items_all = state->items;
}

static void counts(uint32_t vpid, uint32_t with, uint32_t sent, uint32_t come)
{
    words_t *words = of(vpid);

    words->pair[words->pairs++] = (mca_pml_champion_stuck_pair_t){
        .vpid = with, .sent = sent, .come = come};
}

/* ---- counts ---- */

UNIT_TEST(both_sides_counts_are_compared)
{
    const mca_pml_champion_stuck_item_t *item;

    begin();
    waits_for(0, MCA_PML_CHAMPION_STUCK_SEND, 2, 9);
    waits_for(0, MCA_PML_CHAMPION_STUCK_RECEIVE, 1, 5);
    item = look(0)->state.item;
    assert_int_equal(0, item[0].counted + item[1].counted);
    counts(1, 2, 1, 1);
    counts(1, 0, 5, 3);
    counts(2, 0, 4, 8);
    item = look(0)->state.item;
    assert_int_equal(1, item[0].counted);
    assert_int_equal(8, item[0].theirs);
    assert_int_equal(1, item[0].away);
    assert_int_equal(1, item[1].counted);
    assert_int_equal(5, item[1].theirs);
    assert_int_equal(0, item[1].away);
    of(2)->pair[0].come = 9;
    of(1)->pair[1].sent = 6;
    item = look(0)->state.item;
    assert_int_equal(0, item[0].away);
    assert_int_equal(1, item[1].away);
}

/* One that has gone on since has sent more. */
UNIT_TEST(old_counts_do_not_count)
{
    begin();
    waits_for(0, MCA_PML_CHAMPION_STUCK_RECEIVE, 1, 5);
    counts(1, 0, 4, 0);
    assert_int_equal(1, look(0)->state.item[0].away);
    of(1)->beat = NOW - STALE;
    assert_int_equal(0, look(0)->state.item[0].counted);
    assert_int_equal(0, look(0)->state.item[0].away);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_RUNS, look(1)->known);
}

/* Of a receive from any process nobody counts. */
UNIT_TEST(counts_are_of_those_who_are_waited_for)
{
    begin();
    waits_for(0, MCA_PML_CHAMPION_STUCK_RECEIVE, MCA_PML_CHAMPION_STUCK_ANY, 5);
    counts(1, 0, 6, 0);
    counts(1, 1000, 6, 0);
    counts(1, UINT32_MAX, 6, 0);
    assert_int_equal(0, look(0)->state.item[0].counted);
}

/* Also if it was heard from just now. */
UNIT_TEST(who_has_ended_is_buried)
{
    const pid_t child = fork();

    if (0 == child) {
        _exit(0);
    }
    assert_int_equal(child, waitpid(child, NULL, 0));
    begin();
    entry[vpid_of(1)].pid = child;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_TOLD, look(1)->known);
    mca_pml_champion_stuck_bury(seen, PLACES, PIDS + 1);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_TOLD, seen[1].known);
    mca_pml_champion_stuck_bury(seen, PLACES, PIDS);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_GONE, seen[1].known);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_TOLD, seen[0].known);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_TOLD, seen[2].known);
}

/* ---- damage ---- */

static void is_not_believed(void)
{
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SILENT, look(1)->known);
    assert_int_equal(0, look(1)->state.items);
    assert_int_equal(0, look(0)->state.item[0].counted);
    begin();
    waits_for(0, MCA_PML_CHAMPION_STUCK_RECEIVE, 1, 5);
    waits_for(1, MCA_PML_CHAMPION_STUCK_RECEIVE, 0, 5);
    counts(1, 0, 6, 0);
}

UNIT_TEST(damaged_cards_are_not_believed)
{
    begin();
    waits_for(1, MCA_PML_CHAMPION_STUCK_RECEIVE, 0, 5);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_TOLD, look(1)->known);
    of(1)->pairs = MCA_PML_CHAMPION_STUCK_PAIRS + 1;
    is_not_believed();
    assert_int_equal(MCA_PML_CHAMPION_STUCK_TOLD, look(1)->known);
    of(1)->state.items = MCA_PML_CHAMPION_STUCK_ITEMS + 1;
    is_not_believed();
    of(1)->state.nears = MCA_PML_CHAMPION_STUCK_NEAR + 1;
    is_not_believed();
    of(1)->state.where = MCA_PML_CHAMPION_STUCK_ENDS + 1;
    is_not_believed();
    memset(of(1)->state.call, 'x', sizeof(of(1)->state.call));
    is_not_believed();
    memset(of(1)->state.item[0].comm, 'x', sizeof(of(1)->state.item[0].comm));
    is_not_believed();
}

/* ---- the kernel ---- */

static void *sleep_on(void *arg)
{
    (void) arg;
    for (;;) {
        (void) pause();
    }
    return NULL;
}

static void leave_a_thread(void)
{
    pthread_t id;

    (void) pthread_create(&id, NULL, sleep_on, NULL);
    pthread_exit(NULL);
}

static void spin(void)
{
    static volatile int turns;

    for (;;) {
        ++turns;
    }
}

static void stop(void)
{
    (void) raise(SIGSTOP);
}

static void sleep_alone(void)
{
    (void) sleep_on(NULL);
}

static void end(void)
{
    _exit(0);
}

/* What is said of a child of this process that says nothing, sooner or later. */
static void is_said_to(void (*act)(void), mca_pml_champion_stuck_known_t known)
{
    pid_t child = fork();

    if (0 == child) {
        (void) alarm(60);
        act();
        _exit(0);
    }
    begin();
    of(1)->beat = NOW - STALE;
    entry[vpid_of(1)].pid = child;
    for (int left = 30000; known != look(1)->known && 0 != left; --left) {
        (void) usleep(1000);
    }
    assert_int_equal(known, look(1)->known);
    (void) kill(child, SIGKILL);
    assert_int_equal(child, waitpid(child, NULL, 0));
    assert_int_equal(MCA_PML_CHAMPION_STUCK_GONE, look(1)->known);
}

UNIT_TEST(the_kernel_tells_of_those_that_say_nothing)
{
    is_said_to(spin, MCA_PML_CHAMPION_STUCK_RUNS);
    is_said_to(sleep_alone, MCA_PML_CHAMPION_STUCK_SLEEPS);
    is_said_to(stop, MCA_PML_CHAMPION_STUCK_STOPPED);
    is_said_to(end, MCA_PML_CHAMPION_STUCK_GONE);
    is_said_to(leave_a_thread, MCA_PML_CHAMPION_STUCK_SILENT);
    /* Of another namespace the number means nothing. */
    begin();
    of(1)->beat = NOW - STALE;
    of(1)->pids = PIDS + 1;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SILENT, look(1)->known);
}

UNIT_MAIN(NULL, NULL)
