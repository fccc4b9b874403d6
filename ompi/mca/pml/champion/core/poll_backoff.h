/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When UCX is polled while looks find nothing in the rings: a back-off. Numbers
 * only, for tests.
 *
 * UCX's poll is most of the cost of a look that finds nothing. It can be left
 * out most of the time if two things hold: whoever sends by UCX rings a
 * doorbell (core/inflight.h), which takes a ring of every other process
 * of the job; and UCX has nothing of this process's own to do. Then UCX is
 * quiet. Without the doorbell, a program that looks between two steps of its
 * computation would get what comes by UCX several steps later.
 */

#ifndef MCA_PML_CHAMPION_CORE_POLL_BACKOFF_H
#define MCA_PML_CHAMPION_CORE_POLL_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

enum {
    /** Polls in vain after which a quiet UCX is left out: a message whose
     * doorbell has rung may take a while yet. */
    MCA_PML_CHAMPION_POLL_BACKOFF_VAIN = 64,
    /** One look of so many polls it then: connections are made, and peers lost,
     * without a doorbell. */
    MCA_PML_CHAMPION_POLL_BACKOFF_PAUSE = 16
};

/** One store sets both. */
typedef struct mca_pml_champion_poll_backoff_t {
    uint16_t pause; /**< looks in vain until the next poll, 1 at least */
    uint16_t vain;  /**< polls in vain, at most .._VAIN */
} mca_pml_champion_poll_backoff_t;

/** UCX had something, or will have: poll it at the next look. */
static inline void mca_pml_champion_poll_backoff_reset(
    mca_pml_champion_poll_backoff_t *backoff)
{
    backoff->pause = 1;
    backoff->vain = 0;
}

/** A look found nothing. Is UCX to be polled? */
static inline bool mca_pml_champion_poll_backoff_due(
    mca_pml_champion_poll_backoff_t *backoff)
{
    return 0 == --backoff->pause;
}

/** UCX was polled and had nothing. */
static inline void mca_pml_champion_poll_backoff_in_vain(
    mca_pml_champion_poll_backoff_t *backoff, bool quiet)
{
    if (!quiet) {
        mca_pml_champion_poll_backoff_reset(backoff);
    } else if (backoff->vain < MCA_PML_CHAMPION_POLL_BACKOFF_VAIN) {
        ++backoff->vain;
        backoff->pause = 1;
    } else {
        backoff->pause = MCA_PML_CHAMPION_POLL_BACKOFF_PAUSE;
    }
}

#endif /* MCA_PML_CHAMPION_CORE_POLL_BACKOFF_H */
