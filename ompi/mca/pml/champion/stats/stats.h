/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Statistics of all processes (pml_champion_stats), brought together at rank 0
 * when MPI_Finalize begins:
 *
 *     stats/observer.c      counts, by communicator
 *     stats/stats_table.c   what the figures are called
 *     stats/stats_form.c    the parameter: in which form they are reported
 *     stats/stats.c         what each process has, and the summaries
 *     stats/stats_text.c    a few lines in words
 *     stats/stats_full.c    all figures, as text
 *     stats/stats_json.c    and as JSON
 */

#ifndef MCA_PML_CHAMPION_STATS_STATS_H
#define MCA_PML_CHAMPION_STATS_STATS_H

#include "ompi/mca/pml/champion/core/champion.h"

#include <stdio.h>
#include <string.h>

#include "ompi/mca/pml/champion/stats/stats_table.h"
#include "ompi/mca/pml/champion/stats/decision_report.h"

#pragma GCC visibility push(hidden)

/** A communicator goes: keep its figures, under its name. Lock held. */
void mca_pml_champion_stats_leave(const mca_pml_champion_comm_t *comm);

/** The counters of this process, those included that are known elsewhere. Lock
 * held. */
void mca_pml_champion_stats_counters(mca_pml_champion_counters_t *counters);

/** One figure, over the ranks that have it. */
typedef struct mca_pml_champion_summary_t {
    uint64_t sum;   /**< or the largest, as its kind wants it */
    uint64_t total; /**< of all values, for the mean */
    uint64_t min, max;
    int min_rank, max_rank; /**< of MPI_COMM_WORLD; the lowest that has it */
} mca_pml_champion_summary_t;

/** Communicators of one name. */
typedef struct mca_pml_champion_comm_summary_t {
    char name[MPI_MAX_OBJECT_NAME];
    int ranks; /**< that had one */
    mca_pml_champion_summary_t of[MCA_PML_CHAMPION_COMM_STATS];
} mca_pml_champion_comm_summary_t;

/** Ranks of which is told what they have decided. */
#define MCA_PML_CHAMPION_STORIES 16

/** What rank 0 has in the end. */
typedef struct mca_pml_champion_report_t {
    int ranks;      /**< of MPI_COMM_WORLD */
    int missing;    /**< of them, whose figures could not be had */
    const char *mq; /**< component that serves it here */
    mca_pml_champion_summary_t of[MCA_PML_CHAMPION_STATS];
    mca_pml_champion_comm_summary_t *comms;
    int num_comms;
    struct {
        int rank;
        char text[MCA_PML_CHAMPION_STORY_LENGTH];
    } stories[MCA_PML_CHAMPION_STORIES]; /**< of the first ranks with one */
    int num_stories;
    int more_stories; /**< that are left out */
} mca_pml_champion_report_t;

/**
 * Bring the statistics of all processes together; collective over
 * MPI_COMM_WORLD.
 *
 * @return what rank 0 has, for mca_pml_champion_stats_write and then
 *         mca_pml_champion_report_free; at other ranks NULL
 */
mca_pml_champion_report_t *mca_pml_champion_stats_report(void);

void mca_pml_champion_report_free(mca_pml_champion_report_t *report);

/** Figures `from` to the return value are those of one group. */
static inline size_t mca_pml_champion_stats_group_end(size_t from, size_t count)
{
    size_t end = from + 1;

    while (end < count && 0 == strcmp(mca_pml_champion_stats[from].group,
                                      mca_pml_champion_stats[end].group)) {
        ++end;
    }
    return end;
}

/** At most six lines: what happened, in words. */
void mca_pml_champion_stats_text(FILE *file,
                                 const mca_pml_champion_report_t *report);
/** All figures. */
void mca_pml_champion_stats_full(FILE *file,
                                 const mca_pml_champion_report_t *report);
void mca_pml_champion_stats_json(FILE *file,
                                 const mca_pml_champion_report_t *report);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_STATS_H */
