/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading another process's memory (CMA: process_vm_readv of Linux). The kernel
 * allows it where it allows to trace that process: the same user, and what a
 * security module adds to that (kernel.yama.ptrace_scope, containers). Another
 * PID namespace gives the number to another process, or to none. So whoever
 * wants to read tries it first, with something that nobody else has.
 */

#ifndef MCA_PML_CHAMPION_RING_RING_CMA_H
#define MCA_PML_CHAMPION_RING_RING_CMA_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/** Copy from the memory of a process. False if not all of it can be read; what
 * is in `to` is not defined then, and errno says why. */
bool mca_pml_champion_ring_read(int32_t pid, uint64_t address, void *to,
                                size_t length);

/** Is what that process has there the same as `mark` here? */
bool mca_pml_champion_ring_can_read(int32_t pid, uint64_t address,
                                    const uint64_t mark[2]);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RING_CMA_H */
