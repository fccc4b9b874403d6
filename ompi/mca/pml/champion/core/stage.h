/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stages: host memory through which data in device memory travel. Messages are
 * sent and received in fragments of a few KiB, and a copy from or to a device
 * takes microseconds however small it is. So a message that goes in fragments
 * has a stage, a window over its packed data: the sender fills it by one copy
 * and takes fragments out; the receiver collects fragments and empties it by
 * one copy. While the receiver copies one window, the sender copies the next.
 *
 *     device  |...............|###############|...............|  packed data
 *                             |      ^        |
 *     stage                   |###############|  STAGE_BYTES
 *     fragments               | | | | |
 *
 * Stages are in a pool, which grows up to STAGES of them. Without one, each
 * fragment is copied from or to the device by itself. Their memory is
 * page-locked, if the device can do that, which makes copies faster.
 */

#ifndef MCA_PML_CHAMPION_CORE_STAGE_H
#define MCA_PML_CHAMPION_CORE_STAGE_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Size of a stage, bytes. */
#define MCA_PML_CHAMPION_STAGE_BYTES ((size_t) 512 << 10)
/** Largest number of stages of a process. */
#define MCA_PML_CHAMPION_STAGES 64

typedef struct mca_pml_champion_stage_t {
    size_t begin, end;   /**< of its contents: offsets in the packed data */
    unsigned char *data; /**< from begin on */
    struct mca_pml_champion_stage_t *next; /**< in the pool */
} mca_pml_champion_stage_t;

/** Take a stage from the pool; it holds nothing, at offset 0. NULL if there is
 * none. Lock held. */
mca_pml_champion_stage_t *mca_pml_champion_stage_take(void);

/** Return a stage to the pool; with or without the lock. */
void mca_pml_champion_stage_return(mca_pml_champion_stage_t *stage);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_STAGE_H */
