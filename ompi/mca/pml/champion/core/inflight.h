/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests in flight: UCX has accepted but not completed them. While there are
 * any, UCX is polled at each look (core/poll_backoff.h).
 *
 * A doorbell is a counter in memory that a receiver polls. A process that sends
 * by UCX to a process of its node rings it, so that the receiver need not poll
 * UCX while its doorbells are silent. For a peer that polls no doorbell, the
 * dummy is rung.
 */

#ifndef MCA_PML_CHAMPION_CORE_INFLIGHT_H
#define MCA_PML_CHAMPION_CORE_INFLIGHT_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** UCX has, or will have, work for this process: poll it at the next look. */
static inline void mca_pml_champion_poll_soon(void)
{
    mca_pml_champion_poll_backoff_reset(&mca_pml_champion.poll_backoff);
}

/** UCX has a new incomplete request. Lock held. */
static inline void mca_pml_champion_inflight_begin(void)
{
    MCA_PML_CHAMPION_LOCKED();
    ++mca_pml_champion.inflight;
    mca_pml_champion_poll_soon();
}

/** A request of UCX is complete. UCX may call back before _begin is called: the
 * count wraps. */
static inline void mca_pml_champion_inflight_end(void)
{
    --mca_pml_champion.inflight;
}

/** Ring a doorbell: something was sent by UCX. This process is its only writer.
 */
static inline void mca_pml_champion_doorbell_ring(uint32_t *doorbell)
{
    __atomic_store_n(doorbell, *doorbell + 1, __ATOMIC_RELEASE);
}

/** How often a doorbell was rung, modulo 2^32. */
static inline uint32_t mca_pml_champion_doorbell_rings(const uint32_t *doorbell)
{
    return __atomic_load_n(doorbell, __ATOMIC_ACQUIRE);
}

/** Doorbell of peers that do not watch one. */
extern uint32_t mca_pml_champion_doorbell_dummy;

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_INFLIGHT_H */
