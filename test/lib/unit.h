/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests by cmocka, each of which is known where it is defined:
 *
 *     UNIT_TEST(a_queue_is_empty_at_first)
 *     {
 *         assert_null(queue_head());
 *     }
 *
 *     UNIT_MAIN(NULL, NULL)
 */

#ifndef TEST_LIB_UNIT_H
#define TEST_LIB_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { UNIT_TESTS_MAX = 64 };

/* The tests of this source file, in their order. */
static struct {
    struct CMUnitTest test[UNIT_TESTS_MAX];
    size_t count;
} unit_list __attribute__((unused));

static inline void unit_add(struct CMUnitTest test)
{
    if (UNIT_TESTS_MAX == unit_list.count) {
        abort();
    }
    unit_list.test[unit_list.count++] = test;
}

/** Run the tests of this source file; setup and teardown, of all of them
 * together, may be NULL. Returns the exit status: 0 if all passed. */
static inline int unit_run(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    if (0 == unit_list.count) {
        abort();
    }
    return _cmocka_run_group_tests("tests", unit_list.test, unit_list.count,
                                   setup, teardown);
}

/** A test, whose body follows, with cmocka's `unit_state`; setup and
 * teardown, of this test, may be NULL. Constructors run in the order of their
 * priorities. */
#define UNIT_TEST_WITH(name, setup, teardown)                                  \
    static void name(void **unit_state);                                       \
    __attribute__((constructor(1000 + __LINE__))) static void name##_add(void) \
    {                                                                          \
        unit_add((struct CMUnitTest) cmocka_unit_test_setup_teardown(          \
            name, setup, teardown));                                           \
    }                                                                          \
    static void name(void **unit_state)

#define UNIT_TEST(name) UNIT_TEST_WITH(name, NULL, NULL)

/** A main() that does nothing but unit_run(). */
#define UNIT_MAIN(setup, teardown)                                             \
    int main(void)                                                             \
    {                                                                          \
        return unit_run(setup, teardown);                                      \
    }

#endif /* TEST_LIB_UNIT_H */
