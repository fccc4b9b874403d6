/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/offload_hooks.h"

mca_pml_champion_offload_hooks_t mca_pml_champion_offload_hooks;
