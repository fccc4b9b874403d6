/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When a progress thread that delayed messages started is of no use any more,
 * and the lesson of that. Pure arithmetic, so that it can be unit tested.
 *
 *   - A look of the thread is a use if it handled events while transfers were in
 *     flight, sends waited for room in a ring or collectives were under way, and
 *     the program had neither made progress nor paused in a waiting call for as
 *     long as makes a message late. It is in vain if UCX woke it for something
 *     else, or if the program was making progress by itself.
 *   - The thread ends after VAIN looks in vain, and PERIOD, without a use. Time
 *     for which it sleeps undisturbed ends nothing by itself, since it costs
 *     nothing. Time in which the program made progress by itself counts a
 *     quarter: the thread could not be of use then, so that little follows from
 *     it. Delays are noticed in waits, where a thread starts for the computation
 *     that follows, and an iteration may wait for long.
 *   - A thread that is started again soon after it was given up, though it had
 *     been of use, was given up too early: it gets twice the period, up to 64
 *     times. So a loop that waits for long in each iteration keeps its thread.
 *   - A thread that was never of use was started too early: the next start needs
 *     twice as much, up to 32 times, until one was of use.
 */

#ifndef MCA_PML_CHAMPION_PROGRESS_THREAD_USE_RULE_H
#define MCA_PML_CHAMPION_PROGRESS_THREAD_USE_RULE_H

#include <stdbool.h>
#include <stdint.h>

/** Looks in vain, in a row, before the thread ends. */
#define MCA_PML_CHAMPION_THREAD_USE_VAIN 16

/** Time without a use before the thread ends, ns. */
#define MCA_PML_CHAMPION_THREAD_USE_PERIOD 500000000

/** Time in which the program made progress by itself counts one part of so many.
 */
#define MCA_PML_CHAMPION_THREAD_USE_BY_ITSELF 4

/** A thread that was of use so often was rightly started. */
#define MCA_PML_CHAMPION_THREAD_USE_FEW 2

/** Largest powers of two by which patience and doubt multiply. */
enum {
    MCA_PML_CHAMPION_THREAD_USE_PATIENCE_MAX = 6,
    MCA_PML_CHAMPION_THREAD_USE_DOUBT_MAX = 5
};

/** Times in ns. */
typedef struct mca_pml_champion_thread_use_t {
    uint64_t looked;   /**< the last look, or the start */
    uint64_t idle;     /**< time without a use, as it counts */
    uint64_t ended;    /**< when it was given up; 0: never */
    uint32_t uses;     /**< since the start */
    uint32_t vain;     /**< looks in vain since the last use */
    unsigned patience; /**< the period is multiplied by 2 to this power */
    unsigned doubt;    /**< so are the late messages that a start needs */
} mca_pml_champion_thread_use_t;

static inline uint64_t mca_pml_champion_thread_use_period(
    const mca_pml_champion_thread_use_t *use)
{
    return (uint64_t) MCA_PML_CHAMPION_THREAD_USE_PERIOD << use->patience;
}

/** The thread starts. */
static inline void mca_pml_champion_thread_use_begins(
    mca_pml_champion_thread_use_t *use, uint64_t now)
{
    if (0 != use->ended && 0 == use->doubt &&
        now - use->ended < 4 * mca_pml_champion_thread_use_period(use) &&
        use->patience < MCA_PML_CHAMPION_THREAD_USE_PATIENCE_MAX) {
        ++use->patience;
    }
    use->looked = now;
    use->idle = 0;
    use->uses = 0;
    use->vain = 0;
}

/** The thread has looked; was it of use, or has the program made progress itself
 * since the last look? Returns whether it is of no use any more. */
static inline bool mca_pml_champion_thread_use_looked(
    mca_pml_champion_thread_use_t *use, bool useful, bool by_itself,
    uint64_t now)
{
    const uint64_t passed = now - use->looked;

    use->looked = now;
    if (useful) {
        use->idle = 0;
        use->vain = 0;
        ++use->uses;
        return false;
    }
    use->idle +=
        by_itself ? passed / MCA_PML_CHAMPION_THREAD_USE_BY_ITSELF : passed;
    ++use->vain;
    return use->vain >= MCA_PML_CHAMPION_THREAD_USE_VAIN &&
           use->idle >= mca_pml_champion_thread_use_period(use);
}

/** The thread has ended because it was of no use. */
static inline void mca_pml_champion_thread_use_ends(
    mca_pml_champion_thread_use_t *use, uint64_t now)
{
    use->ended = now;
    if (use->uses >= MCA_PML_CHAMPION_THREAD_USE_FEW) {
        use->doubt = 0;
    } else if (use->doubt < MCA_PML_CHAMPION_THREAD_USE_DOUBT_MAX) {
        ++use->doubt;
    }
}

#endif /* MCA_PML_CHAMPION_PROGRESS_THREAD_USE_RULE_H */
