/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Matching statistics.
 */

#ifndef OMPI_PML_CHAMPION_STATS_H
#define OMPI_PML_CHAMPION_STATS_H

#include "ompi/mca/pml/champion/pml_champion.h"

#pragma GCC visibility push(hidden)

/** Figures of communicators that are gone. Under the lock. */
extern mca_mq_stats_t mca_pml_champion_stats_total;

/** Print the statistics of all processes; collective over MPI_COMM_WORLD. */
void mca_pml_champion_stats_report(void);
/** Add a communicator's figures to a sum. */
void mca_pml_champion_stats_add(mca_mq_stats_t *sum,
                                const mca_mq_stats_t *stats);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_STATS_H */
