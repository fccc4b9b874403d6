/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The module: the functions that Open MPI calls.
 */

#ifndef OMPI_PML_CHAMPION_MODULE_H
#define OMPI_PML_CHAMPION_MODULE_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** The functions, except pml_enable: that starts units of which this file knows
 * nothing, so the component sets it. */
extern mca_pml_base_module_t mca_pml_champion_module;

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_MODULE_H */
