/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The info keys mpi_assert_*: promises by the user of a communicator.
 */

#ifndef MCA_PML_CHAMPION_MPI_ASSERTIONS_H
#define MCA_PML_CHAMPION_MPI_ASSERTIONS_H

#include "ompi/mca/pml/champion/peer/comm_table.h"

#pragma GCC visibility push(hidden)

/** Apply the assertions in a communicator's info, now and whenever they
 * change. */
int mca_pml_champion_assert_subscribe(mca_pml_champion_comm_t *comm);

/** Does this receive or probe break a promise of the communicator's user? Open
 * MPI's own receives, with negative tags, may be from any source, as in linear
 * barriers. */
static inline bool mca_pml_champion_breaks_promise(
    const mca_pml_champion_comm_t *comm, int source, int tag)
{
    uint32_t promised = comm->domain->info.assertions;

    return OPAL_UNLIKELY(0 != (promised & MCA_MQ_ASSERT_EXACT)) &&
           ((OMPI_ANY_SOURCE == source && tag >= OMPI_ANY_TAG &&
             0 != (promised & MCA_MQ_ASSERT_NO_ANY_SOURCE)) ||
            (OMPI_ANY_TAG == tag &&
             0 != (promised & MCA_MQ_ASSERT_NO_ANY_TAG)));
}

/** The MPI error code for a broken promise; its text names the assertion. */
int mca_pml_champion_broken_promise(const mca_pml_champion_comm_t *comm,
                                    int source);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_ASSERTIONS_H */
