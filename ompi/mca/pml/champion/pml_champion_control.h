/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of champion's own: ACKs, offers, what is said about rings.
 */

#ifndef OMPI_PML_CHAMPION_CONTROL_H
#define OMPI_PML_CHAMPION_CONTROL_H

#include "ompi/mca/pml/champion/pml_champion_peer.h"

#pragma GCC visibility push(hidden)

/**
 * Send a few bytes that nobody waits for. Lock held.
 *
 * @param[in] id     of the active message
 * @param[in] data   copied
 * @param[in] flags  UCP_AM_SEND_FLAG_*
 *
 * @return UCS_OK if it has been sent or will be; UCS_ERR_NO_MEMORY, or an error
 *         of UCX's, if not
 */
ucs_status_t mca_pml_champion_control_send(const mca_pml_champion_peer_t *peer,
                                           unsigned id, const void *data,
                                           size_t length, uint32_t flags);

/** The flag for a control message that is to be answered. Whoever has sent a
 * message of this job has a way to answer; with the flag UCX sends nothing more
 * until that process has made progress, if it is the first time. */
static inline uint32_t mca_pml_champion_control_reply(
    const mca_pml_champion_peer_t *peer)
{
    return 0 != peer->recv_sequence &&
                   peer->name.jobid == mca_pml_champion.my_jobid
               ? 0
               : UCP_AM_SEND_FLAG_REPLY;
}

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_CONTROL_H */
