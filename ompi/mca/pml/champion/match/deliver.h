/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Delivering a message to its receive. The fast path, which is inline, is a
 * payload that is here and wants no ACK: it is copied, and the receive is
 * complete. What else is done depends on the kind of payload: a table says, and
 * whoever makes payloads of a kind enters what to do with them.
 */

#ifndef MCA_PML_CHAMPION_MATCH_DELIVER_H
#define MCA_PML_CHAMPION_MATCH_DELIVER_H

#include "ompi/mca/pml/champion/match/message.h"
#include "ompi/mca/pml/champion/request/request.h"

#pragma GCC visibility push(hidden)

/** What to do with a kind of payload. Lock held. */
typedef struct mca_pml_champion_payload_ops_t {
    /** Give it to the receive that its message has matched, whose status has
     * been filled in. Sets kept if nothing is left of it that had to be
     * dropped. Not called for payloads that are here. */
    void (*deliver)(mca_pml_champion_arrival_t *arrival,
                    mca_pml_champion_recv_t *recv);
    /** Give back what holds it, or tell the sender that it is not wanted. After
     * it was delivered, too, unless it was kept. NULL: there is nothing to do.
     */
    void (*drop)(mca_pml_champion_arrival_t *arrival);
    /** A message whose data are at its sender is about to be queued as
     * unexpected. NULL: there is nothing to do. */
    void (*queued)(mca_pml_champion_remote_message_t *message);
    /** One that was late when it came is about to be delivered or dropped.
     * NULL: there is nothing to do. */
    void (*taken)(mca_pml_champion_remote_message_t *message);
} mca_pml_champion_payload_ops_t;

/** By mca_pml_champion_payload_t. */
extern mca_pml_champion_payload_ops_t
    mca_pml_champion_payloads[MCA_PML_CHAMPION_PAYLOADS];

/** What the status of a receive says about a message that came whole; that
 * there is no error it says since the receive began. */
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

/** Hand over eager data, which need not be in one piece or fit. */
void mca_pml_champion_unpack(mca_pml_champion_recv_t *recv, const void *payload,
                             size_t length);

/** Hand over a message in pieces, in order: first say how long it is, last that
 * all has come. It need not fit. Lock held. */
void mca_pml_champion_pieces_begin(mca_pml_champion_recv_t *recv,
                                   const mca_mq_envelope_t *envelope,
                                   size_t length);
void mca_pml_champion_pieces_add(mca_pml_champion_recv_t *recv, size_t offset,
                                 const void *data, size_t length);
void mca_pml_champion_pieces_end(mca_pml_champion_recv_t *recv);

/** Hand over an arrival that is not simply eager. */
void mca_pml_champion_deliver_other(mca_pml_champion_arrival_t *arrival,
                                    mca_pml_champion_recv_t *recv);

/** Give eager data that wait for nothing to the receive they matched. Lock
 * held. */
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

/** Give a message to the receive it matched. Lock held. */
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

/** Hand a message that waited to the receive it matched. Lock held. */
void mca_pml_champion_message_deliver(mca_pml_champion_message_t *message,
                                      mca_pml_champion_recv_t *recv);

/** A message that is late is about to be queued as unexpected. Lock held. */
void mca_pml_champion_message_queued(mca_pml_champion_message_t *message);

/** Drop what UCX holds of an arrival that waited; of others it drops by itself
 * what its handler does not keep. Lock held. */
void mca_pml_champion_ucx_drop(mca_pml_champion_arrival_t *arrival);

/** Nobody will ever receive an arrival: tell its sender. Lock held. */
void mca_pml_champion_arrival_drop(mca_pml_champion_arrival_t *arrival);

/** The same, without counting it. */
void mca_pml_champion_arrival_discard(mca_pml_champion_arrival_t *arrival);

/** The same for a message that waited; everything is given back. Lock held. */
void mca_pml_champion_message_drop(mca_pml_champion_message_t *message);

/** The same for a list of them, linked by link[0]. Lock held. */
void mca_pml_champion_messages_drop(mca_pml_champion_message_t **list);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_DELIVER_H */
