/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages to self (loopback): matched like others, copied once.
 */

#ifndef MCA_PML_CHAMPION_MPI_SELF_H
#define MCA_PML_CHAMPION_MPI_SELF_H

#include "ompi/mca/pml/champion/match/request.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"

#pragma GCC visibility push(hidden)

/** Send a message to this process itself. Afterwards send->pending is 0 if the
 * send is complete, 1 if it waits for its receive. Lock held. */
void mca_pml_champion_send_local(mca_pml_champion_send_t *send,
                                 const mca_pml_champion_header_t *header,
                                 mca_pml_champion_comm_t *comm);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_SELF_H */
