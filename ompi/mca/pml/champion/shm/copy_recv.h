/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiver's side of messages that both sides copy (shm/copy.c).
 */

#ifndef MCA_PML_CHAMPION_SHM_COPY_RECV_H
#define MCA_PML_CHAMPION_SHM_COPY_RECV_H

#include "ompi_config.h"

#pragma GCC visibility push(hidden)

/** Enter the operations for such messages in mca_pml_champion_payloads, and the
 * functions that rings and transfers call. */
void mca_pml_champion_copy_recv_open(void);

/** Copy some parts of the oldest message, and complete those that are here.
 * Returns how many of both. Lock held. */
unsigned mca_pml_champion_copy_recv_step(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_COPY_RECV_H */
