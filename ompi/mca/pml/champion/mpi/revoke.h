/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Comm_revoke, and the other needs of Open MPI's fault tolerance in a PML.
 */

#ifndef MCA_PML_CHAMPION_MPI_REVOKE_H
#define MCA_PML_CHAMPION_MPI_REVOKE_H

#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** Revoke a communicator: its receives and probes fail, and its messages are
 * dropped. With coll_only, only those of collective operations. */
int mca_pml_champion_revoke_comm(ompi_communicator_t *comm, bool coll_only);
int mca_pml_champion_ft_add_procs(ompi_proc_t **procs, size_t count);
void mca_pml_champion_ft_del_procs(ompi_proc_t **procs, size_t count);

/** Where Open MPI tolerates faults: put functions that end when the process they
 * wait for has failed in the place of a module's blocking calls and probes.
 * Blocking calls wait for a request in Open MPI's way, which looks at the
 * processes that have failed and cancels requests that wait for one; see
 * mca_pml_champion_request_abandon for the others. Before Open MPI
 * copies the module.
 *
 * @return where the module is kept as it was: its functions are called from
 *         there, and may be changed there
 */
mca_pml_base_module_t *mca_pml_champion_fault_entry(
    mca_pml_base_module_t *module);

/** Fail a receive that was just queued in a revoked communicator. Lock held. */
void mca_pml_champion_recv_revoked(mca_pml_champion_comm_t *comm,
                                   mca_pml_champion_recv_t *recv);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_REVOKE_H */
