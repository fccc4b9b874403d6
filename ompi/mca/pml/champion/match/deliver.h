/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Delivering a message to its receive. The fast path, which is inline, is a
 * payload that is here and wants no ACK: it is copied, and the receive is
 * complete. Otherwise a table has the operations for each kind of payload, set
 * by the unit that creates payloads of that kind.
 */

#ifndef MCA_PML_CHAMPION_MATCH_DELIVER_H
#define MCA_PML_CHAMPION_MATCH_DELIVER_H

#include "ompi/mca/pml/champion/match/message.h"
#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** Operations on a kind of payload. Lock held. */
typedef struct mca_pml_champion_payload_ops_t {
    /** Deliver it to the matched receive, whose status is filled in. Sets kept
     * if nothing is left to be dropped. Not called for payloads that are here.
     */
    void (*deliver)(mca_pml_champion_arrival_t *arrival,
                    mca_pml_champion_recv_t *recv);
    /** Release its holder, or tell the sender that it is dropped. Also
     * called after delivery, unless it was kept. NULL: nothing to do. */
    void (*drop)(mca_pml_champion_arrival_t *arrival);
    /** A remote message is about to be queued as unexpected. NULL: nothing to
     * do. */
    void (*queued)(mca_pml_champion_remote_message_t *message);
    /** A queued remote message is about to be delivered or dropped. NULL:
     * nothing to do. */
    void (*dequeued)(mca_pml_champion_remote_message_t *message);
} mca_pml_champion_payload_ops_t;

/** Indexed by mca_pml_champion_payload_t. */
extern mca_pml_champion_payload_ops_t
    mca_pml_champion_payloads[MCA_PML_CHAMPION_PAYLOADS];

/** Sends the ACK of a synchronous message by ring. Returns false, with nothing
 * done, if it has to go by UCX. Lock held. Set by shm/; NULL: there are none. */
extern bool (*mca_pml_champion_ack_by_ring)(mca_pml_champion_peer_t *peer,
                                            uint64_t token);

/** Fill in the status of a receive for a message that fits. MPI_ERROR was set
 * to success when the receive began. */
static inline void mca_pml_champion_recv_status(
    mca_pml_champion_recv_t *recv, const mca_mq_envelope_t *envelope,
    size_t length)
{
    ompi_status_public_t *status = recv->status;

    recv->posted = false;
    status->MPI_SOURCE = envelope->source;
    status->MPI_TAG = envelope->tag;
    status->_cancelled = 0;
    status->_ucount = length;
}

/** Copy eager data to a receive, which may be non-contiguous or too small. */
void mca_pml_champion_unpack(mca_pml_champion_recv_t *recv, const void *payload,
                             size_t length);

/** Deliver a message in fragments, in order: begin with its length, add each
 * fragment, end. It may be too long for the receive. Lock held. */
void mca_pml_champion_fragments_begin(mca_pml_champion_recv_t *recv,
                                      const mca_mq_envelope_t *envelope,
                                      size_t length);
void mca_pml_champion_fragments_add(mca_pml_champion_recv_t *recv,
                                    size_t offset, const void *data,
                                    size_t length);
void mca_pml_champion_fragments_end(mca_pml_champion_recv_t *recv);

/** Deliver an arrival that is not plain eager data. */
void mca_pml_champion_deliver_other(mca_pml_champion_arrival_t *arrival,
                                    mca_pml_champion_recv_t *recv);

/** Deliver plain eager data to the matched receive. Lock held. */
static inline __attribute__((always_inline)) void
mca_pml_champion_deliver_eager(mca_pml_champion_recv_t *recv,
                               const mca_mq_envelope_t *envelope,
                               const void *payload, size_t length)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_recv_status(recv, envelope, length);
    if (OPAL_LIKELY(recv->contiguous && length <= recv->capacity)) {
        mca_pml_champion_copy(recv->data, payload, length);
    } else {
        mca_pml_champion_unpack(recv, payload, length);
    }
    mca_pml_champion_recv_complete(recv);
}

/** Deliver an arrival to the matched receive. Lock held. */
static inline __attribute__((always_inline)) void mca_pml_champion_deliver(
    mca_pml_champion_arrival_t *arrival, mca_pml_champion_recv_t *recv)
{
    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_LIKELY(mca_pml_champion_payload_is_here(arrival->kind) &&
                    0 == arrival->token)) {
        mca_pml_champion_deliver_eager(recv, &arrival->envelope,
                                       arrival->payload, arrival->length);
    } else {
        mca_pml_champion_recv_status(recv, &arrival->envelope, arrival->length);
        mca_pml_champion_deliver_other(arrival, recv);
    }
}

/** As _deliver_eager, out of line: for callers whose own code would grow. Lock
 * held. */
void mca_pml_champion_deliver_here(mca_pml_champion_recv_t *recv,
                                   const mca_mq_envelope_t *envelope,
                                   const void *payload, size_t length);

/** Deliver a queued message to the matched receive and free it. Lock held. */
void mca_pml_champion_message_deliver(mca_pml_champion_message_t *message,
                                      mca_pml_champion_recv_t *recv);

/** Deliver an arrival, or the queued message that it describes, to the matched
 * receive. Lock held. */
static inline void mca_pml_champion_arrival_deliver(
    mca_pml_champion_arrival_t *arrival, mca_pml_champion_recv_t *recv)
{
    MCA_PML_CHAMPION_LOCKED();
    if (NULL == arrival->message) {
        mca_pml_champion_deliver(arrival, recv);
    } else {
        mca_pml_champion_message_deliver(arrival->message, recv);
    }
}

/** Call queued() for a message that is about to be queued as unexpected. Lock
 * held. */
void mca_pml_champion_message_queued(mca_pml_champion_message_t *message);

/** Release UCX's data of an arrival that was queued; other data are released by
 * UCX after the handler. Lock held. */
void mca_pml_champion_ucx_drop(mca_pml_champion_arrival_t *arrival);

/** Drop an arrival that cannot be received, notify its sender, and count it.
 * Lock held. */
void mca_pml_champion_arrival_drop(mca_pml_champion_arrival_t *arrival);

/** Drop an arrival and notify its sender, without counting it. Lock held. */
void mca_pml_champion_arrival_discard(mca_pml_champion_arrival_t *arrival);

/** Drop a queued message that cannot be received, notify its sender, and free
 * it. Lock held. */
void mca_pml_champion_message_drop(mca_pml_champion_message_t *message);

/** Drop all messages of a list, linked by link[0]. Lock held. */
void mca_pml_champion_messages_drop(mca_pml_champion_message_t **list);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_DELIVER_H */
