/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_random.h"

UNIT_TEST(source_array_agrees_with_the_model)
{
    mq_random_component("source_array", mq_random_operations(1000000), 0, NULL,
                        NULL);
}

UNIT_MAIN(mq_test_start, mq_test_stop)
