/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gathers data of all processes at rank 0, in MPI_Finalize. Rank 0 asks one
 * rank after the other and receives the data in chunks, so that its memory does
 * not depend on the size of the job.
 */

#ifndef MCA_PML_CHAMPION_RECORD_GATHER_H
#define MCA_PML_CHAMPION_RECORD_GATHER_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Called at rank 0 for each chunk of a rank's data. */
typedef void (*mca_pml_champion_gather_fn_t)(const void *chunk, size_t length,
                                             void *arg);

/** Send the data of this rank, which is not 0, to rank 0. data NULL: there are
 * none, as memory ran out. */
void mca_pml_champion_hand_over(const void *data, size_t length);

/**
 * Receive the data of a rank, at rank 0. To be called for every other rank, as
 * they all wait to be asked.
 *
 * @return OMPI_SUCCESS; OMPI_ERR_OUT_OF_RESOURCE if the rank has nothing; or
 *         what the PML returned
 */
int mca_pml_champion_take_over(int rank, mca_pml_champion_gather_fn_t take,
                               void *arg);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RECORD_GATHER_H */
