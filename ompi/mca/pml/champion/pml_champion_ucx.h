/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX's objects: context and worker.
 */

#ifndef OMPI_PML_CHAMPION_UCX_H
#define OMPI_PML_CHAMPION_UCX_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Make UCX's context and its worker, with the tag interface or without, for
 * several threads or one. They are made together: if the worker cannot be, it
 * is tried with contexts that have fewer transports, and says so. Reports errors
 * by a help text. */
int mca_pml_champion_ucx_open(bool tags);
/** Prepare what is sent by the worker; _fini destroys the worker, too. */
int mca_pml_champion_ucx_init(void);
/** Can endpoints to other jobs be closed? Known after _open. */
bool mca_pml_champion_ucx_closes(void);
void mca_pml_champion_ucx_fini(void);
void mca_pml_champion_ucx_close(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_UCX_H */
