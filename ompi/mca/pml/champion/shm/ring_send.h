/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends messages through rings.
 */

#ifndef MCA_PML_CHAMPION_SHM_RING_SEND_H
#define MCA_PML_CHAMPION_SHM_RING_SEND_H

#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/shm/ring_out.h"
#include "ompi/mca/pml/champion/shm/rings.h"

#pragma GCC visibility push(hidden)

struct mca_pml_champion_completed_send_t;

/** Send a small message, contiguous or not, by the peer's ring. Returns true if
 * it is in the ring; then *out is set to the completed send that represents it,
 * unless out is NULL. Takes the lock. */
bool mca_pml_champion_ring_send(mca_pml_champion_peer_t *peer,
                                const mca_pml_champion_comm_t *comm, int tag,
                                const void *buffer, size_t count,
                                ompi_datatype_t *datatype, size_t length,
                                struct mca_pml_champion_completed_send_t **out);

/** Start a send for which there is a ring. The header must be filled in. The
 * send is complete on return if send->pending is 0; otherwise it waits for
 * room, or is synchronous, of SYNC_RING bytes (mpi/route.h) at most, and waits
 * for its ACK. Lock held. */
void mca_pml_champion_ring_start(struct mca_pml_champion_send_t *send,
                                 mca_pml_champion_peer_t *peer);

/** Send the ACK of a SYNC. Returns false, with nothing done, if there is no ring
 * or no room. Lock held. */
bool mca_pml_champion_ring_ack(mca_pml_champion_peer_t *peer, uint64_t token);

/** Has the peer found that it can read this process's memory? Asks it to find
 * out, once. Lock held. */
bool mca_pml_champion_ring_reads(mca_pml_champion_peer_t *peer);

/** Has the ring room for all of a message in fragments now, as far as the pool
 * goes? Lock held. */
bool mca_pml_champion_ring_has_room_for(mca_pml_champion_peer_t *peer,
                                        size_t length);

/** Send a contiguous message by RGET: only its address goes through the ring.
 * Returns false, with nothing done, if that is not possible now. The send stays
 * pending until the receiver's FIN, or until this process has copied all of it.
 * Lock held. */
bool mca_pml_champion_ring_rget(struct mca_pml_champion_send_t *send,
                                mca_pml_champion_peer_t *peer);

/** The receiver has sent FIN for the RGET with that sequence number: complete
 * the send; with an error if it could not be read. False if there is no such
 * send. Lock held. */
bool mca_pml_champion_ring_on_fin(mca_pml_champion_peer_t *peer,
                                  uint32_t sequence, bool read);

/** Send FIN: the RGET with that sequence number has been read, or cannot be. Lock
 * held. */
void mca_pml_champion_ring_fin(mca_pml_champion_peer_t *peer, uint32_t sequence,
                               bool read);

/** Write queued sends into their rings as far as there is room. Returns how many
 * were written to the end. Lock held. */
unsigned mca_pml_champion_rings_drain(void);

/** Stop writing to the ring of a throttled peer, and send by UCX the messages
 * that wait for room. Called by flow control; see peer/throttle.h. Lock held. */
void mca_pml_champion_ring_hold(mca_pml_champion_peer_t *peer);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_RING_SEND_H */
