/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/progress/thread_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "opal/util/show_help.h"

#include "ompi/mca/pml/champion/core/unit.h"

#define HELP "help-mpi-pml-champion.txt"

static struct {
    char *wanted;    /* the parameter; NULL or empty: not set */
    cpu_set_t cores; /* what the thread gets */
    bool bound;      /* cores are known */
    int policy;      /* of MPI_Init; negative: not known */
    struct sched_param priority;
} place = {.policy = -1};

/* A number at *text, which is moved behind it; negative: there is none. */
static int parse_core(const char **text)
{
    unsigned long core;
    char *end;

    if (**text < '0' || **text > '9') {
        return -1;
    }
    core = strtoul(*text, &end, 10);
    *text = end;
    return core < CPU_SETSIZE ? (int) core : -1;
}

/* A core or a range at *text, which is moved behind it. */
static bool parse_range(const char **text, cpu_set_t *cores)
{
    int first = parse_core(text), last = first;

    if (first >= 0 && '-' == **text) {
        ++*text;
        last = parse_core(text);
    }
    for (int core = first; core <= last; ++core) {
        if (core >= 0) {
            CPU_SET((size_t) core, cores);
        }
    }
    return first >= 0 && last >= first;
}

/* Read a list of cores and ranges, such as "0-3,8": not empty, ranges not
 * reversed, numbers below CPU_SETSIZE. The cores are not changed if the text is
 * wrong. */
static bool parse(const char *text, cpu_set_t *cores)
{
    cpu_set_t found;

    CPU_ZERO(&found);
    while (parse_range(&text, &found)) {
        if ('\0' == *text) {
            *cores = found;
            return true;
        }
        if (',' != *text++) {
            return false;
        }
    }
    return false;
}

static bool thread_place_register(void)
{
    place.wanted = NULL;
    return OMPI_SUCCESS ==
           mca_mq_base_param_string(
               mca_pml_champion.component, "thread_cores",
               "Cores on which the progress thread runs: numbers and ranges, "
               "such as 0-3,8. Empty: the cores that the process had in "
               "MPI_Init",
               OPAL_INFO_LVL_4, &place.wanted);
}

/* May this process run on each of the cores? Its own affinity does not matter;
 * what counts is what the system lets it have. */
static bool may_have(const cpu_set_t *wanted)
{
    cpu_set_t mine, got;
    bool may;

    if (0 != sched_getaffinity(0, sizeof(mine), &mine) ||
        0 != sched_setaffinity(0, sizeof(*wanted), wanted)) {
        return false;
    }
    may =
        0 == sched_getaffinity(0, sizeof(got), &got) && CPU_EQUAL(&got, wanted);
    (void) sched_setaffinity(0, sizeof(mine), &mine);
    return may;
}

static int refuse(const char *why)
{
    opal_show_help(HELP, "progress thread cores", true, place.wanted, why);
    return OMPI_ERR_BAD_PARAM;
}

/* Take what the process has now, and check the parameter. */
static int thread_place_open(void)
{
    place.bound = 0 == sched_getaffinity(0, sizeof(place.cores), &place.cores);
    place.policy = sched_getscheduler(0);
    if (place.policy >= 0 && 0 != sched_getparam(0, &place.priority)) {
        place.policy = -1;
    }
    if (NULL == place.wanted || '\0' == *place.wanted) {
        return OMPI_SUCCESS;
    }
    if (!parse(place.wanted, &place.cores)) {
        return refuse("that is not a list of cores");
    }
    if (!may_have(&place.cores)) {
        return refuse("this process may not use all of these cores");
    }
    place.bound = true;
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(thread_place) = {
    .name = "progress thread's place",
    .registers = thread_place_register,
    .open = thread_place_open,
};

/* Attributes know these policies only. */
static bool is_posix(int policy)
{
    policy &= ~SCHED_RESET_ON_FORK;
    return SCHED_OTHER == policy || SCHED_FIFO == policy || SCHED_RR == policy;
}

static int set_policy(pthread_attr_t *attr)
{
    const struct sched_param none = {.sched_priority = 0};
    const bool posix = is_posix(place.policy);
    int error;

    error = pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED);
    if (0 == error) {
        error = pthread_attr_setschedpolicy(
            attr, posix ? place.policy & ~SCHED_RESET_ON_FORK : SCHED_OTHER);
    }
    if (0 == error) {
        error =
            pthread_attr_setschedparam(attr, posix ? &place.priority : &none);
    }
    return error;
}

int mca_pml_champion_thread_place_attr(pthread_attr_t *attr)
{
    int error = pthread_attr_init(attr);

    if (0 != error) {
        return error;
    }
    if (place.policy >= 0) {
        error = set_policy(attr);
    }
    if (0 == error && place.bound) {
        error = pthread_attr_setaffinity_np(attr, sizeof(place.cores),
                                            &place.cores);
    }
    if (0 != error) {
        (void) pthread_attr_destroy(attr);
    }
    return error;
}

void mca_pml_champion_thread_place_enter(void)
{
    if (place.policy >= 0 && !is_posix(place.policy)) {
        (void) sched_setscheduler(0, place.policy, &place.priority);
    }
}
