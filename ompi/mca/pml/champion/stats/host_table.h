/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures that the ranks of a host leave when the job is ended: a table in
 * memory that they share, with a place for each. A rank with a filled place waits
 * a moment for the others; one of them then takes all, for a report. A rank
 * that comes too late for that makes another report, with all again, so that
 * none is lost.
 *
 *     WANTED --fill--> FILLED --taken by a report--> TAKEN
 *
 * The memory is a file in Open MPI's folder for this job on this host, which
 * mpirun removes. Where there is none, a process has a table for itself.
 */

#ifndef MCA_PML_CHAMPION_STATS_HOST_TABLE_H
#define MCA_PML_CHAMPION_STATS_HOST_TABLE_H

#include "ompi/mca/pml/champion/core/champion.h"

#include "ompi/mca/pml/champion/stats/stats.h"

#pragma GCC visibility push(hidden)

/** A rank's place. */
typedef struct mca_pml_champion_place_t {
    uint32_t state; /**< atomic; see stats/host_table.c */
    int rank;       /**< in MPI_COMM_WORLD */
    char mq[MCA_PML_CHAMPION_STATS_MQ_MAX]; /**< serves MPI_COMM_WORLD */
    mca_pml_champion_own_stats_t own;
} mca_pml_champion_place_t;

/** Open the table. Returns OMPI_SUCCESS, or OMPI_ERR_OUT_OF_RESOURCE. */
int mca_pml_champion_host_table_open(void);

/** Remove its file, and forget the table. */
void mca_pml_champion_host_table_close(void);

/** This process's place, to be filled; all of it is zero. */
mca_pml_champion_place_t *mca_pml_champion_host_table_mine(void);

/** Ranks of the job on this host. */
unsigned mca_pml_champion_host_table_ranks(void);

/**
 * This process's place is filled: wait until a report has it, or until it is for
 * this process to make one.
 *
 * @param[in] until  time at which to give up, as of mca_pml_champion_now
 * @return whether to make one, of mca_pml_champion_host_table_take, and then to
 *         call mca_pml_champion_host_table_release
 */
bool mca_pml_champion_host_table_filled(uint64_t until);

/** The filled place number i, or NULL if it is not filled. The place stays
 * filled, for later reports. */
const mca_pml_champion_place_t *mca_pml_champion_host_table_take(unsigned i);

/** The report is written. */
void mca_pml_champion_host_table_release(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_HOST_TABLE_H */
