/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * On which cores, and with which scheduling policy, the progress thread runs.
 */
#define _GNU_SOURCE 1

#include "pml_test.h"

/* Included to forget the place between tests. */
#include "ompi/mca/pml/champion/progress/thread_place.c"

UNIT_TEST(lists_of_cores)
{
    cpu_set_t cores;

    assert_true(parse("7", &cores));
    assert_int_equal(1, CPU_COUNT(&cores));
    assert_true(CPU_ISSET(7, &cores));
    assert_true(parse("0-2,5,1023", &cores));
    assert_int_equal(5, CPU_COUNT(&cores));
    assert_true(CPU_ISSET(0, &cores) && CPU_ISSET(1, &cores));
    assert_true(CPU_ISSET(2, &cores) && CPU_ISSET(5, &cores));
    assert_true(CPU_ISSET(1023, &cores));
    assert_true(parse("3-3,3", &cores));
    assert_int_equal(1, CPU_COUNT(&cores));
}

UNIT_TEST(other_texts_are_not)
{
    static const char *const texts[] = {"",
                                        ",",
                                        "1,",
                                        ",1",
                                        "1,,2",
                                        "2-1",
                                        "1-",
                                        "-1",
                                        "1-2-3",
                                        " 1",
                                        "1 ",
                                        "0x1",
                                        "one",
                                        "1024",
                                        "0-1024",
                                        "1;2",
                                        "99999999999999999999",
                                        "+1"};
    cpu_set_t cores, before;

    CPU_ZERO(&cores);
    CPU_SET(9, &cores);
    before = cores;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); ++i) {
        assert_false(parse(texts[i], &cores));
        assert_true(CPU_EQUAL(&before, &cores));
    }
}

/* What a thread finds that was started after its process went elsewhere. */
static cpu_set_t seen;
static int seen_policy;

static void *look_around(void *arg)
{
    mca_pml_champion_thread_place_enter();
    assert_int_equal(0, sched_getaffinity(0, sizeof(seen), &seen));
    seen_policy = sched_getscheduler(0);
    return NULL;
}

static void start(void)
{
    pthread_attr_t attr;
    pthread_t id;

    assert_int_equal(0, mca_pml_champion_thread_place_attr(&attr));
    assert_int_equal(0, pthread_create(&id, &attr, look_around, NULL));
    assert_int_equal(0, pthread_attr_destroy(&attr));
    assert_int_equal(0, pthread_join(id, NULL));
}

static void go(const cpu_set_t *cores, int policy)
{
    const struct sched_param priority = {.sched_priority = 0};

    assert_int_equal(0, sched_setaffinity(0, sizeof(*cores), cores));
    assert_int_equal(0, sched_setscheduler(0, policy, &priority));
}

static size_t first_of(const cpu_set_t *cores)
{
    size_t first = 0;

    while (!CPU_ISSET(first, cores)) {
        ++first;
    }
    return first;
}

UNIT_TEST(the_place_is_that_of_the_opening)
{
    static const int policies[][2] = {{SCHED_OTHER, SCHED_BATCH},
                                      {SCHED_BATCH, SCHED_OTHER}};
    cpu_set_t mine, one;

    assert_int_equal(0, sched_getaffinity(0, sizeof(mine), &mine));
    CPU_ZERO(&one);
    CPU_SET(first_of(&mine), &one);
    for (int i = 0; i < 2; ++i) {
        go(&mine, policies[i][0]);
        place.wanted = NULL;
        assert_int_equal(OMPI_SUCCESS, thread_place_open());
        go(&one, policies[i][1]);
        start();
        assert_true(CPU_EQUAL(&mine, &seen));
        assert_int_equal(policies[i][0], seen_policy);
    }
    go(&mine, SCHED_OTHER);
}

UNIT_TEST(the_parameter_names_the_cores)
{
    cpu_set_t mine;
    char text[16];

    assert_int_equal(0, sched_getaffinity(0, sizeof(mine), &mine));
    snprintf(text, sizeof(text), "%zu", first_of(&mine));
    place.wanted = text;
    assert_int_equal(OMPI_SUCCESS, thread_place_open());
    start();
    assert_int_equal(1, CPU_COUNT(&seen));
    assert_true(CPU_ISSET(first_of(&mine), &seen));
    /* To find out what it may have, the process went there and came back. */
    assert_int_equal(0, sched_getaffinity(0, sizeof(seen), &seen));
    assert_true(CPU_EQUAL(&mine, &seen));
    place.wanted = NULL;
}

UNIT_MAIN(NULL, NULL)
