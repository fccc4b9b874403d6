/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Waking the progress thread (progress/thread.h) when it sleeps.
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

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_WAKE_H */
