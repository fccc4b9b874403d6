/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_random.h"

UNIT_TEST(list_agrees_with_the_model)
{
    mq_random_config_t config = {
        .component = "list",
        .operations = mq_random_operations(1000000),
        .depth = 1000,
        .traverses_like_list = true,
    };

    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    mq_random_run(&config);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
}

UNIT_MAIN(mq_test_start, mq_test_stop)
