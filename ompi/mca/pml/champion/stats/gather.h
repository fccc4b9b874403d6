/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Brings what every process has to rank 0, in MPI_Finalize. Rank 0 asks one
 * rank after the other and is given what comes piece by piece, so that its
 * memory does not depend on how large the job is.
 */

#ifndef MCA_PML_CHAMPION_STATS_GATHER_H
#define MCA_PML_CHAMPION_STATS_GATHER_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Takes a piece of what a rank has, at rank 0. */
typedef void (*mca_pml_champion_gather_fn_t)(const void *piece, size_t length,
                                             void *arg);

/** What a rank other than 0 does; data NULL: it has nothing, as memory ran
 * out. */
void mca_pml_champion_hand_over(const void *data, size_t length);

/**
 * What rank 0 does, for each of the others: they wait to be asked.
 *
 * @return OMPI_SUCCESS; OMPI_ERR_OUT_OF_RESOURCE if the rank has nothing; or
 *         what the PML returned
 */
int mca_pml_champion_take_over(int rank, mca_pml_champion_gather_fn_t take,
                               void *arg);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_GATHER_H */
