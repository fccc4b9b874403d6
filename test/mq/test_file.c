/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files are written under a temporary name, which other users can guess.
 */

#include "mq_test.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ompi/mca/mq/base/record/file.h"

/* A folder of the test's own; a file in it, the temporary name of that, and
 * something that must stay as it is. */
static char folder[MQ_TEST_PATH_MAX];
static char path[MQ_TEST_PATH_MAX + 16], precious[MQ_TEST_PATH_MAX + 16];
static char temporary[MQ_TEST_PATH_MAX + 48];

static void assert_text(const char *expected, const char *file)
{
    char text[64] = "";
    FILE *stream = fopen(file, "r");

    assert_non_null(stream);
    (void) fread(text, 1, sizeof(text) - 1, stream);
    fclose(stream);
    assert_string_equal(expected, text);
}

static int make_folder(void **unused)
{
    FILE *stream;

    mq_test_template(folder);
    if (NULL == mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/file", folder);
    snprintf(precious, sizeof(precious), "%s/precious", folder);
    snprintf(temporary, sizeof(temporary), "%s.%ld.tmp", path, (long) getpid());
    stream = fopen(precious, "w");
    return NULL != stream && 0 < fputs("precious", stream) &&
                   0 == fclose(stream)
               ? 0
               : -1;
}

static int remove_folder(void **unused)
{
    unlink(path);
    unlink(precious);
    return rmdir(folder); /* fails if something was left */
}

UNIT_TEST(a_link_in_its_place_is_not_followed)
{
    mca_mq_base_file_t file;

    assert_int_equal(0, symlink(precious, temporary));
    assert_int_equal(0, mca_mq_base_file_try(path));
    assert_text("precious", precious);
    assert_int_equal(0, symlink(precious, temporary));
    mca_mq_base_file_begin(&file, path);
    assert_non_null(file.stream);
    fputs("new", file.stream);
    assert_int_equal(0, mca_mq_base_file_end(&file));
    assert_text("precious", precious);
    assert_text("new", path);
}

UNIT_TEST(nor_is_a_second_name_of_a_file_written_to)
{
    mca_mq_base_file_t file;

    assert_int_equal(0, link(precious, temporary));
    mca_mq_base_file_begin(&file, path);
    assert_int_equal(0, mca_mq_base_file_end(&file));
    assert_text("precious", precious);
}

UNIT_TEST(what_cannot_be_removed_is_an_error)
{
    mca_mq_base_file_t file;

    assert_int_equal(0, mkdir(temporary, 0700));
    assert_int_equal(EEXIST, mca_mq_base_file_try(path));
    mca_mq_base_file_begin(&file, path);
    assert_null(file.stream);
    assert_int_equal(EEXIST, mca_mq_base_file_end(&file));
    assert_non_null(strstr(mca_mq_base_file_reason(EEXIST), ".PID.tmp"));
    assert_int_equal(0, rmdir(temporary));
}

UNIT_TEST(others_may_read_what_the_user_allows)
{
    const mode_t before = umask(027);
    struct stat status;
    mca_mq_base_file_t file;

    unlink(path);
    mca_mq_base_file_begin(&file, path);
    assert_int_equal(0, mca_mq_base_file_end(&file));
    assert_int_equal(0, stat(path, &status));
    assert_int_equal(0640, status.st_mode & 0777);
    umask(before);
}

UNIT_MAIN(make_folder, remove_folder)
