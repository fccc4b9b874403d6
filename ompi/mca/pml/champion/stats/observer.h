/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting for statistics and performance variables: an observer of matching
 * domains (see base/domain/observe.h), so that it costs nothing where nothing
 * is counted. The entry of an arrival in mq begins with the length of the
 * payload, as a size_t.
 */

#ifndef MCA_PML_CHAMPION_STATS_OBSERVER_H
#define MCA_PML_CHAMPION_STATS_OBSERVER_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/stats/stats_table.h"

#pragma GCC visibility push(hidden)

/** Count in all communicators made from now on. */
void mca_pml_champion_observer_all(void);

/** A communicator is being made: allocate its counters if all are counted. */
int mca_pml_champion_observer_open(mca_pml_champion_comm_t *comm);

/** Count in a communicator from now on, unless it is counted already. Entries
 * already queued are taken into account. Costs one migration. Lock held. */
int mca_pml_champion_observer_begin(mca_pml_champion_comm_t *comm);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_OBSERVER_H */
