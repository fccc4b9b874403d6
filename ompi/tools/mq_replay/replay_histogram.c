/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "replay_histogram.h"

/* Times are stored in sixteenths of a nanosecond. */
#define UNITS 16

static unsigned slot_of(uint64_t value)
{
    unsigned power = value < 64 ? 0 : 58 - (unsigned) __builtin_clzll(value);
    unsigned slot = value < 64
                        ? (unsigned) value
                        : 64 * power + (unsigned) (value >> (power - 1)) - 64;

    return slot < REPLAY_HISTOGRAM_SLOTS ? slot : REPLAY_HISTOGRAM_SLOTS - 1;
}

/* The middle of a slot. */
static double value_of(unsigned slot)
{
    unsigned power = slot / 64;

    return 0 == power ? slot
                      : (double) (UINT64_C(1) << (power - 1)) *
                            (64 + slot % 64 + (1 == power ? 0 : 0.5));
}

void replay_histogram_add(replay_histogram_t *histogram, double ns,
                          uint64_t weight)
{
    histogram->weight[slot_of((uint64_t) (ns * UNITS + 0.5))] += weight;
    histogram->total += weight;
}

double replay_histogram_quantile(const replay_histogram_t *histogram,
                                 double share)
{
    double below = 0, wanted = share * (double) histogram->total;

    for (unsigned slot = 0; slot < REPLAY_HISTOGRAM_SLOTS; ++slot) {
        below += (double) histogram->weight[slot];
        if (0 != histogram->weight[slot] && below >= wanted) {
            return value_of(slot) / UNITS;
        }
    }
    return 0;
}
