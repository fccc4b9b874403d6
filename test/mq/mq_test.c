/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_test.h"

#include <stdio.h>
#include <unistd.h>

#include "opal/runtime/opal.h"
#include "opal/util/show_help.h"

#if defined(__SANITIZE_ADDRESS__)
/* Open MPI keeps some of its own until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libopen-pal\nleak:libpmix\nleak:libdl\nleak:_dl_\n";
}
#endif

#define FILES_MAX 8
static char files[FILES_MAX][MQ_TEST_PATH_MAX];
static unsigned num_files;

void mq_test_template(char path[MQ_TEST_PATH_MAX])
{
    const char *folder = getenv("TMPDIR");

    assert_true(snprintf(path, MQ_TEST_PATH_MAX, "%s/mq_test_XXXXXX",
                         folder == NULL ? P_tmpdir : folder) <
                MQ_TEST_PATH_MAX);
}

int mq_test_start(void **state)
{
    const char *help = getenv("MQ_TEST_HELPDIR");

    if (OPAL_SUCCESS != opal_init_util(NULL, NULL)) {
        return -1;
    }
    /* The framework's help texts need not be installed. */
    if (help != NULL) {
        opal_show_help_add_dir(help);
    }
    return 0;
}

int mq_test_stop(void **state)
{
    for (unsigned i = 0; i < num_files && i < FILES_MAX; ++i) {
        unlink(files[i]);
    }
    return OPAL_SUCCESS == opal_finalize_util() ? 0 : -1;
}

void mq_test_parameter(const char *name, const char *value)
{
    char variable[128];

    snprintf(variable, sizeof(variable), "OMPI_MCA_%s", name);
    if (value == NULL) {
        unsetenv(variable);
    } else {
        setenv(variable, value, 1);
    }
}

int mq_test_open(const char *choice)
{
    /* The MCA keeps the value of an earlier opening when it finds none. */
    mq_test_parameter("mq", choice == NULL ? "" : choice);
    return mca_mq_base_open_framework();
}

int mq_test_open_caught(const char *choice, const char **said)
{
    static char text[8192];
    FILE *file = tmpfile();
    int real = dup(STDERR_FILENO), ret;
    size_t length;

    assert_non_null(file);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    ret = mq_test_open(choice);
    fflush(stderr);
    dup2(real, STDERR_FILENO);
    close(real);
    rewind(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    fclose(file);
    *said = text;
    return ret;
}

const char *mq_test_file(const char *text)
{
    char *path = files[num_files % FILES_MAX];
    FILE *file;

    if (num_files++ >= FILES_MAX) {
        unlink(path);
    }
    mq_test_template(path);
    file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(0, fclose(file));
    return path;
}

const char *mq_test_any_profile(void)
{
    static char text[8192];
    size_t length = 0;

    length += (size_t) snprintf(text, sizeof(text),
                                "mq-profile 1\njob *\nrank *\ndomain * *\n");
    for (int source = 0; source < 60; ++source) {
        length += (size_t) snprintf(text + length, sizeof(text) - length,
                                    "peer %d %d %d 1 1 1\n", source,
                                    source * 37 % 11 * 10, source * source % 7);
    }
    snprintf(text + length, sizeof(text) - length,
             "peer 150 1000 2000 1 1 1\npeer 70000 0 5000 1 1 1\nend\n");
    return mq_test_file(text);
}

const char *mq_test_served_by(uint32_t size)
{
    mca_mq_domain_info_t info = {.size = size, .context = 0, .stats = NULL};
    mca_mq_base_domain_t domain;
    const char *name;

    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
    name = mca_mq_base_domain_name(&domain);
    mca_mq_base_domain_fini(&domain);
    return name;
}
