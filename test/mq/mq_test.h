/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of the framework share: a framework opened as the PML opens
 * it, with the components found in the folders named by the parameter
 * mca_base_component_path (the Makefile sets it to the build tree's).
 */

#ifndef TEST_MQ_TEST_H
#define TEST_MQ_TEST_H

#include "ompi_config.h"

#include "test/lib/unit.h"
#include "ompi/constants.h"
#include "ompi/mca/mq/base/base.h"

/** Bytes of the path of a temporary file. */
#define MQ_TEST_PATH_MAX 256

/** What mkstemp and mkdtemp want, in the user's folder for temporary files. */
void mq_test_template(char path[MQ_TEST_PATH_MAX]);

/** Start and end the parts of Open MPI that the framework needs; cmocka's
 * group set-up and tear-down. */
int mq_test_start(void **state);
int mq_test_stop(void **state);

/** Set a parameter as a user would in the environment, or, if value is NULL,
 * as if he did not. */
void mq_test_parameter(const char *name, const char *value);

/** Open the framework with `--mca mq choice` (NULL: empty, which is as good as
 * without it). */
int mq_test_open(const char *choice);

/** The same with what it writes to stderr caught; static text. */
int mq_test_open_caught(const char *choice, const char **said);

/** Make a file with this text. Returns its path, in static memory for the next
 * few calls; the file is removed when the tests stop. */
const char *mq_test_file(const char *text);

/** Path of a profile for any job, rank and communicator, in which some of the
 * first sources have more entries than others. */
const char *mq_test_any_profile(void);

/** Name of the component that serves a domain of this many ranks. */
const char *mq_test_served_by(uint32_t size);

#endif /* TEST_MQ_TEST_H */
