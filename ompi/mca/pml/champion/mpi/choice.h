/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The info key ompi_mq: the mq component that the user chooses.
 */

#ifndef MCA_PML_CHAMPION_MPI_CHOICE_H
#define MCA_PML_CHAMPION_MPI_CHOICE_H

#include "ompi/mca/pml/champion/peer/comm_table.h"

#pragma GCC visibility push(hidden)

/** Apply the component named in a communicator's info, now and whenever it
 * changes. */
int mca_pml_champion_choice_subscribe(mca_pml_champion_comm_t *comm);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_CHOICE_H */
