/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How processes of a job find each other: addresses, through Open MPI and, within a
 * node, on a board (core/board.h).
 */

#ifndef MCA_PML_CHAMPION_BOOT_ADDRESS_H
#define MCA_PML_CHAMPION_BOOT_ADDRESS_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Open MPI knows these processes, and all have published their addresses: at
 * the first call, in MPI_Init, which has all processes of this node, go to its
 * board. */
void mca_pml_champion_address_meet(ompi_proc_t **procs, size_t count);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_BOOT_ADDRESS_H */
