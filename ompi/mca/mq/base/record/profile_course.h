/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lengths of this process's queues and its messages over time, for profiles:
 * the maxima and the sums in each of at most 64 slices of equal width. When time
 * passes the last slice, neighbours are merged, so memory and relative
 * resolution do not depend on the duration of the program: after 64 ms there
 * are always between 32 and 64 slices.
 */

#ifndef OMPI_MCA_MQ_BASE_RECORD_PROFILE_COURSE_H
#define OMPI_MCA_MQ_BASE_RECORD_PROFILE_COURSE_H

#include <stdio.h>

#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

#define MCA_MQ_BASE_PROFILE_SLICES 64

/** Initial width of a slice, ns. */
#define MCA_MQ_BASE_PROFILE_SLICE_MIN 1000000u

/** Lengths over time; times in ns since an arbitrary moment. */
typedef struct mca_mq_base_profile_course_t {
    uint64_t begun;
    uint64_t width; /**< of a slice */
    unsigned last;  /**< index of the current slice */
    uint64_t length[MCA_MQ_QUEUES];
    uint64_t max[MCA_MQ_BASE_PROFILE_SLICES][MCA_MQ_QUEUES];
    /** Messages that arrived: those of the user and internal ones. */
    struct {
        uint64_t messages, bytes;
    } arrived[MCA_MQ_BASE_PROFILE_SLICES][2];
} mca_mq_base_profile_course_t;

/** The time in ns since an arbitrary moment. */
OMPI_DECLSPEC uint64_t mca_mq_base_profile_now(void);

/** Begin, with empty queues. */
OMPI_DECLSPEC void mca_mq_base_profile_course_begin(
    mca_mq_base_profile_course_t *course, uint64_t now);

/** Advance to the present, with the recorded lengths. Call before the lengths
 * change. */
OMPI_DECLSPEC void mca_mq_base_profile_course_reach(
    mca_mq_base_profile_course_t *course, uint64_t now);

/** An entry was added to a queue. */
static inline void mca_mq_base_profile_course_grown(
    mca_mq_base_profile_course_t *course, mca_mq_queue_t queue)
{
    uint64_t *max = &course->max[course->last][queue];

    if (++course->length[queue] > *max) {
        *max = course->length[queue];
    }
}

/** A message arrived. */
static inline void mca_mq_base_profile_course_arrived(
    mca_mq_base_profile_course_t *course, bool is_internal, uint64_t bytes)
{
    ++course->arrived[course->last][is_internal].messages;
    course->arrived[course->last][is_internal].bytes += bytes;
}

/** Print the lines elapsed and slice. */
OMPI_DECLSPEC void mca_mq_base_profile_course_print(
    mca_mq_base_profile_course_t *course, uint64_t now, FILE *to);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_RECORD_PROFILE_COURSE_H */
