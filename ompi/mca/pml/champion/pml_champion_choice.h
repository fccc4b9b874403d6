/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The info key ompi_mq.
 */

#ifndef OMPI_PML_CHAMPION_CHOICE_H
#define OMPI_PML_CHAMPION_CHOICE_H

#include "ompi/mca/pml/champion/pml_champion_context.h"

#pragma GCC visibility push(hidden)

/** Follow the component chosen in a communicator's info, and those to come. */
int mca_pml_champion_choice_subscribe(mca_pml_champion_comm_t *comm);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_CHOICE_H */
