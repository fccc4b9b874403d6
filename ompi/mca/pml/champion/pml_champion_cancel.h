/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Cancel.
 */

#ifndef OMPI_PML_CHAMPION_CANCEL_H
#define OMPI_PML_CHAMPION_CANCEL_H

#include "ompi/request/request.h"

#pragma GCC visibility push(hidden)

/** Cancel a receive that is still posted; one that has matched goes on. */
int mca_pml_champion_cancel_recv(ompi_request_t *request, int flag);

/** Sends cannot be cancelled: they complete normally, as MPI allows. */
int mca_pml_champion_cancel_send(ompi_request_t *request, int flag);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_CANCEL_H */
