/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which component serves, and what is said to a wrong `--mca mq`.
 */

#include "mq_test.h"

#include <stdio.h>

#include "opal/util/output.h"
#include "ompi/communicator/communicator.h"
#include "ompi/mca/mq/base/param/ompi_build.h"
#include "ompi/op/op.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"

/* The fakes are complained about at each opening. */
static void open_quietly(const char *choice)
{
    const char *said;

    assert_int_equal(OMPI_SUCCESS, mq_test_open_caught(choice, &said));
}

static void assert_serves(const char *choice, uint32_t size, const char *name)
{
    open_quietly(choice);
    assert_string_equal(name, mq_test_served_by(size));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
}

static bool is_open(const char *name)
{
    mca_base_component_list_item_t *item;

    OPAL_LIST_FOREACH(item, &ompi_mq_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        if (strcmp(name, item->cli_component->mca_component_name) == 0) {
            return true;
        }
    }
    return false;
}

/* The open fails and says all of these. */
static void assert_refused(const char *choice, const char *const words[])
{
    const char *said;

    assert_int_equal(OMPI_ERR_BAD_PARAM, mq_test_open_caught(choice, &said));
    for (int i = 0; words[i] != NULL; ++i) {
        if (strstr(said, words[i]) == NULL) {
            fail_msg("mq=%s: no \"%s\" in:\n%s", choice, words[i], said);
        }
    }
}

/* The first test: later the MCA remembers a choice. */
UNIT_TEST(without_a_choice_the_highest_priority_serves)
{
    mq_test_parameter("mq", NULL);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_open_framework());
    assert_string_equal("indexed", mq_test_served_by(1000));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    assert_serves("", 1000, "indexed");
}

UNIT_TEST(the_first_that_is_named_serves)
{
    assert_serves("list", 1000, "list");
    assert_serves("source_array", 1000, "source_array");
    assert_serves("list,source_array", 1000, "list");
    assert_serves("source_array,list", 1000, "source_array");
}

UNIT_TEST(those_not_named_stay_open)
{
    open_quietly("list");
    assert_true(is_open("list"));
    assert_true(is_open("source_array"));
    assert_true(is_open("partner_dynamic"));
    assert_string_equal("list", ompi_mq_base_framework.framework_selection);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
}

/* `--mca mq ^...` with all that are open, or all but one. */
static const char *none_but(const char *left)
{
    static char choice[1024];
    mca_base_component_list_item_t *item;
    size_t used = 0;

    open_quietly("list");
    OPAL_LIST_FOREACH(item, &ompi_mq_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        const char *name = item->cli_component->mca_component_name;

        if (left != NULL && strcmp(left, name) == 0) {
            continue;
        }
        used += (size_t) snprintf(choice + used, sizeof(choice) - used, "%s%s",
                                  used == 0 ? "^" : ",", name);
        assert_true(used < sizeof(choice));
    }
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    return choice;
}

UNIT_TEST(excluded_components_do_not_serve)
{
    assert_serves("^partner_dynamic", 1000, "indexed");
    assert_serves("^indexed", 1000, "partner_dynamic");
    open_quietly("^source_array");
    assert_false(is_open("source_array"));
    assert_string_equal("^source_array",
                        ompi_mq_base_framework.framework_selection);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
}

UNIT_TEST(list_is_the_last_resort_even_if_excluded)
{
    assert_serves("^list", 1000, "indexed");
    /* fake_idle serves nothing. */
    assert_serves(none_but("fake_idle"), 1000, "list");
}

UNIT_TEST(to_exclude_all_is_refused)
{
    static const char *const words[] = {"All", "excluded", "^", NULL};

    assert_refused(none_but(NULL), words);
}

UNIT_TEST(one_that_declines_is_passed_over)
{
    assert_serves("fake_idle,source_array,list", 1000, "source_array");
    assert_serves("fake_idle", 1000, "indexed");
}

UNIT_TEST(one_that_cannot_be_created_is_passed_over)
{
    assert_serves("fake_idle,list", 10, "list");
    assert_serves(NULL, 10, "indexed");
}

UNIT_TEST(unknown_names_are_refused_with_a_list)
{
    static const char *const words[] = {
        "nosuch", "Available", "list", "source_array", "partner_dynamic", NULL};

    assert_refused("nosuch", words);
    assert_refused("list,nosuch", words);
    assert_refused("^nosuch", words);
}

UNIT_TEST(a_misplaced_caret_is_refused)
{
    static const char *const words[] = {"\"^\"", "first", "Available", NULL};

    assert_refused("list,^source_array", words);
    assert_refused("^list,^source_array", words);
}

UNIT_TEST(another_abi_is_dropped_with_a_message)
{
    static const char *const words[] = {"mca_mq_fake_abi", "ABI",
                                        "installed but", NULL};
    const char *said;

    assert_int_equal(OMPI_SUCCESS, mq_test_open_caught("list", &said));
    assert_non_null(strstr(said, "mca_mq_fake_abi"));
    assert_non_null(strstr(said, "77"));
    assert_false(is_open("fake_abi"));
    assert_true(is_open("source_array"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    assert_refused("fake_abi", words);
}

UNIT_TEST(another_series_is_dropped_with_a_message)
{
    static const char *const words[] = {"mca_mq_fake_series", "Open MPI 3.",
                                        "installed but", NULL};
    const char *said;

    assert_int_equal(OMPI_SUCCESS, mq_test_open_caught("list", &said));
    assert_non_null(strstr(said, "mca_mq_fake_series"));
    assert_false(is_open("fake_series"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    assert_refused("fake_series", words);
}

UNIT_TEST(a_refused_choice_can_be_corrected)
{
    const char *said;

    assert_int_equal(OMPI_ERR_BAD_PARAM, mq_test_open_caught("nosuch", &said));
    assert_serves("source_array", 10, "source_array");
}

UNIT_TEST(users_of_the_framework_are_counted)
{
    open_quietly("list");
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_open_framework());
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    assert_string_equal("list", mq_test_served_by(5));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    assert_int_equal(0, ompi_mq_base_framework.framework_refcnt);
}

/* The fakes are searched for too. */
static int start(void **state)
{
    const char *real = getenv("OMPI_MCA_mca_base_component_path");
    const char *fakes = getenv("MQ_TEST_FAKES");
    char path[8192];

    if (real == NULL || fakes == NULL) {
        fprintf(stderr, "set OMPI_MCA_mca_base_component_path and "
                        "MQ_TEST_FAKES, as the Makefile does\n");
        return -1;
    }
    snprintf(path, sizeof(path), "%s:%s", real, fakes);
    mq_test_parameter("mca_base_component_path", path);
    return mq_test_start(state);
}

/* As if one type had another size in the running Open MPI. */
UNIT_TEST(another_build_of_open_mpi_is_noticed)
{
    static opal_class_t *const types[] = {
        OBJ_CLASS(opal_object_t),       OBJ_CLASS(opal_convertor_t),
        OBJ_CLASS(ompi_communicator_t), OBJ_CLASS(ompi_datatype_t),
        OBJ_CLASS(ompi_group_t),        OBJ_CLASS(ompi_op_t),
        OBJ_CLASS(ompi_proc_t),         OBJ_CLASS(ompi_request_t)};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
        assert_true(mca_mq_base_fits_ompi(true));
        types[i]->cls_sizeof += 8;
        assert_false(mca_mq_base_fits_ompi(true));
        types[i]->cls_sizeof -= 8;
    }
    assert_true(mca_mq_base_fits_ompi(true));
}

UNIT_MAIN(start, mq_test_stop)
