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
#include "replay_result.h"
#include "sequence/replay_sequence.h"

/** Names of the paths. */
extern const char *const replay_path_names[REPLAY_PATHS];

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
