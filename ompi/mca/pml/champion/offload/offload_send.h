/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receive offload at the sender. The lock is held.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_SEND_H
#define MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_SEND_H

#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** Should the data of a send be sent by tag? */
bool mca_pml_champion_offload_wants(const mca_pml_champion_send_t *send,
                                    const mca_pml_champion_peer_t *peer);

/** Assign a tag to a send. False if its stream is new and there is no room or
 * memory for it. */
bool mca_pml_champion_offload_tag(mca_pml_champion_send_t *send,
                                  uint32_t context, int tag,
                                  const mca_pml_champion_peer_t *peer);

/** Send a message that has a tag. param is that of an active message with
 * send's callback. Returns UCX's request for the envelope, or an error;
 * send->pending counts the outstanding events, the envelope's included. */
ucs_status_ptr_t mca_pml_champion_offload_send(
    mca_pml_champion_send_t *send, mca_pml_champion_peer_t *peer,
    const ucp_request_param_t *param);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_SEND_H */
