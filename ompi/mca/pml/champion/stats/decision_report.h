/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Report of the decisions of a process, and their reasons, as lines of text.
 */

#ifndef MCA_PML_CHAMPION_STATS_DECISION_REPORT_H
#define MCA_PML_CHAMPION_STATS_DECISION_REPORT_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Bytes of a process's report, including the final NUL. */
#define MCA_PML_CHAMPION_DECISIONS_LENGTH 640

/** Write the report: lines, each ended by a newline; empty if nothing was
 * decided. Lock held. */
void mca_pml_champion_decision_report(
    char text[MCA_PML_CHAMPION_DECISIONS_LENGTH]);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_DECISION_REPORT_H */
