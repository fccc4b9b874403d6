/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The module: what the component offers to Open MPI.
 */

#ifndef OMPI_PML_CHAMPION_MODULE_H
#define OMPI_PML_CHAMPION_MODULE_H

#include "ompi/mca/pml/champion/pml_champion.h"

#pragma GCC visibility push(hidden)

extern mca_pml_base_module_t mca_pml_champion_module;

/** Have it send without the fast path, which will never be taken. */
void mca_pml_champion_module_no_fast_path(void);

/** Have it receive by the functions for receive offload. */
void mca_pml_champion_module_offload(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_MODULE_H */
