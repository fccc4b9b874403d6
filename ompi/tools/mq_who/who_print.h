/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What was seen of the processes of a job on this node, as text and as JSON.
 */

#ifndef WHO_PRINT_H
#define WHO_PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ompi/mca/pml/champion/stuck/judge.h"

/** A job as it was seen. */
typedef struct who_job_t {
    mca_pml_champion_stuck_process_t *process; /**< by rank */
    int32_t *pid;   /**< of each; 0: not known, as it has
                    shown nothing, or is in another PID namespace */
    size_t count;   /**< on this node */
    size_t size;    /**< of the job; 0: not known */
    uint64_t least; /**< ms, of a wait that is judged */
    mca_pml_champion_stuck_verdict_t verdict;
    char line[MCA_PML_CHAMPION_STUCK_LINES][512];
    size_t lines;
    char host[256];
    char when[32]; /**< local time */
} who_job_t;

/** "stuck", "seems stuck", "slow" or "goes on". */
const char *who_verdict(const who_job_t *job);

/** "waits", "polls", "computes", "is stopped" and so on. */
const char *who_state(const who_job_t *job, size_t i);

/** How many processes wait for as long as is judged. */
size_t who_stand(const who_job_t *job);

/** The processor on which it was last; -1: not known. */
int who_core(int32_t pid);

void who_print_text(FILE *file, const who_job_t *job);

/** An object, without an end of its line. */
void who_print_json(FILE *file, const who_job_t *job);

#endif /* WHO_PRINT_H */
