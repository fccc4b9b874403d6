/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiles: what is written, what is read, and what is said of bad ones.
 */

#include "ompi_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/mq_base_profile.h"
#include "mq_test.h"

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
    {"mq-profile 2\njob 4\nend\n", 1, "version 2"},
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
    {HEAD "rank 1\ndomain 0 4\nposted 1 2 3\nend\n", 5, "instead of 4"},
    {HEAD "rank 1\ndomain 0 4\n\nend\n", 5, "\"\" is not a line"},
    {HEAD "# a comment\nrank 1\ndomain 0 4\nPeer 1 2\nend\n", 6,
     "\"Peer\" is not a line"},
    {NULL, 0, NULL},
};

static void a_bad_file_is_refused_with_line_and_reason(void **state)
{
    mca_mq_base_profile_t profile;
    mca_mq_base_profile_error_t error;

    (void) state;
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

static void a_rank_reads_its_part(void **state)
{
    static const char text[] =
        HEAD "rank 0\ndomain 0 4\nthis is for rank 0 to find\n"
             "# figures\nrank 1\n"
             "domain 0 4 list\nposted 1 2 3 4\nunexpected 1 2 3 4\nany 1 2 3\n"
             "peer 0 1 2 3 4 5\npeer 3 18446744073709551615 0 0 0 0\n"
             "domain 1 1 list\n"
             "rank 3\nthis is for rank 3 to find\nend\n";
    mca_mq_domain_info_t info = {.size = 4, .context = 0};
    const mca_mq_base_profile_domain_t *domain;
    mca_mq_base_profile_t profile;
    mca_mq_base_profile_error_t error;

    (void) state;
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

static uint32_t peers_for(const mca_mq_base_profile_t *profile,
                          uint32_t context, uint32_t size)
{
    mca_mq_domain_info_t info = {.size = size, .context = context};
    const mca_mq_base_profile_domain_t *domain =
        mca_mq_base_profile_find(profile, &info);

    return domain == NULL ? 99 : domain->num_peers;
}

static void stars_fit_anything_that_is_not_named(void **state)
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

    (void) state;
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

static void what_is_wrong_with_a_profile_is_shown(void **state)
{
    const char *path = mq_test_file(HEAD "rank 0\nnonsense\nend\n");

    (void) state;
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

static void without_a_profile_others_serve(void **state)
{
    (void) state;
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
    (void) arg;
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

static void what_is_written_is_what_happened(void **state)
{
    const char *path = mq_test_file(""), *text;

    (void) state;
    mca_mq_base_job = (mca_mq_base_job_t){0, 0};
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    mca_mq_base_profile_record();
    some_traffic(3, 8);
    some_traffic(4, 9);
    some_traffic(3, 8);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_profile_write(path));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    text = strstr(file_text(path), "rank 0\n");
    assert_string_equal("rank 0\n"
                        "domain 3 8 list\n"
                        "posted 22 26 116 11\n"
                        "unexpected 4 26 4 2\n"
                        "any 2 1 4\n"
                        "peer 2 20 0 10 0 110\n"
                        "peer 5 0 4 0 2 4\n"
                        "peer 7 0 0 0 0 2\n"
                        "domain 4 9 list\n"
                        "posted 11 13 58 11\n"
                        "unexpected 2 13 2 2\n"
                        "any 1 1 2\n"
                        "peer 2 10 0 10 0 55\n"
                        "peer 5 0 2 0 2 2\n"
                        "peer 7 0 0 0 0 1\n"
                        "end\n",
                        text);
}

static void what_is_written_can_be_read(void **state)
{
    const char *path = mq_test_file("");

    (void) state;
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

static void a_tool_can_use_at_once_what_it_recorded(void **state)
{
    static const char *const names[] = {"kmeans", "partner_static"};
    mca_mq_domain_info_t info = {.size = 8, .context = 3};
    const char *why;
    int priority;

    (void) state;
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    for (int i = 0; i < 2; ++i) {
        assert_false(
            mca_mq_base_find(names[i])->mqm_query(&info, &priority, &why));
        assert_non_null(strstr(why, "_profile"));
    }
    mca_mq_base_profile_record();
    some_traffic(3, 8);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_profile_adopt());
    for (int i = 0; i < 2; ++i) {
        mca_mq_base_domain_t domain;

        info.size = 8;
        assert_true(
            mca_mq_base_find(names[i])->mqm_query(&info, &priority, &why));
        assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
        assert_null(domain.observed);
        assert_int_equal(OMPI_SUCCESS,
                         mca_mq_base_domain_migrate(
                             &domain, mca_mq_base_find(names[i]), &why));
        assert_string_equal(names[i], mca_mq_base_domain_name(&domain));
        mca_mq_base_domain_fini(&domain);
        info.size = 9;
        assert_false(
            mca_mq_base_find(names[i])->mqm_query(&info, &priority, &why));
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

static void a_path_is_tried_at_the_start(void **state)
{
    (void) state;
    assert_unwritable("/nosuch/file", "No such file");
    assert_unwritable("/tmp", "directory");
    assert_unwritable("/dev/null", "not a regular file");
    assert_unwritable("nosuch/file", "No such file");
}

static void nothing_half_written_stays(void **state)
{
    mca_mq_base_profile_file_t file;
    const char *path = mq_test_file("old");
    struct stat status;
    char *temporary;

    (void) state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_file_is_refused_with_line_and_reason),
        cmocka_unit_test(a_rank_reads_its_part),
        cmocka_unit_test(stars_fit_anything_that_is_not_named),
        cmocka_unit_test(what_is_wrong_with_a_profile_is_shown),
        cmocka_unit_test(without_a_profile_others_serve),
        cmocka_unit_test(what_is_written_is_what_happened),
        cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(a_tool_can_use_at_once_what_it_recorded),
        cmocka_unit_test(a_path_is_tried_at_the_start),
        cmocka_unit_test(nothing_half_written_stays),
    };

    return cmocka_run_group_tests(tests, mq_test_start, mq_test_stop);
}
