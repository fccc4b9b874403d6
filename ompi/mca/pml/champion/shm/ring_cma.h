/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads and writes another process's memory (CMA: process_vm_readv and
 * process_vm_writev of Linux). The kernel permits it if the process may be
 * traced: it belongs to the same user, and no security module
 * (kernel.yama.ptrace_scope, containers) forbids it. In another PID namespace
 * the process id may belong to another process, or to none. A process therefore
 * tries it first, on a random mark that only the right process has.
 */

#ifndef MCA_PML_CHAMPION_SHM_RING_CMA_H
#define MCA_PML_CHAMPION_SHM_RING_CMA_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/** Copy from the memory of a process. False if not all of it can be read; the
 * contents of `to` are undefined then, and errno is set. */
bool mca_pml_champion_ring_read(int32_t pid, uint64_t address, void *to,
                                size_t length);

/** Copy to the memory of a process: as _read. */
bool mca_pml_champion_ring_write(int32_t pid, uint64_t address,
                                 const void *from, size_t length);

/** Does that process have `mark` at the address? If so, CMA works, and reads
 * from the right process. False if the address is 0. */
bool mca_pml_champion_ring_can_read(int32_t pid, uint64_t address,
                                    const uint64_t mark[2]);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_RING_CMA_H */
