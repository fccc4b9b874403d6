/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The next step of a thread that waits: poll, yield its core, or sleep.
 * Arithmetic only, for tests.
 *
 * Whether others want the core is seen by how long a yield takes:
 *
 *     FREE     it returns at once, or nobody else has run on the core meanwhile
 *              (a yield alone takes a microsecond in some virtual machines):
 *              poll, and lose nothing
 *     SHARED   others run for some microseconds and yield, too: ranks that wait
 *              for each other. Yield as often as possible
 *     BUSY     others run for a time slice: they compute. A thread that yields
 *              has the core back after the slices of all of them. A sleeper is
 *              woken ahead of them, so sleep
 *
 * A yield also tells when the core is free again. In BUSY there are none, so
 * one is tried now and then; it may cost a time slice.
 *
 * A limit on the CPU time of the container (cpu.max) shows in no yield: with
 * fewer CPUs than ranks, and than cores, these are treated as BUSY from the
 * beginning.
 *
 * The thread sleeps until a message arrives, but at most for a small part of
 * the time for which it has waited already. So a message whose arrival wakes
 * nobody (a transport of UCX without events, another component's work) is late
 * by that part, and a long wait costs next to no CPU time.
 *
 * Few yields on a free core. Each one forfeits the rest of a time slice, and
 * someone may just have come: if there is a core for each process, the wait
 * doubles from one to the next.
 *
 * Long waits. If the last two waits were long, the next one will be, in all
 * probability: it sleeps soon, as long as these would at their end. On a free
 * core only if there are more processes than cores: a process that computes may
 * want it.
 */

#ifndef MCA_PML_CHAMPION_PROGRESS_WAIT_RULE_H
#define MCA_PML_CHAMPION_PROGRESS_WAIT_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "ompi/mca/pml/champion/core/estimate.h"

/** How the core is used by others. */
typedef enum {
    MCA_PML_CHAMPION_CORE_FREE,
    MCA_PML_CHAMPION_CORE_SHARED,
    MCA_PML_CHAMPION_CORE_BUSY
} mca_pml_champion_core_t;

/** The next step. */
typedef enum {
    MCA_PML_CHAMPION_WAIT_POLL,
    MCA_PML_CHAMPION_WAIT_YIELD,
    MCA_PML_CHAMPION_WAIT_SLEEP
} mca_pml_champion_wait_step_t;

/** Times in nanoseconds. */
enum {
    /** Yields that take less on average: the core is free. */
    MCA_PML_CHAMPION_WAIT_SHARED_NS = 1000,
    /** Yields that take more on average: others compute. */
    MCA_PML_CHAMPION_WAIT_BUSY_NS = 300000,
    /** Yields that take less on average: the others on the core have little to
     * do. In a virtual machine yields take 300 to 1500 by themselves. */
    MCA_PML_CHAMPION_WAIT_ALONE_NS = 8000,
    /** The most that one yield counts: a single time slice of, say, a daemon
     * does not make a core busy; three in a row do. */
    MCA_PML_CHAMPION_WAIT_YIELD_MAX_NS = 1000000,
    /** On a free core, how long to poll before the first yield, and how long to
     * yield before the first sleep. A free core loses nothing by polling, and a
     * sleeping one takes some microseconds to wake up. */
    MCA_PML_CHAMPION_WAIT_POLL_NS = 20000,
    MCA_PML_CHAMPION_WAIT_FREE_NS = 10000000,
    /** How long to yield on a shared core, and to poll on a busy one, before
     * the first sleep: longer than messages of a flood are apart, unless another
     * process of the job may want the core. */
    MCA_PML_CHAMPION_WAIT_YIELDING_NS = 1000000,
    MCA_PML_CHAMPION_WAIT_BRIEF_NS = 50000,
    MCA_PML_CHAMPION_WAIT_BRIEF_CROWDED_NS = 5000,
    /** Waits of this length are long. */
    MCA_PML_CHAMPION_WAIT_LONG_NS = 10000000,
    /** Shortest and longest sleep. */
    MCA_PML_CHAMPION_WAIT_SLEEP_MIN_NS = 50000,
    MCA_PML_CHAMPION_WAIT_SLEEP_MAX_NS = 10000000,
    /** Time between trial yields on a busy core: at first, and at most. */
    MCA_PML_CHAMPION_WAIT_TRIAL_MIN_NS = 10000000,
    MCA_PML_CHAMPION_WAIT_TRIAL_MAX_NS = 1000000000
};

/** A sleep takes at most 1/this of the time waited so far. */
#define MCA_PML_CHAMPION_WAIT_PART 16

/** Knowledge of a thread. All bytes zero: none, the core is free. */
typedef struct mca_pml_champion_wait_rule_t {
    uint32_t yield_ns; /**< average duration of its last yields */
    bool limited;      /**< the container has fewer CPUs than ranks */
    bool crowded;      /**< there are more processes than cores */
    uint64_t trial_at; /**< when to yield again on a busy core */
    uint64_t trial_gap;
    uint64_t yield_from; /**< of this wait on a free core, ns */
    uint64_t lasted;     /**< the last wait, ns */
    uint64_t usual;      /**< the shorter one of the last two waits, ns */
} mca_pml_champion_wait_rule_t;

static inline mca_pml_champion_core_t mca_pml_champion_wait_rule_core(
    const mca_pml_champion_wait_rule_t *rule)
{
    if (rule->limited || rule->yield_ns >= MCA_PML_CHAMPION_WAIT_BUSY_NS) {
        return MCA_PML_CHAMPION_CORE_BUSY;
    }
    return rule->yield_ns >= MCA_PML_CHAMPION_WAIT_SHARED_NS
               ? MCA_PML_CHAMPION_CORE_SHARED
               : MCA_PML_CHAMPION_CORE_FREE;
}

/** Does the thread keep its core for as long as it takes to copy a part of a
 * message, in all probability? A yield may be slow by itself. */
static inline bool mca_pml_champion_wait_rule_alone(
    const mca_pml_champion_wait_rule_t *rule)
{
    return !rule->limited && rule->yield_ns < MCA_PML_CHAMPION_WAIT_ALONE_NS;
}

/** A wait begins; the last one has lasted for `lasted`. */
static inline void mca_pml_champion_wait_rule_begins(
    mca_pml_champion_wait_rule_t *rule, uint64_t lasted)
{
    rule->usual = lasted < rule->lasted ? lasted : rule->lasted;
    rule->lasted = lasted;
    rule->yield_from = 0;
}

/** How long to yield before the first sleep, on a core that is not busy. */
static inline uint64_t mca_pml_champion_wait_rule_yields(
    const mca_pml_champion_wait_rule_t *rule)
{
    const bool is_free =
        MCA_PML_CHAMPION_CORE_FREE == mca_pml_champion_wait_rule_core(rule);

    if (rule->usual >= MCA_PML_CHAMPION_WAIT_LONG_NS &&
        (!is_free || rule->crowded)) {
        return MCA_PML_CHAMPION_WAIT_POLL_NS;
    }
    return is_free ? MCA_PML_CHAMPION_WAIT_FREE_NS
                   : MCA_PML_CHAMPION_WAIT_YIELDING_NS;
}

/** A thread has waited for `waited`; it is `now`. Its next step. */
static inline mca_pml_champion_wait_step_t mca_pml_champion_wait_rule_next(
    mca_pml_champion_wait_rule_t *rule, uint64_t waited, uint64_t now)
{
    switch (mca_pml_champion_wait_rule_core(rule)) {
    case MCA_PML_CHAMPION_CORE_BUSY:
        if (waited < (rule->limited || rule->crowded
                          ? MCA_PML_CHAMPION_WAIT_BRIEF_CROWDED_NS
                          : MCA_PML_CHAMPION_WAIT_BRIEF_NS)) {
            return MCA_PML_CHAMPION_WAIT_POLL;
        }
        return !rule->limited && now >= rule->trial_at
                   ? MCA_PML_CHAMPION_WAIT_YIELD
                   : MCA_PML_CHAMPION_WAIT_SLEEP;
    case MCA_PML_CHAMPION_CORE_SHARED:
        return waited >= mca_pml_champion_wait_rule_yields(rule)
                   ? MCA_PML_CHAMPION_WAIT_SLEEP
                   : MCA_PML_CHAMPION_WAIT_YIELD;
    default:
        if (waited >= mca_pml_champion_wait_rule_yields(rule)) {
            return MCA_PML_CHAMPION_WAIT_SLEEP;
        }
        if (waited < MCA_PML_CHAMPION_WAIT_POLL_NS ||
            waited < rule->yield_from) {
            return MCA_PML_CHAMPION_WAIT_POLL;
        }
        if (!rule->crowded) {
            rule->yield_from = 2 * waited;
        }
        return MCA_PML_CHAMPION_WAIT_YIELD;
    }
}

/** A yield took `took`, 0 if nobody else has run on the core meanwhile; it is
 * `now`. */
static inline void mca_pml_champion_wait_rule_yielded(
    mca_pml_champion_wait_rule_t *rule, uint64_t took, uint64_t now)
{
    const uint32_t counted = took < MCA_PML_CHAMPION_WAIT_YIELD_MAX_NS
                                 ? (uint32_t) took
                                 : MCA_PML_CHAMPION_WAIT_YIELD_MAX_NS;

    if (rule->yield_ns >= MCA_PML_CHAMPION_WAIT_BUSY_NS &&
        counted < MCA_PML_CHAMPION_WAIT_BUSY_NS) {
        /* The trial was short: forget quickly, and try again at once. */
        rule->yield_ns = rule->yield_ns / 2 + counted / 2;
        rule->trial_at = now;
        rule->trial_gap = 0;
        return;
    }
    if (0 == took) {
        rule->yield_ns /= 2; /* a single time slice is soon forgotten */
        return;
    }
    rule->yield_ns = rule->yield_ns - rule->yield_ns / 8 + counted / 8;
    if (rule->yield_ns >= MCA_PML_CHAMPION_WAIT_BUSY_NS) {
        rule->trial_gap = mca_pml_champion_doubled(
            rule->trial_gap, MCA_PML_CHAMPION_WAIT_TRIAL_MIN_NS,
            MCA_PML_CHAMPION_WAIT_TRIAL_MAX_NS);
        rule->trial_at = now + rule->trial_gap;
    }
}

/** How long to sleep at most, after waiting for `waited`; longest is
 * MCA_PML_CHAMPION_WAIT_SLEEP_MAX_NS or less. */
static inline uint64_t mca_pml_champion_wait_rule_sleep(
    const mca_pml_champion_wait_rule_t *rule, uint64_t waited, uint64_t longest)
{
    const uint64_t all =
        rule->usual >= MCA_PML_CHAMPION_WAIT_LONG_NS && rule->usual > waited
            ? rule->usual
            : waited;

    return mca_pml_champion_within(all / MCA_PML_CHAMPION_WAIT_PART,
                                   MCA_PML_CHAMPION_WAIT_SLEEP_MIN_NS, longest);
}

#endif /* MCA_PML_CHAMPION_PROGRESS_WAIT_RULE_H */
