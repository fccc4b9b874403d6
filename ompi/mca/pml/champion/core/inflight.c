/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/inflight.h"

uint32_t mca_pml_champion_doorbell_dummy;
uint32_t mca_pml_champion_doorbell_last;
