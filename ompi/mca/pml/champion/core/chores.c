/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/chores.h"

mca_pml_champion_chore_t mca_pml_champion_schedules_chore;

static mca_pml_champion_chore_t *newest; /* all that were on once */

void mca_pml_champion_chore_enter(mca_pml_champion_chore_t *chore)
{
    chore->bit = NULL == newest ? 1 : newest->bit << 1;
    assert(0 != chore->bit);
    chore->next = newest;
    newest = chore;
}

unsigned mca_pml_champion_chores_step(void)
{
    unsigned events = 0;

    MCA_PML_CHAMPION_LOCKED();
    for (const mca_pml_champion_chore_t *chore = newest; NULL != chore;
         chore = chore->next) {
        if (mca_pml_champion_chore_is_on(chore)) {
            events += chore->step();
        }
    }
    return events;
}

bool mca_pml_champion_chores_need_polls(void)
{
    const mca_pml_champion_chore_t *chore = newest;

    MCA_PML_CHAMPION_LOCKED();
    while (NULL != chore &&
           !(chore->polls && mca_pml_champion_chore_is_on(chore))) {
        chore = chore->next;
    }
    return NULL != chore;
}
