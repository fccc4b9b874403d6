/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Agreement on the things that all processes of a job do alike. Parameters can
 * differ, because a wrapper, a file or an environment sets them for some ranks
 * only. Rank 0 publishes its own with its address.
 *
 *     statistics and the profile are gathered when MPI_Finalize begins, and rank
 *     0 writes them: all processes follow it
 *
 *     the messages of collectives follow from parameters of coll/champion: a
 *     process that has others than rank 0 refuses to run
 *
 * Otherwise a process would wait for others without end.
 */

#ifndef MCA_PML_CHAMPION_BOOT_AGREE_H
#define MCA_PML_CHAMPION_BOOT_AGREE_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/core/wire.h"

#pragma GCC visibility push(hidden)

/** The wishes of this process's parameters; part of its address. */
uint32_t mca_pml_champion_wanted(void);

/** Parameters of coll/champion here; part of the address, too. */
const mca_pml_champion_coll_params_t *mca_pml_champion_coll_params(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_BOOT_AGREE_H */
