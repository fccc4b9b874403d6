/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The time, for measurements off the fast path.
 */

#ifndef MCA_PML_CHAMPION_CORE_CLOCK_H
#define MCA_PML_CHAMPION_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Nanoseconds since a fixed time in the past, the same for all processes of a
 * node. */
static inline uint64_t mca_pml_champion_now(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

#endif /* MCA_PML_CHAMPION_CORE_CLOCK_H */
