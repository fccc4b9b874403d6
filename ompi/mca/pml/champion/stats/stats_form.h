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

/** Register it. False, after a help text, if its value is not allowed. */
bool mca_pml_champion_stats_register(void);

/** In MPI_Init: rank 0 sees whether it can write the file. Not OMPI_SUCCESS,
 * after a help text, if not. */
int mca_pml_champion_stats_open(void);

/** Forget the file, if nothing was written to it. */
void mca_pml_champion_stats_close(void);

/** Give the report to the user, in the form that was asked for. */
void mca_pml_champion_stats_write(const mca_pml_champion_report_t *report);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_STATS_FORM_H */
