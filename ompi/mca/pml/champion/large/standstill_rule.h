/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How long schedules (mpi/schedule.h) stood still because the program did
 * not look at UCX. Pure arithmetic, so that it can be unit tested. Times in ns.
 *
 *            call         computes        MPI_Wait
 *     program --|---------------------------|-.-.-.-.-.-|
 *                <----------- gap --------->             over
 *
 *   - A gap is the time between two looks at UCX, without the program's time
 *     in pauses of a waiting call, where it may sleep or lose its core.
 *   - A gap counts if it is as long as makes a message late, and the look after
 *     it lets a schedule go on: otherwise the schedule waited for others.
 *   - The life of a schedule is the time of its gaps and that in which the
 *     program looked. A thread would have saved the smaller of the two: had the
 *     schedule gone on in the gaps, it would have been over so much earlier.
 *     Where either is short, or the former less than 1/8 of the latter, nothing
 *     was delayed (large/thread_trigger_rule.h).
 */

#ifndef MCA_PML_CHAMPION_LARGE_STANDSTILL_RULE_H
#define MCA_PML_CHAMPION_LARGE_STANDSTILL_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "ompi/mca/pml/champion/large/thread_trigger_rule.h"

/** A process's gaps between polls. All bytes zero: none so far. */
typedef struct mca_pml_champion_poll_gaps_t {
    uint64_t last;   /**< when the last look was, or the last pause ended */
    uint64_t gap;    /**< between that and a pause that has begun */
    uint64_t stood;  /**< all gaps that counted */
    unsigned pauses; /**< threads of the program that are in a pause */
} mca_pml_champion_poll_gaps_t;

/** What delays a schedule of this process. */
typedef struct mca_pml_champion_poll_delay_t {
    uint64_t began;
    uint64_t before; /**< time of standing still before it began */
    uint32_t watch;  /**< see large/standstill.c */
} mca_pml_champion_poll_delay_t;

/** The first of the schedules under way begins. */
static inline void mca_pml_champion_poll_gaps_begin(
    mca_pml_champion_poll_gaps_t *gaps, uint64_t now)
{
    gaps->last = now;
    gaps->gap = 0;
}

/** A pause of a waiting call begins. */
static inline void mca_pml_champion_poll_gaps_pause(
    mca_pml_champion_poll_gaps_t *gaps, uint64_t now)
{
    if (0 == gaps->pauses++) {
        gaps->gap = now - gaps->last;
    }
}

/** It ends. */
static inline void mca_pml_champion_poll_gaps_resume(
    mca_pml_champion_poll_gaps_t *gaps, uint64_t now)
{
    if (0 == --gaps->pauses) {
        gaps->gap = 0;
        gaps->last = now;
    }
}

/** UCX was polled; does a schedule go on by it? Gaps of less than `least` do
 * not count. */
static inline void mca_pml_champion_poll_gaps_polled(
    mca_pml_champion_poll_gaps_t *gaps, uint64_t now, bool goes_on,
    uint64_t least)
{
    const uint64_t gap = 0 != gaps->pauses ? gaps->gap : now - gaps->last;

    if (goes_on && gap >= least) {
        gaps->stood += gap;
    }
    gaps->gap = 0;
    gaps->last = now;
}

/** A schedule begins. The gap before it, which may count later, is not its
 * own. */
static inline mca_pml_champion_poll_delay_t mca_pml_champion_poll_delay_begin(
    const mca_pml_champion_poll_gaps_t *gaps, uint64_t now)
{
    return (mca_pml_champion_poll_delay_t){
        .began = now,
        .before = gaps->stood + (0 != gaps->pauses ? 0 : now - gaps->last),
    };
}

/** A schedule is over: time lost, as of a message that waited while it stood
 * still, and whose transfer takes the rest of its life. 0 if either is less than
 * `least`; with least 0 every schedule has lost something. */
static inline uint64_t mca_pml_champion_poll_delay_lost(
    const mca_pml_champion_poll_delay_t *delay,
    const mca_pml_champion_poll_gaps_t *gaps, uint64_t now, uint64_t least)
{
    const uint64_t life = now - delay->began;
    uint64_t stood =
        gaps->stood > delay->before ? gaps->stood - delay->before : 0;

    if (stood > life) {
        stood = life;
    }
    return life - stood < least ? 0
                                : mca_pml_champion_thread_trigger_loss(
                                      stood, life - stood, least);
}

#endif /* MCA_PML_CHAMPION_LARGE_STANDSTILL_RULE_H */
