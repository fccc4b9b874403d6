/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/deliver.h"

#include "ompi/mca/mq/mq_ompi_compat.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/match/complain.h"

/* Is it known that a process has failed, with fault tolerance? */
static bool has_failed(const mca_pml_champion_peer_t *peer)
{
    ompi_proc_t *proc;

    if (!MCA_MQ_OMPI_FT_ENABLED) {
        return false;
    }
    proc = ompi_proc_find(&peer->name);
    return NULL != proc && MCA_MQ_OMPI_PROC_HAS_FAILED(proc);
}

/* A sender without its ACK would wait forever, unless it has died. With fault
 * tolerance it may have, before Open MPI knows: then this process goes on. */
static void ack_failed(const mca_pml_champion_peer_t *peer, const char *why)
{
    if (has_failed(peer)) {
        return;
    }
    if (MCA_MQ_OMPI_FT_ENABLED) {
        opal_output(0,
                    "champion: a synchronous send of %s cannot be "
                    "acknowledged: %s",
                    OPAL_NAME_PRINT(peer->name), why);
        return;
    }
    mca_pml_champion_abort(MPI_ERR_OTHER,
                           "a synchronous send of %s cannot be acknowledged: "
                           "%s",
                           OPAL_NAME_PRINT(peer->name), why);
}

bool (*mca_pml_champion_ack_by_ring)(mca_pml_champion_peer_t *peer,
                                     uint64_t token);

/* Tell the sender of a SYNC message that it is matched. */
static void ack_send(mca_pml_champion_peer_t *peer, uint64_t token)
{
    ucs_status_t status;

    if (NULL != mca_pml_champion_ack_by_ring &&
        mca_pml_champion_ack_by_ring(peer, token)) {
        return;
    }
    status = mca_pml_champion_ctrl_msg_send(peer, MCA_PML_CHAMPION_AM_ACK,
                                            &token, sizeof(token), 0);
    if (OPAL_UNLIKELY(UCS_OK != status)) {
        ack_failed(peer, ucs_status_string(status));
    }
}

void mca_pml_champion_unpack(mca_pml_champion_recv_t *recv, const void *payload,
                             size_t length)
{
    if (length > recv->capacity) {
        mca_pml_champion_recv_truncated(recv);
        length = recv->capacity;
    }
    if (recv->contiguous) {
        mca_pml_champion_copy(recv->data, payload, length);
    } else if (0 != length) {
        mca_pml_champion_layout_recv(&recv->layout, length);
        mca_pml_champion_layout_unpack(&recv->layout, 0, payload, length);
        mca_pml_champion_layout_end(&recv->layout);
    }
}

void mca_pml_champion_fragments_begin(mca_pml_champion_recv_t *recv,
                                      const mca_mq_envelope_t *envelope,
                                      size_t length)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_recv_status(recv, envelope, length);
    if (length > recv->capacity) {
        mca_pml_champion_recv_truncated(recv);
        length = recv->capacity;
    }
    if (!recv->contiguous) {
        mca_pml_champion_layout_recv(&recv->layout, length);
    }
}

void mca_pml_champion_fragments_add(mca_pml_champion_recv_t *recv,
                                    size_t offset, const void *data,
                                    size_t length)
{
    MCA_PML_CHAMPION_LOCKED();
    if (offset >= recv->capacity) {
        return;
    }
    if (length > recv->capacity - offset) {
        length = recv->capacity - offset;
    }
    if (recv->contiguous) {
        memcpy((char *) recv->data + offset, data, length);
    } else if (!mca_pml_champion_layout_unpack(&recv->layout, offset, data,
                                               length)) {
        mca_pml_champion_recv_fail(recv, MPI_ERR_NO_MEM);
    }
}

void mca_pml_champion_fragments_end(mca_pml_champion_recv_t *recv)
{
    MCA_PML_CHAMPION_LOCKED();
    if (!recv->contiguous) {
        mca_pml_champion_layout_end(&recv->layout);
    }
    mca_pml_champion_recv_complete(recv);
}

void mca_pml_champion_ucx_drop(mca_pml_champion_arrival_t *arrival)
{
    MCA_PML_CHAMPION_LOCKED();
    if (NULL != arrival->message) {
        ucp_am_data_release(mca_pml_champion.worker,
                            (void *) (uintptr_t) arrival->payload);
        /* UCX tells the sender of a rendezvous. */
        mca_pml_champion_wake_tell();
    }
}

/* The data could not be fetched. */
static void lost_deliver(mca_pml_champion_arrival_t *arrival,
                         mca_pml_champion_recv_t *recv)
{
    (void) arrival;
    mca_pml_champion_recv_fail(recv, MPI_ERR_OTHER);
    mca_pml_champion_recv_complete(recv);
}

mca_pml_champion_payload_ops_t
    mca_pml_champion_payloads[MCA_PML_CHAMPION_PAYLOADS] = {
        [MCA_PML_CHAMPION_HELD] = {.drop = mca_pml_champion_ucx_drop},
        [MCA_PML_CHAMPION_LOST] = {.deliver = lost_deliver},
};

/* Does the sender wait for an ACK? */
static bool wants_ack(const mca_pml_champion_arrival_t *arrival)
{
    return 0 != arrival->token && MCA_PML_CHAMPION_TAGGED != arrival->kind;
}

void mca_pml_champion_deliver_other(mca_pml_champion_arrival_t *arrival,
                                    mca_pml_champion_recv_t *recv)
{
    MCA_PML_CHAMPION_LOCKED();
    if (wants_ack(arrival)) {
        ack_send(arrival->peer, arrival->token);
    }
    if (mca_pml_champion_payload_is_here(arrival->kind)) {
        mca_pml_champion_unpack(recv, arrival->payload, arrival->length);
        mca_pml_champion_recv_complete(recv);
    } else {
        mca_pml_champion_payloads[arrival->kind].deliver(arrival, recv);
    }
}

static void payload_drop(mca_pml_champion_arrival_t *arrival)
{
    MCA_PML_CHAMPION_LOCKED();
    if (NULL != mca_pml_champion_payloads[arrival->kind].drop) {
        mca_pml_champion_payloads[arrival->kind].drop(arrival);
    }
}

void mca_pml_champion_message_queued(mca_pml_champion_message_t *message)
{
    MCA_PML_CHAMPION_LOCKED();
    if (NULL != mca_pml_champion_payloads[message->kind].queued) {
        mca_pml_champion_payloads[message->kind].queued(
            (mca_pml_champion_remote_message_t *) message);
    }
}

/* A queued message is about to be delivered or dropped. */
static void message_dequeued(mca_pml_champion_message_t *message)
{
    if (message->remote &&
        NULL != mca_pml_champion_payloads[message->kind].dequeued) {
        mca_pml_champion_payloads[message->kind].dequeued(
            (mca_pml_champion_remote_message_t *) message);
    }
}

/* Deliver a message that is not a plain copy. */
static __attribute__((noinline)) void message_deliver_other(
    mca_pml_champion_message_t *message, mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_arrival_t arrival;

    message_dequeued(message);
    mca_pml_champion_message_describe(message, &arrival);
    mca_pml_champion_deliver(&arrival, recv);
    if (MCA_PML_CHAMPION_COPIED != arrival.kind) {
        if (!arrival.kept) {
            payload_drop(&arrival);
        }
        if (NULL == arrival.message) {
            return;
        }
    }
    mca_pml_champion_message_free(message);
}

void mca_pml_champion_message_deliver(mca_pml_champion_message_t *message,
                                      mca_pml_champion_recv_t *recv)
{
    size_t length = message->length;

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(MCA_PML_CHAMPION_COPIED != message->kind ||
                      0 != message->token)) {
        message_deliver_other(message, recv);
        return;
    }
    mca_pml_champion_deliver_eager(recv, &message->entry.envelope,
                                   message->copy, length);
    mca_pml_champion_message_free_copied(message, length);
}

void mca_pml_champion_deliver_here(mca_pml_champion_recv_t *recv,
                                   const mca_mq_envelope_t *envelope,
                                   const void *payload, size_t length)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_deliver_eager(recv, envelope, payload, length);
}

void mca_pml_champion_arrival_discard(mca_pml_champion_arrival_t *arrival)
{
    MCA_PML_CHAMPION_LOCKED();
    if (wants_ack(arrival)) {
        ack_send(arrival->peer, arrival->token);
    }
    if (NULL != arrival->message) {
        message_dequeued(arrival->message);
    }
    payload_drop(arrival);
    if (NULL != arrival->message) {
        mca_pml_champion_message_free(arrival->message);
    }
}

void mca_pml_champion_arrival_drop(mca_pml_champion_arrival_t *arrival)
{
    MCA_PML_CHAMPION_LOCKED();
    ++mca_pml_champion.counters.purged;
    mca_pml_champion_arrival_discard(arrival);
}

void mca_pml_champion_message_drop(mca_pml_champion_message_t *message)
{
    mca_pml_champion_arrival_t arrival;

    MCA_PML_CHAMPION_LOCKED();
    if (MCA_PML_CHAMPION_MATCHED_EARLY == message->kind ||
        MCA_PML_CHAMPION_RECALLED == message->kind) {
        mca_pml_champion_message_free(message);
        return;
    }
    mca_pml_champion_message_describe(message, &arrival);
    mca_pml_champion_arrival_drop(&arrival);
}

void mca_pml_champion_messages_drop(mca_pml_champion_message_t **list)
{
    mca_pml_champion_message_t *message;

    MCA_PML_CHAMPION_LOCKED();
    while (NULL != (message = *list)) {
        *list = mca_pml_champion_message_next(message);
        mca_pml_champion_message_drop(message);
    }
}
