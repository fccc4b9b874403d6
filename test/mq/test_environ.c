/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The environment is changed while others read it. Who reads has an array of
 * before the change, so that must neither be freed nor get shorter by a name
 * that is none of the test's.
 */

#include "mq_test.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/mca/mq/base/param/environ.h"

/* More than an array of the base has room for. */
static const char *const assignments[] = {
    "MQ_TEST_0=a", "MQ_TEST_1=b", "MQ_TEST_2=c", "MQ_TEST_3=d", "MQ_TEST_4=e",
    "MQ_TEST_5=f", "MQ_TEST_6=g", "MQ_TEST_7=h", "MQ_TEST_8=i", "MQ_TEST_9=j",
    "MQ_TEST_A=k", "MQ_TEST_B=l", "MQ_TEST_C=m", "MQ_TEST_D=n", "MQ_TEST_E=o",
    "MQ_TEST_F=p", "MQ_TEST_G=q", "MQ_TEST_H=r", "MQ_TEST_I=s", "MQ_TEST_J=t",
};
enum {
    COUNT = sizeof(assignments) / sizeof(*assignments),
    READ_MAX = 4096,
    ROUNDS = 2000
};

static const char *value_of(const char *assignment)
{
    char name[32];

    snprintf(name, sizeof(name), "%.*s", (int) strcspn(assignment, "="),
             assignment);
    return getenv(name);
}

/* The C library's array lies on the heap, and cannot grow where it lies. */
static int make_heap_array(void **state)
{
    mallopt(M_PERTURB, 0x55);
    assert_int_equal(0, setenv("MQ_TEST_HEAP", "1", 1));
    *state = malloc(64);
    return NULL == *state ? -1 : unsetenv("MQ_TEST_HEAP");
}

static int drop_heap_array(void **state)
{
    free(*state);
    return 0;
}

UNIT_TEST(what_others_read_stays)
{
    char **before = environ;
    char *elements[READ_MAX];
    size_t count = 0;

    while (NULL != before[count]) {
        assert_true(count < READ_MAX);
        elements[count] = before[count];
        ++count;
    }
    for (unsigned i = 0; i < COUNT; ++i) {
        assert_true(mca_mq_base_environ_add(assignments[i]));
        assert_string_equal(strchr(assignments[i], '=') + 1,
                            value_of(assignments[i]));
        assert_memory_equal(elements, before, count * sizeof(*elements));
        assert_memory_equal(elements, environ, count * sizeof(*elements));
    }
    for (unsigned i = COUNT; 0 != i--;) {
        mca_mq_base_environ_remove(assignments[i]);
        assert_null(value_of(assignments[i]));
        assert_memory_equal(elements, before, count * sizeof(*elements));
        assert_memory_equal(elements, environ, count * sizeof(*elements));
    }
    assert_null(environ[count]);
}

UNIT_TEST(what_is_set_stays)
{
    assert_int_equal(0, setenv("MQ_TEST_0", "of the user", 1));
    assert_false(mca_mq_base_environ_add(assignments[0]));
    assert_string_equal("of the user", getenv("MQ_TEST_0"));
    assert_int_equal(0, unsetenv("MQ_TEST_0"));
}

UNIT_TEST(a_longer_name_is_another)
{
    assert_int_equal(0, setenv("MQ_TEST_00", "1", 1));
    assert_true(mca_mq_base_environ_add(assignments[0]));
    assert_string_equal("a", getenv("MQ_TEST_0"));
    mca_mq_base_environ_remove(assignments[0]);
    assert_string_equal("1", getenv("MQ_TEST_00"));
    assert_int_equal(0, unsetenv("MQ_TEST_00"));
}

/* The C library copies the array then, to one of its own. */
UNIT_TEST(others_set_variables_in_between)
{
    assert_true(mca_mq_base_environ_add(assignments[0]));
    assert_int_equal(0, setenv("MQ_TEST_OTHER", "1", 1));
    assert_true(mca_mq_base_environ_add(assignments[1]));
    mca_mq_base_environ_remove(assignments[0]);
    assert_null(getenv("MQ_TEST_0"));
    assert_string_equal("b", getenv("MQ_TEST_1"));
    assert_string_equal("1", getenv("MQ_TEST_OTHER"));
    mca_mq_base_environ_remove(assignments[1]);
    assert_int_equal(0, unsetenv("MQ_TEST_OTHER"));
    assert_null(getenv("MQ_TEST_1"));
}

UNIT_TEST(an_environment_that_is_empty)
{
    char **before = environ;

    environ = NULL;
    assert_true(mca_mq_base_environ_add(assignments[0]));
    assert_string_equal("a", getenv("MQ_TEST_0"));
    mca_mq_base_environ_remove(assignments[0]);
    assert_null(environ[0]);
    environ = before;
}

static bool is_over;

static void *read_all(void *unused)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        if (NULL == getenv("PATH") || NULL != getenv("MQ_TEST_NONE")) {
            return (void *) environ;
        }
    }
    return unused;
}

UNIT_TEST(a_thread_reads_all_the_time)
{
    pthread_t reader;
    void *missed;

    assert_int_equal(0, setenv("PATH", "/bin", 0));
    assert_int_equal(0, pthread_create(&reader, NULL, read_all, NULL));
    for (unsigned round = 0; round < ROUNDS; ++round) {
        for (unsigned i = 0; i < COUNT; ++i) {
            assert_true(mca_mq_base_environ_add(assignments[i]));
        }
        for (unsigned i = COUNT; 0 != i--;) {
            mca_mq_base_environ_remove(assignments[i]);
        }
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    assert_int_equal(0, pthread_join(reader, &missed));
    assert_null(missed);
}

UNIT_MAIN(make_heap_array, drop_heap_array)
