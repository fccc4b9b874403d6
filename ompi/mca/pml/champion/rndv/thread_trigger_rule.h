/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When a process is worth a progress thread, and how far another node's clock
 * is from its own. Arithmetic only, without state of its own, so that it can be
 * tested alone.
 *
 * Source of the rule: section 5.1 of the CHAMPION paper (docs/decisions
 * names it), where a transfer that could have begun delta earlier is worth
 * overlapping if delta > K. What is done here:
 *
 *   - delta is the time from the request's leaving its sender to the moment at
 *     which software of this process sees it, posted receive or not. The
 *     paper's, from the receive on, is large also if it is the sender who is
 *     late, where no thread is of use.
 *   - half an hour of computation cannot be saved by a transfer of a
 *     millisecond, and a transfer of a second can be by half a second of
 *     computation: so a transfer is late if delta is more than an eighth of
 *     what it takes, and longer than anything that a thread costs; and what is
 *     lost is the smaller one of the two.
 *   - the last 64 transfers count: a program that has read its input once is
 *     not late.
 *
 * Clocks: as NTP has it. A question leaves at asked and its answer, which says
 * answered by the other clock, comes back at now: in the middle between the
 * two, give or take a half, it was answered there. The best answer of all is
 * kept; what clocks may drift makes it worse with time.
 */

#ifndef MCA_PML_CHAMPION_RNDV_THREAD_TRIGGER_RULE_H
#define MCA_PML_CHAMPION_RNDV_THREAD_TRIGGER_RULE_H

#include <stdbool.h>
#include <stdint.h>

/** Clocks drift apart by 1 us in so many at most. */
#define MCA_PML_CHAMPION_CLOCK_DRIFT 10000

/** An answer this good is good enough, us. */
#define MCA_PML_CHAMPION_CLOCK_GOOD 200

/** The clock of another process, as seen from here. Times in us, which wrap.
 */
typedef struct mca_pml_champion_remote_clock_t {
    bool known;
    uint32_t offset;      /**< the other's time is ours and this */
    uint32_t uncertainty; /**< when it was measured */
    uint32_t measured_at;
} mca_pml_champion_remote_clock_t;

/** How wrong the offset may be, now. */
static inline uint32_t mca_pml_champion_clock_error(
    const mca_pml_champion_remote_clock_t *clock, uint32_t now)
{
    return clock->uncertainty +
           (now - clock->measured_at) / MCA_PML_CHAMPION_CLOCK_DRIFT;
}

/** Is it worth asking for the time? */
static inline bool mca_pml_champion_clock_is_poor(
    const mca_pml_champion_remote_clock_t *clock, uint32_t now)
{
    return !clock->known || mca_pml_champion_clock_error(clock, now) >
                                MCA_PML_CHAMPION_CLOCK_GOOD;
}

/** An answer has come. */
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

/** What the last transfers were like. */
typedef struct mca_pml_champion_lateness_t {
    uint64_t history; /**< a bit for each: was it late? */
    uint32_t late;    /**< bits that are set */
    uint64_t lost;    /**< by all that were ever late, ns */
} mca_pml_champion_lateness_t;

/** What was lost by a message that waited so long, which takes so long (0: not
 * known); 0: it was not late. All in ns; min is the least that counts, with 0
 * every message is late. */
static inline uint64_t mca_pml_champion_thread_trigger_by(uint64_t waited,
                                                          uint64_t cost,
                                                          uint64_t min)
{
    if (0 != min && (waited < min || waited <= cost / 8)) {
        return 0;
    }
    return waited < cost || 0 == cost ? waited + (0 == waited) : cost;
}

/** One more transfer, by which so much was lost. */
static inline void mca_pml_champion_lateness_add(
    mca_pml_champion_lateness_t *lateness, uint64_t lost)
{
    lateness->history = lateness->history << 1 | (0 != lost);
    lateness->late = (uint32_t) __builtin_popcountll(lateness->history);
    lateness->lost += lost;
}

/** Is that enough for a thread?
 *
 * @param[in] after  late transfers, of the last 64, that are
 * @param[in] much   ns; at least two that have lost so much are, too
 */
static inline bool mca_pml_champion_lateness_is_enough(
    const mca_pml_champion_lateness_t *lateness, uint32_t after, uint64_t much)
{
    return lateness->late >= after ||
           (lateness->late >= 2 && lateness->lost >= much);
}

#endif /* MCA_PML_CHAMPION_RNDV_THREAD_TRIGGER_RULE_H */
