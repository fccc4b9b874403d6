/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measurements of a component.
 */

#ifndef MQ_REPLAY_RESULT_H
#define MQ_REPLAY_RESULT_H

#include <stddef.h>
#include <stdint.h>

/** Kinds of operations by their effect; each is measured separately. */
typedef enum {
    REPLAY_POST_FOUND,
    REPLAY_POST_QUEUED,
    REPLAY_ARRIVE_FOUND,
    REPLAY_ARRIVE_QUEUED,
    REPLAY_SEARCH, /**< match, probe: one search of a queue */
    REPLAY_INSERT, /**< insert without a search */
    REPLAY_WITHDRAW,
    REPLAY_PATHS
} replay_path_t;

typedef struct replay_path_result_t {
    uint64_t operations;
    double ns; /**< total time */
} replay_path_result_t;

/** Results of one component. */
typedef struct replay_result_t {
    const char *name;
    const char *declined; /**< reason why it was not run, or NULL */
    uint64_t operations;
    replay_path_result_t path[REPLAY_PATHS];
    double total_ns_mean; /**< of searches and insertions */
    double search_ns_mean;
    double search_ns_p99;
    double search_ns_max;
    double insert_ns_mean;
    double traversals_mean;
    uint64_t traversals_max;
    size_t memory_peak;
    size_t memory_idle;
} replay_result_t;

#endif /* MQ_REPLAY_RESULT_H */
