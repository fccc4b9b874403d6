/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a sequence through a component and measures.
 *
 * Operations of the same kind and outcome that come one after the other are
 * run as a batch, between two looks at the clock. What a batch needs is laid
 * out before (envelopes, entries to be queued), and what it found is compared
 * with the model after it.
 */

#ifndef MQ_REPLAY_RUN_H
#define MQ_REPLAY_RUN_H

#include "ompi/mca/mq/base/base.h"
#include "replay_histogram.h"
#include "replay_sequence.h"

/** What an operation did; figures are kept for each. */
typedef enum {
    REPLAY_POST_FOUND,
    REPLAY_POST_QUEUED,
    REPLAY_ARRIVE_FOUND,
    REPLAY_ARRIVE_QUEUED,
    REPLAY_SEARCH, /**< match, probe: one look into a queue */
    REPLAY_INSERT, /**< insert without a search */
    REPLAY_WITHDRAW,
    REPLAY_PATHS
} replay_path_t;

/** Names of the paths. */
extern const char *const replay_path_names[REPLAY_PATHS];

typedef struct replay_path_result_t {
    uint64_t operations;
    double ns; /**< all of them together */
} replay_path_result_t;

/** What one component costs. */
typedef struct replay_result_t {
    const char *name;
    const char *declined; /**< why it was not run, or NULL */
    uint64_t operations;
    replay_path_result_t path[REPLAY_PATHS];
    double search_ns_mean;
    double search_ns_p99;
    double search_ns_max;
    double insert_ns_mean;
    double traversals_mean;
    uint64_t traversals_max;
    size_t memory_peak;
    size_t memory_idle;
} replay_result_t;

/** What the clock costs, in nanoseconds: is taken off every batch. */
double replay_timer_cost(void);

/**
 * Run and measure. Ends the program at the first difference to the model.
 *
 * @param[in]  component  that serves all domains of the sequence
 * @param[out] result     but for its name
 */
void replay_measure(replay_sequence_t *sequence,
                    const mca_mq_base_component_t *component,
                    replay_result_t *result);

/**
 * The same with a component and values of its parameters, as in
 * mca_mq_base_domain_prefer. declined points to static text until the next
 * call.
 */
void replay_measure_choice(replay_sequence_t *sequence, const char *choice,
                           replay_result_t *result);

/** Run once, with whatever component the framework chooses, for those who
 * observe. */
void replay_run_observed(replay_sequence_t *sequence);

#endif /* MQ_REPLAY_RUN_H */
