/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared memory of the processes of a node: the board, which the first of them
 * makes and all map (core/board.h).
 *
 * A segment is a memfd: memory with a file descriptor and no name. Another
 * process, which has received the owner's process id and the descriptor, opens
 * it as /proc/PID/fd/FD. The kernel allows this to processes of the same user
 * that may read each other's memory anyway. So no name can be guessed, a crash
 * leaves nothing behind, and no file system is needed that could be missing,
 * full or small (/dev/shm in containers). A seal prevents everybody from
 * shrinking the file, because access beyond its end would kill a process.
 *
 * With another PID namespace, another /proc or a security policy, the
 * descriptor does not exist, or it is another file. So the opener checks that
 * the file is a memfd, has the expected device and inode numbers, and carries a
 * random mark. Failures are counted, but not reported: messages go by UCP then.
 *
 * Pages that are not reserved use no memory. Children of fork do not inherit the mappings.
 */

#ifndef MCA_PML_CHAMPION_CORE_SEGMENT_H
#define MCA_PML_CHAMPION_CORE_SEGMENT_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi/mca/pml/champion/core/wire.h"

#pragma GCC visibility push(hidden)

/** Beginning of a segment. */
typedef struct mca_pml_champion_segment_head_t {
    uint64_t mark[2];
} mca_pml_champion_segment_head_t;

/** A segment that this process has made. */
typedef struct mca_pml_champion_segment_t {
    void *memory; /**< NULL: there is no segment */
    size_t length;
    mca_pml_champion_segment_name_t name;
} mca_pml_champion_segment_t;

/** What the link of its descriptor, /proc/PID/fd/FD, begins with. */
#define MCA_PML_CHAMPION_SEGMENT_LINK "/memfd:champion-rings"

/** Create a segment of `length` bytes, of which the first `reserved` have pages.
 * False if that fails; errno is set. */
bool mca_pml_champion_segment_create(mca_pml_champion_segment_t *segment,
                                     size_t length, size_t reserved);

/** Unmap and close the segment, if there is one. Mappings of other processes
 * stay valid. */
void mca_pml_champion_segment_destroy(mca_pml_champion_segment_t *segment);

/** Map another process's segment. NULL if it cannot be mapped. */
void *mca_pml_champion_segment_attach(
    const mca_pml_champion_segment_name_t *name, size_t length);
/** The same, to read it only. */
const void *mca_pml_champion_segment_view(
    const mca_pml_champion_segment_name_t *name, size_t length);
void mca_pml_champion_segment_detach(const void *segment, size_t length);

/** Reserve pages of a segment. False if there is no memory, or if the segment
 * cannot be opened. */
bool mca_pml_champion_segment_fill(const mca_pml_champion_segment_name_t *name,
                                   size_t offset, size_t length);

/** Have all pages of a part mapped, so that its first use takes no page faults.
 */
void mca_pml_champion_segment_touch(const void *part, size_t length);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_SEGMENT_H */
