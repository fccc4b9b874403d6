/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parameter pml_champion_stats: whether statistics are wanted, and in which
 * form. A truth value, `text` or `full`: on the standard error; `json:FILE`:
 * there.
 */

#ifndef MCA_PML_CHAMPION_STATS_STATS_FORM_H
#define MCA_PML_CHAMPION_STATS_STATS_FORM_H

#include "ompi/mca/pml/champion/stats/stats.h"

#pragma GCC visibility push(hidden)

/** Write the report in the requested form. */
void mca_pml_champion_stats_write(const mca_pml_champion_report_t *report);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_STATS_FORM_H */
