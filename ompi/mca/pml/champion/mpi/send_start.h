/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Starting a send that the fast paths have left over: header, route, and the
 * start on each route (mpi/route.h).
 */

#ifndef MCA_PML_CHAMPION_MPI_SEND_START_H
#define MCA_PML_CHAMPION_MPI_SEND_START_H

#include "ompi/mca/pml/champion/match/flow_control.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/match/request.h"
#include "ompi/mca/pml/champion/shm/ring_out.h"

#pragma GCC visibility push(hidden)

/** Fill in the header of a peer's next message. */
static inline void mca_pml_champion_send_header(
    mca_pml_champion_header_t *header, const mca_pml_champion_comm_t *comm,
    const mca_pml_champion_peer_t *peer, int tag)
{
    *header = comm->header;
    header->tag = tag;
    header->sequence = peer->send_sequence;
}

/** Count a message that went by UCP. From time to time, let flow control check
 * whether the peer keeps up. Lock held. */
static inline void mca_pml_champion_sent_by_ucp(mca_pml_champion_peer_t *peer,
                                                uint32_t context, int tag)
{
    mca_pml_champion_sent(peer, context, tag);
    if (OPAL_UNLIKELY((int32_t) (peer->send_sequence - peer->due_at) >= 0)) {
        mca_pml_champion_flow_due(peer);
    }
}

/**
 * Describe the data of a send.
 *
 * @param convertor  used for non-contiguous data, until the send is complete
 */
void mca_pml_champion_send_describe(mca_pml_champion_send_t *send,
                                    const void *buffer, size_t count,
                                    ompi_datatype_t *datatype,
                                    mca_pml_base_send_mode_t mode,
                                    opal_convertor_t *convertor);

/** Describe a send from the memory of a device to a peer; the convertor may be
 * used for contiguous data, too. */
void mca_pml_champion_send_describe_device(mca_pml_champion_send_t *send,
                                           const void *buffer, size_t count,
                                           ompi_datatype_t *datatype,
                                           mca_pml_base_send_mode_t mode,
                                           const mca_pml_champion_peer_t *peer,
                                           opal_convertor_t *convertor);

/** Start a send that is described. It is complete, successfully or with
 * send->error, when send->pending is 0. Lock held.
 *
 * @param attributes  of UCX's request
 */
void mca_pml_champion_send_start(mca_pml_champion_send_t *send, int tag,
                                 mca_pml_champion_comm_t *comm,
                                 mca_pml_champion_peer_t *peer,
                                 uint32_t attributes);

/** As .._send_start, for data in the memory of a device. */
void mca_pml_champion_send_start_device(mca_pml_champion_send_t *send, int tag,
                                        mca_pml_champion_comm_t *comm,
                                        mca_pml_champion_peer_t *peer,
                                        uint32_t attributes);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_SEND_START_H */
