/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gathers data of all processes at rank 0, in MPI_Finalize, by messages of
 * MPI_COMM_WORLD along a tree (stats/gather_tree.h).
 */

#ifndef MCA_PML_CHAMPION_STATS_GATHER_H
#define MCA_PML_CHAMPION_STATS_GATHER_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/stats/gather_tree.h"

#pragma GCC visibility push(hidden)

/**
 * Send the data of this rank to rank 0, which passes those of all others to
 * `sink`; its own it has. Collective over MPI_COMM_WORLD.
 *
 * @param data  NULL: there are none, as memory ran out
 */
void mca_pml_champion_gather(const void *data, size_t length,
                             const mca_pml_champion_gather_sink_t *sink,
                             void *arg);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_GATHER_H */
