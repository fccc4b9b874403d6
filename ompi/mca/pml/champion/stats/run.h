/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Facts about the run in statistics and profiles: the command, its duration,
 * versions, the transports that UCX uses, and, in stats/decision_report.c, what
 * this process has decided and why.
 */

#ifndef MCA_PML_CHAMPION_STATS_RUN_H
#define MCA_PML_CHAMPION_STATS_RUN_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Bytes of a command that are kept. */
#define MCA_PML_CHAMPION_RUN_COMMAND_MAX 4096

/** A run, as this process sees it. */
typedef struct mca_pml_champion_run_t {
    /** Program and arguments, each followed by a zero; the last one is "..." if
     * there are more than fit. */
    char command[MCA_PML_CHAMPION_RUN_COMMAND_MAX];
    size_t command_length; /**< with all zeros; 0 if unknown */
    double seconds;        /**< since MPI_Init */
    char open_mpi[32];     /**< version, such as 4.1.4 */
    const char *ucx;       /**< version; static text */
    char mq[24]; /**< version of the component that serves MPI_COMM_WORLD */
} mca_pml_champion_run_t;

/** Describe this run. Call between MPI_Init and MPI_Finalize. */
void mca_pml_champion_run_describe(mca_pml_champion_run_t *run);

/** The next word of the command; NULL for the first one. NULL after the
 * last. */
const char *mca_pml_champion_run_word(const mca_pml_champion_run_t *run,
                                      const char *word);

/** Most transports that are told apart; further ones are not counted. */
#define MCA_PML_CHAMPION_RUN_TRANSPORTS 16

/** A transport of UCX. */
typedef struct mca_pml_champion_run_transport_t {
    char name[MCA_PML_CHAMPION_UCX_TRANSPORT_MAX]; /**< UCX's; empty: none */
    uint64_t endpoints; /**< that have it among theirs */
} mca_pml_champion_run_transport_t;

/** Count the transports of this process's endpoints; unused entries are empty.
 * Takes some 10 us for an endpoint. Lock held. */
void mca_pml_champion_run_transports(
    mca_pml_champion_run_transport_t of[MCA_PML_CHAMPION_RUN_TRANSPORTS]);

/** Find a transport by its name, or the place for it; NULL if all are taken. */
mca_pml_champion_run_transport_t *mca_pml_champion_run_transport(
    mca_pml_champion_run_transport_t of[MCA_PML_CHAMPION_RUN_TRANSPORTS],
    const char *name);

/** Bytes of a process's report of its decisions, including the final NUL. */
#define MCA_PML_CHAMPION_DECISIONS_LENGTH 640

/** Report the decisions of this process: lines, each ended by a newline; empty if
 * nothing was decided. Lock held. */
void mca_pml_champion_decision_report(
    char text[MCA_PML_CHAMPION_DECISIONS_LENGTH]);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_RUN_H */
