/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fetching the data of large messages before there is a receive for them.
 *
 * A rendezvous message whose receive is late holds up its sender. So its data
 * are read at once into a slot of a registered pool; its sender is done, and
 * the receive, when it is posted, copies from the slot.
 *
 *     unexpected --- not worth it --> stays as it is
 *         |  |
 *         |  +-- no slot --> waits in a list, oldest first, for a slot that is
 *         |                  given back; unless it is matched before
 *      FETCHING --- fetched --> PREFETCHED --- matched --> copied   (useful)
 *         |   |
 *         |   +--- matched --> AWAITED --- fetched --> copied       (late)
 *         +--- dropped --> ABANDONED --- fetched --> gone
 *
 * What it costs: a second copy of the data, by this process, and the pool. It
 * pays where receivers are late but look after their messages (in other MPI
 * calls, or with a progress thread). Where they are not late nothing is
 * prefetched, and where they never are there is no pool either: it is made when
 * it is needed first. Receives posted while the data are on their way gain
 * little: so each peer's last prefetches are remembered, and when too few of
 * them were complete before their receive came, its messages are left alone.
 *
 * By itself (pml_champion_prefetch=auto) messages are prefetched from a peer
 * whose unexpected messages wait for their receive longer than their transfer
 * takes (peer/cost_model.h): the time that they wait is smoothed as that of
 * receive offload is.
 *
 * Messages that are sent by tag (receive offload) are prefetched as well, if
 * they come unexpected: no other message has their tag. Not those of
 * synchronous sends, of which UCX tells their sender that they were matched.
 *
 * Source: the CHAMPION paper (docs/decisions names it), section 5.3. Left
 * open there, and chosen here:
 *   - the history is kept for each peer: a bit for each of its last
 *     prefetch_window prefetches; with fewer than that, all are prefetched;
 *   - a peer that is not prefetched from any more is tried again with every
 *     prefetch_window-th of its messages, or nothing new would ever be learnt;
 *   - the pool is one area that a buddy allocator divides (opal_buddy.h), so
 *     that there are no classes of slots to be tuned;
 *   - messages larger than half of the pool are left alone, so that one of them
 *     does not take the place of many;
 *   - synchronous sends are acknowledged when they are matched, not when their
 *     data have been fetched;
 *   - a pool that cannot be had is reported once, and nothing is prefetched.
 */

#ifndef MCA_PML_CHAMPION_RNDV_PREFETCH_H
#define MCA_PML_CHAMPION_RNDV_PREFETCH_H

#include "ompi/mca/pml/champion/match/message.h"

#pragma GCC visibility push(hidden)

/** Largest prefetch_window: bits of a peer's history. */
#define MCA_PML_CHAMPION_PREFETCH_WINDOW_MAX 64

/** Have large messages looked at when they are queued as unexpected, unless
 * prefetching is off. Before there are any. */
void mca_pml_champion_prefetch_open(void);

/** Give the pool back. None of its slots is in use. */
void mca_pml_champion_prefetch_fini(void);

/** Are fetches under way? */
bool mca_pml_champion_prefetch_is_busy(void);

/** The most that was used of the pool, bytes. Lock held. */
size_t mca_pml_champion_prefetch_used_max(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RNDV_PREFETCH_H */
