/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "pml_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t pml_random_state;

void pml_random_begin(void)
{
    const char *text = getenv("TEST_SEED");
    uint64_t seed = NULL == text ? 1 : strtoull(text, NULL, 0);
    struct timespec now;

    if (NULL != text && 0 == strcmp("random", text)) {
        clock_gettime(CLOCK_REALTIME, &now);
        seed = (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
    }
    printf("TEST_SEED=%llu\n", (unsigned long long) seed);
    fflush(stdout);
    pml_random_state = 0x9e3779b97f4a7c15u ^ seed * 2 ^ 1;
    for (int i = 0; i < 8; ++i) {
        (void) pml_random();
    }
}

uint64_t pml_random_ops(uint64_t standard)
{
    const char *text = getenv("PML_TEST_OPS");

    return NULL == text ? standard : strtoull(text, NULL, 0);
}
