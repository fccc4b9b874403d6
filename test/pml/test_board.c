/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The board of a node: processes find each other's cards and areas there, and
 * nothing where there is nothing.
 */

/* Included for the board, which it has at one address only. */
#include "ompi/mca/pml/champion/core/board.c"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "pml_test.h"

enum {
    PLACES = 5,
    SLOTS = 300,
    AREA = 300 * 128 + 77,
    RESERVED = 9000,
    SECONDS = 60
};

static const mca_pml_champion_board_shape_t shape = {
    .places = PLACES,
    .own = {SLOTS, 5},
    .area = AREA,
    .reserved = RESERVED,
};

/* The process at a place: vpids need not be dense. */
static uint32_t vpid_of(uint32_t place)
{
    return 1000 - 7 * place;
}

static size_t length_of(uint32_t place)
{
    return 0 == place ? MCA_PML_CHAMPION_CARD_MAX : 100 + 991 * place;
}

static void fill_address(uint32_t place, char *bytes)
{
    for (size_t i = 0; i < length_of(place); ++i) {
        bytes[i] = (char) (i * 31 + place);
    }
}

/* This process is a child: what its parent has mapped is not there. */
static void be_another(void)
{
    board.made.memory = NULL;
    forget();
}

static void post_as(uint32_t place)
{
    char bytes[MCA_PML_CHAMPION_CARD_MAX];

    fill_address(place, bytes);
    mca_pml_champion_board_post(vpid_of(place), place + 7, bytes,
                                length_of(place));
}

/* Wait until a place is taken, as processes do not: they ask Open MPI. */
static const mca_pml_champion_entry_t *await(uint32_t place)
{
    const mca_pml_champion_entry_t *entry;

    do {
        entry = mca_pml_champion_board_find(vpid_of(place));
    } while (NULL == entry);
    return entry;
}

static uint64_t *word_of(void *area_of_reader, uint32_t writer)
{
    return (uint64_t *) area_of_reader + writer;
}

/* Meet all, leave a word with each, and wait for theirs. */
static bool meet_all(uint32_t place)
{
    char bytes[MCA_PML_CHAMPION_CARD_MAX];

    for (uint32_t i = 0; i < PLACES; ++i) {
        const mca_pml_champion_entry_t *entry = await(i);
        const mca_pml_champion_card_t *card =
            mca_pml_champion_board_card(entry);

        fill_address(i, bytes);
        if (i + 7 != entry->flags || 0 == entry->pid ||
            card->length != length_of(i) ||
            0 != memcmp(bytes, card->address, card->length)) {
            return false;
        }
        __atomic_store_n(word_of(mca_pml_champion_board_area_of(entry), place),
                         vpid_of(place) * 100ull + vpid_of(i),
                         __ATOMIC_RELEASE);
    }
    for (uint32_t i = 0; i < PLACES; ++i) {
        uint64_t word;

        do {
            word = __atomic_load_n(word_of(mca_pml_champion_board_area(), i),
                                   __ATOMIC_ACQUIRE);
        } while (0 == word);
        if (vpid_of(i) * 100ull + vpid_of(place) != word) {
            return false;
        }
    }
    return true;
}

static mca_pml_champion_board_name_t made_board(void)
{
    mca_pml_champion_board_name_t name;

    assert_true(mca_pml_champion_board_make(&shape));
    assert_true(mca_pml_champion_board_name(&name));
    return name;
}

/* Run a function in a child, and expect it to return true. */
static pid_t child(bool (*run)(uint32_t), uint32_t place)
{
    const pid_t pid = fork();

    assert_true(pid >= 0);
    if (0 == pid) {
        (void) alarm(SECONDS);
        be_another();
        _exit(run(place) ? 0 : 1);
    }
    return pid;
}

static void expect_good(pid_t pid)
{
    int status;

    assert_int_equal(pid, waitpid(pid, &status, 0));
    assert_true(WIFEXITED(status));
    assert_int_equal(0, WEXITSTATUS(status));
}

static mca_pml_champion_board_name_t the_name;

static bool be_at(uint32_t place)
{
    if (!mca_pml_champion_board_join(&the_name, place)) {
        return false;
    }
    post_as(place);
    return mca_pml_champion_board_posted() && meet_all(place);
}

UNIT_TEST(processes_find_each_other)
{
    pid_t pids[PLACES];
    size_t used;

    the_name = made_board();
    assert_int_equal(0, mca_pml_champion_board_used());
    for (uint32_t i = 1; i < PLACES; ++i) {
        pids[i] = child(be_at, i);
    }
    (void) alarm(SECONDS);
    assert_true(mca_pml_champion_board_join(&the_name, 0));
    assert_memory_equal(&shape, mca_pml_champion_board_shape(), sizeof(shape));
    assert_int_equal(0, mca_pml_champion_board_place());
    used = mca_pml_champion_board_used();
    assert_int_equal(whole_pages(RESERVED) +
                         whole_pages(sizeof(mca_pml_champion_card_t)),
                     used);
    assert_true(mca_pml_champion_board_reserve(RESERVED, AREA - RESERVED));
    for (size_t at = whole_pages(RESERVED); at < AREA; at += page()) {
        ((volatile char *) mca_pml_champion_board_area())[at] = 0;
    }
    assert_int_equal(used + whole_pages(AREA) - whole_pages(RESERVED),
                     mca_pml_champion_board_used());
    post_as(0);
    assert_true(meet_all(0));
    assert_true(mca_pml_champion_board_whole(PLACES));
    assert_false(mca_pml_champion_board_whole(PLACES + 1));
    for (uint32_t i = 0; i < PLACES; ++i) {
        uint32_t vpid = 0;

        assert_ptr_equal(mca_pml_champion_board_find(vpid_of(i)),
                         mca_pml_champion_board_at(i, &vpid));
        assert_int_equal(vpid_of(i), vpid);
    }
    assert_null(mca_pml_champion_board_at(PLACES, &(uint32_t){0}));
    mca_pml_champion_board_stranger();
    assert_false(mca_pml_champion_board_whole(PLACES));
    for (uint32_t i = 1; i < PLACES; ++i) {
        expect_good(pids[i]);
    }
    (void) alarm(0);
    assert_null(mca_pml_champion_board_find(1));
    mca_pml_champion_board_close();
    assert_null(mca_pml_champion_board_find(vpid_of(0)));
    assert_false(mca_pml_champion_board_posted());
}

/* A process without a place posts nothing, nor is anybody found who has not
 * posted. */
UNIT_TEST(who_has_no_card_is_not_found)
{
    char bytes[MCA_PML_CHAMPION_CARD_MAX + 1] = {0};

    the_name = made_board();
    post_as(0);
    assert_false(mca_pml_champion_board_posted());
    assert_null(mca_pml_champion_board_find(vpid_of(0)));
    assert_null(mca_pml_champion_board_area());
    assert_true(mca_pml_champion_board_join(&the_name, 3));
    assert_null(mca_pml_champion_board_find(vpid_of(3)));
    mca_pml_champion_board_post(vpid_of(3), 0, bytes, sizeof(bytes));
    assert_false(mca_pml_champion_board_posted());
    assert_null(mca_pml_champion_board_find(vpid_of(3)));
    post_as(3);
    assert_non_null(mca_pml_champion_board_find(vpid_of(3)));
    mca_pml_champion_board_close();
}

static bool cannot_join(uint32_t place)
{
    return !mca_pml_champion_board_join(&the_name, place) &&
           NULL == mca_pml_champion_board_area() &&
           NULL == mca_pml_champion_board_find(vpid_of(0));
}

static bool be_there_and_leave(uint32_t place)
{
    bool was;

    if (!mca_pml_champion_board_join(&the_name, place)) {
        return false;
    }
    post_as(place);
    was = mca_pml_champion_board_posted();
    mca_pml_champion_board_close();
    return was;
}

static bool sees(uint32_t place)
{
    uint32_t vpid, words = 0;
    const mca_pml_champion_entry_t *entry;

    if (!mca_pml_champion_board_view(&the_name)) {
        return false;
    }
    entry = mca_pml_champion_board_at(place, &vpid);
    return NULL != entry && vpid_of(place) == vpid &&
           entry == mca_pml_champion_board_find(vpid) &&
           NULL == mca_pml_champion_board_at(place + 1, &vpid) &&
           mca_pml_champion_board_hear(place, &words, sizeof(words)) &&
           4711 == words && NULL == mca_pml_champion_board_area();
}

static bool cannot_write(uint32_t place)
{
    return sees(place) &&
           0 != mprotect(board.head, page(), PROT_READ | PROT_WRITE);
}

static bool cannot_see(uint32_t place)
{
    (void) place;
    return !mca_pml_champion_board_view(&the_name) && NULL == board.head;
}

/* As mq_who does: it reads what is there, and can change nothing. */
UNIT_TEST(who_only_looks_sees_all_and_takes_no_place)
{
    const uint32_t words = 4711;

    the_name = made_board();
    assert_true(mca_pml_champion_board_join(&the_name, 1));
    post_as(1);
    mca_pml_champion_board_say(&words, sizeof(words));
    expect_good(child(cannot_write, 1));
    expect_good(child(be_there_and_leave, 2)); /* its place is free */
    board.head->version ^= 1;
    expect_good(child(cannot_see, 1));
    board.head->version ^= 1;
    the_name.name.inode ^= 1;
    expect_good(child(cannot_see, 1));
    mca_pml_champion_board_close();
}

/* As by sessions one after the other: the card of a former life is not found, nor
 * is an area used that has records of it. */
UNIT_TEST(who_has_left_is_gone)
{
    the_name = made_board();
    assert_true(mca_pml_champion_board_join(&the_name, 0));
    expect_good(child(be_there_and_leave, 2));
    assert_null(mca_pml_champion_board_find(vpid_of(2)));
    expect_good(child(cannot_join, 2));
    expect_good(child(be_there_and_leave, 3));
    mca_pml_champion_board_close();
}

/* A name that describes something else, a place that is not there, a head that
 * somebody has damaged. */
UNIT_TEST(what_is_not_sound_is_not_used)
{
    mca_pml_champion_board_name_t good;

    good = the_name = made_board();
    expect_good(child(cannot_join, PLACES));
    the_name.length += page();
    expect_good(child(cannot_join, 1));
    the_name.length = good.length - page();
    expect_good(child(cannot_join, 1));
    the_name.length = 8;
    expect_good(child(cannot_join, 1));
    the_name = good;
    the_name.name.mark[1] ^= 1;
    expect_good(child(cannot_join, 1));
    the_name = good;
    the_name.name.inode ^= 1;
    expect_good(child(cannot_join, 1));
    the_name = good;
    board.head->shape.places = 0;
    expect_good(child(cannot_join, 1));
    board.head->shape.places = UINT32_MAX;
    expect_good(child(cannot_join, 1));
    board.head->shape.places = PLACES;
    board.head->shape.area = UINT64_MAX - 10;
    expect_good(child(cannot_join, 1));
    board.head->shape.area = AREA;
    board.head->shape.reserved = AREA + 1;
    expect_good(child(cannot_join, 1));
    board.head->shape.reserved = RESERVED;
    ++board.head->version;
    expect_good(child(cannot_join, 1));
    mca_pml_champion_board_close();
    expect_good(child(cannot_join, 1));
}

/* An application with other files open, or with little memory, has none. */
UNIT_TEST(without_memory_there_is_no_board)
{
    const struct rlimit none = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
    struct rlimit before;
    mca_pml_champion_board_name_t name;

    assert_int_equal(0, getrlimit(RLIMIT_FSIZE, &before));
    if (0 != setrlimit(RLIMIT_FSIZE, &none)) {
        skip();
    }
    assert_false(mca_pml_champion_board_make(&shape));
    assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &before));
    assert_false(mca_pml_champion_board_name(&name));
    mca_pml_champion_board_close();
}

/* Of more processes than the vpids of one page. */
UNIT_TEST(a_board_of_many_has_room_for_all)
{
    enum { MANY = 3000 };

    assert_true(mca_pml_champion_board_make(
        &(mca_pml_champion_board_shape_t){.places = MANY}));
    assert_true(mca_pml_champion_board_name(&the_name));
    assert_true(mca_pml_champion_board_join(&the_name, MANY - 1));
    assert_null(mca_pml_champion_board_area());
    mca_pml_champion_board_post(5, 0, "here", 4);
    assert_non_null(mca_pml_champion_board_find(5));
    assert_memory_equal(
        "here",
        mca_pml_champion_board_card(mca_pml_champion_board_find(5))->address,
        4);
    mca_pml_champion_board_close();
}

UNIT_MAIN(NULL, NULL)
