/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gathering by a tree: all data reach rank 0, in the order of the ranks,
 * whatever their length and number; each rank talks to few others; where a rank
 * is gone, its data and those behind it are missing, and nobody waits for ever.
 * Each rank is a thread; a send is complete when its receiver has taken it.
 */

#include <pthread.h>
#include <stdio.h>

#include "pml_test.h"

/* Included for the shape of the tree and what travels in it. */
#include "ompi/mca/pml/champion/stats/gather_tree.c"

#include "pml_random.h"

enum { RANKS = 70, NOBODY = -1 };

/* From one rank to another: at most one message that is not taken yet. */
typedef struct box_t {
    const void *data;
    size_t length;
    bool full;
} box_t;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    box_t box[RANKS][RANKS];
    bool gone[RANKS];
    unsigned messages[RANKS]; /* received */
    bool met[RANKS][RANKS];
} world = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .changed = PTHREAD_COND_INITIALIZER};

static _Thread_local int me;

/* Data of a rank: bytes that depend on it and on their place. */
static unsigned char *data_of[RANKS];
static size_t length_of[RANKS];
static int size;
/* The process of this rank ends after so many messages, sent or received. */
static int victim, steps;

/* Is this process gone by now? It ends in front of a message. */
static bool ends(void)
{
    if (me == victim && 0 == steps--) {
        world.gone[me] = true;
        pthread_cond_broadcast(&world.changed);
    }
    return world.gone[me];
}

static bool put(const void *data, size_t length, int to)
{
    box_t *box = &world.box[me][to];
    bool good;

    pthread_mutex_lock(&world.lock);
    world.met[me][to] = true;
    good = !ends() && !world.gone[to];
    if (good) {
        *box = (box_t){.data = data, .length = length, .full = true};
        pthread_cond_broadcast(&world.changed);
        while (box->full && !world.gone[to]) {
            pthread_cond_wait(&world.changed, &world.lock);
        }
        good = !box->full;
    }
    pthread_mutex_unlock(&world.lock);
    return good;
}

static bool get(void *data, size_t room, size_t *length, int from)
{
    box_t *box = &world.box[from][me];
    bool good;

    pthread_mutex_lock(&world.lock);
    good = !ends();
    while (good && !box->full && !world.gone[from]) {
        pthread_cond_wait(&world.changed, &world.lock);
    }
    good = good && box->full;
    *length = 0;
    if (good) {
        if (box->length > room) {
            abort();
        }
        if (0 != box->length) {
            memcpy(data, box->data, box->length);
        }
        *length = box->length;
        box->full = false;
        ++world.messages[me];
        pthread_cond_broadcast(&world.changed);
    }
    pthread_mutex_unlock(&world.lock);
    return good;
}

/* ---- what rank 0 is told ------------------------------------------------ */

static struct {
    int ended; /* the last rank, and so far all in order */
    bool whole[RANKS], right[RANKS];
    size_t length; /* of the rank that comes */
    bool same;
} told;

static void chunk(const void *data, size_t length, void *arg)
{
    const int rank = told.ended + 1;

    told.same = told.same && rank < size &&
                told.length + length <= length_of[rank] &&
                0 == memcmp(data, data_of[rank] + told.length, length);
    told.length += length;
}

static void ended(int rank, bool whole, void *arg)
{
    if (rank != ++told.ended || rank >= size) {
        abort();
    }
    told.whole[rank] = whole;
    told.right[rank] = told.same && told.length == length_of[rank];
    told.length = 0;
    told.same = true;
}

/* A head that rank `liar` sends in place of its first. */
static int liar = NOBODY;
static head_t lie;

/* What it sends: its first piece with that head. */
static bool put_lie(const void *data, size_t length, int to)
{
    if (me != liar || length < sizeof(lie)) {
        return put(data, length, to);
    }
    memcpy((void *) (uintptr_t) data, &lie, sizeof(lie));
    return put(data, length, to);
}

static void *run(void *arg)
{
    static const mca_pml_champion_gather_link_t link = {put_lie, get};
    static const mca_pml_champion_gather_sink_t sink = {chunk, ended};
    mca_pml_champion_gather_room_t *room = malloc(sizeof(*room));

    me = (int) (intptr_t) arg;
    mca_pml_champion_gather_tree(&link, me, size, data_of[me], length_of[me],
                                 &sink, NULL, room);
    free(room);
    return NULL;
}

static void gather(void)
{
    pthread_t threads[RANKS];

    memset(world.box, 0, sizeof(world.box));
    memset(world.gone, 0, sizeof(world.gone));
    memset(world.messages, 0, sizeof(world.messages));
    memset(world.met, 0, sizeof(world.met));
    memset(&told, 0, sizeof(told));
    told.same = true;
    for (int i = 0; i < size; ++i) {
        assert_int_equal(
            pthread_create(&threads[i], NULL, run, (void *) (intptr_t) i), 0);
    }
    for (int i = 0; i < size; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(told.ended, size - 1);
}

static void give(int rank, size_t length)
{
    data_of[rank] = malloc(length + 1);
    assert_non_null(data_of[rank]);
    length_of[rank] = length;
    for (size_t i = 0; i < length; ++i) {
        data_of[rank][i] =
            (unsigned char) ((size_t) rank * 31 + i * 7 + i / 251);
    }
}

static void take_back(void)
{
    for (int i = 0; i < RANKS; ++i) {
        free(data_of[i]);
        data_of[i] = NULL;
        length_of[i] = 0;
    }
    victim = NOBODY;
}

/* None, few, about a piece, or several. */
static size_t any_length(void)
{
    switch (pml_random_below(5)) {
    case 0:
        return 0;
    case 1:
        return pml_random_below(20);
    case 2:
        return PIECE - 40 + pml_random_below(80);
    case 3:
        return pml_random_below(4 * PIECE);
    default:
        return pml_random_below(4000);
    }
}

static void any_data(void)
{
    for (int i = 0; i < size; ++i) {
        give(i, any_length());
    }
}

static bool is_right(int rank)
{
    return told.whole[rank] && told.right[rank];
}

UNIT_TEST(all_data_come_in_the_order_of_the_ranks)
{
    for (size = 1; size <= RANKS; size += size < 18 ? 1 : 13) {
        any_data();
        gather();
        for (int i = 1; i < size; ++i) {
            assert_true(is_right(i));
        }
        take_back();
    }
}

UNIT_TEST(each_rank_talks_to_few_others)
{
    size = 64;
    any_data();
    gather();
    take_back();
    for (int i = 0; i < size; ++i) {
        int count = 0;

        for (int j = 0; j < size; ++j) {
            count += world.met[i][j] || world.met[j][i];
        }
        assert_in_range(count, 1, 0 == i ? 6 : 7);
    }
}

/* One message from each child, not one from each rank. */
UNIT_TEST(small_data_of_many_ranks_share_a_message)
{
    size = 64;
    for (int i = 0; i < size; ++i) {
        give(i, 100);
    }
    gather();
    take_back();
    assert_int_equal(world.messages[0], 6);
    assert_int_equal(world.messages[1], 1); /* it was asked */
}

UNIT_TEST(a_rank_without_data_is_told_apart)
{
    size = 9;
    any_data();
    free(data_of[6]);
    data_of[6] = NULL;
    gather();
    for (int i = 1; i < size; ++i) {
        assert_int_equal(told.whole[i], 6 != i);
        assert_true(6 == i || told.right[i]);
    }
    take_back();
}

static bool is_behind(int rank, int dead)
{
    for (; rank > 0; rank = parent_of(rank)) {
        if (rank == dead) {
            return true;
        }
    }
    return false;
}

/* Wherever a process is gone: nobody hangs, what is called whole is right, and
 * only what is behind it is missing. */
UNIT_TEST(a_process_that_is_gone_stops_nobody)
{
    int missing = 0, came = 0;

    for (int round = 0; round < 60; ++round) {
        size = 2 + (int) pml_random_below(40);
        any_data();
        victim = 1 + (int) pml_random_below((uint32_t) size - 1);
        const int dead = victim;

        steps = (int) pml_random_below(6);
        gather();
        for (int i = 1; i < size; ++i) {
            assert_true(!told.whole[i] || told.right[i]);
            assert_true(told.whole[i] || is_behind(i, dead));
            missing += !told.whole[i];
            came += told.whole[i] && is_behind(i, dead);
        }
        take_back();
    }
    assert_true(missing > 10 && came > 10);
}

/* Ranks that are not below the sender, have come, or do not exist; lengths that
 * no memory holds, as damage or another version would bring them. */
UNIT_TEST(a_head_that_cannot_be_loses_only_what_is_behind_it)
{
    static const head_t lies[] = {
        {0, 10}, {1, 10},          {3, 10},         {8, 10},
        {9, 10}, {UINT64_MAX, 10}, {4, UINT64_MAX}, {4, (uint64_t) 1 << 40},
    };

    size = 9;
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); ++i) {
        for (int r = 0; r < size; ++r) {
            give(r, 100);
        }
        liar = 4;
        lie = lies[i];
        gather();
        liar = NOBODY;
        for (int r = 1; r < size; ++r) {
            assert_int_equal(told.whole[r], !is_behind(r, 4));
            assert_true(!told.whole[r] || told.right[r]);
        }
        take_back();
    }
}

int main(void)
{
    victim = NOBODY;
    pml_random_begin();
    return unit_run(NULL, NULL);
}
