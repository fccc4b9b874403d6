/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A back-off for polling UCX while looks for messages find nothing in the
 * rings. Arithmetic only, for tests.
 *
 * Most of the cost of an empty look is UCX's poll. It can usually be left out
 * while UCX is quiet: every process that may send to this one by UCX rings a
 * doorbell (core/inflight.h), which requires that all processes of the job are on
 * one board; and UCX has no request of this process in flight. Without doorbells,
 * a program that calls MPI once per step of its computation would receive
 * messages several steps late.
 */

#ifndef MCA_PML_CHAMPION_CORE_POLL_BACKOFF_H
#define MCA_PML_CHAMPION_CORE_POLL_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

enum {
    /** Empty polls after which a quiet UCX is polled less: a message whose
     * doorbell has rung may take a while to arrive. */
    MCA_PML_CHAMPION_POLL_BACKOFF_VAIN = 64,
    /** A quiet UCX is polled at one look in this many: connections are made,
     * and peers lost, without a doorbell. */
    MCA_PML_CHAMPION_POLL_BACKOFF_PAUSE = 16
};

/** Small enough for one store to set both fields. */
typedef struct mca_pml_champion_poll_backoff_t {
    uint16_t pause; /**< empty looks until the next poll, at least 1 */
    uint16_t vain;  /**< empty polls, at most .._VAIN */
} mca_pml_champion_poll_backoff_t;

/** UCX had, or will have, work: poll it at the next look. */
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

/** UCX was polled and had no work. */
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
