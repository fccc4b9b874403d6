/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is read from good parameters, and what is said to bad ones.
 */

#include "mq_test.h"

#include <stdio.h>

#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/base/param/unknown.h"

static const char *const names[] = {"threshold", "metric", "idle_peers",
                                    "alpha",     "cap",    NULL};

static void set(const char *name, const char *value)
{
    char full_name[64];

    snprintf(full_name, sizeof(full_name), "mq_partner_dynamic_%s", name);
    mq_test_parameter(full_name, value);
}

static void unset_all(void)
{
    for (int i = 0; names[i] != NULL; ++i) {
        set(names[i], NULL);
    }
}

/* Not an mca_base_var_storage_t: that would claim more alignment. */
static const void *storage(const char *name)
{
    const mca_base_var_storage_t *value = NULL;
    int index = mca_base_var_find("ompi", "mq", "partner_dynamic", name);

    assert_true(index >= 0);
    assert_int_equal(OPAL_SUCCESS,
                     mca_base_var_get_value(index, &value, NULL, NULL));
    return value;
}

static int number(const char *name)
{
    return *(const int *) storage(name);
}

static const char *text(const char *name)
{
    return *(const char *const *) storage(name);
}

static void assert_bad(const char *name, const char *value, const char *allowed)
{
    char full_name[64];
    const char *said;

    unset_all();
    set(name, value);
    snprintf(full_name, sizeof(full_name), "mq_partner_dynamic_%s", name);
    if (OMPI_ERR_BAD_PARAM != mq_test_open_caught(NULL, &said)) {
        fail_msg("%s=%s was not refused", full_name, value);
    }
    if (strstr(said, full_name) == NULL || strstr(said, value) == NULL ||
        strstr(said, allowed) == NULL) {
        fail_msg("%s=%s: the text is\n%s", full_name, value, said);
    }
    unset_all();
}

UNIT_TEST(good_values_are_read)
{
    unset_all();
    set("threshold", "0x10");
    set("metric", "median");
    set("alpha", "-1.5");
    assert_int_equal(OMPI_SUCCESS, mq_test_open(NULL));
    assert_int_equal(16, number("threshold"));
    assert_int_equal(2, number("metric"));
    assert_string_equal("-1.5", text("alpha"));
    assert_string_equal("0", text("cap"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
}

UNIT_TEST(defaults_are_back_at_the_next_opening)
{
    unset_all();
    assert_int_equal(OMPI_SUCCESS, mq_test_open(NULL));
    assert_int_equal(100, number("threshold"));
    assert_int_equal(1, number("metric"));
    assert_string_equal("0", text("alpha"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
}

UNIT_TEST(what_is_no_number_is_refused)
{
    static const char *const bad[] = {"abc", "5x",  "1e3", " 5", "0x",
                                      "1.5", "+ 5", "-5",  "0",  "",
                                      "--5", "2 k", "5,5", NULL};

    for (int i = 0; bad[i] != NULL; ++i) {
        assert_bad("threshold", bad[i], "1 to 2147483647");
    }
}

UNIT_TEST(what_is_out_of_range_is_refused)
{
    assert_bad("threshold", "2147483648", "1 to 2147483647");
    assert_bad("threshold", "99999999999999999999999", "1 to 2147483647");
    assert_bad("alpha", "1000.1", "-1000 to 1000");
    assert_bad("cap", "-0.1", "0 to 1000000");
}

UNIT_TEST(what_is_no_real_number_is_refused)
{
    static const char *const bad[] = {"abc",  "1.5x", "nan", "inf",
                                      "-inf", "",     " 1",  NULL};

    for (int i = 0; bad[i] != NULL; ++i) {
        assert_bad("alpha", bad[i], "a number, -1000 to 1000");
    }
}

UNIT_TEST(other_words_are_refused)
{
    static const char *const bad[] = {"mean", "Average", "averag",
                                      "1",    "",        NULL};

    for (int i = 0; bad[i] != NULL; ++i) {
        assert_bad("metric", bad[i], "average, median, upper_fence");
    }
    assert_bad("idle_peers", "yes", "count, ignore");
}

UNIT_TEST(all_bad_parameters_are_named_at_once)
{
    const char *said;

    unset_all();
    set("threshold", "many");
    set("metric", "mode");
    assert_int_equal(OMPI_ERR_BAD_PARAM, mq_test_open_caught("list", &said));
    assert_non_null(strstr(said, "many"));
    assert_non_null(strstr(said, "mode"));
    unset_all();
}

/* ompi_info only registers: it lists the component. */
UNIT_TEST(registration_alone_goes_on)
{
    unset_all();
    set("threshold", "13");
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_register_framework());
    assert_int_equal(13, number("threshold"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    unset_all();
}

static size_t size;

/* What is read of a size from 1000 to 3 GiB. */
static int read_size(const char *value, bool automatic)
{
    static const mca_base_component_t component = {
        .mca_type_name = "test",
        .mca_component_name = "sizes",
    };
    int ret;

    mq_test_parameter("test_sizes_bytes", value);
    size = 16 << 20;
    ret = mca_mq_base_param_size(&component, "bytes", "A size", OPAL_INFO_LVL_9,
                                 1000, (size_t) 3 << 30, automatic, &size);
    mq_test_parameter("test_sizes_bytes", NULL);
    return ret;
}

UNIT_TEST(sizes_may_have_units)
{
    static const struct {
        const char *text;
        size_t value;
    } good[] = {
        {"1000", 1000},
        {"0x1000", 4096},
        {"64K", 65536},
        {"64k", 65536},
        {"64KB", 65536},
        {"64KiB", 65536},
        {"5000B", 5000},
        {"64M", 64 << 20},
        {"1g", 1 << 30},
        /* Above INT_MAX, and the upper limit itself. */
        {"2147483648", (size_t) 1 << 31},
        {"3G", (size_t) 3 << 30},
        {"3221225472", (size_t) 3 << 30},
    };

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); ++i) {
        assert_int_equal(OMPI_SUCCESS, read_size(good[i].text, false));
        assert_int_equal(good[i].value, size);
    }
    assert_int_equal(OMPI_SUCCESS, read_size(NULL, false));
    assert_int_equal(16 << 20, size);
    assert_int_equal(OMPI_SUCCESS, read_size("auto", true));
    assert_true(MCA_MQ_BASE_SIZE_AUTO == size);
}

UNIT_TEST(what_is_no_size_is_refused)
{
    static const char *const bad[] = {"",           "K",
                                      "64X",        "64 K",
                                      " 64K",       "64KK",
                                      "64iB",       "64Ki",
                                      "-1",         "1e6",
                                      "1.5M",       "auto",
                                      "999",        "4G",
                                      "3G1",        "0",
                                      "3221225473", "18446744073709551616",
                                      "16777216T",  "17179869184G",
                                      NULL};

    for (int i = 0; bad[i] != NULL; ++i) {
        if (OMPI_ERR_BAD_PARAM != read_size(bad[i], false)) {
            fail_msg("'%s' was not refused", bad[i]);
        }
        assert_int_equal(16 << 20, size);
    }
}

/* Naively, by all ways to change the first letters. */
static size_t apart(const char *one, const char *other)
{
    size_t least, other_way;

    if (0 == *one || 0 == *other) {
        return strlen(one) + strlen(other);
    }
    least = apart(one + 1, other + 1) + (*one != *other);
    other_way = apart(one + 1, other) + 1;
    least = other_way < least ? other_way : least;
    other_way = apart(one, other + 1) + 1;
    return other_way < least ? other_way : least;
}

UNIT_TEST(names_are_so_many_letters_apart)
{
    const char *text = getenv("TEST_SEED");
    unsigned seed = NULL == text ? 1 : (unsigned) strtoul(text, NULL, 10);

    printf("TEST_SEED=%u\n", seed);
    assert_int_equal(1, mca_mq_base_letters_apart("stat", "stats", 4));
    assert_int_equal(4, mca_mq_base_letters_apart("stats", "threshold", 4));
    for (int i = 0; i < 3000; ++i) {
        char words[2][8];

        for (int k = 0; k < 2; ++k) {
            const unsigned length = (unsigned) rand_r(&seed) % 7;

            for (unsigned at = 0; at < length; ++at) {
                words[k][at] = (char) ('a' + rand_r(&seed) % 3);
            }
            words[k][length] = 0;
        }
        assert_int_equal(apart(words[0], words[1]),
                         mca_mq_base_letters_apart(words[0], words[1], 8));
    }
}

UNIT_MAIN(mq_test_start, mq_test_stop)
