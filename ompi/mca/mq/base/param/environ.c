/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Variables of the environment, set beside threads that read it.
 */

#define _GNU_SOURCE 1

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/mca/mq/base/param/environ.h"

/* Elements of an array beyond those that there were. */
#define SPARE 16

/* The array that was made last, and its size. Its first element leads to the
 * one before, as none is ever freed: somebody may be reading it. */
static char **array;
static size_t size;

static size_t name_length(const char *assignment)
{
    return strcspn(assignment, "=");
}

static bool is_set(const char *assignment)
{
    size_t length = name_length(assignment);

    for (char **element = environ; NULL != element && NULL != *element;
         ++element) {
        if (0 == strncmp(*element, assignment, length + 1)) {
            return true;
        }
    }
    return false;
}

/* The environment gets an array of this file, if it has none with room. */
static bool make_room(size_t count)
{
    char **larger;

    if (NULL != array && array + 1 == environ && count + 3 <= size) {
        return true;
    }
    larger = calloc(count + SPARE, sizeof(*larger));
    if (NULL == larger) {
        return false;
    }
    larger[0] = (char *) array;
    if (0 != count) {
        memcpy(larger + 1, environ, count * sizeof(*larger));
    }
    array = larger;
    size = count + SPARE;
    __atomic_store_n(&environ, larger + 1, __ATOMIC_RELEASE);
    return true;
}

bool mca_mq_base_environ_add(const char *assignment)
{
    size_t count = 0;

    while (NULL != environ && NULL != environ[count]) {
        ++count;
    }
    if (is_set(assignment) || !make_room(count)) {
        return false;
    }
    environ[count + 1] = NULL;
    __atomic_store_n(&environ[count], (char *) assignment, __ATOMIC_RELEASE);
    return true;
}

/* unsetenv() moves what comes behind the variable, and frees nothing. */
void mca_mq_base_environ_remove(const char *assignment)
{
    char name[128];
    size_t length = name_length(assignment);

    if (length < sizeof(name)) {
        memcpy(name, assignment, length);
        name[length] = '\0';
        (void) unsetenv(name);
    }
}
