/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests in flight: UCX has accepted but not completed them. While there are
 * any, UCX is polled at each look (core/poll_backoff.h).
 *
 * A doorbell is a word in memory that a receiver looks at. A process that sends
 * by UCX to a process of its node changes it, so that the receiver need not poll
 * UCX while its doorbell is silent. For a peer that has none, the dummy is rung.
 *
 * Several processes ring a doorbell, by a plain store: each has values of its own.
 * One that another store replaces at once is not missed, as the word has changed.
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

/** The same of a request that fetches a message: it goes on by itself, while a
 * send may wait for its receive. Lock held. */
static inline void mca_pml_champion_fetch_begin(void)
{
    ++mca_pml_champion.fetches;
    mca_pml_champion_inflight_begin();
}
static inline void mca_pml_champion_fetch_end(void)
{
    --mca_pml_champion.fetches;
    mca_pml_champion_inflight_end();
}

/** The lowest bits of a doorbell tell the sender. */
enum { MCA_PML_CHAMPION_DOORBELL_SENDERS = 1024 };

/** Value that this process rang last; its lowest bits: its place on the board. */
extern uint32_t mca_pml_champion_doorbell_last;

/** Ring a doorbell: something was sent by UCX. */
static inline void mca_pml_champion_doorbell_ring(uint32_t *doorbell)
{
    mca_pml_champion_doorbell_last += MCA_PML_CHAMPION_DOORBELL_SENDERS;
    __atomic_store_n(doorbell, mca_pml_champion_doorbell_last,
                     __ATOMIC_RELEASE);
}

/** The value of a doorbell: another one than before if it was rung. */
static inline uint32_t mca_pml_champion_doorbell_rings(const uint32_t *doorbell)
{
    return __atomic_load_n(doorbell, __ATOMIC_ACQUIRE);
}

/** Doorbell of peers that do not watch one. */
extern uint32_t mca_pml_champion_doorbell_dummy;

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_INFLIGHT_H */
