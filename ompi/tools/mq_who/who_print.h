/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What was seen of the processes of a job on this node, as text.
 */

#ifndef WHO_PRINT_H
#define WHO_PRINT_H

#include <stdio.h>

#include "ompi/mca/pml/champion/stuck/report.h"

/** How many processes wait for as long as is judged. */
size_t who_stand(const mca_pml_champion_stuck_report_t *report);

void who_print_text(FILE *file, const mca_pml_champion_stuck_report_t *report);

#endif /* WHO_PRINT_H */
