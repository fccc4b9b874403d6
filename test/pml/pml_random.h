/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers of a test, and how long it runs:
 *
 *     TEST_SEED      the seed: contrib/check has one for each commit; default 1.
 *                    "random": taken from the clock
 *     PML_TEST_OPS   how many operations there are, in place of the test's own
 *                    number
 *
 * The seed is printed.
 */

#ifndef TEST_PML_RANDOM_H
#define TEST_PML_RANDOM_H

#include <stdint.h>

extern uint64_t pml_random_state;

/* Any number of 64 bits (xorshift). */
static inline uint64_t pml_random(void)
{
    pml_random_state ^= pml_random_state << 13;
    pml_random_state ^= pml_random_state >> 7;
    pml_random_state ^= pml_random_state << 17;
    return pml_random_state;
}

/* 0 to limit - 1. */
static inline uint32_t pml_random_below(uint32_t limit)
{
    return (uint32_t) ((pml_random() >> 32) % limit);
}

/* True once in so many times. */
static inline int pml_random_once_in(uint32_t times)
{
    return 0 == pml_random_below(times);
}

/* True so often, of a hundred times. */
static inline int pml_random_percent(uint32_t percent)
{
    return pml_random_below(100) < percent;
}

/* A number of 31 bits from a state of the caller's own, for threads. */
static inline uint32_t pml_random_from(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t) (*seed >> 33);
}

/* Print the seed, and begin. */
void pml_random_begin(void);

uint64_t pml_random_ops(uint64_t standard);

#endif /* TEST_PML_RANDOM_H */
