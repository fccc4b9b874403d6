/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that processes of a node share: one segment for the rings of each
 * process that has senders, each ring mapped by one of them; and one for the
 * fragments of each process that sends through rings what is too long for a
 * record (ring/ring_pool.h).
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

#ifndef MCA_PML_CHAMPION_RING_RING_SEGMENT_H
#define MCA_PML_CHAMPION_RING_RING_SEGMENT_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi/mca/pml/champion/core/wire.h"

#pragma GCC visibility push(hidden)

/** What each part of a segment begins with that others map. */
typedef struct mca_pml_champion_ring_part_t {
    uint32_t own[2]; /**< the part's own */
    uint64_t mark[2];
} mca_pml_champion_ring_part_t;

/** A process's own segment. */
typedef struct mca_pml_champion_ring_segment_t {
    void *memory; /**< NULL: none */
    size_t length;
    mca_pml_champion_ring_name_t name; /**< of the first part */
} mca_pml_champion_ring_segment_t;

/** Make a segment of so many bytes. False if that cannot be; errno says why. */
bool mca_pml_champion_ring_segment_create(
    mca_pml_champion_ring_segment_t *segment, size_t length);

/** Get memory for a part, and name it. False if there is none. */
bool mca_pml_champion_ring_segment_reserve(
    const mca_pml_champion_ring_segment_t *segment, size_t offset,
    size_t length, mca_pml_champion_ring_name_t *name);

/** Give it back, if there is one. Others keep what they have mapped. */
void mca_pml_champion_ring_segment_destroy(
    mca_pml_champion_ring_segment_t *segment);

/** Map a part of another process's segment, for reading only or for both. NULL
 * if it is not there. Its offset must be a multiple of 16 KiB. */
void *mca_pml_champion_ring_attach(const mca_pml_champion_ring_name_t *name,
                                   size_t length, bool writable);
void mca_pml_champion_ring_detach(const void *part, size_t length);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RING_SEGMENT_H */
