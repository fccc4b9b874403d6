/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests in flight: those that UCX has and has not completed. While there are
 * any, UCX is polled at each look (core/poll_backoff.h).
 *
 * A doorbell is a counter in memory that a receiver looks at. Whoever has sent
 * something by UCX to a process of its node rings it, so that the receiver can
 * leave UCX alone as long as its doorbells are silent. A peer that looks at
 * none has the dummy.
 */

#ifndef MCA_PML_CHAMPION_CORE_INFLIGHT_H
#define MCA_PML_CHAMPION_CORE_INFLIGHT_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** UCX has something for this process, or will have: poll it at the next look.
 */
static inline void mca_pml_champion_poll_soon(void)
{
    mca_pml_champion_poll_backoff_reset(&mca_pml_champion.poll_backoff);
}

/** A request was given to UCX that is not complete. Lock held. */
static inline void mca_pml_champion_inflight_begin(void)
{
    MCA_PML_CHAMPION_LOCKED();
    ++mca_pml_champion.inflight;
    mca_pml_champion_poll_soon();
}

/** It is complete. UCX may say so before _begin is called: the count wraps. */
static inline void mca_pml_champion_inflight_end(void)
{
    --mca_pml_champion.inflight;
}

/** Ring a doorbell: something was sent by UCX. Its one writer is this process.
 */
static inline void mca_pml_champion_doorbell_ring(uint32_t *doorbell)
{
    __atomic_store_n(doorbell, *doorbell + 1, __ATOMIC_RELEASE);
}

/** How often it was rung, modulo 2^32. */
static inline uint32_t mca_pml_champion_doorbell_rings(const uint32_t *doorbell)
{
    return __atomic_load_n(doorbell, __ATOMIC_ACQUIRE);
}

/** The doorbell of peers that look at none. */
extern uint32_t mca_pml_champion_doorbell_dummy;

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_INFLIGHT_H */
