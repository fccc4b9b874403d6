/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The PML's functions for creation and destruction of communicators.
 */

#ifndef MCA_PML_CHAMPION_MPI_COMM_H
#define MCA_PML_CHAMPION_MPI_COMM_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Called when MPI_COMM_SELF has been added, the last of the predefined
 * communicators; boot/finalize.c sets it. */
extern int (*mca_pml_champion_self_added)(void);

int mca_pml_champion_add_comm(ompi_communicator_t *comm);
int mca_pml_champion_del_comm(ompi_communicator_t *comm);

/** Print the queues of a communicator, for debugging. */
int mca_pml_champion_dump(ompi_communicator_t *comm, int verbose);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_COMM_H */
