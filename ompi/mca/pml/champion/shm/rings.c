/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/shm/rings.h"

#include "ompi/mca/pml/champion/core/board.h"

#define RINGS mca_pml_champion_rings

mca_pml_champion_rings_t mca_pml_champion_rings = {
    .inbox = &mca_pml_champion_no_inbox,
};

mca_pml_champion_ring_out_t mca_pml_champion_ring_none = {.fast_max = -1};

mca_pml_champion_inbox_t mca_pml_champion_no_inbox;

void mca_pml_champion_rings_polled(bool something)
{
    const uint32_t rung =
        mca_pml_champion_doorbell_rings(&RINGS.inbox->doorbell);

    something = something || rung != RINGS.doorbell;
    RINGS.doorbell = rung;
    if (something || RINGS.unrung ||
        /* Otherwise not all senders ring the doorbell. */
        !mca_pml_champion_board_whole(mca_pml_champion.job_size)) {
        mca_pml_champion_poll_soon();
    } else {
        mca_pml_champion_poll_backoff_in_vain(&mca_pml_champion.poll_backoff,
                                              0 == mca_pml_champion.inflight);
    }
}

static void mark(void)
{
    __atomic_store_n(&RINGS.inbox->asleep, RINGS.sleepers, __ATOMIC_RELAXED);
}

bool mca_pml_champion_rings_sleep(uint32_t sleeper)
{
    bool ready;

    MCA_PML_CHAMPION_LOCKED();
    RINGS.sleepers |= sleeper;
    mark();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    ready = mca_pml_champion_rings_opened() ||
            NULL != mca_pml_champion_rings_look();
    if (ready) {
        mca_pml_champion_rings_wake(sleeper);
    }
    return !ready;
}

void mca_pml_champion_rings_wake(uint32_t sleeper)
{
    RINGS.sleepers &= ~sleeper;
    mark();
}

void mca_pml_champion_rings_broken(const mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_abort(MPI_ERR_INTERN,
                           "the memory shared with %s is corrupted",
                           NULL == peer ? "the processes of this node"
                                        : OPAL_NAME_PRINT(peer->name));
}
