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

/** Register the parameter. False, after a help text, if its value is not
 * allowed. */
bool mca_pml_champion_stats_register(void);

/** In MPI_Init, at rank 0: check that the file can be written. If not, returns
 * an error, after a help text. */
int mca_pml_champion_stats_open(void);

/** Forget the file if nothing was written to it. */
void mca_pml_champion_stats_close(void);

/** Write the report in the requested form. */
void mca_pml_champion_stats_write(const mca_pml_champion_report_t *report);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_STATS_FORM_H */
