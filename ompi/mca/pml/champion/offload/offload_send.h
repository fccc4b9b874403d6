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

/** Should the data of a send to a peer with slow_sends be sent by tag? */
bool mca_pml_champion_offload_wants(const mca_pml_champion_send_t *send);

/**
 * Send a message by tag. False, with nothing done, if its stream is new and
 * there is no room or memory for it, or if the peer cannot be connected.
 *
 * @param param         of an active message with send's callback
 * @param[out] request  UCX's, for the envelope, or an error. send->pending
 *                      counts the outstanding events, the envelope's included
 */
bool mca_pml_champion_offload_send(mca_pml_champion_send_t *send,
                                   const ucp_request_param_t *param,
                                   ucs_status_ptr_t *request);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_SEND_H */
