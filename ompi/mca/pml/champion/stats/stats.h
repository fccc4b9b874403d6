/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Statistics of all processes (pml_champion_stats), gathered at rank 0 when
 * MPI_Finalize begins:
 *
 *     stats/observer.c      counts, by communicator
 *     stats/stats_table.c   the names of the figures
 *     stats/stats_form.c    the parameter: in which form, and to which file
 *     stats/stats.c         figures of each process, and the summaries
 *     stats/run.c           command, versions, transports of UCX
 *     stats/stats_text.c    a few lines in words
 *     stats/stats_full.c    all figures, as text
 *     stats/stats_json.c    and as JSON
 *
 * stats/ended.h has the same for a job that SIGTERM ends.
 */

#ifndef MCA_PML_CHAMPION_STATS_STATS_H
#define MCA_PML_CHAMPION_STATS_STATS_H

#include "ompi/mca/pml/champion/core/champion.h"

#include <stdio.h>

#include "ompi/mca/pml/champion/stats/stats_table.h"
#include "ompi/mca/pml/champion/stats/run.h"

#pragma GCC visibility push(hidden)

/** A communicator is being deleted: keep its counters, under its name. Lock
 * held. */
void mca_pml_champion_stats_leave(const mca_pml_champion_comm_t *comm);

/** Collect the counters of this process, including those that other units keep,
 * but for two that take a walk: memory_shared and memory_connections. Lock held. */
void mca_pml_champion_stats_counters(mca_pml_champion_counters_t *counters);
/** These two. Lock held. */
void mca_pml_champion_stats_memory(mca_pml_champion_counters_t *counters);

/** Summary of one counter over the ranks that have it. */
typedef struct mca_pml_champion_summary_t {
    uint64_t sum; /**< of all values, of a high-water mark as well */
    uint64_t min, max;
    int min_rank, max_rank; /**< in MPI_COMM_WORLD; the lowest with that
                                 value */
} mca_pml_champion_summary_t;

/** Room for the name of a component. */
#define MCA_PML_CHAMPION_STATS_MQ_MAX 32

/** Summary of communicators with one name. */
typedef struct mca_pml_champion_comm_summary_t {
    char name[MPI_MAX_OBJECT_NAME];
    /** Component that matches, or did last; "several" if not all have one. */
    char mq[MCA_PML_CHAMPION_STATS_MQ_MAX];
    int ranks; /**< number of ranks that had one */
    mca_pml_champion_summary_t of[MCA_PML_CHAMPION_COMM_STATS];
} mca_pml_champion_comm_summary_t;

/** Names of communicators that are kept apart; further ones share one name. */
#define MCA_PML_CHAMPION_STATS_NAMES 64

/** Counters of all communicators of one name. */
typedef struct mca_pml_champion_stats_block_t {
    char name[MPI_MAX_OBJECT_NAME];
    char mq[MCA_PML_CHAMPION_STATS_MQ_MAX];
    uint64_t values[MCA_PML_CHAMPION_COMM_STATS];
} mca_pml_champion_stats_block_t;

/** The statistics of a process. */
typedef struct mca_pml_champion_own_stats_t {
    uint64_t process[MCA_PML_CHAMPION_PROCESS_STATS];
    char decisions[MCA_PML_CHAMPION_DECISIONS_LENGTH];
    mca_pml_champion_run_transport_t
        transports[MCA_PML_CHAMPION_RUN_TRANSPORTS];
    int64_t num_blocks;
    mca_pml_champion_stats_block_t blocks[MCA_PML_CHAMPION_STATS_NAMES];
} mca_pml_champion_own_stats_t;

/** Add up this process's statistics, of deleted and present communicators.
 * Decisions and transports are left out. Allocates nothing. Lock held. */
void mca_pml_champion_stats_collect(mca_pml_champion_own_stats_t *own);

/** Ranks whose decisions are reported. */
#define MCA_PML_CHAMPION_DECISIONS_RANKS 16

/** The result at rank 0. */
typedef struct mca_pml_champion_report_t {
    int ranks;      /**< size of MPI_COMM_WORLD */
    int counted;    /**< ranks whose statistics are in it */
    const char *mq; /**< component that matches for MPI_COMM_WORLD at rank 0, or
                         at the first rank that is counted */
    const char *ended; /**< cause of an end before MPI_Finalize; or NULL */
    const char *host;  /**< the host whose ranks these are; NULL: all hosts */
    mca_pml_champion_run_t run; /**< as rank 0 sees it */
    /** Of the endpoints of all ranks, and how many ranks have such ones. */
    mca_pml_champion_run_transport_t
        transports[MCA_PML_CHAMPION_RUN_TRANSPORTS];
    int transport_ranks[MCA_PML_CHAMPION_RUN_TRANSPORTS];
    mca_pml_champion_summary_t of[MCA_PML_CHAMPION_STATS];
    mca_pml_champion_comm_summary_t *comms;
    int num_comms;
    /** Of the first ranks that decided something. */
    struct {
        int rank;
        char text[MCA_PML_CHAMPION_DECISIONS_LENGTH];
    } decisions[MCA_PML_CHAMPION_DECISIONS_RANKS];
    int num_decisions;
    int more_decisions; /**< number of further ones, which are left out */
} mca_pml_champion_report_t;

/**
 * Gather the statistics of all processes; collective over MPI_COMM_WORLD.
 *
 * @return at rank 0 the report, for mca_pml_champion_stats_write and then
 *         mca_pml_champion_report_free; at other ranks NULL
 */
mca_pml_champion_report_t *mca_pml_champion_stats_report(void);

/** Add a rank's statistics to a report. */
void mca_pml_champion_report_add(mca_pml_champion_report_t *report,
                                 const mca_pml_champion_own_stats_t *own,
                                 int rank);

void mca_pml_champion_report_free(mca_pml_champion_report_t *report);

/** Forget the counters of deleted communicators. */
void mca_pml_champion_stats_forget(void);

/** Write the report in the form that the parameter pml_champion_stats asks
 * for. */
void mca_pml_champion_stats_write(const mca_pml_champion_report_t *report);

/** For a mean; 0 if there is nothing to count. */
static inline double mca_pml_champion_ratio(uint64_t sum, uint64_t count)
{
    return 0 == count ? 0.0 : (double) sum / (double) count;
}

/** At most seven lines: whether matching matters, and what happened, in
 * words. */
void mca_pml_champion_stats_text(FILE *file,
                                 const mca_pml_champion_report_t *report);
/** All figures. */
void mca_pml_champion_stats_full(FILE *file,
                                 const mca_pml_champion_report_t *report);
void mca_pml_champion_stats_json(FILE *file,
                                 const mca_pml_champion_report_t *report);

/** Write the cause of the job's end, and the number of ranks in the figures:
 * not a whole line. */
void mca_pml_champion_stats_put_ended(FILE *file,
                                      const mca_pml_champion_report_t *report);

/** Length of the UTF-8 character that begins here, bytes; 0 if it is
 * invalid. */
int mca_pml_champion_stats_utf8_length(const unsigned char *text);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_STATS_H */
