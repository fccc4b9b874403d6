/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/ring/rings.h"

#define RINGS mca_pml_champion_rings

mca_pml_champion_rings_t mca_pml_champion_rings;

mca_pml_champion_ring_out_t mca_pml_champion_ring_none = {
    .simple_max = -1,
    .fifo_max = -1,
};

void mca_pml_champion_rings_polled(bool something)
{
    if (!RINGS.all) {
        mca_pml_champion_poll_soon(); /* not all senders have a doorbell */
        return;
    }
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.in_end; ++in) {
        uint32_t rings =
            mca_pml_champion_doorbell_rings(&in->reader.ring->doorbell);

        something = something || rings != in->doorbell;
        in->doorbell = rings;
    }
    if (something) {
        mca_pml_champion_poll_soon();
    } else {
        mca_pml_champion_poll_backoff_in_vain(&mca_pml_champion.poll_backoff,
                                              0 == mca_pml_champion.inflight);
    }
}

static void mark_all(void)
{
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.in_end; ++in) {
        __atomic_store_n(&in->reader.ring->asleep, RINGS.sleepers,
                         __ATOMIC_RELAXED);
    }
}

bool mca_pml_champion_rings_sleep(uint32_t sleeper)
{
    bool ready = false;

    MCA_PML_CHAMPION_LOCKED();
    RINGS.sleepers |= sleeper;
    mark_all();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.in_end; ++in) {
        ready = ready || mca_pml_champion_ring_ready(&in->reader);
    }
    if (ready) {
        mca_pml_champion_rings_wake(sleeper);
    }
    return !ready;
}

void mca_pml_champion_rings_wake(uint32_t sleeper)
{
    RINGS.sleepers &= ~sleeper;
    mark_all();
}
