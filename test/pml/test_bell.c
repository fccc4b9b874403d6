/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bells: a process wakes another one that sleeps, by a name in shared memory.
 */
#include "ompi_config.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pml_test.h"

#include "ompi/mca/pml/champion/core/wake.h"

/* More than a socket takes, whatever net.unix.max_dgram_qlen says. */
enum { MANY = 100000, LONG_MS = 20000 };

static bool is_readable(int timeout_ms)
{
    struct pollfd on = {.fd = mca_pml_champion_bell_fd(), .events = POLLIN};

    return 1 == poll(&on, 1, timeout_ms);
}

UNIT_TEST(a_bell_is_heard_once)
{
    char name[MCA_PML_CHAMPION_BELL_NAME];

    mca_pml_champion_bell_open();
    memcpy(name, mca_pml_champion_bell(), sizeof(name));
    assert_true('\0' != name[0]);
    assert_false(is_readable(0));
    assert_true(mca_pml_champion_bell_ring(name));
    assert_true(mca_pml_champion_bell_ring(name));
    assert_true(is_readable(0));
    mca_pml_champion_bell_heard();
    assert_false(is_readable(0));
    assert_true(mca_pml_champion_bell_ring(name));
    assert_true(is_readable(0));
    mca_pml_champion_bell_close();
}

/* Of another process, which has a bell of its own. */
UNIT_TEST(it_wakes_another_process)
{
    char name[MCA_PML_CHAMPION_BELL_NAME];
    int status;
    pid_t child;

    mca_pml_champion_bell_open();
    memcpy(name, mca_pml_champion_bell(), sizeof(name));
    child = fork();
    assert_true(child >= 0);
    if (0 == child) {
        bool other;

        mca_pml_champion_bell_close();
        mca_pml_champion_bell_open();
        other = 0 != memcmp(name, mca_pml_champion_bell(), sizeof(name));
        _exit(other && mca_pml_champion_bell_ring(name) ? 0 : 1);
    }
    assert_true(is_readable(LONG_MS));
    assert_int_equal(child, waitpid(child, &status, 0));
    assert_true(WIFEXITED(status));
    assert_int_equal(0, WEXITSTATUS(status));
    mca_pml_champion_bell_close();
}

UNIT_TEST(one_that_is_not_heard_may_be_rung_for_ever)
{
    mca_pml_champion_bell_open();
    for (int i = 0; i < MANY; ++i) {
        assert_true(mca_pml_champion_bell_ring(mca_pml_champion_bell()));
    }
    mca_pml_champion_bell_heard();
    assert_false(is_readable(0));
    mca_pml_champion_bell_close();
}

UNIT_TEST(who_is_gone_or_has_none_is_not_woken)
{
    static const char bad[][MCA_PML_CHAMPION_BELL_NAME] = {
        "", "0", "0000", "0000g", "\xff\xff\xff\xff\xff", "/tmp/x"};
    char name[MCA_PML_CHAMPION_BELL_NAME], other[MCA_PML_CHAMPION_BELL_NAME];

    mca_pml_champion_bell_open();
    memcpy(name, mca_pml_champion_bell(), sizeof(name));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        memcpy(other, name, sizeof(other));
        memcpy(other, bad[i], strlen(bad[i]) + 1);
        assert_false(mca_pml_champion_bell_ring(other));
    }
    memcpy(other, name, sizeof(other)); /* of another network namespace */
    other[sizeof(other) - 1] = (char) (other[sizeof(other) - 1] ^ 1);
    assert_false(mca_pml_champion_bell_ring(other));
    mca_pml_champion_bell_close();
    assert_int_equal(-1, mca_pml_champion_bell_fd());
    assert_int_equal(0, mca_pml_champion_bell()[0]);
    assert_false(mca_pml_champion_bell_ring(name)); /* nothing to ring with */
    mca_pml_champion_bell_open();
    if (0 != memcmp(name, mca_pml_champion_bell(), sizeof(name))) {
        assert_false(mca_pml_champion_bell_ring(name));
    }
    mca_pml_champion_bell_close();
}

UNIT_MAIN(NULL, NULL)
