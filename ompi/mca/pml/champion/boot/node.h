/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The rights of this process on its node. Containers and seccomp take away some
 * on which UCX relies: it finds out too late, and aborts.
 */

#ifndef MCA_PML_CHAMPION_BOOT_NODE_H
#define MCA_PML_CHAMPION_BOOT_NODE_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/** Is this process in another user namespace than the daemon that started it?
 * The job's other processes on this node are in that one then, or each in one
 * of its own, and may open neither its memory nor its files in /proc. */
bool mca_pml_champion_node_is_apart(void);

/** May this process read other processes' memory (process_vm_readv)? False if
 * that is forbidden altogether. */
bool mca_pml_champion_node_can_read(void);

/** Has /dev/shm room for so many bytes? They are compared with the size of the
 * file system, not with its free space: so the processes of a node agree. */
bool mca_pml_champion_node_has_shm(uint64_t bytes);

/** Is this the first process of the job and the node that asks with this word?
 * Until _close, it is. For texts that should appear once. */
bool mca_pml_champion_node_is_first(const char *word);
void mca_pml_champion_node_close(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_BOOT_NODE_H */
