/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chores: what progress does besides polling. A unit describes its own, and
 * turns it on while there is something to do. Those that are on are the bits of
 * mca_pml_champion.chores, the one word that an idle progress call tests.
 */

#ifndef MCA_PML_CHAMPION_CORE_CHORES_H
#define MCA_PML_CHAMPION_CORE_CHORES_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** A static variable of its unit. There are at most 32. */
typedef struct mca_pml_champion_chore_t {
    /** Do some of it, or all; returns the number of events. Set before the chore
     * is on. It may turn chores on and off. Lock held. */
    unsigned (*step)(void);
    bool polls;   /**< it needs steps while all is quiet: while it is on, nobody
                       sleeps. May change at any time */
    uint32_t bit; /**< in mca_pml_champion.chores; 0: it was never on */
    struct mca_pml_champion_chore_t *next; /**< of those that were on once */
} mca_pml_champion_chore_t;

/** Give a chore its bit; called by .._set. */
void mca_pml_champion_chore_enter(mca_pml_champion_chore_t *chore);

/** Turn a chore on or off, whatever it was. Lock held, or there is no other
 * thread. */
static inline void mca_pml_champion_chore_set(mca_pml_champion_chore_t *chore,
                                              bool on)
{
    if (OPAL_UNLIKELY(0 == chore->bit)) {
        mca_pml_champion_chore_enter(chore);
    }
    if (on) {
        mca_pml_champion.chores |= chore->bit;
    } else {
        mca_pml_champion.chores &= ~chore->bit;
    }
}

static inline bool mca_pml_champion_chore_is_on(
    const mca_pml_champion_chore_t *chore)
{
    return 0 != (mca_pml_champion.chores & chore->bit);
}

/** Do the chores that are on. Returns the number of events. Lock held. */
unsigned mca_pml_champion_chores_step(void);

/** Is one on that needs steps while all is quiet? Lock held. */
bool mca_pml_champion_chores_need_polls(void);

/** Lets schedules go on (mpi/engine.c). On while one can, and then needs
 * polls, or while they are watched (large/standstill.h). */
extern mca_pml_champion_chore_t mca_pml_champion_schedules_chore;

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_CHORES_H */
