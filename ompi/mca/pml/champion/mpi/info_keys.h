/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The info keys of a communicator. They are read when it is made, and whenever
 * its info is set:
 *
 *     mpi_assert_*          promises of its user about its receives (MPI-4,
 *                           section 7.4.4); another mq component may take over
 *                           the matching then
 *     ompi_mq               the mq component that matches its messages, and
 *                           parameters of that
 *     ompi_progress_thread  while the communicator exists, the process has a
 *                           progress thread (on), or none (off), or decides by
 *                           itself (auto, the default). It replaces the value
 *                           auto of the parameter pml_champion_progress_thread;
 *                           with several communicators, on goes before off
 */

#ifndef MCA_PML_CHAMPION_MPI_INFO_KEYS_H
#define MCA_PML_CHAMPION_MPI_INFO_KEYS_H

#include "ompi/mca/pml/champion/peer/comm_table.h"

#pragma GCC visibility push(hidden)

/** Follow the keys in a communicator's info, from now on. Returns an error of
 * Open MPI. Without the lock. */
int mca_pml_champion_info_subscribe(mca_pml_champion_comm_t *comm);

/** The communicator is freed. Lock held. */
void mca_pml_champion_info_leave(mca_pml_champion_comm_t *comm);

/** Does this receive or probe break a promise of the communicator's user? Open
 * MPI's own receives, with negative tags, may be from any source, as in linear
 * barriers. */
static inline bool mca_pml_champion_breaks_promise(
    const mca_pml_champion_comm_t *comm, int source, int tag)
{
    uint32_t promised = comm->domain->info.assertions;

    return OPAL_UNLIKELY(0 != (promised & MCA_MQ_ASSERT_EXACT)) &&
           ((OMPI_ANY_SOURCE == source && tag >= OMPI_ANY_TAG &&
             0 != (promised & MCA_MQ_ASSERT_NO_ANY_SOURCE)) ||
            (OMPI_ANY_TAG == tag &&
             0 != (promised & MCA_MQ_ASSERT_NO_ANY_TAG)));
}

/** The MPI error code for a broken promise; its text names the assertion. */
int mca_pml_champion_broken_promise(const mca_pml_champion_comm_t *comm,
                                    int source);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_INFO_KEYS_H */
