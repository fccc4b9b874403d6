/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiles: what is written, what is read, and what is said of bad ones.
 */

#include "mq_test.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ompi/mca/mq/base/record/profile.h"
#include "ompi/mca/mq/base/record/profile_course.h"

#define HEAD "mq-profile 1\njob 4\n"

static int read_text(const char *text, mca_mq_base_profile_t *profile,
                     mca_mq_base_profile_error_t *error)
{
    mca_mq_base_job_t job = {1, 4};
    FILE *file = fopen(mq_test_file(text), "r");
    int ret;

    assert_non_null(file);
    ret = mca_mq_base_profile_read(file, &job, profile, error);
    fclose(file);
    return ret;
}

typedef struct bad_t {
    const char *text;
    uint64_t line;
    const char *reason;
} bad_t;

static const bad_t bad[] = {
    {"", 1, "not a profile"},
    {"\177ELF", 1, "not a profile"},
    {"mq-profile\nend\n", 1, "not a profile"},
    {"mq-profile 5\njob 4\nend\n", 1, "version 5; only version 1"},
    {"mq-profile 0\njob 4\nend\n", 1, "version 0"},
    {"mq-profile 1.0\njob 4\nend\n", 1, "version 1.0"},
    {HEAD, 2, "truncated"},
    {HEAD "rank 0\nrank 1\ndomain 0 4 list\npeer 1 1", 6, "truncated"},
    {HEAD "rank 0\nend", 4, "truncated"},
    {HEAD "rank 0\nrank 1\nend\nmore\n", 6, "truncated"},
    {"mq-profile 1\nend\n", 2, "job SIZE"},
    {"mq-profile 1\njob\nend\n", 2, "followed by 0 words"},
    {"mq-profile 1\njob x\nend\n", 2, "\"x\" is not a number"},
    {"mq-profile 1\njob -4\nend\n", 2, "\"-4\" is not a number"},
    {"mq-profile 1\njob 0\nend\n", 2, "at least one rank"},
    {"mq-profile 1\njob 4294967296\nend\n", 2, "too large"},
    {"mq-profile 1\njob 5\nrank 1\nend\n", 2,
     "of a job of 5 ranks, this job has 4"},
    {HEAD "end\n", 3, "rank 1 is missing"},
    {HEAD "rank 0\nrank 2\nend\n", 5, "rank 1 is missing"},
    {HEAD "rank 2\nrank 1\nend\n", 4, "rank 1 is not in ascending order"},
    {HEAD "rank 0\nrank 0\nend\n", 4, "rank 0 is not in ascending order"},
    {HEAD "rank 4\nend\n", 3, "rank 4 is not one of a job of 4"},
    {HEAD "domain 0 4\nend\n", 3, "\"rank RANK\" is expected"},
    {HEAD "rank 1\npeer 0 1 1 1 1 1\nend\n", 4, "domain CONTEXT SIZE"},
    {HEAD "rank 1\ndomain 0\nend\n", 4, "followed by 1 words"},
    {HEAD "rank 1\ndomain 0 0\nend\n", 4, "at least one rank"},
    {HEAD "rank 1\ndomain a 4\nend\n", 4, "\"a\" is not a number"},
    {HEAD "rank 1\ndomain 0 4\ndomain 0 4 list\nend\n", 5,
     "domain 0 4 appears twice"},
    {HEAD "rank 1\ndomain * *\ndomain * *\nend\n", 5, "appears twice"},
    {HEAD "rank 1\ndomain 0 4\npeer 4 1 1 1 1 1\nend\n", 5,
     "peer 4 is not one of a communicator of 4 ranks"},
    {HEAD "rank 1\ndomain 0 *\npeer 2147483648 1 1 1 1 1\nend\n", 5,
     "too large"},
    {HEAD "rank 1\ndomain 0 4\npeer 1 1 1 1 1 1\npeer 1 2 2 2 2 2\nend\n", 6,
     "peer 1 appears twice"},
    {HEAD "rank 1\ndomain 0 4\npeer 2 1 1 1 1 1\npeer 1 2 2 2 2 2\nend\n", 6,
     "peer 1 is not in ascending order"},
    {HEAD "rank 1\ndomain 0 4\npeer 1 1 1 1 1\nend\n", 5, "instead of 6"},
    {HEAD "rank 1\ndomain 0 4\npeer 1 1 1 1 1 1 1\nend\n", 5, "instead of 6"},
    {HEAD "rank 1\ndomain 0 4\npeer 1 1 1 1 1 1 1 1 1\nend\n", 5,
     "instead of 6"},
    {HEAD "rank 1\ndomain 0 4\npeer 1 1 1 1 1 99999999999999999999\nend\n", 5,
     "too large"},
    {HEAD "rank 1\ndomain 0 4\npeer 1 1 1 1 1 0x1\nend\n", 5,
     "\"0x1\" is not a number"},
    {HEAD "rank 1\ndomain 0 4\nany 1 2\nend\n", 5, "instead of 3"},
    {HEAD "rank 1\ndomain 0 4\nposted 1 2 3\nend\n", 5, "instead of 6"},
    {HEAD "rank 1\ndomain 0 4\n\nend\n", 5, "\"\" is not a line"},
    {HEAD "# a comment\nrank 1\ndomain 0 4\nPeer 1 2\nend\n", 6,
     "\"Peer\" is not a line"},
    {HEAD "rank 1\ndomain 0 4\nelapsed 5\nend\n", 5, "is not a line"},
    {HEAD "rank 1\nelapsed 5 6\nend\n", 4, "instead of 1"},
    {HEAD "rank 1\nposted 1 2 3 4 5 6\nend\n", 4, "domain CONTEXT SIZE"},
    {HEAD "rank 1\nfrom 4 1 1 1 1\nend\n", 4,
     "rank 4 is not one of a job of 4"},
    {HEAD "rank 1\nfrom others 1 1 1 1\nend\n", 4, "\"others\" is not a"},
    {HEAD "rank 1\ndomain 0 4\nfrom 1 1 1 1 1\nend\n", 5, "not a line"},
    {HEAD "rank 1\ndomain 0 4\nname a b\nend\n", 5, "instead of 1"},
    {HEAD "rank 1\ndomain 0 4\nsizes 1 2 3 4 5 6 7 8\nend\n", 5,
     "instead of 7"},
    {HEAD "rank 1\ndomain 0 4\ninternal_posted 1 2 3 4 5 x\nend\n", 5,
     "\"x\" is not a number"},
    {HEAD "rank 1\ndomain 0 4\nprobes 1 2 3\nend\n", 5, "instead of 5"},
    {HEAD "rank 1\ndomain 0 4\nreceives 1 2\nend\n", 5, "instead of 3"},
    {HEAD "rank 1\nslice 1 2 3 4\nend\n", 4, "instead of 8"},
    {HEAD "rank 1\nslice 1 2 3 4 5 6 7 8 9\nend\n", 4, "instead of 8"},
    {HEAD "rank 1\nslice 1 2 3 4 5 6 7 x\nend\n", 4, "\"x\" is not a"},
    {HEAD "run command\nrank 1\nend\n", 3, "instead of 2"},
    {HEAD "run command a b\nrank 1\nend\n", 3, "instead of 2"},
    {HEAD "rank 1\nrun command a\nend\n", 4, "domain CONTEXT SIZE"},
    {NULL, 0, NULL},
};

UNIT_TEST(a_bad_file_is_refused_with_line_and_reason)
{
    mca_mq_base_profile_t profile;
    mca_mq_base_profile_error_t error;

    for (const bad_t *b = bad; b->text != NULL; ++b) {
        if (OMPI_ERR_BAD_PARAM != read_text(b->text, &profile, &error)) {
            fail_msg("not refused:\n%s", b->text);
        }
        if (error.line != b->line || strstr(error.reason, b->reason) == NULL) {
            fail_msg("line %d: %s; of\n%s", (int) error.line, error.reason,
                     b->text);
        }
        assert_null(profile.domains);
    }
}

UNIT_TEST(a_rank_reads_its_part)
{
    static const char text[] =
        HEAD "rank 0\ndomain 0 4\nthis is for rank 0 to find\n"
             "# figures\nrank 1\n"
             "domain 0 4 list\nposted 1 2 3 4 5 6\n"
             "unexpected 1 2 3 4 5 6\nany 1 2 3\n"
             "peer 0 1 2 3 4 5\npeer 3 18446744073709551615 0 0 0 0\n"
             "domain 1 1 list\n"
             "rank 3\nthis is for rank 3 to find\nend\n";
    mca_mq_domain_info_t info = {.size = 4, .context = 0};
    const mca_mq_base_profile_domain_t *domain;
    mca_mq_base_profile_t profile;
    mca_mq_base_profile_error_t error;

    assert_int_equal(OMPI_SUCCESS, read_text(text, &profile, &error));
    domain = mca_mq_base_profile_find(&profile, &info);
    assert_non_null(domain);
    assert_int_equal(2, domain->num_peers);
    assert_int_equal(1, domain->peers[0].added[MCA_MQ_POSTED]);
    assert_int_equal(2, domain->peers[0].added[MCA_MQ_UNEXPECTED]);
    assert_int_equal(3, domain->peers[0].length_max[MCA_MQ_POSTED]);
    assert_int_equal(4, domain->peers[0].length_max[MCA_MQ_UNEXPECTED]);
    assert_int_equal(5, domain->peers[0].traversed);
    assert_int_equal(3, domain->peers[1].source);
    assert_true(UINT64_MAX == domain->peers[1].added[MCA_MQ_POSTED]);
    info.size = 5;
    assert_null(mca_mq_base_profile_find(&profile, &info));
    info.context = 1;
    info.size = 1;
    assert_non_null(mca_mq_base_profile_find(&profile, &info));
    mca_mq_base_profile_free(&profile);
    assert_null(profile.domains);
}

UNIT_TEST(lines_that_only_tools_use_are_read)
{
    static const char text[] =
        HEAD "run command a%20b\nrank 0\nrank 1\nelapsed 5\n"
             "slice 0 1000 3 4 5 6 7 8\n"
             "from 0 1 2 3 4\nfrom other 1 2 3 4\n"
             "domain 0 4 list\nname my%20own\nposted 1 2 3 4 5 6\n"
             "unexpected 1 2 3 4 5 6\ninternal_posted 1 2 3 4 5 6\n"
             "internal_unexpected 1 2 3 4 5 6\nreceives 1 2 3\n"
             "internal_receives 1 2 3\nprobes 1 2 3 4 5\nany 1 2 3\n"
             "sizes 1 2 3 4 5 6 7\npeer 3 1 2 3 4 5\nend\n";
    mca_mq_domain_info_t info = {.size = 4, .context = 0};
    const mca_mq_base_profile_domain_t *domain;
    mca_mq_base_profile_t profile;
    mca_mq_base_profile_error_t error;

    if (OMPI_SUCCESS != read_text(text, &profile, &error)) {
        fail_msg("line %d: %s", (int) error.line, error.reason);
    }
    domain = mca_mq_base_profile_find(&profile, &info);
    assert_non_null(domain);
    assert_int_equal(1, domain->num_peers);
    assert_int_equal(5, domain->peers[0].traversed);
    mca_mq_base_profile_free(&profile);
}

/* Sums of what was visited. */
typedef struct visited_t {
    uint64_t ranks, added, searches, length_max, receives, any_source, any_tag;
    char component[32];
} visited_t;

static void visit(const mca_mq_base_profile_domain_t *domain, uint32_t rank,
                  void *arg)
{
    visited_t *visited = arg;

    visited->ranks |= UINT64_C(1) << rank;
    for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
        visited->added += domain->queue[i].added;
        visited->searches += domain->queue[i].searches;
        visited->length_max += domain->queue[i].length_max;
    }
    visited->receives += domain->receives;
    visited->any_source += domain->any_source;
    visited->any_tag += domain->any_tag;
    snprintf(visited->component, sizeof(visited->component), "%s",
             domain->component);
}

static void read_each(const char *text, visited_t *visited)
{
    mca_mq_base_profile_error_t error;
    FILE *file = fopen(mq_test_file(text), "r");

    assert_non_null(file);
    memset(visited, 0, sizeof(*visited));
    if (OMPI_SUCCESS !=
        mca_mq_base_profile_each(file, visit, visited, &error)) {
        fail_msg("line %d: %s", (int) error.line, error.reason);
    }
    fclose(file);
}

UNIT_TEST(counts_of_all_parts_are_added)
{
    visited_t visited;

    read_each("mq-profile 1\njob 2\nrank 0\ndomain 0 2 list\n"
              "posted 10 20 30 9000 9000 7\nunexpected 1 2 3 9000 9000 8\n"
              "internal_posted 1 1 1 9000 9000 9\nreceives 40 30 20\n"
              "internal_receives 2 1 0\nprobes 4 5 9000 3 1\n"
              "any 9000 9000 9000\nrank 1\ndomain 0 2 bin\nend\n",
              &visited);
    assert_int_equal(3, visited.ranks);
    assert_int_equal(12, visited.added);
    assert_int_equal(66, visited.searches);
    assert_int_equal(17, visited.length_max);
    assert_int_equal(46, visited.receives);
    assert_int_equal(34, visited.any_source);
    assert_int_equal(21, visited.any_tag);
    assert_string_equal("bin", visited.component);
    read_each("mq-profile 1\njob *\nrank *\ndomain 0 2 list\n"
              "posted 10 20 30 9000 9000 7\nend\n",
              &visited);
    assert_int_equal(1, visited.ranks);
    assert_int_equal(10, visited.added);
}

static uint32_t peers_for(const mca_mq_base_profile_t *profile,
                          uint32_t context, uint32_t size)
{
    mca_mq_domain_info_t info = {.size = size, .context = context};
    const mca_mq_base_profile_domain_t *domain =
        mca_mq_base_profile_find(profile, &info);

    return domain == NULL ? 99 : domain->num_peers;
}

UNIT_TEST(stars_fit_anything_that_is_not_named)
{
    static const char text[] =
        "mq-profile 1\njob *\nrank *\n"
        "domain 7 *\npeer 0 1 1 1 1 1\npeer 1 1 1 1 1 1\n"
        "domain * 8\npeer 0 1 1 1 1 1\n"
        "domain 7 8\n"
        "domain 4294967295 8\npeer 0 1 1 1 1 1\npeer 1 1 1 1 1 1\n"
        "peer 2 1 1 1 1 1\nend\n";
    mca_mq_base_profile_t profile;
    mca_mq_base_profile_error_t error;

    assert_int_equal(OMPI_SUCCESS, read_text(text, &profile, &error));
    assert_int_equal(0, peers_for(&profile, 7, 8));
    assert_int_equal(2, peers_for(&profile, 7, 9));
    assert_int_equal(1, peers_for(&profile, 6, 8));
    assert_int_equal(99, peers_for(&profile, 6, 9));
    assert_int_equal(3, peers_for(&profile, MCA_MQ_MANY_CONTEXTS, 8));
    assert_int_equal(3, peers_for(&profile, MCA_MQ_MANY_CONTEXTS, 100));
    mca_mq_base_profile_free(&profile);
}

/* Open with a profile for a component; the text says all of what. */
static void assert_refused(const char *choice, const char *path,
                           const char *const *what)
{
    const char *said;

    mca_mq_base_job = (mca_mq_base_job_t){0, 4};
    mq_test_parameter("mq_kmeans_profile", path);
    assert_int_equal(OMPI_ERR_BAD_PARAM, mq_test_open_caught(choice, &said));
    for (; *what != NULL; ++what) {
        if (strstr(said, *what) == NULL) {
            fail_msg("\"%s\" is not in\n%s", *what, said);
        }
    }
    mq_test_parameter("mq_kmeans_profile", "");
    mca_mq_base_job.size = 0;
}

UNIT_TEST(what_is_wrong_with_a_profile_is_shown)
{
    const char *path = mq_test_file(HEAD "rank 0\nnonsense\nend\n");

    assert_refused(
        "kmeans", path,
        (const char *[]){"mq_kmeans_profile", path, "4", "domain", NULL});
    /* Also if the component is not asked for. */
    assert_refused("list", "/nosuch/file",
                   (const char *[]){"mq_kmeans_profile", "/nosuch/file",
                                    "No such file", NULL});
    assert_refused(
        "list", "/tmp",
        (const char *[]){"mq_kmeans_profile", "not a regular file", NULL});
    assert_refused("list,kmeans", "",
                   (const char *[]){"kmeans", "mq_kmeans_profile", NULL});
}

UNIT_TEST(without_a_profile_others_serve)
{
    mca_mq_base_job = (mca_mq_base_job_t){0, 4};
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    assert_string_equal("list", mq_test_served_by(4));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    /* ompi_info knows of no job and reads nothing. */
    mca_mq_base_job.size = 0;
    mq_test_parameter("mq_kmeans_profile", "/nosuch/file");
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_kmeans_profile", "");
}

static mca_mq_entry_t *nothing(void *arg)
{
    return NULL;
}

static mca_mq_entry_t *made(void *arg)
{
    return arg;
}

static mca_mq_entry_t *entry(int32_t source, int32_t tag)
{
    mca_mq_entry_t *new = calloc(1, sizeof(*new));

    assert_non_null(new);
    new->envelope = (mca_mq_envelope_t){3, source, tag};
    return new;
}

/* Receives 10 of peer 2 and one of any source, then messages; two of peer 5
 * are unexpected, of which one is received. */
static void some_traffic(uint32_t context, uint32_t size)
{
    mca_mq_domain_info_t info = {.size = size, .context = context};
    mca_mq_base_domain_t domain;
    mca_mq_envelope_t message = {3, 2, 9}, receive = {3, -1, -1};
    mca_mq_base_module_t *module;
    mca_mq_entry_t *unexpected;

    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
    module = domain.module;
    for (int tag = 0; tag < 10; ++tag) {
        assert_null(mca_mq_base_post(&domain, entry(2, tag)));
    }
    assert_null(mca_mq_base_post(&domain, entry(MCA_MQ_ANY_SOURCE, 77)));
    for (; message.tag >= 0; --message.tag) {
        free(mca_mq_base_arrive(&domain, &message, nothing, NULL));
    }
    for (int i = 0; i < 2; ++i) {
        unexpected = entry(5, 1);
        mca_mq_base_stamp(&domain, unexpected);
        assert_null(mca_mq_base_arrive(&domain, &unexpected->envelope, made,
                                       unexpected));
    }
    assert_ptr_not_equal(unexpected, module->mq_probe(module, &receive));
    free(module->mq_match_unexpected(module, &receive));
    module->mq_withdraw_unexpected(module, unexpected);
    free(unexpected);
    message = (mca_mq_envelope_t){3, 7, 77};
    free(module->mq_match_posted(module, &message));
    mca_mq_base_domain_fini(&domain);
}

static char *file_text(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    size_t length;

    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

/* Without the lines that depend on time. */
static char *untimed(char *text)
{
    char *to = text, *line = text, *next;

    for (; *line != '\0'; line = next) {
        next = strchr(line, '\n');
        assert_non_null(next);
        ++next;
        if (0 != strncmp(line, "slice ", 6) &&
            0 != strncmp(line, "elapsed ", 8)) {
            memmove(to, line, (size_t) (next - line));
            to += next - line;
        }
    }
    *to = '\0';
    return text;
}

UNIT_TEST(what_is_written_is_what_happened)
{
    const char *path = mq_test_file(""), *text;

    mca_mq_base_job = (mca_mq_base_job_t){0, 0};
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    mca_mq_base_profile_record();
    some_traffic(3, 8);
    some_traffic(4, 9);
    some_traffic(3, 8);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_profile_write(path));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    text = untimed(strstr(file_text(path), "rank 0\n"));
    assert_string_equal("rank 0\n"
                        "domain 3 8 list\n"
                        "posted 22 22 4 112 4 11\n"
                        "unexpected 4 0 22 0 0 2\n"
                        "internal_posted 0 0 0 0 0 0\n"
                        "internal_unexpected 0 0 0 0 0 0\n"
                        "receives 22 2 0\n"
                        "internal_receives 0 0 0\n"
                        "probes 4 0 4 4 4\n"
                        "any 2 1 4\n"
                        "peer 2 20 0 10 0 110\n"
                        "peer 5 0 4 0 2 4\n"
                        "peer 7 0 0 0 0 2\n"
                        "domain 4 9 list\n"
                        "posted 11 11 2 56 2 11\n"
                        "unexpected 2 0 11 0 0 2\n"
                        "internal_posted 0 0 0 0 0 0\n"
                        "internal_unexpected 0 0 0 0 0 0\n"
                        "receives 11 1 0\n"
                        "internal_receives 0 0 0\n"
                        "probes 2 0 2 2 2\n"
                        "any 1 1 2\n"
                        "peer 2 10 0 10 0 55\n"
                        "peer 5 0 2 0 2 2\n"
                        "peer 7 0 0 0 0 1\n"
                        "end\n",
                        text);
}

/* A message and its length. */
typedef struct message_t {
    mca_mq_entry_t entry;
    uint64_t length;
} message_t;

static uint64_t length_of(const void *arg)
{
    return ((const message_t *) arg)->length;
}

/* Ranks of this communicator are those of the job backwards, the last ones of
 * another job. */
static int32_t world_rank_of(uint32_t context, int32_t source)
{
    assert_int_equal(3, context);
    return 5 - source;
}

static void arrive(mca_mq_base_domain_t *domain, int32_t source, int32_t tag,
                   uint64_t length)
{
    message_t *message = calloc(1, sizeof(*message));

    assert_non_null(message);
    message->length = length;
    message->entry.envelope = (mca_mq_envelope_t){3, source, tag};
    mca_mq_base_stamp(domain, &message->entry);
    assert_null(
        mca_mq_base_arrive(domain, &message->entry.envelope, made, message));
}

UNIT_TEST(senders_and_sizes_are_recorded)
{
    static const mca_mq_base_profile_teller_t teller = {length_of,
                                                        world_rank_of};
    static const uint64_t lengths[] = {0, 64, 65, 1 << 14, 1 << 20};
    mca_mq_domain_info_t info = {.size = 8, .context = 3};
    const char *path = mq_test_file("");
    mca_mq_base_domain_t domain;
    mca_mq_envelope_t receive = {3, -1, -1};

    mca_mq_base_job = (mca_mq_base_job_t){0, 8};
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    mca_mq_base_profile_record();
    mca_mq_base_profile_tell(&teller);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
    for (int i = 0; i < 5; ++i) {
        arrive(&domain, 2, 1, lengths[i]);
    }
    arrive(&domain, 3, -77, 100);
    arrive(&domain, 7, 1, 7);
    for (int i = 0; i < 7; ++i) {
        mca_mq_envelope_t internal = {3, 3, -77};

        free(domain.module->mq_match_unexpected(domain.module,
                                                0 == i ? &internal : &receive));
    }
    mca_mq_base_profile_name(4, "another");
    mca_mq_base_profile_name(3, "50% \xc3\xa4");
    mca_mq_base_domain_fini(&domain);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_profile_write(path));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mca_mq_base_job.size = 0;
    assert_string_equal("rank 0\n"
                        "from 2 0 0 1 100\n"
                        "from 3 5 1065089 0 0\n"
                        "from other 1 7 0 0\n"
                        "domain 3 8 list\n"
                        "name 50%25%20\xc3\xa4\n"
                        "posted 0 0 6 0 0 0\n"
                        "unexpected 6 0 0 0 0 6\n"
                        "internal_posted 0 0 1 0 0 0\n"
                        "internal_unexpected 1 1 0 6 0 1\n"
                        "receives 0 0 0\n"
                        "internal_receives 0 0 0\n"
                        "probes 6 0 6 6 6\n"
                        "any 0 0 6\n"
                        "sizes 6 1065096 3 1 1 0 1\n"
                        "peer 2 0 5 0 5 0\n"
                        "peer 3 0 1 0 1 6\n"
                        "peer 7 0 1 0 1 0\n"
                        "end\n",
                        untimed(strstr(file_text(path), "rank 0\n")));
}

static void assert_course(mca_mq_base_profile_course_t *course, uint64_t now_ms,
                          const char *expected)
{
    const char *path = mq_test_file("");
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    mca_mq_base_profile_course_print(course, now_ms * 1000000, file);
    fclose(file);
    assert_string_equal(expected, file_text(path));
}

UNIT_TEST(lengths_are_kept_over_time)
{
    mca_mq_base_profile_course_t course;

    mca_mq_base_profile_course_begin(&course, 1000000000);
    mca_mq_base_profile_course_reach(&course, 1002500000);
    mca_mq_base_profile_course_grown(&course, MCA_MQ_POSTED);
    mca_mq_base_profile_course_grown(&course, MCA_MQ_POSTED);
    --course.length[MCA_MQ_POSTED];
    mca_mq_base_profile_course_grown(&course, MCA_MQ_UNEXPECTED);
    mca_mq_base_profile_course_arrived(&course, false, 10);
    mca_mq_base_profile_course_arrived(&course, true, 100);
    mca_mq_base_profile_course_arrived(&course, true, 200);
    /* What is in a queue is there in later slices, too. */
    mca_mq_base_profile_course_reach(&course, 1004999999);
    course.length[MCA_MQ_UNEXPECTED] = 0;
    mca_mq_base_profile_course_arrived(&course, false, 30);
    assert_course(&course, 1005,
                  "elapsed 5000\nslice 2000 3000 2 1 1 10 2 300\n"
                  "slice 3000 4000 1 1 0 0 0 0\n"
                  "slice 4000 5000 1 1 1 30 0 0\n"
                  "slice 5000 6000 1 0 0 0 0 0\n");
    /* Something arrives while the queues are empty. */
    course.length[MCA_MQ_POSTED] = 0;
    mca_mq_base_profile_course_reach(&course, 1010000000);
    mca_mq_base_profile_course_arrived(&course, false, 5);
    /* After 64 ms slices of 1 ms are too many, after 256 those of 4. */
    assert_course(&course, 1063,
                  "elapsed 63000\nslice 2000 3000 2 1 1 10 2 300\n"
                  "slice 3000 4000 1 1 0 0 0 0\n"
                  "slice 4000 5000 1 1 1 30 0 0\n"
                  "slice 5000 6000 1 0 0 0 0 0\n"
                  "slice 10000 11000 0 0 1 5 0 0\n");
    assert_course(&course, 1064,
                  "elapsed 64000\nslice 2000 4000 2 1 1 10 2 300\n"
                  "slice 4000 6000 1 1 1 30 0 0\n"
                  "slice 10000 12000 0 0 1 5 0 0\n");
    assert_course(&course, 1300,
                  "elapsed 300000\nslice 0 8000 2 1 2 40 2 300\n"
                  "slice 8000 16000 0 0 1 5 0 0\n");
    mca_mq_base_profile_course_reach(&course, UINT64_C(1000000000000000));
    assert_true(course.last >= 32 && course.last < 64);
    assert_int_equal(2, course.max[0][MCA_MQ_POSTED]);
}

UNIT_TEST(what_is_written_can_be_read)
{
    const char *path = mq_test_file("");

    mca_mq_base_job = (mca_mq_base_job_t){0, 1};
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    mca_mq_base_profile_record();
    some_traffic(0, 8);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_profile_write(path));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_kmeans_profile", path);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("kmeans,list"));
    assert_string_equal("kmeans", mq_test_served_by(8));
    assert_string_equal("list", mq_test_served_by(9));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_kmeans_profile", "");
    mca_mq_base_job.size = 0;
}

UNIT_TEST(a_tool_can_use_at_once_what_it_recorded)
{
    static const char *const names[] = {"kmeans", "partner_static"};
    mca_mq_domain_info_t info = {.size = 8, .context = 3};
    const char *why;

    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    for (int i = 0; i < 2; ++i) {
        assert_false(mca_mq_base_find(names[i])->mqm_query(&info, &why));
        assert_non_null(strstr(why, "_profile"));
    }
    mca_mq_base_profile_record();
    some_traffic(3, 8);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_profile_adopt());
    for (int i = 0; i < 2; ++i) {
        mca_mq_base_domain_t domain;

        info.size = 8;
        assert_true(mca_mq_base_find(names[i])->mqm_query(&info, &why));
        assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
        assert_null(domain.observed);
        assert_int_equal(OMPI_SUCCESS,
                         mca_mq_base_domain_migrate(
                             &domain, mca_mq_base_find(names[i]), &why));
        assert_string_equal(names[i], mca_mq_base_domain_name(&domain));
        mca_mq_base_domain_fini(&domain);
        info.size = 9;
        assert_false(mca_mq_base_find(names[i])->mqm_query(&info, &why));
    }
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
}

static void assert_unwritable(const char *path, const char *reason)
{
    const char *said;

    mca_mq_base_job = (mca_mq_base_job_t){0, 4};
    mq_test_parameter("mq_base_profile", path);
    assert_int_equal(OMPI_ERR_BAD_PARAM, mq_test_open_caught("list", &said));
    assert_non_null(strstr(said, "mq_base_profile"));
    assert_non_null(strstr(said, path));
    if (strstr(said, reason) == NULL) {
        fail_msg("\"%s\" is not in\n%s", reason, said);
    }
    mq_test_parameter("mq_base_profile", "");
    mca_mq_base_job.size = 0;
}

UNIT_TEST(a_path_is_tried_at_the_start)
{
    assert_unwritable("/nosuch/file", "No such file");
    assert_unwritable("/tmp", "directory");
    assert_unwritable("/dev/null", "not a regular file");
    assert_unwritable("nosuch/file", "No such file");
}

UNIT_TEST(nothing_half_written_stays)
{
    mca_mq_base_profile_file_t file;
    const char *path = mq_test_file("old");
    struct stat status;
    char *temporary;

    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    mca_mq_base_profile_file_begin(&file, path, 4);
    temporary = strdup(file.temporary);
    assert_int_equal(0, stat(temporary, &status));
    mca_mq_base_profile_file_add(&file, "rank 0\n", 7);
    assert_string_equal("old", file_text(path));
    mca_mq_base_profile_file_fail(&file, ENOSPC);
    assert_int_equal(OMPI_ERROR, mca_mq_base_profile_file_end(&file));
    assert_int_equal(-1, stat(temporary, &status));
    assert_string_equal("old", file_text(path));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    free(temporary);
}

UNIT_MAIN(mq_test_start, mq_test_stop)
