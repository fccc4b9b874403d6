/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Support for the stock ompi_info.
 */

#ifndef MCA_PML_CHAMPION_STATS_INFO_H
#define MCA_PML_CHAMPION_STATS_INFO_H

#pragma GCC visibility push(hidden)

/**
 * If this program is ompi_info: have it list the components of mq and their
 * parameters.
 *
 * The stock ompi_info knows the frameworks that were compiled into it, and mq
 * is not among them. It prints what it finds in the list of a framework, by
 * each component's own type name; so the components of mq are put into the list
 * of pml, and the group of mq's parameters below that of pml. Nothing is done
 * in other programs, and none of it is needed in an Open MPI that was built
 * with mq.
 */
void mca_pml_champion_info_add_mq(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_INFO_H */
