/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a waiting thread does next, on simulated cores; and the limit of a
 * control group's CPU time, from files as the kernel shows them.
 */

#include "pml_test.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ompi/mca/pml/champion/progress/cpu_limit.h"
#include "ompi/mca/pml/champion/progress/wait_rule.h"

#define US ((uint64_t) 1000)
#define MS (1000 * US)
#define S (1000 * MS)

typedef mca_pml_champion_wait_rule_t rule_t;

enum {
    FREE = MCA_PML_CHAMPION_CORE_FREE,
    SHARED = MCA_PML_CHAMPION_CORE_SHARED,
    BUSY = MCA_PML_CHAMPION_CORE_BUSY,
    POLL = MCA_PML_CHAMPION_WAIT_POLL,
    YIELD = MCA_PML_CHAMPION_WAIT_YIELD,
    SLEEP = MCA_PML_CHAMPION_WAIT_SLEEP
};

/* What a wait has done. */
typedef struct {
    uint64_t polled, yielded, slept; /* ns */
    unsigned polls, yields, sleeps;
    uint64_t late; /* how long after `length` it ended */
} done_t;

/* Wait for `length`, as a thread would: a poll takes 1 us, a yield as long as
 * the core's others run, a sleep as long as it may: nobody wakes it. */
static done_t wait_for(rule_t *rule, uint64_t *now, uint64_t length,
                       uint64_t yield)
{
    const uint64_t began = *now;
    done_t done = {0};

    while (*now - began < length) {
        uint64_t before = *now;

        *now += US;
        switch (mca_pml_champion_wait_rule_next(rule, *now - began, *now)) {
        case MCA_PML_CHAMPION_WAIT_POLL:
            ++done.polls;
            done.polled += *now - before;
            break;
        case MCA_PML_CHAMPION_WAIT_YIELD:
            *now += yield;
            mca_pml_champion_wait_rule_yielded(rule, yield, *now);
            ++done.yields;
            done.yielded += yield;
            break;
        default:
            *now += mca_pml_champion_wait_rule_sleep(
                rule, *now - began, MCA_PML_CHAMPION_WAIT_SLEEP_MAX_NS);
            ++done.sleeps;
            done.slept += *now - before;
        }
    }
    done.late = *now - began - length;
    return done;
}

UNIT_TEST(on_a_free_core_short_waits_poll)
{
    rule_t rule = {0};
    uint64_t now = S;

    for (int i = 0; i < 1000; ++i) {
        done_t done = wait_for(&rule, &now, 15 * US, 300);

        assert_int_equal(0, done.yields);
        assert_int_equal(0, done.sleeps);
    }
    assert_int_equal(0, wait_for(&rule, &now, 9 * MS, 300).sleeps);
    assert_int_equal(FREE, mca_pml_champion_wait_rule_core(&rule));
}

UNIT_TEST(a_long_wait_takes_next_to_no_time_and_is_hardly_late)
{
    static const uint64_t yields[] = {300, 20 * US, 4 * MS};

    for (size_t i = 0; i < sizeof(yields) / sizeof(*yields); ++i) {
        for (uint64_t length = MS; length <= 10 * S; length *= 3) {
            rule_t rule = {0};
            uint64_t now = S;
            done_t done = wait_for(&rule, &now, length, yields[i]);

            /* Four time slices are needed to know that a core is busy. */
            assert_true(done.late <= length / 15 + 60 * US + 4 * MS);
            if (length > 4 * S) {
                /* Its own time: polls, and 20 us for each sleep. */
                assert_true(done.polled + 20 * US * done.sleeps +
                                (300 == yields[i] ? done.yielded : 0) <
                            length / 100);
            }
        }
    }
}

UNIT_TEST(among_those_that_wait_it_yields_at_once)
{
    rule_t rule = {0};
    uint64_t now = S;
    done_t done;

    (void) wait_for(&rule, &now, 2 * MS, 10 * US);
    assert_int_equal(SHARED, mca_pml_champion_wait_rule_core(&rule));
    done = wait_for(&rule, &now, 500 * US, 10 * US);
    assert_int_equal(0, done.polls);
    assert_int_equal(0, done.sleeps);
    assert_true(done.yields > 10);
}

UNIT_TEST(beside_those_that_compute_it_sleeps)
{
    rule_t rule = {0};
    uint64_t now = S;
    unsigned yields = 0;

    for (int i = 0; i < 4; ++i) {
        (void) wait_for(&rule, &now, 20 * MS, 4 * MS);
    }
    assert_int_equal(BUSY, mca_pml_champion_wait_rule_core(&rule));
    for (int i = 0; i < 10000; ++i) {
        done_t done = wait_for(&rule, &now, 200 * US, 4 * MS);

        assert_true(done.sleeps > 0 || done.yields > 0);
        yields += done.yields;
    }
    /* Some two seconds: trials after 10, 20, 40, ... 640 ms, and 1 s. */
    assert_in_range(yields, 5, 12);
}

/* Four processes take turns on two cores, say. */
UNIT_TEST(after_long_waits_it_sleeps_soon)
{
    static const struct {
        bool crowded;
        uint64_t yield;
        bool soon;
    } cores[] = {{true, 300, true},
                 {true, 10 * US, true},
                 {false, 300, false},
                 {false, 10 * US, true}};

    for (size_t i = 0; i < sizeof(cores) / sizeof(*cores); ++i) {
        rule_t rule = {.crowded = cores[i].crowded};
        uint64_t now = S;
        done_t done = {0};

        for (int k = 0; k < 3; ++k) {
            mca_pml_champion_wait_rule_begins(&rule, 0 == k ? 0 : 140 * MS);
            done = wait_for(&rule, &now, 140 * MS, cores[i].yield);
            assert_true(done.late <= 10 * MS);
        }
        assert_int_equal(cores[i].soon, done.yielded + done.polled < 200 * US &&
                                            done.sleeps <= 20);
        /* One short wait, and it yields again. */
        mca_pml_champion_wait_rule_begins(&rule, 100 * US);
        assert_int_equal(
            0, wait_for(&rule, &now, 900 * US, cores[i].yield).sleeps);
    }
}

UNIT_TEST(a_single_time_slice_is_forgiven)
{
    rule_t rule = {0};
    uint64_t now = S;

    mca_pml_champion_wait_rule_yielded(&rule, 4 * MS, now);
    assert_int_not_equal(BUSY, mca_pml_champion_wait_rule_core(&rule));
    (void) wait_for(&rule, &now, 100 * US, 300);
    assert_int_equal(FREE, mca_pml_champion_wait_rule_core(&rule));
}

UNIT_TEST(a_core_that_is_free_again_is_noticed)
{
    rule_t rule = {0};
    uint64_t now = S;
    uint64_t from;

    for (int i = 0; i < 10; ++i) {
        (void) wait_for(&rule, &now, S, 4 * MS);
    }
    assert_int_equal(BUSY, mca_pml_champion_wait_rule_core(&rule));
    from = now;
    while (FREE != (int) mca_pml_champion_wait_rule_core(&rule)) {
        (void) wait_for(&rule, &now, 100 * US, 300);
        assert_true(now - from <= 2 * S);
    }
}

/* In a virtual machine a yield alone takes more than a microsecond. */
UNIT_TEST(nobody_else_on_the_core_is_a_free_core)
{
    rule_t rule = {.crowded = true};
    uint64_t now = S;

    (void) wait_for(&rule, &now, 5 * MS, 10 * US);
    assert_int_equal(SHARED, mca_pml_champion_wait_rule_core(&rule));
    for (int i = 0; i < 8; ++i) {
        mca_pml_champion_wait_rule_yielded(&rule, 0, now);
    }
    assert_int_equal(FREE, mca_pml_champion_wait_rule_core(&rule));
}

/* Each yield may give a time slice away. */
UNIT_TEST(on_a_free_core_there_are_few_yields)
{
    rule_t rule = {0};
    uint64_t now = S;
    done_t done;

    mca_pml_champion_wait_rule_begins(&rule, 0);
    done = wait_for(&rule, &now, 9 * MS, 300);
    assert_in_range(done.yields, 3, 12);
    assert_int_equal(0, done.sleeps);
}

/* Between messages of a flood there is no sleep, nor a yield. */
UNIT_TEST(a_flood_beside_those_that_compute_is_polled_for)
{
    rule_t rule = {0};
    uint64_t now = S;

    for (int i = 0; i < 4; ++i) {
        (void) wait_for(&rule, &now, 20 * MS, 4 * MS);
    }
    assert_int_equal(BUSY, mca_pml_champion_wait_rule_core(&rule));
    for (int i = 0; i < 100000; ++i) {
        done_t done = wait_for(&rule, &now, 20 * US, 4 * MS);

        assert_int_equal(0, done.sleeps + done.yields);
    }
}

/* Yields may be slow by themselves. */
UNIT_TEST(a_core_without_others_is_kept)
{
    rule_t rule = {.crowded = true}; /* so that it yields often */
    uint64_t now = S;

    assert_true(mca_pml_champion_wait_rule_alone(&rule));
    (void) wait_for(&rule, &now, 5 * MS, 1500);
    assert_int_equal(SHARED, mca_pml_champion_wait_rule_core(&rule));
    assert_true(mca_pml_champion_wait_rule_alone(&rule));
    (void) wait_for(&rule, &now, 5 * MS, 100 * US);
    assert_false(mca_pml_champion_wait_rule_alone(&rule));
    rule = (rule_t){.limited = true};
    assert_false(mca_pml_champion_wait_rule_alone(&rule));
}

UNIT_TEST(a_limited_container_never_yields)
{
    rule_t rule = {.limited = true};
    uint64_t now = S;
    done_t done = wait_for(&rule, &now, S, 300);

    assert_int_equal(0, done.yields);
    assert_true(done.polled < 10 * US);
    assert_true(done.sleeps > 0);
}

/* ---- control groups ---- */

static char root[64];

static void write_file(const char *name, const char *text)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", root, name);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); NULL != slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void) mkdir(path, 0700);
        *slash = '/';
    }
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(0, fclose(file));
}

static unsigned long limit_with(const char *membership)
{
    char path[PATH_MAX];

    write_file("self", membership);
    snprintf(path, sizeof(path), "%s/self", root);
    return mca_pml_champion_cpu_limit(path, root);
}

static int make_root(void **state)
{
    /* A template for mkdtemp, in the current folder. */
    snprintf(root, sizeof(root), "test_wait_rule.XXXXXX");
    return NULL == mkdtemp(root) ? -1 : 0;
}

static int remove_root(void **state)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -r %s", root);
    return system(command);
}

UNIT_TEST_WITH(the_limit_of_a_group_is_found, make_root, remove_root)
{
    assert_int_equal(0, mca_pml_champion_cpu_limit("/nonexistent", root));
    assert_int_equal(0, limit_with(""));
    assert_int_equal(0, limit_with("nonsense\n0:\n:::\n"));
    assert_int_equal(0, limit_with("0::/a/b\n"));
    write_file("a/b/cpu.max", "max 100000\n");
    assert_int_equal(0, limit_with("0::/a/b\n"));
    write_file("a/b/cpu.max", "150000 100000\n");
    assert_int_equal(1500, limit_with("0::/a/b\n"));
    /* That of the group above counts, too. */
    write_file("a/cpu.max", "50000 100000\n");
    assert_int_equal(500, limit_with("0::/a/b\n"));
    assert_int_equal(500, limit_with("1:name=systemd:/x\n0::/a/b\n"));
    write_file("a/cpu.max", "-5 0\n");
    assert_int_equal(1500, limit_with("0::/a/b\n"));
    /* A container sees its own group as the root. */
    write_file("cpu.max", "200000 100000\n");
    assert_int_equal(2000, limit_with("0::/\n"));
    /* Version 1. */
    write_file("cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
    write_file("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    assert_int_equal(3000, limit_with("4:cpu,cpuacct:/job\n2:memory:/a/b\n"));
    write_file("cpu/cpu.cfs_quota_us", "-1\n");
    write_file("cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(0, limit_with("4:cpu:/\n"));
}

UNIT_MAIN(NULL, NULL)
