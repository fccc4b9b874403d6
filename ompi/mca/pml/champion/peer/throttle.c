/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/peer/throttle.h"

mca_pml_champion_throttle_t mca_pml_champion_throttle;
