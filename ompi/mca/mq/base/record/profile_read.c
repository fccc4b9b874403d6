/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads profiles: a rank's part, which is checked completely (as each rank reads
 * its own part, every part is checked), or all parts.
 */

#include "ompi_config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/record/profile_reader.h"

typedef mca_mq_base_profile_domain_t domain_t;
typedef mca_mq_base_reader_t reader_t;

static int read_version(reader_t *r)
{
    if (!mca_mq_base_reader_next(r) ||
        !mca_mq_base_reader_is(r, "mq-profile") || 2 != r->words) {
        r->number = 1;
        return mca_mq_base_reader_wrong(
            r, "not a profile: it does not begin with \"mq-profile "
               "VERSION\"");
    }
    if (0 != strcmp(MCA_MQ_BASE_PROFILE_VERSION, r->word[1])) {
        return mca_mq_base_reader_wrong(r,
                                        "a profile of version %.32s; only "
                                        "version " MCA_MQ_BASE_PROFILE_VERSION
                                        " can be read",
                                        r->word[1]);
    }
    return OMPI_SUCCESS;
}

/* Check that the last line is `end`, so that nothing was truncated. */
static int check_end(reader_t *r)
{
    char tail[6] = "";
    bool good = 0 == fseek(r->file, -5, SEEK_END) &&
                5 == fread(tail, 1, 5, r->file) && 0 == strcmp(tail, "\nend\n");

    rewind(r->file);
    if (good) {
        return OMPI_SUCCESS;
    }
    if (NULL != strstr(tail, "\r\n")) {
        r->number = 1;
        return mca_mq_base_reader_wrong(
            r, "its lines end in CR LF, as other systems write them");
    }
    while (0 <= getline(&r->line, &r->line_size, r->file)) {
        ++r->number;
    }
    return mca_mq_base_reader_wrong(r,
                                    "truncated: the last line is not \"end\"");
}

static int read_job(reader_t *r)
{
    int ret;

    if (!mca_mq_base_reader_next(r) || !mca_mq_base_reader_is(r, "job")) {
        return mca_mq_base_reader_wrong(r, "\"job SIZE\" is expected");
    }
    ret = mca_mq_base_reader_expect(r, 2, 2);
    if (OMPI_SUCCESS != ret || mca_mq_base_reader_is_star(r, 1)) {
        return ret;
    }
    ret = mca_mq_base_reader_number(r, 1, UINT32_MAX, &r->size);
    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    if (0 == r->size) {
        return mca_mq_base_reader_wrong(r, "a job has at least one rank");
    }
    if (0 != r->job->size && r->size != r->job->size) {
        return mca_mq_base_reader_wrong(
            r, "the profile is of a job of %" PRIu64 " ranks, this job has %u",
            r->size, (unsigned) r->job->size);
    }
    return OMPI_SUCCESS;
}

static int read_rank(reader_t *r)
{
    uint64_t rank;
    int ret = mca_mq_base_reader_expect(r, 2, 2);

    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    ++r->parts;
    if (mca_mq_base_reader_is_star(r, 1)) {
        r->mine = r->any_rank = true;
    } else {
        ret = mca_mq_base_reader_number(r, 1, UINT32_MAX, &rank);
        if (OMPI_SUCCESS != ret) {
            return ret;
        }
        if (rank < r->next_rank) {
            return mca_mq_base_reader_wrong(
                r, "rank %" PRIu64 " is not in ascending order", rank);
        }
        if (0 != r->size && rank >= r->size) {
            return mca_mq_base_reader_wrong(
                r, "rank %" PRIu64 " is not one of a job of %" PRIu64 " ranks",
                rank, r->size);
        }
        r->next_rank = rank + 1;
        r->mine = NULL != r->visit || rank == r->job->rank;
    }
    r->found = r->found || r->mine;
    r->domain = NULL;
    return OMPI_SUCCESS;
}

/* A part that is wanted has ended. */
static void part_ends(reader_t *r)
{
    const domain_t *domain;

    if (NULL == r->visit || !r->mine) {
        return;
    }
    for (domain = r->profile->domains; NULL != domain; domain = domain->next) {
        r->visit(domain, 0 == r->next_rank ? 0 : (uint32_t) (r->next_rank - 1),
                 r->visit_arg);
    }
    mca_mq_base_profile_free(r->profile);
    r->last = &r->profile->domains;
}

/* Are all parts there that are wanted? */
static int check_parts(reader_t *r)
{
    if (NULL == r->visit) {
        return r->found ? OMPI_SUCCESS
                        : mca_mq_base_reader_wrong(r, "rank %u is missing",
                                                   (unsigned) r->job->rank);
    }
    if (!r->any_rank && r->parts < r->size) {
        return mca_mq_base_reader_wrong(
            r, "there are %" PRIu64 " of %" PRIu64 " ranks", r->parts, r->size);
    }
    return OMPI_SUCCESS;
}

static int read_parts(reader_t *r)
{
    int ret = OMPI_SUCCESS;

    while (OMPI_SUCCESS == ret && mca_mq_base_reader_next(r)) {
        if (mca_mq_base_reader_is(r, "end")) {
            ret = mca_mq_base_reader_next(r)
                      ? mca_mq_base_reader_wrong(
                            r, "something follows the line \"end\": "
                               "several profiles in one file?")
                      : OMPI_SUCCESS;
            break;
        }
        if (mca_mq_base_reader_is(r, "rank")) {
            if (r->found && NULL == r->visit) {
                return OMPI_SUCCESS; /* the rest belongs to other ranks */
            }
            part_ends(r);
            ret = read_rank(r);
        } else if (r->mine) {
            ret = mca_mq_base_reader_part(r);
        } else if (0 == r->parts && mca_mq_base_reader_is(r, "run")) {
            ret = mca_mq_base_reader_expect(r, 3, 3);
        } else if (0 == r->parts) {
            ret = mca_mq_base_reader_wrong(r, "\"rank RANK\" is expected");
        }
    }
    part_ends(r);
    return OMPI_SUCCESS == ret ? check_parts(r) : ret;
}

static int read_file(reader_t *r)
{
    int ret;

    r->profile->domains = NULL;
    r->last = &r->profile->domains;
    ret = read_version(r);
    if (OMPI_SUCCESS == ret) {
        r->number = 0;
        ret = check_end(r);
    }
    if (OMPI_SUCCESS == ret) {
        (void) read_version(r);
        ret = read_job(r);
    }
    if (OMPI_SUCCESS == ret) {
        ret = read_parts(r);
    }
    if (OMPI_SUCCESS != ret) {
        mca_mq_base_profile_free(r->profile);
    }
    free(r->line);
    return ret;
}

int mca_mq_base_profile_read(FILE *file, const mca_mq_base_job_t *job,
                             mca_mq_base_profile_t *profile,
                             mca_mq_base_profile_error_t *error)
{
    reader_t r = {
        .file = file,
        .job = job,
        .profile = profile,
        .error = error,
    };

    return read_file(&r);
}

int mca_mq_base_profile_each(FILE *file, mca_mq_base_profile_visit_fn_t visit,
                             void *arg, mca_mq_base_profile_error_t *error)
{
    static const mca_mq_base_job_t any = {.rank = 0, .size = 0};
    mca_mq_base_profile_t profile;
    reader_t r = {
        .file = file,
        .job = &any,
        .profile = &profile,
        .error = error,
        .visit = visit,
        .visit_arg = arg,
    };
    int ret = read_file(&r);

    mca_mq_base_profile_free(&profile);
    return ret;
}

void mca_mq_base_profile_free(mca_mq_base_profile_t *profile)
{
    domain_t *domain;

    while (NULL != (domain = profile->domains)) {
        profile->domains = domain->next;
        free(domain->peers);
        free(domain);
    }
}

static bool is_of_context(const domain_t *domain,
                          const mca_mq_domain_info_t *info)
{
    return !domain->any_context && domain->context == info->context;
}

static bool fits(const domain_t *domain, const mca_mq_domain_info_t *info)
{
    bool any_size = MCA_MQ_BASE_PROFILE_ANY_SIZE == domain->size ||
                    MCA_MQ_MANY_CONTEXTS == info->context;

    return (domain->any_context || domain->context == info->context) &&
           (any_size || domain->size == info->size);
}

const domain_t *mca_mq_base_profile_find(const mca_mq_base_profile_t *profile,
                                         const mca_mq_domain_info_t *info)
{
    const domain_t *domain, *starred = NULL;

    for (domain = profile->domains; NULL != domain; domain = domain->next) {
        if (fits(domain, info)) {
            if (is_of_context(domain, info) &&
                MCA_MQ_BASE_PROFILE_ANY_SIZE != domain->size) {
                return domain;
            }
            starred = NULL == starred ? domain : starred;
        }
    }
    return starred;
}
