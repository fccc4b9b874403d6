/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When a progress thread pays, and how far another node's clock is from this
 * one's. Pure arithmetic without state, so that it can be unit tested.
 *
 * Source of the rule: section 5.1 of the CHAMPION paper (docs/decisions names
 * it), where a transfer that could have begun delta earlier is worth
 * overlapping if delta > K. Here:
 *
 *   - delta is the time from the sending of the request until software of this
 *     process sees it, whether or not the receive is posted. The paper counts
 *     from the receive on; that time is also large if the sender is late, where
 *     no thread helps.
 *   - overlap saves at most the time of the transfer, however long the
 *     computation, and at most delta, however long the transfer. So the loss is
 *     the smaller of the two, and a message counts as delayed if delta is more
 *     than 1/8 of its transfer time and more than a thread costs.
 *   - only the last 64 transfers count: reading the input once is no reason for
 *     a thread. Messages that this process received late and those that it sent
 *     late count together, since one thread cures both.
 *   - two are enough if they lost a part of the run: 1 % of it, at least 2 ms,
 *     which the thread gains back soon, at most 100 ms, so that a phase late in
 *     a long run is not kept waiting.
 *
 * Clocks are compared as in NTP: a question leaves at `asked`, and its answer,
 * which carries the other clock's time `answered`, arrives at `now`. The other
 * clock was read halfway between the two, give or take half of the interval.
 * The most exact answer is kept; the possible drift makes it less exact with
 * time.
 */

#ifndef MCA_PML_CHAMPION_LARGE_THREAD_TRIGGER_RULE_H
#define MCA_PML_CHAMPION_LARGE_THREAD_TRIGGER_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "ompi/mca/pml/champion/core/estimate.h"

/** Clocks drift apart by at most 1 us in this many. */
#define MCA_PML_CHAMPION_CLOCK_DRIFT 10000

/** An offset this exact is good enough, us. */
#define MCA_PML_CHAMPION_CLOCK_GOOD 200

/** Another process's clock relative to this one's. Times in us, which wrap. */
typedef struct mca_pml_champion_remote_clock_t {
    bool known;
    uint32_t offset;      /**< add it to our time to get the other's */
    uint32_t uncertainty; /**< of offset, at the time of measurement */
    uint32_t measured_at;
} mca_pml_champion_remote_clock_t;

/** Possible error of the offset now, us. */
static inline uint32_t mca_pml_champion_clock_error(
    const mca_pml_champion_remote_clock_t *clock, uint32_t now)
{
    return clock->uncertainty +
           (now - clock->measured_at) / MCA_PML_CHAMPION_CLOCK_DRIFT;
}

/** Is the offset unknown or too inexact, so that asking pays? */
static inline bool mca_pml_champion_clock_is_poor(
    const mca_pml_champion_remote_clock_t *clock, uint32_t now)
{
    return !clock->known || mca_pml_champion_clock_error(clock, now) >
                                MCA_PML_CHAMPION_CLOCK_GOOD;
}

/** Take an answer into account, if it is more exact than what is known. */
static inline void mca_pml_champion_clock_answer(
    mca_pml_champion_remote_clock_t *clock, uint32_t asked, uint32_t answered,
    uint32_t now)
{
    uint32_t half = (now - asked) / 2 + 1;

    if (clock->known && mca_pml_champion_clock_error(clock, now) < half) {
        return;
    }
    clock->known = true;
    clock->offset = answered - (asked + half);
    clock->uncertainty = half;
    clock->measured_at = now;
}

/** History of recent transfers. */
typedef struct mca_pml_champion_lateness_t {
    uint64_t history; /**< one bit per transfer: was it delayed? */
    uint32_t late;    /**< number of bits set */
    uint64_t lost;    /**< by all delayed transfers since the history was empty,
                           ns */
} mca_pml_champion_lateness_t;

/** Time lost by a message that waited so long and whose transfer takes cost (0:
 * unknown); 0 if it was not delayed. All in ns; waiting less than min does not
 * count; with min 0 every message is delayed. */
static inline uint64_t mca_pml_champion_thread_trigger_loss(uint64_t waited,
                                                            uint64_t cost,
                                                            uint64_t min)
{
    if (0 != min && (waited < min || waited <= cost / 8)) {
        return 0;
    }
    return waited < cost || 0 == cost ? waited + (0 == waited) : cost;
}

/** Record a transfer that lost so much time, ns. */
static inline void mca_pml_champion_lateness_add(
    mca_pml_champion_lateness_t *lateness, uint64_t lost)
{
    lateness->history = lateness->history << 1 | (0 != lost);
    lateness->late = (uint32_t) __builtin_popcountll(lateness->history);
    lateness->lost = 0 == lateness->late ? 0 : lateness->lost + lost;
}

/** Loss of two delayed transfers that is enough, ns: a part of the time since
 * MPI_Init. */
static inline uint64_t mca_pml_champion_loss_threshold(uint64_t run)
{
    return mca_pml_champion_within(run / 100, 2000000, 100000000);
}

/** Is the loss enough to start a thread?
 *
 * @param[in] after      delayed transfers, of the last 64, that suffice
 * @param[in] threshold  ns; two or more suffice if they have lost that together
 * @param[in] doubt      earlier threads were of no use: all of that times 2 to
 *                       this power, as far as a history of 64 can show it
 */
static inline bool mca_pml_champion_lateness_is_enough(
    const mca_pml_champion_lateness_t *lateness, uint32_t after,
    uint64_t threshold, unsigned doubt)
{
    const uint32_t most = 64, many = after << doubt, few = 2u << doubt;

    return lateness->late >= (many < most ? many : most) ||
           (lateness->late >= few && lateness->lost >= threshold << doubt);
}

#endif /* MCA_PML_CHAMPION_LARGE_THREAD_TRIGGER_RULE_H */
