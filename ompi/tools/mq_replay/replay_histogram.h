/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A histogram of times: each power of two is divided into 64 slots, so that
 * results are within 1 % of the exact values.
 */

#ifndef MQ_REPLAY_HISTOGRAM_H
#define MQ_REPLAY_HISTOGRAM_H

#include <stdint.h>

#define REPLAY_HISTOGRAM_SLOTS (64 * 60)

/** All zero: empty. */
typedef struct replay_histogram_t {
    uint64_t weight[REPLAY_HISTOGRAM_SLOTS];
    uint64_t total;
} replay_histogram_t;

/** Add a time, with a weight. */
void replay_histogram_add(replay_histogram_t *histogram, double ns,
                          uint64_t weight);

/** The quantile for a share from 0 to 1. */
double replay_histogram_quantile(const replay_histogram_t *histogram,
                                 double share);

#endif /* MQ_REPLAY_HISTOGRAM_H */
