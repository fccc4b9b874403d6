/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What was seen of the processes of a job at one time, and what the rule says of
 * it (judge.h); as JSON for scripts.
 */

#ifndef MCA_PML_CHAMPION_STUCK_REPORT_H
#define MCA_PML_CHAMPION_STUCK_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "ompi/mca/pml/champion/stuck/judge.h"

#pragma GCC visibility push(hidden)

/** A job as it was seen. */
typedef struct mca_pml_champion_stuck_report_t {
    mca_pml_champion_stuck_process_t *process; /**< by rank */
    int32_t *pid; /**< of each; 0: not known, as it has shown nothing, or
                    is in another PID namespace. NULL: of none */
    int *core;    /**< on which each was last; -1: not known. NULL: of none */
    size_t count;
    size_t size;    /**< of the job; 0: not known */
    uint64_t least; /**< ms, of a wait that is judged */
    mca_pml_champion_stuck_verdict_t verdict;
    char line[MCA_PML_CHAMPION_STUCK_LINES][512];
    size_t lines;
    char host[256]; /**< that has seen it */
    time_t when;
    uint32_t job; /**< its id; 0: not known */
} mca_pml_champion_stuck_report_t;

/** Judge what `process`, `count`, `size` and `least` tell, and fill in the rest
 * but for `pid`, `core` and `job`. No lock is taken but malloc's. */
void mca_pml_champion_stuck_report(mca_pml_champion_stuck_report_t *report);

/** "stuck", "seems stuck", "slow" or "goes on". */
const char *mca_pml_champion_stuck_report_verdict(
    const mca_pml_champion_stuck_report_t *report);

/** "waits", "polls", "computes", "is stopped" and so on. */
const char *mca_pml_champion_stuck_report_state(
    const mca_pml_champion_stuck_process_t *process);

/** Its local time. */
void mca_pml_champion_stuck_report_time(
    const mca_pml_champion_stuck_report_t *report, char text[32]);

/** An object, without an end of its line. */
void mca_pml_champion_stuck_report_json(
    FILE *file, const mca_pml_champion_stuck_report_t *report);

/** Add it to a file, which is made if it is not there, as one line, by one write.
 * NULL: only make the file. Returns 0 or an errno. */
int mca_pml_champion_stuck_report_add(
    const char *path, const mca_pml_champion_stuck_report_t *report);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STUCK_REPORT_H */
