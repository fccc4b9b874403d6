/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parameters of the base itself, mq_base_*.
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>

#include "opal/util/argv.h"

#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/base/param/own.h"
#include "ompi/mca/mq/mq.h"

/* Values of the parameter mq_base_scope. */
enum { MCA_MQ_BASE_SCOPE_COMMUNICATOR = 1, MCA_MQ_BASE_SCOPE_PROCESS };

/* The part of a component that the MCA needs to name a parameter. */
static const mca_base_component_t own = {
    .mca_project_name = "ompi",
    .mca_type_name = "mq",
    .mca_component_name = "base",
};

mca_mq_base_job_t mca_mq_base_job;
uint32_t mca_mq_base_assertions;
char *mca_mq_base_profile_path;
char *mca_mq_base_trace_path;
char *mca_mq_base_trace_ranks;
size_t mca_mq_base_trace_limit;

/* Bounds of mq_base_trace_limit, bytes. */
#define TRACE_LIMIT_MIN ((size_t) 1 << 10)
#define TRACE_LIMIT_MAX ((size_t) 1 << 40)

static int scope;
static char *assert_text;

static const mca_base_var_enum_value_t scopes[] = {
    {MCA_MQ_BASE_SCOPE_COMMUNICATOR, "communicator"},
    {MCA_MQ_BASE_SCOPE_PROCESS, "process"},
    {0, NULL},
};

static const mca_base_var_enum_value_t assertions[] = {
    {MCA_MQ_ASSERT_NO_ANY_SOURCE, "no_any_source"},
    {MCA_MQ_ASSERT_NO_ANY_TAG, "no_any_tag"},
    {MCA_MQ_ASSERT_EXACT_LENGTH, "exact_length"},
    {MCA_MQ_ASSERT_ALLOW_OVERTAKING, "allow_overtaking"},
    {0, NULL},
};

#define ASSERTIONS_ALLOWED                                                     \
    "a list, separated by commas, of no_any_source, no_any_tag, "              \
    "exact_length, allow_overtaking"

bool mca_mq_base_is_process_scope(void)
{
    return MCA_MQ_BASE_SCOPE_PROCESS == scope;
}

static uint32_t assertion(const char *word)
{
    for (int i = 0; NULL != assertions[i].string; ++i) {
        if (0 == strcmp(assertions[i].string, word)) {
            return (uint32_t) assertions[i].value;
        }
    }
    return 0;
}

static void parse_assertions(void)
{
    char **words =
        NULL == assert_text ? NULL : opal_argv_split(assert_text, ',');

    mca_mq_base_assertions = 0;
    for (char **word = words; NULL != word && NULL != *word; ++word) {
        if (0 == assertion(*word)) {
            mca_mq_base_param_complain("mq_base_assert", assert_text,
                                       ASSERTIONS_ALLOWED);
            break;
        }
        mca_mq_base_assertions |= assertion(*word);
    }
    opal_argv_free(words);
}

/* Replace the description of a parameter that the MCA registers for every
 * framework: its general text does not fit, and registering again keeps it. */
static void describe(const char *component, const char *name, const char *text)
{
    const mca_base_var_t *var;
    int index = mca_base_var_find(own.mca_project_name, own.mca_type_name,
                                  component, name);
    char *copy;

    if (0 > index || OPAL_SUCCESS != mca_base_var_get(index, &var)) {
        return;
    }
    copy = strdup(text);
    if (NULL != copy) {
        free(var->mbv_description);
        ((mca_base_var_t *) var)->mbv_description = copy;
    }
}

/* The MCA checks words, but silently clamps numbers to the range. mpirun passes
 * its arguments in the environment. */
static void check_verbose(void)
{
    const char *text = getenv("OMPI_MCA_mq_base_verbose");
    char *end;
    long verbose = NULL == text ? 0 : strtol(text, &end, 10);

    if (NULL != text && '\0' == *end && (verbose < -1 || verbose > 100)) {
        mca_mq_base_param_complain("mq_base_verbose", text, "-1 to 100");
    }
}

void mca_mq_base_register_own(void)
{
    scope = MCA_MQ_BASE_SCOPE_COMMUNICATOR;
    assert_text = NULL;
    mca_mq_base_profile_path = NULL;
    mca_mq_base_trace_path = NULL;
    check_verbose();
    describe(NULL, NULL,
             "Matching components in order of preference, separated by commas: "
             "the first that can serve a communicator does; if none can, the "
             "available one with the highest priority. A list that begins with "
             "^ names components to exclude. Empty: choose by priority");
    describe("base", "verbose",
             "Verbosity of the framework on standard error. From 10: which "
             "component serves each communicator, and why others decline");
    mca_mq_base_param_enum(
        &own, "scope",
        "Scope of a pair of queues: one pair per communicator, or one for all "
        "communicators of the process. With process, communicators cannot have "
        "a component or promises of their own",
        OPAL_INFO_LVL_5, scopes, &scope);
    mca_mq_base_param_string(&own, "assert",
                             "Promises of the program for all its "
                             "communicators: " ASSERTIONS_ALLOWED,
                             OPAL_INFO_LVL_4, &assert_text);
    parse_assertions();
    mca_mq_base_param_string(
        &own, "profile",
        "File to which rank 0 writes a profile of the queues at MPI_Finalize, "
        "for components that use it in a later run; see mq_profile(5). Empty: "
        "no profile is written",
        OPAL_INFO_LVL_4, &mca_mq_base_profile_path);
    mca_mq_base_param_string(
        &own, "trace",
        "Base name of the trace files, in which every process records each "
        "matching operation; see mq_trace(5). A dot and the rank are appended. "
        "Empty: no trace is written",
        OPAL_INFO_LVL_5, &mca_mq_base_trace_path);
    mca_mq_base_trace_ranks = NULL;
    mca_mq_base_param_string(
        &own, "trace_ranks",
        "Ranks of MPI_COMM_WORLD that write a trace, such as 0,3,8-15. Empty: "
        "all",
        OPAL_INFO_LVL_5, &mca_mq_base_trace_ranks);
    mca_mq_base_trace_limit = TRACE_LIMIT_MAX;
    mca_mq_base_param_size(
        &own, "trace_limit",
        "Size at which the trace of a process ends; later operations are not "
        "recorded",
        OPAL_INFO_LVL_5, TRACE_LIMIT_MIN, TRACE_LIMIT_MAX, false,
        &mca_mq_base_trace_limit);
}
