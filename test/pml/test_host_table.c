/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The ranks of a host share the table if its file is their user's own.
 */
#include "ompi/mca/pml/champion/stats/host_table.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pml_test.h"

static char folder[] = "/tmp/test_host_table_XXXXXX";
static char path[256], precious[256];

/* This is rank 0 of 2 on the host. */
static int make_folder(void **state)
{
    if (NULL == mkdtemp(folder)) {
        return -1;
    }
    opal_process_info.job_session_dir = folder;
    opal_process_info.num_local_peers = 1;
    opal_process_info.my_local_rank = 0;
    snprintf(path, sizeof(path), "%s/champion-ended.%lx", folder,
             (unsigned long) OPAL_PROC_MY_NAME.jobid);
    snprintf(precious, sizeof(precious), "%s/precious", folder);
    return 0;
}

static int remove_folder(void **state)
{
    return rmdir(folder); /* fails if something was left */
}

static void make_file(const char *name)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

    assert_true(fd >= 0);
    close(fd);
}

static void assert_ranks(unsigned ranks)
{
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_host_table_open());
    assert_int_equal(ranks, mca_pml_champion_host_table_ranks());
    mca_pml_champion_host_table_close();
}

static void assert_empty(const char *name)
{
    struct stat status;

    assert_int_equal(0, stat(name, &status));
    assert_int_equal(0, status.st_size);
}

UNIT_TEST(ranks_share_the_file_of_a_job_before)
{
    assert_ranks(2);
    make_file(path);
    assert_ranks(2);
    assert_int_equal(-1, access(path, F_OK));
}

UNIT_TEST(a_link_to_another_file_is_not_used)
{
    make_file(precious);
    assert_int_equal(0, symlink(precious, path));
    assert_ranks(1);
    assert_empty(precious);
    unlink(path);
    assert_int_equal(0, link(precious, path));
    assert_ranks(1);
    assert_empty(precious);
    unlink(path);
    unlink(precious);
}

UNIT_TEST(nor_is_a_file_of_another_user)
{
    if (0 != geteuid()) {
        skip();
    }
    make_file(path);
    assert_int_equal(0, chown(path, 65534, 65534));
    assert_ranks(1);
    assert_empty(path);
    unlink(path);
}

UNIT_MAIN(make_folder, remove_folder)
