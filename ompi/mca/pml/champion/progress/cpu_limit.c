/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/progress/cpu_limit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Reads up to two numbers from a file; returns how many there are. */
static int read_numbers(const char *folder, const char *name, long number[2])
{
    char path[PATH_MAX];
    FILE *file;
    int found;

    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >=
        (int) sizeof(path)) {
        return 0;
    }
    file = fopen(path, "re");
    if (NULL == file) {
        return 0;
    }
    found = fscanf(file, "%ld %ld", &number[0], &number[1]);
    (void) fclose(file);
    return found;
}

/* The limit of one group; 0: none. */
static unsigned long limit_of(const char *folder)
{
    long quota[2] = {0, 0}, period[2] = {0, 0}; /* microseconds */

    /* "max" instead of a number: none. */
    if (2 == read_numbers(folder, "cpu.max", quota)) {
        period[0] = quota[1];
    } else if (1 > read_numbers(folder, "cpu.cfs_quota_us", quota) ||
               1 > read_numbers(folder, "cpu.cfs_period_us", period)) {
        return 0;
    }
    if (quota[0] <= 0 || period[0] <= 0 || quota[0] > LONG_MAX / 1000) {
        return 0;
    }
    quota[0] = quota[0] * 1000 / period[0];
    return 0 == quota[0] ? 1 : (unsigned long) quota[0];
}

/* The smallest limit of a group and those above it, up to the folder whose name
 * is as long as `top`. Shortens the path. */
static unsigned long limit_above(char *path, size_t top)
{
    unsigned long smallest = 0;

    for (;;) {
        unsigned long limit = limit_of(path);
        char *slash = strrchr(path, '/');

        if (0 != limit && (0 == smallest || limit < smallest)) {
            smallest = limit;
        }
        if (strlen(path) <= top || NULL == slash) {
            return smallest;
        }
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup, "NUMBER:CONTROLLERS:PATH": the folder below the
 * root in which the controllers are mounted; NULL if it is not the CPU's. */
static const char *mount_of(const char *controllers)
{
    if ('\0' == *controllers) {
        return ""; /* version 2 */
    }
    if (0 == strcmp(controllers, "cpu")) {
        return "/cpu";
    }
    return 0 == strcmp(controllers, "cpu,cpuacct") ? "/cpu,cpuacct" : NULL;
}

static unsigned long limit_of_line(char *line, const char *root)
{
    char path[PATH_MAX];
    char *controllers = strchr(line, ':'), *group;
    const char *mount;
    int length, top;

    if (NULL == controllers) {
        return 0;
    }
    group = strchr(++controllers, ':');
    if (NULL == group) {
        return 0;
    }
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    mount = mount_of(controllers);
    if (NULL == mount) {
        return 0;
    }
    top = snprintf(path, sizeof(path), "%s%s", root, mount);
    length = snprintf(path, sizeof(path), "%s%s%s", root, mount,
                      0 == strcmp(group, "/") ? "" : group);
    if (top < 0 || length < 0 || (size_t) length >= sizeof(path)) {
        return 0;
    }
    return limit_above(path, (size_t) top);
}

unsigned long mca_pml_champion_cpu_limit(const char *membership,
                                         const char *root)
{
    char line[PATH_MAX + 64];
    unsigned long smallest = 0;
    FILE *file = fopen(membership, "re");

    if (NULL == file) {
        return 0;
    }
    while (NULL != fgets(line, sizeof(line), file)) {
        unsigned long limit = limit_of_line(line, root);

        if (0 != limit && (0 == smallest || limit < smallest)) {
            smallest = limit;
        }
    }
    (void) fclose(file);
    return smallest;
}
