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
 * cards. They are a consistent picture, as each has stood for longer than a card
 * may be old: there was a time when all of them stood so.
 */

#ifndef MCA_PML_CHAMPION_STUCK_SIGNAL_H
#define MCA_PML_CHAMPION_STUCK_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/** For whom others have waited for so long is told after a signal, ms. */
enum { MCA_PML_CHAMPION_STUCK_LEAST_MS = 3000 };

/** Register the parameter. False if it is bad. */
bool mca_pml_champion_stuck_signal_register(void);

/** Catch the signal, unless it is SIGTERM. A handler of the program that is there is
 * called, too. The handler calls `come`, which may use what a handler of signals
 * may. Returns whether there is one. */
bool mca_pml_champion_stuck_signal_start(void (*come)(void));

/** What the signal does is as before, unless the program has changed it. */
void mca_pml_champion_stuck_signal_stop(void);

/** Is there a report at SIGTERM? stats/ended.h catches it. */
bool mca_pml_champion_stuck_at_term(void);

/** SIGTERM has come, and its handler holds the thread of the program: report, or
 * wait until that process of the node which is to report has looked, at most
 * until then, as of mca_pml_champion_now. No lock is taken. */
void mca_pml_champion_stuck_tell_term(uint64_t until);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STUCK_SIGNAL_H */
