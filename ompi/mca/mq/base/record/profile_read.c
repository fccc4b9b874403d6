/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads profiles: a rank's part, which is checked completely (as each rank reads
 * its own part, every part is checked), or all parts.
 */

#include "ompi_config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/record/profile.h"

/* Words of a line that are parsed; the longest line has 9. */
#define WORDS_MAX 10

typedef mca_mq_base_profile_domain_t domain_t;
typedef mca_mq_base_profile_peer_t peer_t;

typedef struct reader_t {
    FILE *file;
    const mca_mq_base_job_t *job;
    mca_mq_base_profile_t *profile;
    mca_mq_base_profile_error_t *error;
    char *line;
    size_t line_size;
    uint64_t number; /* of the current line */
    char *word[WORDS_MAX];
    int words;
    uint64_t size;      /* size of the job; 0: any, or not known yet */
    uint64_t next_rank; /* smallest rank that may follow */
    uint64_t parts;     /* how many have begun */
    bool any_rank;      /* a part is for any rank (*) */
    bool mine;          /* the current part is wanted */
    bool found;         /* a part that is wanted has begun */
    /* All parts are wanted; or NULL: that of our rank. */
    mca_mq_base_profile_visit_fn_t visit;
    void *visit_arg;
    domain_t *domain; /* the current domain */
    domain_t **last;  /* where the next domain is linked */
    size_t peers_room;
} reader_t;

/* Report an error in the current line. Returns OMPI_ERR_BAD_PARAM. */
static __attribute__((format(printf, 2, 3))) int wrong(reader_t *r,
                                                       const char *format, ...)
{
    va_list arguments;

    r->error->line = r->number;
    va_start(arguments, format);
    vsnprintf(r->error->reason, sizeof(r->error->reason), format, arguments);
    va_end(arguments);
    return OMPI_ERR_BAD_PARAM;
}

static int no_memory(reader_t *r)
{
    (void) wrong(r, "out of memory");
    return OMPI_ERR_OUT_OF_RESOURCE;
}

/* Read the next line that is not a comment, and split it. False at the end. */
static bool next_line(reader_t *r)
{
    char *rest, *word;

    do {
        if (0 > getline(&r->line, &r->line_size, r->file)) {
            return false;
        }
        ++r->number;
    } while ('#' == r->line[0]);
    r->words = 0;
    for (word = strtok_r(r->line, " \t\r\n", &rest);
         NULL != word && r->words < WORDS_MAX;
         word = strtok_r(NULL, " \t\r\n", &rest)) {
        r->word[r->words++] = word;
    }
    return true;
}

static bool is(const reader_t *r, const char *keyword)
{
    return 0 < r->words && 0 == strcmp(r->word[0], keyword);
}

static bool is_star(const reader_t *r, int i)
{
    return 0 == strcmp("*", r->word[i]);
}

static int number(reader_t *r, int i, uint64_t max, uint64_t *value)
{
    const char *text = r->word[i];
    char *end;

    errno = 0;
    *value = isdigit((unsigned char) text[0]) ? strtoull(text, &end, 10) : 0;
    if (!isdigit((unsigned char) text[0]) || '\0' != *end) {
        return wrong(r, "\"%.32s\" is not a number", text);
    }
    if (0 != errno || *value > max) {
        return wrong(r, "%.32s is too large", text);
    }
    return OMPI_SUCCESS;
}

static int expect_words(reader_t *r, int least, int most)
{
    if (r->words < least || r->words > most) {
        return wrong(r, "\"%.32s\" is followed by %d words instead of %d",
                     r->word[0], r->words - 1, least - 1);
    }
    return OMPI_SUCCESS;
}

/* Parse all words after the first as numbers; the first number is limited to
 * max. */
static int numbers(reader_t *r, int count, uint64_t max, uint64_t *values)
{
    int ret = expect_words(r, count + 1, count + 1);

    for (int i = 0; i < count && OMPI_SUCCESS == ret; ++i) {
        ret = number(r, i + 1, 0 == i ? max : UINT64_MAX, &values[i]);
    }
    return ret;
}

static int read_version(reader_t *r)
{
    if (!next_line(r) || !is(r, "mq-profile") || 2 != r->words) {
        r->number = 1;
        return wrong(r, "not a profile: it does not begin with \"mq-profile "
                        "VERSION\"");
    }
    if (0 != strcmp(MCA_MQ_BASE_PROFILE_VERSION, r->word[1])) {
        return wrong(r,
                     "a profile of version %.32s; only "
                     "version " MCA_MQ_BASE_PROFILE_VERSION " can be read",
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
        return wrong(r, "its lines end in CR LF, as other systems write them");
    }
    while (0 <= getline(&r->line, &r->line_size, r->file)) {
        ++r->number;
    }
    return wrong(r, "truncated: the last line is not \"end\"");
}

static int read_job(reader_t *r)
{
    int ret;

    if (!next_line(r) || !is(r, "job")) {
        return wrong(r, "\"job SIZE\" is expected");
    }
    ret = expect_words(r, 2, 2);
    if (OMPI_SUCCESS != ret || is_star(r, 1)) {
        return ret;
    }
    ret = number(r, 1, UINT32_MAX, &r->size);
    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    if (0 == r->size) {
        return wrong(r, "a job has at least one rank");
    }
    if (0 != r->job->size && r->size != r->job->size) {
        return wrong(
            r, "the profile is of a job of %" PRIu64 " ranks, this job has %u",
            r->size, (unsigned) r->job->size);
    }
    return OMPI_SUCCESS;
}

static int read_rank(reader_t *r)
{
    uint64_t rank;
    int ret = expect_words(r, 2, 2);

    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    ++r->parts;
    if (is_star(r, 1)) {
        r->mine = r->any_rank = true;
    } else {
        ret = number(r, 1, UINT32_MAX, &rank);
        if (OMPI_SUCCESS != ret) {
            return ret;
        }
        if (rank < r->next_rank) {
            return wrong(r, "rank %" PRIu64 " is not in ascending order", rank);
        }
        if (0 != r->size && rank >= r->size) {
            return wrong(
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

static bool is_known(const reader_t *r, const domain_t *domain)
{
    const domain_t *other = r->profile->domains;

    while (NULL != other && (other->context != domain->context ||
                             other->any_context != domain->any_context ||
                             other->size != domain->size)) {
        other = other->next;
    }
    return NULL != other;
}

static int read_domain_key(reader_t *r, domain_t *key)
{
    uint64_t context = 0, size = MCA_MQ_BASE_PROFILE_ANY_SIZE;
    int ret = expect_words(r, 3, 4);

    if (OMPI_SUCCESS == ret && !is_star(r, 1)) {
        ret = number(r, 1, UINT32_MAX, &context);
    }
    if (OMPI_SUCCESS == ret && !is_star(r, 2)) {
        ret = number(r, 2, UINT32_MAX, &size);
        if (OMPI_SUCCESS == ret && 0 == size) {
            ret = wrong(r, "a communicator has at least one rank");
        }
    }
    if (OMPI_SUCCESS == ret) {
        key->context = (uint32_t) context;
        key->any_context = is_star(r, 1);
        snprintf(key->component, sizeof(key->component), "%s",
                 4 == r->words ? r->word[3] : "");
        key->size = (uint32_t) size;
        if (is_known(r, key)) {
            ret = wrong(r, "domain %.32s %.32s appears twice", r->word[1],
                        r->word[2]);
        }
    }
    return ret;
}

static int read_domain(reader_t *r)
{
    domain_t key = {.next = NULL};
    int ret = read_domain_key(r, &key);

    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    r->domain = malloc(sizeof(*r->domain));
    if (NULL == r->domain) {
        return no_memory(r);
    }
    *r->domain = key;
    *r->last = r->domain;
    r->last = &r->domain->next;
    r->peers_room = 0;
    return OMPI_SUCCESS;
}

static peer_t *append_peer(reader_t *r)
{
    domain_t *domain = r->domain;
    peer_t *peers;

    if (domain->num_peers == r->peers_room) {
        r->peers_room = 0 == r->peers_room ? 8 : 2 * r->peers_room;
        peers = realloc(domain->peers, r->peers_room * sizeof(*peers));
        if (NULL == peers) {
            return NULL;
        }
        domain->peers = peers;
    }
    return &domain->peers[domain->num_peers++];
}

static int check_peer(reader_t *r, uint64_t source)
{
    const domain_t *domain = r->domain;
    uint32_t last;

    if (MCA_MQ_BASE_PROFILE_ANY_SIZE != domain->size &&
        source >= domain->size) {
        return wrong(r,
                     "peer %" PRIu64 " is not one of a communicator of %u "
                     "ranks",
                     source, (unsigned) domain->size);
    }
    if (0 == domain->num_peers) {
        return OMPI_SUCCESS;
    }
    last = domain->peers[domain->num_peers - 1].source;
    if (source == last) {
        return wrong(r, "peer %" PRIu64 " appears twice", source);
    }
    if (source < last) {
        return wrong(r, "peer %" PRIu64 " is not in ascending order", source);
    }
    return OMPI_SUCCESS;
}

static int read_peer(reader_t *r)
{
    uint64_t value[6] = {0};
    int ret = numbers(r, 6, INT32_MAX, value);
    peer_t *peer;

    if (OMPI_SUCCESS == ret) {
        ret = check_peer(r, value[0]);
    }
    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    peer = append_peer(r);
    if (NULL == peer) {
        return no_memory(r);
    }
    *peer = (peer_t){
        .source = (uint32_t) value[0],
        .added = {value[1], value[2]},
        .length_max = {value[3], value[4]},
        .traversed = value[5],
    };
    return OMPI_SUCCESS;
}

/* What lines of counts mean; of some nothing is kept. */
typedef enum { POSTED, UNEXPECTED, RECEIVES, PROBES, UNUSED } meaning_t;

/* Lines of counts: keyword, count of numbers, and whether they belong to a
 * domain. */
static const struct counts_t {
    const char *keyword;
    int numbers;
    bool of_domain;
    meaning_t meaning;
} counts_lines[] = {
    {"posted", 6, true, POSTED},
    {"unexpected", 6, true, UNEXPECTED},
    {"internal_posted", 6, true, POSTED},
    {"internal_unexpected", 6, true, UNEXPECTED},
    {"receives", 3, true, RECEIVES},
    {"internal_receives", 3, true, RECEIVES},
    {"any", 3, true, UNUSED},
    {"probes", 5, true, PROBES},
    {"sizes", 7, true, UNUSED},
    {"elapsed", 1, false, UNUSED},
    {"slice", 8, false, UNUSED},
};

#define COUNTS_LINES ((int) (sizeof(counts_lines) / sizeof(counts_lines[0])))

static const struct counts_t *counts_line(const reader_t *r)
{
    for (int i = 0; i < COUNTS_LINES; ++i) {
        if (is(r, counts_lines[i].keyword)) {
            return &counts_lines[i];
        }
    }
    return NULL;
}

static void keep_queue(mca_mq_base_profile_queue_t *queue,
                       const uint64_t *value)
{
    queue->added += value[0];
    queue->searches += value[1] + value[2];
    if (value[5] > queue->length_max) {
        queue->length_max = value[5];
    }
}

static void keep_asked(domain_t *domain, uint64_t count, uint64_t any_source,
                       uint64_t any_tag)
{
    domain->receives += count;
    domain->any_source += any_source;
    domain->any_tag += any_tag;
}

static void keep(domain_t *domain, meaning_t meaning, const uint64_t *value)
{
    switch (meaning) {
    case POSTED:
        keep_queue(&domain->queue[MCA_MQ_POSTED], value);
        break;
    case UNEXPECTED:
        keep_queue(&domain->queue[MCA_MQ_UNEXPECTED], value);
        break;
    case RECEIVES:
        keep_asked(domain, value[0], value[1], value[2]);
        break;
    case PROBES:
        domain->queue[MCA_MQ_UNEXPECTED].searches += value[0] + value[1];
        keep_asked(domain, value[0], value[3], value[4]);
        break;
    case UNUSED:
        break;
    }
}

static int read_counts(reader_t *r, const struct counts_t *line)
{
    uint64_t values[WORDS_MAX];
    int ret = numbers(r, line->numbers, UINT64_MAX, values);

    if (OMPI_SUCCESS == ret) {
        keep(r->domain, line->meaning, values);
    }
    return ret;
}

/* Messages from a rank of MPI_COMM_WORLD, or from all other jobs. */
static int read_from(reader_t *r)
{
    static char zero[] = "0";
    uint64_t value[5];
    int ret;

    if (1 < r->words && 0 == strcmp("other", r->word[1])) {
        r->word[1] = zero;
    }
    ret = numbers(r, 5, UINT32_MAX, value);
    if (OMPI_SUCCESS == ret && 0 != r->size && value[0] >= r->size) {
        ret = wrong(r,
                    "rank %" PRIu64 " is not one of a job of %" PRIu64 " ranks",
                    value[0], r->size);
    }
    return ret;
}

/* Parse a line in the part of our rank. */
static int read_mine(reader_t *r)
{
    const struct counts_t *line = counts_line(r);

    if (is(r, "domain")) {
        return read_domain(r);
    }
    if (NULL == r->domain && is(r, "from")) {
        return read_from(r);
    }
    if (NULL == r->domain && (NULL == line || line->of_domain)) {
        return wrong(r, "\"domain CONTEXT SIZE\" is expected");
    }
    if (NULL != line && line->of_domain == (NULL != r->domain)) {
        return read_counts(r, line);
    }
    if (is(r, "peer")) {
        return read_peer(r);
    }
    if (is(r, "name")) {
        return expect_words(r, 2, 2);
    }
    return wrong(r, "\"%.32s\" is not a line of a profile",
                 0 < r->words ? r->word[0] : "");
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
        return r->found
                   ? OMPI_SUCCESS
                   : wrong(r, "rank %u is missing", (unsigned) r->job->rank);
    }
    if (!r->any_rank && r->parts < r->size) {
        return wrong(r, "there are %" PRIu64 " of %" PRIu64 " ranks", r->parts,
                     r->size);
    }
    return OMPI_SUCCESS;
}

static int read_parts(reader_t *r)
{
    int ret = OMPI_SUCCESS;

    while (OMPI_SUCCESS == ret && next_line(r)) {
        if (is(r, "end")) {
            ret = next_line(r) ? wrong(r, "something follows the line \"end\": "
                                          "several profiles in one file?")
                               : OMPI_SUCCESS;
            break;
        }
        if (is(r, "rank")) {
            if (r->found && NULL == r->visit) {
                return OMPI_SUCCESS; /* the rest belongs to other ranks */
            }
            part_ends(r);
            ret = read_rank(r);
        } else if (r->mine) {
            ret = read_mine(r);
        } else if (0 == r->parts && is(r, "run")) {
            ret = expect_words(r, 3, 3);
        } else if (0 == r->parts) {
            ret = wrong(r, "\"rank RANK\" is expected");
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
