/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who waits for whom, and why: a rule that makes lines of the states of
 * processes. It has no state and asks nobody.
 *
 * What is said to hang cannot go on, whatever the other processes do: a process
 * may go on if it waits for one that may, or for one of which nothing is known,
 * or in another job; if it computes, has other threads or collective operations that
 * go on while it waits, or polls, as it may send something else at any time; and if
 * its transfers are under way. Only if nothing
 * hangs so, those that poll or have such count as waiting, too, and it is said
 * that this is an assumption.
 *
 * A process that waits has an edge to each process for which it waits. Of those
 * from which edges lead to a process that does not wait, that one is the cause:
 * it computes, has ended, is stopped, or says nothing. The others wait for each
 * other for ever. Among these, first those for which a message is there that
 * they nearly wait for: its tag, communicator or source is another. Then
 * processes in different collective operations of a communicator. Then a
 * cycle.
 */

#ifndef MCA_PML_CHAMPION_STUCK_JUDGE_H
#define MCA_PML_CHAMPION_STUCK_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi/mca/pml/champion/stuck/state.h"

#pragma GCC visibility push(hidden)

/** What is known of a process. */
typedef enum {
    MCA_PML_CHAMPION_STUCK_TOLD,    /**< its state, from itself */
    MCA_PML_CHAMPION_STUCK_RUNS,    /**< it is in no MPI call that waits */
    MCA_PML_CHAMPION_STUCK_SLEEPS,  /**< the same, and it sleeps there */
    MCA_PML_CHAMPION_STUCK_OUT,     /**< the same; it may run or sleep */
    MCA_PML_CHAMPION_STUCK_STOPPED, /**< by a signal */
    MCA_PML_CHAMPION_STUCK_TRACED,  /**< by a debugger */
    MCA_PML_CHAMPION_STUCK_GONE,    /**< it has ended */
    MCA_PML_CHAMPION_STUCK_SILENT   /**< it does not answer */
} mca_pml_champion_stuck_known_t;

typedef struct mca_pml_champion_stuck_process_t {
    mca_pml_champion_stuck_known_t known;
    mca_pml_champion_stuck_state_t state; /**< if TOLD; else vpid and since, 0:
                                               unknown */
    uint32_t node; /**< equal of processes of a node; 0: of this one */
    char host[MCA_PML_CHAMPION_STUCK_NAME]; /**< its name; empty: not told */
} mca_pml_champion_stuck_process_t;

/** Where the process is, or would be, of those that are listed by vpid. */
size_t mca_pml_champion_stuck_place(
    const mca_pml_champion_stuck_process_t *process, size_t count,
    uint32_t vpid);

/** Does it wait, or poll, for so many ms, and no message of it moves? */
static inline bool mca_pml_champion_stuck_stands(
    const mca_pml_champion_stuck_process_t *process, uint64_t least)
{
    return MCA_PML_CHAMPION_STUCK_TOLD == process->known &&
           (MCA_PML_CHAMPION_STUCK_WAITS == process->state.where ||
            MCA_PML_CHAMPION_STUCK_POLLS == process->state.where) &&
           process->state.since >= least;
}

/** The place of the first process that stands for so long; count: none does. Of
 * each part of a job that stands, it is the one to report. */
size_t mca_pml_champion_stuck_first(
    const mca_pml_champion_stuck_process_t *process, size_t count,
    uint64_t least);

/** A number, not 0, of all that those say who stand for so long, or end, but for
 * how long: two looks found the same if it is the same. */
uint64_t mca_pml_champion_stuck_sum(
    const mca_pml_champion_stuck_process_t *process, size_t count,
    uint64_t least);

/** What the lines say of the job. */
typedef enum {
    MCA_PML_CHAMPION_STUCK_NOT,   /**< nobody waits, or not for long */
    MCA_PML_CHAMPION_STUCK_SLOW,  /**< those who do not wait may yet help */
    MCA_PML_CHAMPION_STUCK_SEEMS, /**< unless a process that polls, or another
                                       thread, does something else */
    MCA_PML_CHAMPION_STUCK_HANGS
} mca_pml_champion_stuck_verdict_t;

/** What is known of a job. */
typedef struct mca_pml_champion_stuck_job_t {
    /** By vpid, ascending; each at most once. */
    const mca_pml_champion_stuck_process_t *process;
    size_t count;
    size_t size;    /**< of the job; of processes that are not listed nothing is
                         known */
    uint64_t least; /**< ms for which a process must have waited to be stuck,
                         or have done what it does to be named for it */
} mca_pml_champion_stuck_job_t;

/** Most lines of a report. */
enum { MCA_PML_CHAMPION_STUCK_LINES = 20 };

/** Called with each line, which begins with the cause. */
typedef void (*mca_pml_champion_stuck_say_t)(const char *line, void *arg);

/** Judge, and say why. _NOT as well if there is no memory. */
mca_pml_champion_stuck_verdict_t mca_pml_champion_stuck_judge(
    const mca_pml_champion_stuck_job_t *job, mca_pml_champion_stuck_say_t say,
    void *arg);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STUCK_JUDGE_H */
