/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/constants.h"
#include "mq_random.h"
#include "mq_test.h"

static void source_array_agrees_with_the_model(void **state)
{
    mq_random_config_t config = {
        .component = "source_array",
        .operations = mq_random_operations(1000000),
        .depth = 1000,
    };

    (void) state;
    assert_int_equal(OMPI_SUCCESS, mq_test_open("source_array"));
    mq_random_run(&config);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_array_agrees_with_the_model),
    };

    return cmocka_run_group_tests(tests, mq_test_start, mq_test_stop);
}
