/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiving half of the PML interface; see ompi/mca/pml/pml.h for the
 * meaning of its functions.
 */

#ifndef MCA_PML_CHAMPION_MPI_RECV_H
#define MCA_PML_CHAMPION_MPI_RECV_H

#include "ompi/message/message.h"

#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

int mca_pml_champion_recv(void *buffer, size_t count, ompi_datatype_t *datatype,
                          int source, int tag, ompi_communicator_t *comm,
                          ompi_status_public_t *status);
int mca_pml_champion_irecv(void *buffer, size_t count,
                           ompi_datatype_t *datatype, int source, int tag,
                           ompi_communicator_t *comm, ompi_request_t **out);
int mca_pml_champion_irecv_init(void *buffer, size_t count,
                                ompi_datatype_t *datatype, int source, int tag,
                                ompi_communicator_t *comm,
                                ompi_request_t **out);
int mca_pml_champion_mrecv(void *buffer, size_t count,
                           ompi_datatype_t *datatype, ompi_message_t **message,
                           ompi_status_public_t *status);
int mca_pml_champion_imrecv(void *buffer, size_t count,
                            ompi_datatype_t *datatype, ompi_message_t **message,
                            ompi_request_t **out);

/** The same with mca_pml_champion.slow_calls, or where there is a device
 * (core/device.h), in whose memory the buffer may be. */
int mca_pml_champion_recv_slow(void *buffer, size_t count,
                               ompi_datatype_t *datatype, int source, int tag,
                               ompi_communicator_t *comm,
                               ompi_status_public_t *status);
int mca_pml_champion_irecv_slow(void *buffer, size_t count,
                                ompi_datatype_t *datatype, int source, int tag,
                                ompi_communicator_t *comm,
                                ompi_request_t **out);
int mca_pml_champion_start_recv_any(mca_pml_champion_request_t *request);

/** Cancel a receive that is still posted; a matched one continues. */
int mca_pml_champion_cancel_recv(ompi_request_t *request, int flag);

/** Start a persistent receive. Returns an MPI error code; on error the request
 * is complete, with that error. */
int mca_pml_champion_start_recv(mca_pml_champion_request_t *request);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_RECV_H */
