/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The module: what the component offers to Open MPI.
 */

#ifndef OMPI_PML_CHAMPION_MODULE_H
#define OMPI_PML_CHAMPION_MODULE_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** All but pml_enable, which starts what this header knows nothing of: the
 * component fills it in. */
extern mca_pml_base_module_t mca_pml_champion_module;

/** Say what is called of a request, and make the lists of requests. */
int mca_pml_champion_module_requests(void);

/** Have it send without the fast path, which will never be taken. */
void mca_pml_champion_module_no_fast_path(void);

/** Do without the fast path from now on, or have it again if rings allow, in
 * the midst of a run with one thread, which is not in it. False if that cannot
 * be: a component stands between Open MPI and this one (pml/monitoring, pml/v)
 * and has kept the functions. */
bool mca_pml_champion_module_switch(bool fast);

/** Have it receive by the functions for receive offload. */
void mca_pml_champion_module_offload(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_MODULE_H */
