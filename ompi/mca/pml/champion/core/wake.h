/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Waking those that sleep: this process's progress thread (progress/thread.h),
 * and other processes of the node.
 *
 * A bell is a datagram socket of Linux's abstract namespace, whose name the
 * kernel chooses and other processes find in shared memory. A sleeper waits for
 * its descriptor, too. UCX's endpoint, which takes a millisecond to make, is not
 * needed to wake a process then. The meaning of a name depends on the network
 * namespace, so it has that with it: no bell can be rung from another one.
 */

#ifndef MCA_PML_CHAMPION_CORE_WAKE_H
#define MCA_PML_CHAMPION_CORE_WAKE_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Create the descriptor that the thread sleeps on; returns it, or -1 with
 * errno set. */
int mca_pml_champion_wake_open(void);

/** Close the descriptor; the thread sleeps no more. */
void mca_pml_champion_wake_close(void);

/** Make the descriptor readable. */
void mca_pml_champion_wake_signal(void);

/** Wake the thread. Lock held. */
void mca_pml_champion_wake(void);

/** The program has started something that may need progress while it computes:
 * wake the thread if it sleeps. Lock held. */
static inline void mca_pml_champion_wake_tell(void)
{
    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(mca_pml_champion.thread_asleep)) {
        mca_pml_champion_wake();
    }
}

/** Bytes of a bell's name; the first one is 0: none. */
enum { MCA_PML_CHAMPION_BELL_NAME = 12 };

/** Make this process's bell; without one it is woken by UCX. */
void mca_pml_champion_bell_open(void);
void mca_pml_champion_bell_close(void);

/** The name of this process's bell, of BELL_NAME bytes. */
const char *mca_pml_champion_bell(void);

/** The descriptor that is readable when it has been rung; -1: none. */
int mca_pml_champion_bell_fd(void);

/** It is not readable any more, until it is rung again. */
void mca_pml_champion_bell_heard(void);

/** Ring another process's bell, whose name is in memory shared with it. False if
 * it has none, or cannot be reached. */
bool mca_pml_champion_bell_ring(const char *name);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_WAKE_H */
