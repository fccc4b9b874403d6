/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of reading a profile: lines, parts of ranks, the whole.
 */

#ifndef OMPI_MCA_MQ_BASE_RECORD_PROFILE_READER_H
#define OMPI_MCA_MQ_BASE_RECORD_PROFILE_READER_H

#include "ompi/mca/mq/base/record/profile.h"

/** Words of a line that are parsed; the longest line has 9. */
#define MCA_MQ_BASE_READER_WORDS 10

/** The file that is read, and the position. */
typedef struct mca_mq_base_reader_t {
    FILE *file;
    const mca_mq_base_job_t *job;
    mca_mq_base_profile_t *profile;
    mca_mq_base_profile_error_t *error;
    char *line;
    size_t line_size;
    uint64_t number; /**< of the current line */
    char *word[MCA_MQ_BASE_READER_WORDS];
    int words;
    uint64_t size;      /**< size of the job; 0: any, or not known yet */
    uint64_t next_rank; /**< smallest rank that may follow */
    uint64_t parts;     /**< how many have begun */
    bool any_rank;      /**< a part is for any rank (*) */
    bool mine;          /**< the current part is wanted */
    bool found;         /**< a part that is wanted has begun */
    /** All parts are wanted; or NULL: that of our rank. */
    mca_mq_base_profile_visit_fn_t visit;
    void *visit_arg;
    mca_mq_base_profile_domain_t *domain; /**< the current domain */
    mca_mq_base_profile_domain_t **last; /**< where the next domain is linked */
    size_t peers_room;
} mca_mq_base_reader_t;

/** Read the next line that is not a comment, and split it. False at the end. */
bool mca_mq_base_reader_next(mca_mq_base_reader_t *r);

/** Report an error in the current line. Returns OMPI_ERR_BAD_PARAM. */
int mca_mq_base_reader_wrong(mca_mq_base_reader_t *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool mca_mq_base_reader_is(const mca_mq_base_reader_t *r, const char *keyword);
bool mca_mq_base_reader_is_star(const mca_mq_base_reader_t *r, int i);

/* These return an Open MPI error that has been reported, or OMPI_SUCCESS. */

/** Has the line as many words? */
int mca_mq_base_reader_expect(mca_mq_base_reader_t *r, int least, int most);

/** Parse a word as a number. */
int mca_mq_base_reader_number(mca_mq_base_reader_t *r, int i, uint64_t max,
                              uint64_t *value);

/** Parse all words after the first as numbers; the first number is limited to
 * max. */
int mca_mq_base_reader_numbers(mca_mq_base_reader_t *r, int count, uint64_t max,
                               uint64_t *values);

/** Parse a line in a part that is wanted. */
int mca_mq_base_reader_part(mca_mq_base_reader_t *r);

#endif /* OMPI_MCA_MQ_BASE_RECORD_PROFILE_READER_H */
