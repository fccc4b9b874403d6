/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The progress thread (parameter pml_champion_progress_thread), one per
 * process: messages get on while the program computes and calls MPI not at all
 * or seldom.
 *
 *                    descriptor readable,
 *                    or told
 *          ASLEEP ----------------------> LOOKING ON <------+
 *            ^                                |             |
 *            | nothing to do,                 | the program | the program
 *            | UCX armed                      | does not    | polls, or wants
 *            |                                v poll        | the lock
 *            +--------------------------- WORKING ----------+
 *
 *   ASLEEP      in ppoll, without a limit, on UCX's event descriptor and on
 *               one by which it is told things
 *   LOOKING ON  in ppoll, for a while, on the latter only. It leaves the lock
 *               alone and counts the program's calls for progress: more than
 *               one in POLLING_US means that the program waits in MPI. Then
 *               the time doubles, up to 16 times pml_champion_thread_interval
 *   WORKING     UCX makes progress, the lock is let go after each step
 *
 * The program's calls and the thread consume the same events, and only one of
 * them has to. UCX signals its descriptor once after it was armed, so beside a
 * program that polls the thread is woken once and then looks on, with UCX not
 * armed: senders pay for no signals.
 *
 * No wakeup is missed. UCX is armed under the lock, after a step that found
 * nothing, and refuses while there is something to be done. Afterwards either
 * an event makes the descriptor readable, whoever handles the event, or the
 * program starts something (a send that UCX queues, a rendezvous, a connection
 * over a device that was not armed). UCX promises no event for the latter, so
 * that such calls tell the thread (mca_pml_champion_wake_tell), if it is
 * asleep: a flag under the same lock says so.
 *
 * The thread takes nothing but champion's lock, and only if that is free. It
 * completes no requests, as Open MPI sees them: what became complete is queued
 * as always, and the program's next call for progress completes it, with its
 * callbacks. So callbacks run where their owners (non-blocking collectives,
 * one-sided communication) expect it, in the program's own threads, and Open
 * MPI may go on taking a program of one thread for one: no atomic reference
 * counts, no locks in its free lists. Nobody can see the difference: a request
 * is tested or waited for by calls that make progress first.
 *
 * Costs: champion's lock in each call, as with MPI_THREAD_MULTIPLE; 600 wakeups
 * a second beside a program that polls; nothing if it is off, when not even
 * UCX's wakeup feature is asked for.
 *
 * Source: the thread of MVAPICH2 that wakes at events, as in section 5 of
 * "Communication-aware message matching" and its references; when to sleep
 * is left open there.
 */

#ifndef MCA_PML_CHAMPION_PROGRESS_THREAD_H
#define MCA_PML_CHAMPION_PROGRESS_THREAD_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/**
 * Get what the thread sleeps on, after UCX's worker was made. From here on it
 * is also started when champion.start_thread asks for it (progress does so).
 *
 * @param[in] switch_path  does without the fast path of sends, which takes no
 *                         lock, or has it again; false: that cannot be. See
 *                         mca_pml_champion_module_switch
 *
 * @return not OMPI_SUCCESS, after a help text: UCX may have no transport that
 *         can wake it
 */
int mca_pml_champion_thread_open(bool (*switch_path)(bool fast));

/** Start it: messages may be handled from here on. Reports what is wrong. */
int mca_pml_champion_thread_start(void);

/** When champion.start_thread had it started, by core/clock.h; 0:
 * never. */
uint64_t mca_pml_champion_thread_begun_at(void);

/** End it, if it runs, and give everything back. Without the lock, and before
 * UCX's worker goes. */
void mca_pml_champion_thread_end(void);

/** Add what it did to the counters. */
void mca_pml_champion_thread_count(mca_pml_champion_counters_t *counters);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PROGRESS_THREAD_H */
