/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX's objects: context, worker, and the address of this process.
 */

#ifndef OMPI_PML_CHAMPION_UCX_H
#define OMPI_PML_CHAMPION_UCX_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Make UCX's context (_open), with the tag interface or without, and its
 * worker (_init). Report errors by a help text. */
int mca_pml_champion_ucx_open(bool tags);
int mca_pml_champion_ucx_init(bool threads);
/** Can endpoints to other jobs be closed? Known after _open. */
bool mca_pml_champion_ucx_closes(void);
/** Publish this process's address. */
int mca_pml_champion_ucx_publish(void);
void mca_pml_champion_ucx_fini(void);
void mca_pml_champion_ucx_close(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_UCX_H */
