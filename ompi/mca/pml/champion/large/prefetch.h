/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prefetching: reads the data of large messages before their receive is posted.
 *
 * A rendezvous message whose receive is posted too late holds up its sender. So
 * its data are read at once into a slot of a registered pool: the send
 * completes, and the receive, once posted, copies from the slot.
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
 * Cost: a second copy of the data by the receiver, and the memory of the pool.
 * It pays where receives are posted late but the receiver makes progress before
 * (in other MPI calls, or by a progress thread). Nothing is prefetched where
 * receives come in time, and the pool is made at its first use. A receive that
 * is posted during the fetch gains little: so the outcome of each peer's last
 * prefetches is recorded, and prefetching from a peer stops when too few of
 * them completed before their receive was posted.
 *
 * With pml_champion_prefetch=auto, messages are prefetched from a peer whose
 * unexpected messages wait for their receive longer than their transfer takes
 * (peer/cost_model.h). The waiting time is smoothed like that of receive
 * offload. It does not count while data of messages with receives are on their
 * way: a program that receives one message after the other is not late for
 * those that queue behind.
 *
 * Unexpected messages sent by tag (receive offload) are prefetched as well, as
 * no other message has their tag. Those of synchronous sends are not: UCX would
 * report them to their sender as matched.
 *
 * Source: the CHAMPION paper (docs/decisions names it), section 5.3. It leaves
 * open what is chosen here:
 *   - the history is kept per peer: one bit for each of the last 16
 *     prefetches; until there are as many, everything is prefetched;
 *   - once prefetching from a peer has stopped, every 16th message is
 *     prefetched as a trial, or the decision could never be revised;
 *   - a buddy allocator (opal_buddy.h) divides the pool, so that no size
 *     classes need tuning;
 *   - messages larger than half of the pool get memory of their own: one of
 *     them would take the place of many (large/prefetch_pool.h);
 *   - synchronous sends are acknowledged when they are matched, not when they
 *     have been prefetched;
 *   - if the pool cannot be made, that is reported once, and nothing is
 *     prefetched.
 */

#ifndef MCA_PML_CHAMPION_LARGE_PREFETCH_H
#define MCA_PML_CHAMPION_LARGE_PREFETCH_H

#include "ompi/mca/pml/champion/match/message.h"

#pragma GCC visibility push(hidden)

/** Hook prefetching into the handling of unexpected large messages, unless it
 * is off. Call before any message arrives. */
int mca_pml_champion_prefetch_open(void);

/** Are prefetches in flight? */
bool mca_pml_champion_prefetch_is_busy(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_LARGE_PREFETCH_H */
