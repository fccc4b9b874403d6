/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How long the queues of this process were in the course of time, for profiles:
 * the largest lengths in each of at most 64 slices of equal width. When time
 * goes beyond the last slice, two neighbours become one, so that memory and
 * resolution do not depend on how long a program runs: there are always between
 * 32 and 64 slices once 64 ms have passed.
 */

#ifndef OMPI_MCA_MQ_BASE_RECORD_PROFILE_COURSE_H
#define OMPI_MCA_MQ_BASE_RECORD_PROFILE_COURSE_H

#include <stdio.h>

#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

#define MCA_MQ_BASE_PROFILE_SLICES 64

/** Width of a slice at first, in nanoseconds. */
#define MCA_MQ_BASE_PROFILE_SLICE_MIN 1000000u

/** Lengths over time; times are nanoseconds since any moment. */
typedef struct mca_mq_base_profile_course_t {
    uint64_t begun;
    uint64_t width; /**< of a slice */
    unsigned last;  /**< slice that is being filled */
    uint64_t length[MCA_MQ_QUEUES];
    uint64_t max[MCA_MQ_BASE_PROFILE_SLICES][MCA_MQ_QUEUES];
} mca_mq_base_profile_course_t;

/** Nanoseconds since some moment in the past. */
OMPI_DECLSPEC uint64_t mca_mq_base_profile_now(void);

/** Begin, with empty queues. */
OMPI_DECLSPEC void mca_mq_base_profile_course_begin(
    mca_mq_base_profile_course_t *course, uint64_t now);

/** Until now the lengths were those in the course. Call it before they
 * change. */
OMPI_DECLSPEC void mca_mq_base_profile_course_reach(
    mca_mq_base_profile_course_t *course, uint64_t now);

/** A queue has become longer. */
static inline void mca_mq_base_profile_course_grown(
    mca_mq_base_profile_course_t *course, mca_mq_queue_t queue)
{
    uint64_t *max = &course->max[course->last][queue];

    if (++course->length[queue] > *max) {
        *max = course->length[queue];
    }
}

/** The lines elapsed and slice. */
OMPI_DECLSPEC void mca_mq_base_profile_course_print(
    mca_mq_base_profile_course_t *course, uint64_t now, FILE *to);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_RECORD_PROFILE_COURSE_H */
