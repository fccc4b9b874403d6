/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of what was learnt: what is written is read again; facts about one host
 * or pair become one; whatever is done to a file, it is read whole or not at
 * all.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ompi/mca/pml/champion/record/learnt_file.c"

#include "pml_random.h"

enum { NOW = 1800000000, DAY = 86400, HOSTS = 9, TEXT = 1 << 16 };

static char text[TEXT];
static size_t length;
static learnt_t learnt;

static int begin(void **state)
{
    (void) state;
    memset(&learnt, 0, sizeof(learnt));
    return 0;
}

static int end(void **state)
{
    (void) state;
    mca_pml_champion_learnt_free(&learnt);
    return 0;
}

static void any_host(char name[8])
{
    snprintf(name, 8, "node%u", (unsigned) pml_random_below(HOSTS));
}

static uint64_t any_number(uint64_t max)
{
    return pml_random_percent(20) ? (pml_random_percent(50) ? 0 : max)
                                  : pml_random_below(1000000);
}

static void add_any(learnt_t *to)
{
    char name[8], other[8];
    pair_t pair = {.to = name, .from = other};

    any_host(name);
    any_host(other);
    if (pml_random_percent(30)) {
        const uint32_t processes = pml_random_below(100);

        assert_true(mca_pml_champion_learnt_add_host(
            to, name, pml_random_below(processes + 1), processes));
        return;
    }
    pair.alpha = any_number(MCA_PML_CHAMPION_LEARNT_ALPHA_MAX);
    pair.beta = any_number(MCA_PML_CHAMPION_LEARNT_NS_MAX);
    pair.wait = any_number(MCA_PML_CHAMPION_LEARNT_NS_MAX);
    pair.delta = any_number(MCA_PML_CHAMPION_LEARNT_NS_MAX);
    assert_true(mca_pml_champion_learnt_add_pair(to, &pair));
}

static void print(const learnt_t *from, uint64_t now)
{
    FILE *file = fmemopen(text, sizeof(text), "w");

    assert_non_null(file);
    mca_pml_champion_learnt_print_file(from, now, file);
    length = (size_t) ftell(file);
    assert_int_equal(0, fclose(file));
}

static const char *read_text(learnt_t *to, unsigned *line)
{
    FILE *file =
        0 == length ? fopen("/dev/null", "r") : fmemopen(text, length, "r");
    const char *why;

    assert_non_null(file);
    why = mca_pml_champion_learnt_read_file(to, file, NOW, line);
    fclose(file);
    return why;
}

static void same(const learnt_t *one, const learnt_t *other)
{
    assert_int_equal(one->num_hosts, other->num_hosts);
    assert_int_equal(one->num_pairs, other->num_pairs);
    for (size_t i = 0; i < one->num_hosts; ++i) {
        assert_string_equal(one->hosts[i].name, other->hosts[i].name);
        assert_int_equal(one->hosts[i].threads, other->hosts[i].threads);
        assert_int_equal(one->hosts[i].processes, other->hosts[i].processes);
    }
    for (size_t i = 0; i < one->num_pairs; ++i) {
        const pair_t *a = &one->pairs[i], *b = &other->pairs[i];

        assert_string_equal(a->to, b->to);
        assert_string_equal(a->from, b->from);
        assert_int_equal(a->alpha, b->alpha);
        assert_int_equal(a->beta, b->beta);
        assert_int_equal(a->wait, b->wait);
        assert_int_equal(a->delta, b->delta);
    }
}

static void what_is_written_is_read_again(void **state)
{
    (void) state;
    for (int round = 0; round < 200; ++round) {
        learnt_t again;
        unsigned line;

        for (uint32_t i = pml_random_below(60); i > 0; --i) {
            add_any(&learnt);
        }
        mca_pml_champion_learnt_merge(&learnt);
        print(&learnt, NOW);
        assert_null(read_text(&again, &line));
        assert_int_equal(0, line);
        same(&learnt, &again);
        mca_pml_champion_learnt_free(&again);
        mca_pml_champion_learnt_free(&learnt);
    }
}

static void facts_about_one_become_one(void **state)
{
    const pair_t slow = {.to = (char[]){"a"},
                         .from = (char[]){"b"},
                         .alpha = 9000000,
                         .beta = 1,
                         .wait = 5,
                         .delta = 1};
    pair_t fast = slow, unknown = slow;
    const pair_t *pair;

    (void) state;
    fast.alpha = 8000000;
    fast.beta = 100;
    fast.wait = 2;
    fast.delta = 7;
    unknown.alpha = unknown.beta = 0;
    assert_true(mca_pml_champion_learnt_add_pair(&learnt, &unknown));
    assert_true(mca_pml_champion_learnt_add_pair(&learnt, &slow));
    assert_true(mca_pml_champion_learnt_add_pair(&learnt, &fast));
    assert_true(mca_pml_champion_learnt_add_host(&learnt, "a", 1, 1));
    assert_true(mca_pml_champion_learnt_add_host(&learnt, "b", 0, 1));
    assert_true(mca_pml_champion_learnt_add_host(&learnt, "a", 0, 1));
    mca_pml_champion_learnt_merge(&learnt);
    assert_int_equal(1, learnt.num_pairs);
    assert_int_equal(2, learnt.num_hosts);
    pair = mca_pml_champion_learnt_find_pair(&learnt, "a", "b");
    assert_non_null(pair);
    assert_null(mca_pml_champion_learnt_find_pair(&learnt, "b", "a"));
    assert_int_equal(8000000, pair->alpha);
    assert_int_equal(100, pair->beta);
    assert_int_equal(5, pair->wait);
    assert_int_equal(7, pair->delta);
    assert_int_equal(1,
                     mca_pml_champion_learnt_find_host(&learnt, "a")->threads);
    assert_int_equal(
        2, mca_pml_champion_learnt_find_host(&learnt, "a")->processes);
    assert_null(mca_pml_champion_learnt_find_host(&learnt, "c"));
}

/* What is new wins; of what there is nothing new, the old stays. */
static void old_facts_about_others_stay(void **state)
{
    (void) state;
    for (int round = 0; round < 200; ++round) {
        learnt_t old = {.num_hosts = 0}, before = {.num_hosts = 0};

        for (uint32_t i = pml_random_below(30); i > 0; --i) {
            add_any(&learnt);
        }
        for (uint32_t i = pml_random_below(30); i > 0; --i) {
            add_any(&old);
        }
        mca_pml_champion_learnt_merge(&learnt);
        mca_pml_champion_learnt_merge(&old);
        mca_pml_champion_learnt_keep(&before, &learnt);
        same(&learnt, &before);
        mca_pml_champion_learnt_keep(&learnt, &old);
        for (size_t i = 0; i < learnt.num_pairs; ++i) {
            const pair_t *pair = &learnt.pairs[i];
            const pair_t *was = mca_pml_champion_learnt_find_pair(
                &before, pair->to, pair->from);

            was = NULL != was ? was
                              : mca_pml_champion_learnt_find_pair(
                                    &old, pair->to, pair->from);
            assert_non_null(was);
            assert_int_equal(was->alpha, pair->alpha);
            assert_int_equal(was->wait, pair->wait);
        }
        for (size_t i = 0; i < old.num_pairs; ++i) {
            assert_non_null(mca_pml_champion_learnt_find_pair(
                &learnt, old.pairs[i].to, old.pairs[i].from));
        }
        for (size_t i = 0; i < old.num_hosts; ++i) {
            assert_non_null(
                mca_pml_champion_learnt_find_host(&learnt, old.hosts[i].name));
        }
        mca_pml_champion_learnt_free(&before);
        mca_pml_champion_learnt_free(&old);
        mca_pml_champion_learnt_free(&learnt);
    }
}

static void an_old_file_is_not_believed(void **state)
{
    unsigned line;

    (void) state;
    print(&learnt, NOW - 90 * DAY);
    assert_null(read_text(&learnt, &line));
    print(&learnt, NOW - 90 * DAY - 1);
    assert_string_equal("it is older than 90 days", read_text(&learnt, &line));
    print(&learnt, NOW + DAY + 1);
    assert_string_equal("it is damaged", read_text(&learnt, &line));
    print(&learnt, UINT64_MAX);
    assert_string_equal("it is damaged", read_text(&learnt, &line));
}

static void garble(void)
{
    const size_t at = pml_random_below((uint32_t) length);
    const size_t count = 1 + pml_random_below(20);

    switch (pml_random_below(4)) {
    case 0:
        text[at] = (char) pml_random_below(256);
        break;
    case 1:
        length = at;
        break;
    case 2:
        if (at + count < length) {
            memmove(text + at, text + at + count, length - at - count);
            length -= count;
        }
        break;
    default:
        if (length + count < sizeof(text)) {
            memmove(text + at + count, text + at, length - at);
            length += count;
        }
    }
}

/* Nothing that is read is out of its range, and nothing is read of a file that
 * is not believed. */
static void check_facts(const learnt_t *facts, bool believed)
{
    assert_true(believed || (0 == facts->num_hosts && 0 == facts->num_pairs &&
                             NULL == facts->hosts && NULL == facts->pairs));
    for (size_t i = 0; i < facts->num_hosts; ++i) {
        assert_true(facts->hosts[i].threads <= facts->hosts[i].processes);
    }
    for (size_t i = 0; i < facts->num_pairs; ++i) {
        const pair_t *pair = &facts->pairs[i];

        assert_true(pair->alpha <= MCA_PML_CHAMPION_LEARNT_ALPHA_MAX);
        assert_true(pair->beta <= MCA_PML_CHAMPION_LEARNT_NS_MAX);
        assert_true(pair->wait <= MCA_PML_CHAMPION_LEARNT_NS_MAX);
        assert_true(pair->delta <= MCA_PML_CHAMPION_LEARNT_NS_MAX);
        assert_true('\0' != pair->to[0] && '\0' != pair->from[0]);
    }
}

static void a_damaged_file_is_read_whole_or_not_at_all(void **state)
{
    unsigned believed = 0, refused = 0;

    (void) state;
    for (int round = 0; round < 20000; ++round) {
        learnt_t again;
        const char *why;
        unsigned line;

        for (uint32_t i = pml_random_below(6); i > 0; --i) {
            add_any(&learnt);
        }
        mca_pml_champion_learnt_merge(&learnt);
        print(&learnt, NOW);
        for (uint32_t i = 1 + pml_random_below(3); i > 0 && length > 0; --i) {
            garble();
        }
        why = read_text(&again, &line);
        assert_int_equal(NULL == why, 0 == line);
        check_facts(&again, NULL == why);
        believed += NULL == why;
        refused += NULL != why;
        mca_pml_champion_learnt_free(&again);
        mca_pml_champion_learnt_free(&learnt);
    }
    /* Another digit cannot be noticed. */
    assert_true(believed > 10);
    assert_true(refused > 10000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read_again),
        TEST(facts_about_one_become_one),
        TEST(old_facts_about_others_stay),
        TEST(an_old_file_is_not_believed),
        TEST(a_damaged_file_is_read_whole_or_not_at_all),
    };

    pml_random_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
