/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>

#include "mq_failing.h"

unsigned mq_test_allocations_left;

/* realloc is the real one. */
void *mq_test_malloc(size_t size)
{
    if (mq_test_allocations_left == 0) {
        return NULL;
    }
    --mq_test_allocations_left;
    return realloc(NULL, size);
}

void *mq_test_calloc(size_t count, size_t size)
{
    void *memory = mq_test_malloc(count * size);

    return memory == NULL ? NULL : memset(memory, 0, count * size);
}
