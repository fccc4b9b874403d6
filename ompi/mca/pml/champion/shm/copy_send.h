/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sender's side of messages that both sides copy (shm/copy.h).
 */

#ifndef MCA_PML_CHAMPION_SHM_COPY_SEND_H
#define MCA_PML_CHAMPION_SHM_COPY_SEND_H

#include "ompi_config.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/** Copy a part of a message whose receiver has opened a job for it, and forget
 * peers that nothing is left for. Returns the number of parts. Lock held. */
unsigned mca_pml_champion_copy_send_step(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_COPY_SEND_H */
