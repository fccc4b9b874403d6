/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers for a test. The seed is printed, and MQ_TEST_SEED sets it, so
 * that a run that has failed can be repeated.
 */

#ifndef CHAMPION_TEST_PML_CHANCE_H
#define CHAMPION_TEST_PML_CHANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t chance_state;

static inline void chance_open(void)
{
    const char *text = getenv("MQ_TEST_SEED");

    chance_state =
        NULL != text ? strtoull(text, NULL, 0) : (uint64_t) time(NULL);
    printf("MQ_TEST_SEED=%llu\n", (unsigned long long) chance_state);
    fflush(stdout);
}

/* A number from 0 on, below that one, which is 2^32 at most. */
static inline uint32_t chance_below(uint32_t limit)
{
    chance_state = chance_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t) ((chance_state >> 33) % limit);
}

/* True so often, of a hundred times. */
static inline bool chance_percent(uint32_t percent)
{
    return chance_below(100) < percent;
}

#endif /* CHAMPION_TEST_PML_CHANCE_H */
