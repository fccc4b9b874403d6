/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules (mpi/schedule.h) that stand still because the program does not
 * look at UCX. Their messages may be small, and those show nothing of it to
 * large/thread_trigger.h, which hears of schedules from here.
 *
 * The looks are watched while schedules are under way that send much to other
 * nodes, or receive it, and while the trigger could start a progress thread.
 * That is a chore, which reads the clock at each look, and at the begin and end
 * of each pause of a waiting call. large/standstill_rule.h says what counts.
 */

#ifndef MCA_PML_CHAMPION_LARGE_STANDSTILL_H
#define MCA_PML_CHAMPION_LARGE_STANDSTILL_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/large/standstill_rule.h"

#pragma GCC visibility push(hidden)

/** Schedules that send less to other nodes are over so soon that no thread is
 * worth while, bytes. */
#define MCA_PML_CHAMPION_STANDSTILL_BYTES 65536

/** How many schedules are watched. Changed under the lock; atomic. */
extern uint32_t mca_pml_champion_standstill_watched;

/** Before the first schedule. */
void mca_pml_champion_standstill_open(void);

/** Forget those that the program has not waited for. Without the lock. */
void mca_pml_champion_standstill_close(void);

/** A schedule begins that sends `bytes` bytes to processes of other nodes, or
 * receives as much. Lock held. */
void mca_pml_champion_standstill_begins(mca_pml_champion_poll_delay_t *delay,
                                        size_t bytes);

/** It is over. Lock held. */
void mca_pml_champion_standstill_ends(
    const mca_pml_champion_poll_delay_t *delay);

/** UCX was polled; does a schedule go on? Lock held. */
void mca_pml_champion_standstill_on_poll(bool goes_on);

/** A pause of a waiting call begins. Returns whether _on_resume has to be
 * called at its end. Without the lock. */
bool mca_pml_champion_standstill_on_pause(void);

/** A pause ends. Without the lock. */
void mca_pml_champion_standstill_on_resume(void);

/** Are schedules watched? Lock held. */
static inline bool mca_pml_champion_standstill_watching(void)
{
    MCA_PML_CHAMPION_LOCKED();
    return 0 != mca_pml_champion_standstill_watched;
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_LARGE_STANDSTILL_H */
