/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The progress thread (parameter pml_champion_progress_thread), one per
 * process: messages progress while the program computes.
 *
 *                    descriptor readable,
 *                    or signalled
 *          ASLEEP ----------------------> WATCHING <--------+
 *            ^                                |             |
 *            | nothing to do,                 | the program | the program
 *            | UCX armed                      | does not    | polls, or wants
 *            |                                v poll        | the lock
 *            +--------------------------- WORKING ----------+
 *
 *   ASLEEP      in ppoll, without a limit, on UCX's event descriptor and on
 *               one by which the program signals it
 *   WATCHING    in ppoll, for an interval, on the latter only. It does not take
 *               the lock, and counts the program's progress calls: more than
 *               one in POLLING_US means that the program waits in MPI. Then the
 *               interval doubles, up to 16 times pml_champion_thread_interval
 *   WORKING     makes progress, and releases the lock after each step
 *
 * The program's calls and the thread handle the same events, and one of them is
 * enough. UCX signals its descriptor once after it has been armed, so while the
 * program polls, the thread is woken once and then watches, with UCX not armed:
 * senders pay for no signals.
 *
 * No wakeup is lost. UCX is armed under the lock, after a step that found
 * nothing, and refuses while there is work to do. Afterwards either an event
 * makes the descriptor readable, for any thread that handles it, or the program
 * starts something (a send that UCX queues, a rendezvous, a connection over a
 * device that was not armed). UCX promises no event for the latter, so such
 * calls wake the thread (mca_pml_champion_wake_tell) if it is asleep, which a
 * flag under the same lock records.
 *
 * The thread takes no lock but champion's, and only if that is free. It does
 * not complete MPI requests: finished operations are queued as always, and the
 * program's next progress call completes them, with their callbacks. So
 * callbacks run in the program's own threads, as their owners (nonblocking
 * collectives, one-sided communication) expect, and Open MPI can go on treating
 * a program with one thread as such: no atomic reference counts, no locks in
 * its free lists. The program cannot tell the difference: calls that test or
 * wait for a request make progress first.
 *
 * Costs: champion's lock in each call, as with MPI_THREAD_MULTIPLE; 600 wakeups
 * a second while the program polls; nothing if it is off. A thread that delayed
 * messages started ends when it is of no use (progress/thread_use_rule.h), and
 * the program's next progress call puts it away, with the lock.
 *
 * Source: the event-driven progress thread of MVAPICH2, as described in section
 * 5 of "Communication-aware message matching" and its references, which leave
 * open when to sleep.
 */

#ifndef MCA_PML_CHAMPION_PROGRESS_THREAD_H
#define MCA_PML_CHAMPION_PROGRESS_THREAD_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Switches the fast path of sends, which takes no lock, off or on; returns
 * false if that is impossible. Set by pml_champion_module.c. */
extern bool (*mca_pml_champion_thread_switch)(bool fast);

/** When late messages caused the start, by the clock of core/clock.h; 0:
 * never. */
uint64_t mca_pml_champion_thread_begun_at(void);

/** Add the thread's own counts to the counters. */
void mca_pml_champion_thread_count(mca_pml_champion_counters_t *counters);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PROGRESS_THREAD_H */
