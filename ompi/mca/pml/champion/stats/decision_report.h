/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process has decided by itself, and why, as lines for its user.
 */

#ifndef MCA_PML_CHAMPION_STATS_DECISION_REPORT_H
#define MCA_PML_CHAMPION_STATS_DECISION_REPORT_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Bytes of a process's story, with its end. */
#define MCA_PML_CHAMPION_STORY_LENGTH 640

/** Tell it: lines, each ended by a newline; empty if nothing was decided. Lock
 * held. */
void mca_pml_champion_decision_report(char text[MCA_PML_CHAMPION_STORY_LENGTH]);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_DECISION_REPORT_H */
