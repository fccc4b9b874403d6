/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Getting the data of a large message from its sender by UCX: what a rendezvous
 * message has announced, or what is sent under a tag (receive offload).
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_TRANSFER_H
#define MCA_PML_CHAMPION_OFFLOAD_TRANSFER_H

#include "ompi/mca/pml/champion/request/transfer_types.h"

#pragma GCC visibility push(hidden)

/**
 * Begin a transfer. Its end is told by done, which may be called before this
 * returns. Lock held.
 *
 * @param transfer  stays until then; done is set
 * @param buffer    stays until then, with room for the data. A rendezvous
 *                  message has to fit
 * @param count     its elements: bytes if param names no datatype
 * @param param     what there is to say of the buffer, a datatype or a
 *                  registration; the rest is filled in here
 * @return UCX's request; NULL if done was called
 */
void *mca_pml_champion_transfer_begin(mca_pml_champion_transfer_t *transfer,
                                      const mca_pml_champion_source_t *source,
                                      void *buffer, size_t count,
                                      ucp_request_param_t *param);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_TRANSFER_H */
