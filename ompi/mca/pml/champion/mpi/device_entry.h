/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions that the PML has where there is an accelerator: each looks at
 * its buffer, and calls the function for host memory or the one for the memory
 * of a device; see core/device.h. Those that receive are in mpi/recv.h.
 */

#ifndef MCA_PML_CHAMPION_MPI_DEVICE_ENTRY_H
#define MCA_PML_CHAMPION_MPI_DEVICE_ENTRY_H

#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** Put the functions here in the place of a module's that send and receive.
 * Before Open MPI copies the module.
 *
 * @return where the module is kept as it was: its functions are called from
 *         there, and may be changed there
 */
mca_pml_base_module_t *mca_pml_champion_device_entry(
    mca_pml_base_module_t *module);

/** Start a persistent request, whatever its buffer. Returns an MPI error
 * class. */
int mca_pml_champion_device_entry_start(mca_pml_champion_request_t *request);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_DEVICE_ENTRY_H */
