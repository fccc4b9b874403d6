/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory that messages are prefetched to (large/prefetch.h). It is memory of
 * unexpected messages, and counts towards their limit (match/backlog.h).
 *
 *     the pool   Registered with UCX once, so that no fetch pays for that. It
 *                counts whole while it is there, because an adapter has all of
 *                it pinned, and because nobody knows which pages of free slots
 *                the system has given it. A quarter of the limit at most. Made
 *                when first needed, given back when no slot was in use for
 *                IDLE_NS, and made again when needed again.
 *     own slots  Messages larger than half of the pool get memory of their own,
 *                given back at once when they are received. UCX registers it as
 *                it does a receive's. A quarter of the limit at most, together:
 *                so prefetched messages leave half of it to the others.
 *
 * Time is looked at where opal_progress calls those that are in no hurry, only
 * while there is a pool.
 */

#ifndef MCA_PML_CHAMPION_LARGE_PREFETCH_POOL_H
#define MCA_PML_CHAMPION_LARGE_PREFETCH_POOL_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Could a message of this length have a slot, if no other had one? Lock held.
 */
bool mca_pml_champion_prefetch_pool_fits(size_t length);

/** A slot for a message, or NULL: no room now, or memory cannot be had, which
 * is reported once; _fits is false then. Lock held. */
void *mca_pml_champion_prefetch_pool_get(size_t length);

/** Free a slot; length as it was for _get. Lock held. */
void mca_pml_champion_prefetch_pool_put(void *slot, size_t length);

/** The registration of a slot. False: it has none. Lock held. */
bool mca_pml_champion_prefetch_pool_handle(const void *slot, ucp_mem_h *handle);

/** Most bytes in use, of pool and own slots together. Lock held. */
size_t mca_pml_champion_prefetch_pool_used_max(void);

/** Free the pool. No slot may be in use. */
void mca_pml_champion_prefetch_pool_fini(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_LARGE_PREFETCH_POOL_H */
