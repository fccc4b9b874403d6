/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory that rings are in: one segment for each process that has senders,
 * each of its rings mapped by one of them.
 *
 * It is a memfd: memory with a descriptor and no name. A process that is told
 * its owner's process id and descriptor opens it by /proc/PID/fd/FD, which the
 * kernel allows to processes of the same user that may read each other's memory
 * anyway. So there is nothing to guess, nothing that a crash can leave behind,
 * and no file system that could be missing, full or small (/dev/shm in
 * containers). The kernel's seals keep everybody from making it shorter, which
 * would kill whoever looks at it then.
 *
 * Another PID namespace, another /proc, a security policy: then the descriptor
 * is not found, or another file is. So the opener makes sure that it is a
 * memfd, has the device and inode numbers that it was told, and carries a
 * random mark. All failures are quiet: messages go by UCP.
 *
 * Pages are reserved when a ring is given to a sender; what is not reserved
 * costs nothing. Children of fork have none of it.
 */

#ifndef OMPI_PML_CHAMPION_RING_SEGMENT_H
#define OMPI_PML_CHAMPION_RING_SEGMENT_H

#include "ompi/mca/pml/champion/ring/pml_champion_ring.h"

#pragma GCC visibility push(hidden)

/** By what another process finds a ring. */
typedef struct mca_pml_champion_ring_name_t {
    int32_t pid;
    int32_t fd;
    uint64_t device;
    uint64_t inode;
    uint64_t mark[2];
    uint64_t offset; /**< of the ring in the segment, bytes */
} mca_pml_champion_ring_name_t;

/** A process's own segment. */
typedef struct mca_pml_champion_ring_segment_t {
    mca_pml_champion_ring_t *rings; /**< NULL: none */
    uint32_t count;
    mca_pml_champion_ring_name_t name; /**< of the first ring */
} mca_pml_champion_ring_segment_t;

/** Make a segment of so many rings. False if that cannot be; errno says why. */
bool mca_pml_champion_ring_segment_create(
    mca_pml_champion_ring_segment_t *segment, uint32_t count);

/** Get memory for a ring, and name it. False if there is none. */
bool mca_pml_champion_ring_segment_reserve(
    const mca_pml_champion_ring_segment_t *segment, uint32_t index,
    mca_pml_champion_ring_name_t *name);

/** Give it back, if there is one. Senders keep what they have mapped. */
void mca_pml_champion_ring_segment_destroy(
    mca_pml_champion_ring_segment_t *segment);

/** Map another process's ring. NULL if it is not there. */
mca_pml_champion_ring_t *mca_pml_champion_ring_attach(
    const mca_pml_champion_ring_name_t *name);
void mca_pml_champion_ring_detach(mca_pml_champion_ring_t *ring);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_RING_SEGMENT_H */
