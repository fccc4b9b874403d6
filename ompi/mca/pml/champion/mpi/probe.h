/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Probes; see ompi/mca/pml/pml.h for the meaning of the functions. Messages
 * that a matched probe has taken from their queue are kept in a list until they
 * are received, so that MPI_Finalize can drop those that never are.
 */

#ifndef MCA_PML_CHAMPION_MPI_PROBE_H
#define MCA_PML_CHAMPION_MPI_PROBE_H

#include "ompi/message/message.h"

#include "ompi/mca/pml/champion/match/message.h"

#pragma GCC visibility push(hidden)

int mca_pml_champion_iprobe(int source, int tag, ompi_communicator_t *comm,
                            int *matched, ompi_status_public_t *status);
int mca_pml_champion_probe(int source, int tag, ompi_communicator_t *comm,
                           ompi_status_public_t *status);
int mca_pml_champion_improbe(int source, int tag, ompi_communicator_t *comm,
                             int *matched, ompi_message_t **message,
                             ompi_status_public_t *status);
int mca_pml_champion_mprobe(int source, int tag, ompi_communicator_t *comm,
                            ompi_message_t **message,
                            ompi_status_public_t *status);

/** Take the message of a handle, which becomes MPI_MESSAGE_NULL. The caller has
 * to release *comm. */
mca_pml_champion_message_t *mca_pml_champion_probed_take(
    ompi_message_t **handle, ompi_communicator_t **comm);

/** Drop all probed messages that were never received, but not those of sessions,
 * which go on. Without the lock. */
void mca_pml_champion_probed_drop(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_PROBE_H */
