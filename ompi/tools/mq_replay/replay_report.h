/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The output of mq_replay.
 */

#ifndef MQ_REPLAY_REPORT_H
#define MQ_REPLAY_REPORT_H

#include "sequence/replay_features.h"
#include "sequence/replay_lengths.h"
#include "sequence/replay_pattern.h"
#include "replay_run.h"

typedef struct replay_report_t {
    const replay_wish_t *wish; /**< NULL: a trace */
    const char *trace;         /**< its path */
    uint32_t ranks;
    const replay_served_t *served; /**< components in the program */
    unsigned num_served;           /**< 0: not known */
    uint64_t messages;             /**< of a trace: the user's that arrived */
    bool verified;
    double timer_cost;
    replay_features_t features;
    const replay_result_t *results;
    int num_results;
    const replay_lengths_t *lengths; /**< NULL: not requested */
} replay_report_t;

/** Print one JSON object. */
void replay_report_json(const replay_report_t *report);

/** Print a table, sorted by the mean time of all operations. */
void replay_report_table(const replay_report_t *report);

#endif /* MQ_REPLAY_REPORT_H */
