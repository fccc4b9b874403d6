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

/** Set the functions that Open MPI calls of a request, and make the free lists
 * of requests. */
int mca_pml_champion_module_requests(void);

/** Use the sends without the fast path from the beginning. Call before Open MPI
 * copies the module. */
void mca_pml_champion_module_no_fast_path(void);

/** Switch the fast path of sends off, or on again if rings allow it, during a
 * run with one thread, which must not be inside it. False if that is
 * impossible: a component between Open MPI and this one (pml/monitoring, pml/v)
 * has copied the functions. */
bool mca_pml_champion_module_switch(bool fast);

/** Use the receive functions for receive offload. */
void mca_pml_champion_module_offload(void);

/** Use the functions that look at each buffer, because there is an accelerator.
 * After all others but _faults. */
void mca_pml_champion_module_device(void);

/** Use the functions that end when a process has failed, because Open MPI
 * tolerates faults. The last change of the module before Open MPI copies it. */
void mca_pml_champion_module_faults(void);

/** Take back the last two changes. */
void mca_pml_champion_module_end(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_MODULE_H */
