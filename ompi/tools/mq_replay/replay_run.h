/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a sequence with a component, and measures.
 *
 * Successive operations of one kind and outcome are run as a batch, between two
 * readings of the clock. Envelopes and entries are laid out before the batch,
 * and its results are compared with the model after it.
 */

#ifndef MQ_REPLAY_RUN_H
#define MQ_REPLAY_RUN_H

#include "ompi/mca/mq/base/base.h"
#include "replay_histogram.h"
#include "replay_sequence.h"

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

/** Names of the paths. */
extern const char *const replay_path_names[REPLAY_PATHS];

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
    double search_ns_mean;
    double search_ns_p99;
    double search_ns_max;
    double insert_ns_mean;
    double traversals_mean;
    uint64_t traversals_max;
    size_t memory_peak;
    size_t memory_idle;
} replay_result_t;

/** Cost of reading the clock, ns; it is subtracted from every batch. */
double replay_timer_cost(void);

/**
 * Run a sequence with a component, and measure. Ends the program at the first
 * difference from the model.
 *
 * @param[in] component  serves all domains of the sequence
 * @param[out] result  filled in, except for its name
 */
void replay_measure(replay_sequence_t *sequence,
                    const mca_mq_base_component_t *component,
                    replay_result_t *result);

/**
 * Run a sequence with a component and values of its parameters, as in
 * mca_mq_base_domain_prefer, and measure. declined points to static text that
 * is valid until the next call.
 */
void replay_measure_choice(replay_sequence_t *sequence, const char *choice,
                           replay_result_t *result);

/** Run a sequence once, with the component that the framework chooses, for
 * observers. */
void replay_run_observed(replay_sequence_t *sequence);

#endif /* MQ_REPLAY_RUN_H */
