/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What mq_replay prints on standard output.
 */

#ifndef MQ_REPLAY_REPORT_H
#define MQ_REPLAY_REPORT_H

#include "replay_features.h"
#include "replay_lengths.h"
#include "replay_pattern.h"
#include "replay_run.h"

typedef struct replay_report_t {
    const replay_wish_t *wish; /**< NULL: a trace */
    const char *trace;         /**< its path */
    uint32_t ranks;
    bool verified;
    double timer_cost;
    replay_features_t features;
    const replay_result_t *results;
    int num_results;
    const replay_lengths_t *lengths; /**< or NULL: not asked for */
} replay_report_t;

/** As one JSON object. */
void replay_report_json(const replay_report_t *report);

/** As a table, the fastest search first. */
void replay_report_table(const replay_report_t *report);

#endif /* MQ_REPLAY_REPORT_H */
