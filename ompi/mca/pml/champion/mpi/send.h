/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sending half of the PML interface; ompi/mca/pml/pml.h describes the
 * functions.
 */

#ifndef MCA_PML_CHAMPION_MPI_SEND_H
#define MCA_PML_CHAMPION_MPI_SEND_H

#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

int mca_pml_champion_send(const void *buffer, size_t count,
                          ompi_datatype_t *datatype, int dst, int tag,
                          mca_pml_base_send_mode_t mode,
                          ompi_communicator_t *comm);
int mca_pml_champion_isend(const void *buffer, size_t count,
                           ompi_datatype_t *datatype, int dst, int tag,
                           mca_pml_base_send_mode_t mode,
                           ompi_communicator_t *comm, ompi_request_t **out);

/** MPI_Send and MPI_Isend without the fast path, for runs in which it is never
 * taken. */
int mca_pml_champion_send_slow(const void *buffer, size_t count,
                               ompi_datatype_t *datatype, int dst, int tag,
                               mca_pml_base_send_mode_t mode,
                               ompi_communicator_t *comm);
int mca_pml_champion_isend_slow(const void *buffer, size_t count,
                                ompi_datatype_t *datatype, int dst, int tag,
                                mca_pml_base_send_mode_t mode,
                                ompi_communicator_t *comm,
                                ompi_request_t **out);

int mca_pml_champion_isend_init(const void *buffer, size_t count,
                                ompi_datatype_t *datatype, int dst, int tag,
                                mca_pml_base_send_mode_t mode,
                                ompi_communicator_t *comm,
                                ompi_request_t **out);

/** Start a persistent send. Returns an MPI error class; after an error the
 * request is complete with it. */
int mca_pml_champion_start_send(mca_pml_champion_request_t *request);

/** The same where there is a device (core/device.h), in whose memory the buffer
 * may be. Those for host memory are called from mca_pml_champion_host. */
extern mca_pml_base_module_t mca_pml_champion_host;
int mca_pml_champion_send_any(const void *buffer, size_t count,
                              ompi_datatype_t *datatype, int dst, int tag,
                              mca_pml_base_send_mode_t mode,
                              ompi_communicator_t *comm);
int mca_pml_champion_isend_any(const void *buffer, size_t count,
                               ompi_datatype_t *datatype, int dst, int tag,
                               mca_pml_base_send_mode_t mode,
                               ompi_communicator_t *comm, ompi_request_t **out);
int mca_pml_champion_start_send_any(mca_pml_champion_request_t *request);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_SEND_H */
