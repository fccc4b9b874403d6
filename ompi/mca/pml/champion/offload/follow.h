/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receive offload: counts the streams of peers that were asked for tags, and
 * offloads the receives whose message is known from that. The lock is held.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_FOLLOW_H
#define MCA_PML_CHAMPION_OFFLOAD_FOLLOW_H

#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** Count a message of a peer, which is next in sequence. */
void mca_pml_champion_follow_counted(mca_pml_champion_peer_t *peer,
                                     const mca_mq_envelope_t *envelope,
                                     uint8_t kind, uint64_t token);

/** Offload a receive that will get message `number` of its stream, unless there
 * is a reason against it. */
void mca_pml_champion_follow_offload(mca_pml_champion_peer_t *peer,
                                     const mca_pml_champion_comm_t *comm,
                                     const mca_pml_champion_stream_t *stream,
                                     mca_pml_champion_recv_t *recv,
                                     uint32_t number);

/** End the streams of a freed communicator, whose queues are empty. */
void mca_pml_champion_follow_forget(uint32_t context);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_FOLLOW_H */
