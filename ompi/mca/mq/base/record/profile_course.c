/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "opal/prefetch.h"

#include "ompi/mca/mq/base/record/profile_course.h"

typedef mca_mq_base_profile_course_t course_t;

uint64_t mca_mq_base_profile_now(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

void mca_mq_base_profile_course_begin(course_t *course, uint64_t now)
{
    memset(course, 0, sizeof(*course));
    course->begun = now;
    course->width = MCA_MQ_BASE_PROFILE_SLICE_MIN;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Merge pairs of slices into slices of twice the width. */
static void fold(course_t *course)
{
    const size_t half = MCA_MQ_BASE_PROFILE_SLICES / 2;

    for (size_t i = 0; i < half; ++i) {
        for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
            course->max[i][queue] = larger(course->max[2 * i][queue],
                                           course->max[2 * i + 1][queue]);
        }
        for (int kind = 0; kind < 2; ++kind) {
            course->arrived[i][kind].messages =
                course->arrived[2 * i][kind].messages +
                course->arrived[2 * i + 1][kind].messages;
            course->arrived[i][kind].bytes =
                course->arrived[2 * i][kind].bytes +
                course->arrived[2 * i + 1][kind].bytes;
        }
    }
    memset(course->max[half], 0, half * sizeof(course->max[0]));
    memset(course->arrived[half], 0, half * sizeof(course->arrived[0]));
    course->last /= 2;
    course->width *= 2;
}

void mca_mq_base_profile_course_reach(course_t *course, uint64_t now)
{
    uint64_t passed = now - course->begun;

    if (OPAL_LIKELY(passed < (course->last + 1) * course->width)) {
        return;
    }
    while (passed >= MCA_MQ_BASE_PROFILE_SLICES * course->width) {
        /* Fill up all slices before folding them. */
        while (course->last < MCA_MQ_BASE_PROFILE_SLICES - 1) {
            memcpy(course->max[++course->last], course->length,
                   sizeof(course->length));
        }
        fold(course);
    }
    while (course->last < passed / course->width) {
        memcpy(course->max[++course->last], course->length,
               sizeof(course->length));
    }
}

static void print_slice(const course_t *course, unsigned i, FILE *to)
{
    const uint64_t *max = course->max[i];

    if (0 == max[MCA_MQ_POSTED] && 0 == max[MCA_MQ_UNEXPECTED] &&
        0 == course->arrived[i][0].messages &&
        0 == course->arrived[i][1].messages) {
        return;
    }
    fprintf(to, "slice %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
            i * course->width / 1000, (i + 1) * course->width / 1000,
            max[MCA_MQ_POSTED], max[MCA_MQ_UNEXPECTED]);
    for (int kind = 0; kind < 2; ++kind) {
        fprintf(to, " %" PRIu64 " %" PRIu64, course->arrived[i][kind].messages,
                course->arrived[i][kind].bytes);
    }
    fputc('\n', to);
}

void mca_mq_base_profile_course_print(course_t *course, uint64_t now, FILE *to)
{
    uint64_t elapsed = (now - course->begun) / 1000;

    mca_mq_base_profile_course_reach(course, now);
    fprintf(to, "elapsed %" PRIu64 "\n", elapsed);
    for (unsigned i = 0; i <= course->last; ++i) {
        print_slice(course, i, to);
    }
}
