/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receiving the data of a large message: by UCX, of a rendezvous message or sent
 * by tag (receive offload); or from the sender's memory (shm/).
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_TRANSFER_H
#define MCA_PML_CHAMPION_OFFLOAD_TRANSFER_H

#include "ompi/mca/pml/champion/match/transfer_types.h"

#pragma GCC visibility push(hidden)

/**
 * Begin a transfer. transfer->on_end is called at its end, possibly before this
 * returns. Lock held.
 *
 * @param transfer  valid until its end; on_end is set
 * @param buffer    valid until the end of the transfer. A rendezvous message
 *                  must fit
 * @param count     elements of the buffer; bytes without a datatype in param
 * @param param     datatype or registration of the buffer, if any; the rest is
 *                  filled in here
 * @return UCX's request; NULL if on_end was called
 */
void *mca_pml_champion_transfer_begin(mca_pml_champion_transfer_t *transfer,
                                      const mca_pml_champion_source_t *source,
                                      void *buffer, size_t count,
                                      ucp_request_param_t *param);

/** Called first, with what _transfer_begin got: true if the transfer was begun
 * in another way, which ends it by _transfer_end, not before it returns. Set by
 * large/; NULL: there is none. Lock held. */
extern bool (*mca_pml_champion_transfer_otherwise)(
    mca_pml_champion_transfer_t *transfer,
    const mca_pml_champion_source_t *source, void *buffer, size_t count,
    const ucp_request_param_t *param);

/** Begins a transfer of a source with an address, and ends it by _transfer_end,
 * not before it returns. Set by shm/. Lock held. */
extern void (*mca_pml_champion_transfer_by_address)(
    mca_pml_champion_transfer_t *transfer,
    const mca_pml_champion_source_t *source, void *buffer,
    const ucp_request_param_t *param);

/** A transfer that was begun, and has not ended yet, has ended. Lock held. */
void mca_pml_champion_transfer_end(mca_pml_champion_transfer_t *transfer,
                                   ucs_status_t status);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_TRANSFER_H */
