/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A report when a signal comes (pml_champion_stuck_signal).
 *
 * SIGUSR1, SIGUSR2: the program goes on, and the heart looks at once, as if
 * stuck_after had passed.
 *
 * SIGTERM ends the job, within a second if mpirun sends it. So nothing is asked,
 * and nobody looks twice: the first process of each node that waits judges from the
 * cards. They are a consistent picture, as what is judged has been seen so for longer
 * than a card may be old: there was a time at which all of them stood so. But one that has ended may have
 * sent something since: then it only seems so.
 */

#ifndef MCA_PML_CHAMPION_STUCK_SIGNAL_H
#define MCA_PML_CHAMPION_STUCK_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/** Waits of at least so long are told at a signal, ms: at SIGUSR1 and 2; at
 * SIGTERM. */
enum {
    MCA_PML_CHAMPION_STUCK_LEAST_MS = 3000,
    MCA_PML_CHAMPION_STUCK_TERM_MS = 5000
};

/** Register the parameter. False if it is bad. */
bool mca_pml_champion_stuck_signal_register(void);

/** Catch the signal, unless it is SIGTERM. A handler of the program that is there is
 * called, too. The handler calls `come`, which may use what a handler of signals
 * may. Reports of SIGTERM are added to the file `path`, unless its name is empty; it
 * stays. Returns whether there is a handler. */
bool mca_pml_champion_stuck_signal_start(void (*come)(void), const char *path);

/** What the signal does is as before, unless the program has changed it; but it does
 * not end the process: others may still be asked. */
void mca_pml_champion_stuck_signal_stop(void);

/** Is there a report at SIGTERM? stats/ended.h catches it. */
bool mca_pml_champion_stuck_at_term(void);

/** SIGTERM has come, and its handler holds the thread of the program: report, or
 * wait for a moment until that process of the node which is to report has begun to;
 * if it does not, another one does. No lock is taken but malloc's. */
void mca_pml_champion_stuck_tell_term(void);
/** Add what was said so to the file. Not before all else is said: localtime_r has
 * a lock, and a file system may hang. */
void mca_pml_champion_stuck_add_term(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STUCK_SIGNAL_H */
