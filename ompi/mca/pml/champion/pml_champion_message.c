/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/pml_champion_deliver.h"
#include "ompi/mca/pml/champion/pml_champion_offload.h"
#include "ompi/mca/pml/champion/pml_champion_prefetch.h"
#include "ompi/mca/pml/champion/pml_champion_probe.h"
#include "ompi/mca/pml/champion/pml_champion_thread.h"

#include <string.h>

static inline size_t message_size(size_t copied)
{
    return sizeof(mca_pml_champion_message_t) + copied;
}

/* There is no way to go on: a message would be lost. */
static void out_of_memory(const mca_pml_champion_arrival_t *arrival)
{
    opal_output(0,
                "champion: out of memory: a message of %zu bytes from %s "
                "cannot be kept",
                arrival->length, OPAL_NAME_PRINT(arrival->peer->name));
    ompi_mpi_abort(&ompi_mpi_comm_world.comm, MPI_ERR_NO_MEM);
}

/* Does the payload of a message that has to wait move into it? */
static inline bool is_to_be_copied(const mca_pml_champion_arrival_t *arrival)
{
    if (OPAL_LIKELY(MCA_PML_CHAMPION_COPIED == arrival->where)) {
        /* A buffer of UCX's is kept only for payloads that fill a good part
         * of it: one that holds 1 KiB costs about 10. */
        return !(arrival->keepable &&
                 arrival->length >= mca_pml_champion.params.hold_limit);
    }
    return MCA_PML_CHAMPION_LOCAL == arrival->where &&
           mca_pml_champion_send_is_eager(arrival->payload);
}

/* The payload of a send to this process is safe; so the send is complete. */
static void local_pack(mca_pml_champion_message_t *message,
                       mca_pml_champion_send_t *send)
{
    if (send->contiguous) {
        mca_pml_champion_copy(message->copy, send->data, send->length);
    } else {
        mca_pml_champion_layout_pack(&send->layout, 0, message->copy,
                                     send->length);
    }
    message->where = MCA_PML_CHAMPION_COPIED;
    mca_pml_champion_send_event(send);
}

mca_pml_champion_message_t *mca_pml_champion_message_new(
    mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *message;
    bool copy = is_to_be_copied(arrival);

    message = opal_size_pool_alloc(&mca_pml_champion.pool,
                                   message_size(copy ? arrival->length : 0));
    if (OPAL_UNLIKELY(NULL == message)) {
        out_of_memory(arrival);
        return NULL;
    }
    message->entry.envelope = arrival->envelope;
    message->peer = arrival->peer;
    message->length = arrival->length;
    message->payload = (void *) (uintptr_t) arrival->payload;
    message->token = arrival->token;
    message->sequence = arrival->sequence;
    message->where = arrival->where;
    message->owned = copy;
    if (OPAL_UNLIKELY(copy && MCA_PML_CHAMPION_LOCAL == arrival->where)) {
        local_pack(message, message->payload);
    } else if (copy) {
        memcpy(message->copy, arrival->payload, arrival->length);
    } else if (MCA_PML_CHAMPION_COPIED == arrival->where) {
        message->where = MCA_PML_CHAMPION_HELD;
        ++mca_pml_champion.counters.held;
    }
    arrival->kept = MCA_PML_CHAMPION_HELD == message->where ||
                    MCA_PML_CHAMPION_RENDEZVOUS == message->where;
    return message;
}

void mca_pml_champion_message_free(mca_pml_champion_message_t *message)
{
    opal_size_pool_free(&mca_pml_champion.pool, message,
                        message_size(message->owned ? message->length : 0));
}

/* An ACK that could not be sent at once. */
static void ack_sent(void *request, ucs_status_t status, void *token)
{
    (void) status;
    opal_size_pool_free(&mca_pml_champion.pool, token, sizeof(uint64_t));
    ucp_request_free(request);
}

/* Its sender would wait for ever. */
static void ack_failed(const mca_pml_champion_peer_t *peer, const char *why)
{
    opal_output(0,
                "champion: a synchronous send of %s cannot be acknowledged: %s",
                OPAL_NAME_PRINT(peer->name), why);
    ompi_mpi_abort(&ompi_mpi_comm_world.comm, MPI_ERR_OTHER);
}

/* Tell the sender of a SYNC message that it has been matched. */
static void ack_send(mca_pml_champion_peer_t *peer, uint64_t token)
{
    ucp_request_param_t param = {
        .op_attr_mask =
            UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.send = ack_sent,
    };
    ucs_status_ptr_t request;
    uint64_t *kept;

    kept = opal_size_pool_alloc(&mca_pml_champion.pool, sizeof(*kept));
    if (NULL == kept) {
        ack_failed(peer, "out of memory");
        return;
    }
    *kept = token;
    param.user_data = kept;
    request = ucp_am_send_nbx(NULL != peer->ep ? peer->ep : peer->reply_ep,
                              MCA_PML_CHAMPION_AM_ACK, NULL, 0, kept,
                              sizeof(*kept), &param);
    if (UCS_PTR_IS_PTR(request)) {
        mca_pml_champion_thread_tell();
        return; /* ack_sent gives it back */
    }
    opal_size_pool_free(&mca_pml_champion.pool, kept, sizeof(*kept));
    if (UCS_PTR_IS_ERR(request)) {
        ack_failed(peer, ucs_status_string(UCS_PTR_STATUS(request)));
    }
}

/* The payload does not fit the receive. */
static void truncated(mca_pml_champion_recv_t *recv)
{
    recv->status->MPI_ERROR = MPI_ERR_TRUNCATE;
}

void mca_pml_champion_unpack(mca_pml_champion_recv_t *recv, const void *payload,
                             size_t length)
{
    if (length > recv->capacity) {
        truncated(recv);
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

static void rendezvous_end(mca_pml_champion_recv_t *recv, ucs_status_t status)
{
    if (OPAL_UNLIKELY(UCS_OK != status)) {
        recv->status->MPI_ERROR = MPI_ERR_OTHER;
    }
    if (!recv->contiguous) {
        mca_pml_champion_layout_end(&recv->layout);
    }
    if (OPAL_UNLIKELY(mca_pml_champion_offload.on)) {
        mca_pml_champion_offload_ends(recv);
    }
    mca_pml_champion_recv_complete(recv);
}

static void rendezvous_done(void *request, ucs_status_t status, size_t length,
                            void *arg)
{
    (void) length;
    ucp_request_free(request);
    rendezvous_end(arg, status);
}

/* Fetch the data of a rendezvous message. */
static void rendezvous_start(mca_pml_champion_recv_t *recv, void *descriptor,
                             size_t length)
{
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                        UCP_OP_ATTR_FIELD_USER_DATA |
                        mca_pml_champion.memory_attr,
        .cb.recv_am = rendezvous_done,
        .user_data = recv,
        .memory_type = UCS_MEMORY_TYPE_HOST,
    };
    void *buffer = recv->data;
    size_t count = length;
    ucs_status_ptr_t request;

    ++mca_pml_champion.counters.rendezvous;
    if (OPAL_UNLIKELY(mca_pml_champion_offload.on)) {
        mca_pml_champion_offload_begins(recv, length);
    }
    if (!recv->contiguous) {
        param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
        param.datatype = mca_pml_champion.generic_datatype;
        mca_pml_champion_layout_recv(&recv->layout, length);
        buffer = &recv->layout;
        count = 1;
    }
    request = ucp_am_recv_data_nbx(mca_pml_champion.worker, descriptor, buffer,
                                   count, &param);
    if (!UCS_PTR_IS_PTR(request)) {
        rendezvous_end(recv, UCS_PTR_STATUS(request));
    } else if (NULL != recv->request) {
        mca_pml_champion_thread_tell();
    }
}

/* Copy from a send of this process to a receive of it. */
static void local_copy(mca_pml_champion_recv_t *recv,
                       mca_pml_champion_send_t *send)
{
    unsigned char piece[1024];
    size_t length = send->length;

    if (send->contiguous) {
        mca_pml_champion_unpack(recv, send->data, length);
        return;
    }
    if (length > recv->capacity) {
        truncated(recv);
        length = recv->capacity;
    }
    if (recv->contiguous) {
        mca_pml_champion_layout_pack(&send->layout, 0, recv->data, length);
        return;
    }
    mca_pml_champion_layout_recv(&recv->layout, length);
    for (size_t at = 0, part; at < length; at += part) {
        part = length - at < sizeof(piece) ? length - at : sizeof(piece);
        mca_pml_champion_layout_pack(&send->layout, at, piece, part);
        if (!mca_pml_champion_layout_unpack(&recv->layout, at, piece, part)) {
            recv->status->MPI_ERROR = MPI_ERR_NO_MEM;
            break;
        }
    }
    mca_pml_champion_layout_end(&recv->layout);
}

void mca_pml_champion_deliver_other(mca_pml_champion_arrival_t *arrival,
                                    mca_pml_champion_recv_t *recv)
{
    if (MCA_PML_CHAMPION_TAGGED == arrival->where) {
        mca_pml_champion_offload_deliver(recv, arrival->token, arrival->length);
        return;
    }
    if (0 != arrival->token) {
        ack_send(arrival->peer, arrival->token);
    }
    if (arrival->where <= MCA_PML_CHAMPION_PREFETCHED) {
        mca_pml_champion_unpack(recv, arrival->payload, arrival->length);
        mca_pml_champion_recv_complete(recv);
    } else if (MCA_PML_CHAMPION_RENDEZVOUS == arrival->where) {
        if (OPAL_UNLIKELY(arrival->length > recv->capacity)) {
            /* The descriptor is dropped by the caller. */
            truncated(recv);
            mca_pml_champion_recv_complete(recv);
        } else {
            arrival->kept = true;
            rendezvous_start(recv, (void *) (uintptr_t) arrival->payload,
                             arrival->length);
        }
    } else if (OPAL_UNLIKELY(MCA_PML_CHAMPION_LOST == arrival->where)) {
        recv->status->MPI_ERROR = MPI_ERR_OTHER;
        mca_pml_champion_recv_complete(recv);
    } else {
        mca_pml_champion_send_t *send = (void *) (uintptr_t) arrival->payload;

        local_copy(recv, send);
        mca_pml_champion_recv_complete(recv);
        mca_pml_champion_send_event(send);
    }
}

static void arrival_of(mca_pml_champion_arrival_t *arrival,
                       mca_pml_champion_message_t *message)
{
    arrival->envelope = message->entry.envelope;
    arrival->sequence = message->sequence;
    arrival->peer = message->peer;
    arrival->payload = MCA_PML_CHAMPION_COPIED == message->where
                           ? message->copy
                           : message->payload;
    arrival->length = message->length;
    arrival->token = message->token;
    arrival->where = message->where;
    arrival->keepable = false;
    arrival->kept = false;
    arrival->message = message;
}

/* Give back what holds the payload of a message that UCX brought, or what UCX
 * keeps of it. */
static void release_payload(mca_pml_champion_message_t *message)
{
    if (MCA_PML_CHAMPION_HELD == message->where ||
        MCA_PML_CHAMPION_RENDEZVOUS == message->where) {
        ucp_am_data_release(mca_pml_champion.worker, message->payload);
        /* The sender of a rendezvous hears of it. */
        mca_pml_champion_thread_tell();
    } else if (MCA_PML_CHAMPION_PREFETCHED == message->where) {
        mca_pml_champion_prefetch_release(message);
    }
}

/* The data of a message that was matched are on their way to a slot. */
static void deliver_later(mca_pml_champion_message_t *message,
                          mca_pml_champion_recv_t *recv)
{
    if (0 != message->token) {
        ack_send(message->peer, message->token);
    }
    mca_pml_champion_prefetch_await(message, recv);
}

void mca_pml_champion_message_deliver(mca_pml_champion_message_t *message,
                                      mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_arrival_t arrival;

    if (OPAL_UNLIKELY(MCA_PML_CHAMPION_FETCHING == message->where)) {
        deliver_later(message, recv);
        return;
    }
    arrival_of(&arrival, message);
    mca_pml_champion_deliver(&arrival, recv);
    if (MCA_PML_CHAMPION_COPIED != message->where && !arrival.kept) {
        release_payload(message);
    }
    mca_pml_champion_message_free(message);
}

void mca_pml_champion_message_drop(mca_pml_champion_message_t *message)
{
    if (MCA_PML_CHAMPION_OVERTOOK == message->where) {
        mca_pml_champion_message_free(message);
        return;
    }
    ++mca_pml_champion.counters.purged;
    if (MCA_PML_CHAMPION_TAGGED == message->where) {
        mca_pml_champion_offload_drop(message->token);
        mca_pml_champion_message_free(message);
        return;
    }
    if (0 != message->token) {
        ack_send(message->peer, message->token);
    }
    if (MCA_PML_CHAMPION_FETCHING == message->where) {
        message->where = MCA_PML_CHAMPION_ABANDONED;
        return;
    }
    if (MCA_PML_CHAMPION_LOCAL == message->where) {
        mca_pml_champion_send_event(message->payload);
    } else {
        release_payload(message);
    }
    mca_pml_champion_message_free(message);
}

/* Nobody will ever receive it. */
static void drop(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *message = arrival->message;

    if (NULL != message) {
        mca_pml_champion_message_drop(message);
        return;
    }
    ++mca_pml_champion.counters.purged;
    if (MCA_PML_CHAMPION_TAGGED == arrival->where) {
        mca_pml_champion_offload_drop(arrival->token);
    } else if (MCA_PML_CHAMPION_LOCAL == arrival->where) {
        mca_pml_champion_send_event((void *) (uintptr_t) arrival->payload);
    } else if (0 != arrival->token) {
        ack_send(arrival->peer, arrival->token);
    }
    /* A descriptor that is not kept is dropped by UCX, which tells the
     * sender. */
}

/* mq asks for the entry of a message that matched no receive. */
mca_mq_entry_t *mca_pml_champion_arrival_entry(void *arg)
{
    mca_pml_champion_arrival_t *arrival = arg;
    mca_pml_champion_message_t *message = arrival->message;

    if (OPAL_UNLIKELY(mca_pml_champion.ending && arrival->envelope.tag >= 0) ||
        MCA_MQ_OMPI_IS_REVOKED(arrival->comm->comm, arrival->envelope.tag)) {
        drop(arrival);
        return NULL;
    }
    if (NULL == message) {
        message = mca_pml_champion_message_new(arrival);
        if (OPAL_UNLIKELY(NULL == message)) {
            return NULL;
        }
        arrival->message = message;
    }
    if (MCA_PML_CHAMPION_RENDEZVOUS == message->where &&
        mca_pml_champion_prefetch_is_on()) {
        mca_pml_champion_prefetch(message);
    }
    if (OPAL_UNLIKELY(NULL != mca_pml_champion.probers)) {
        mca_pml_champion_probers_notify(&arrival->envelope);
    }
    mca_mq_base_stamp(arrival->comm->domain, &message->entry);
    return &message->entry;
}

/* Nobody here knows its communicator, yet. */
static void park(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *message = arrival->message;

    if (NULL == message) {
        message = mca_pml_champion_message_new(arrival);
        if (OPAL_UNLIKELY(NULL == message)) {
            return;
        }
    }
    ++mca_pml_champion.counters.parked;
    message->entry.link[0] = NULL;
    *mca_pml_champion.parked_tail = message;
    mca_pml_champion.parked_tail =
        (mca_pml_champion_message_t **) &message->entry.link[0];
}

mca_pml_champion_comm_t *mca_pml_champion_own_look(uint32_t context)
{
    void *comm;

    return OPAL_SUCCESS == opal_hash_table_get_value_uint32(
                               &mca_pml_champion.own_comms, context, &comm)
               ? comm
               : NULL;
}

mca_pml_champion_comm_t *mca_pml_champion_own_find(uint32_t context)
{
    mca_pml_champion_comm_t *comm = mca_pml_champion_own_look(context);

    if (NULL == comm || MCA_PML_CHAMPION_COMM_GONE == comm) {
        return NULL;
    }
    mca_pml_champion.own_last = comm;
    return comm;
}

/* A communicator is not there: can it come yet? */
static bool may_come(uint32_t context)
{
    if (MCA_MQ_OMPI_OWN_INDICES &&
        0 != (context & MCA_PML_CHAMPION_CONTEXT_OWN)) {
        return NULL == mca_pml_champion_own_look(context);
    }
    return context >= mca_pml_champion.num_comms ||
           NULL == mca_pml_champion.comms[context];
}

/* Its communicator is not there: see whether it will come. */
static void arrival_homeless(mca_pml_champion_arrival_t *arrival)
{
    if (!mca_pml_champion.finalizing && may_come(arrival->envelope.context)) {
        park(arrival);
    } else {
        drop(arrival);
    }
}

void mca_pml_champion_arrival_match(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(arrival->envelope.context);
    mca_mq_entry_t *entry;

    if (OPAL_UNLIKELY(NULL == comm)) {
        arrival_homeless(arrival);
        return;
    }
    arrival->comm = comm;
    entry = mca_mq_base_arrive(comm->domain, &arrival->envelope,
                               mca_pml_champion_arrival_entry, arrival);
    if (NULL == entry) {
        return;
    }
    if (OPAL_UNLIKELY(mca_pml_champion_offload.on) &&
        0 != ((mca_pml_champion_recv_t *) entry)->offload.flags) {
        mca_pml_champion_offload_matched(arrival,
                                         (mca_pml_champion_recv_t *) entry);
        return;
    }
    if (NULL == arrival->message) {
        mca_pml_champion_deliver(arrival, (mca_pml_champion_recv_t *) entry);
    } else {
        mca_pml_champion_message_deliver(arrival->message,
                                         (mca_pml_champion_recv_t *) entry);
    }
}

void mca_pml_champion_message_match(mca_pml_champion_message_t *message)
{
    mca_pml_champion_arrival_t arrival;

    arrival_of(&arrival, message);
    mca_pml_champion_arrival_match(&arrival);
}

/* Bring a peer's early messages into action as far as their turn has come. */
void mca_pml_champion_early_release(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_message_t *message;

    while (NULL != (message = peer->early) &&
           message->sequence == peer->recv_sequence) {
        peer->early = mca_pml_champion_message_next(message);
        ++peer->recv_sequence;
        if (MCA_PML_CHAMPION_OVERTOOK == message->where) {
            mca_pml_champion_message_free(message);
            continue;
        }
        if (OPAL_UNLIKELY(NULL != peer->inflows)) {
            mca_pml_champion_offload_arrived(peer, &message->entry.envelope,
                                             message->where, message->token);
        }
        mca_pml_champion_message_match(message);
    }
}

/* Among a peer's early messages; sorted, the sequence may wrap. */
static void early_insert(mca_pml_champion_peer_t *peer,
                         mca_pml_champion_message_t *message)
{
    mca_pml_champion_message_t **at = &peer->early;

    /* Mostly it is the last one. */
    if (NULL != *at &&
        (int32_t) (peer->early_last->sequence - message->sequence) < 0) {
        at = (mca_pml_champion_message_t **) &peer->early_last->entry.link[0];
    }
    while (NULL != *at && (int32_t) ((*at)->sequence - message->sequence) < 0) {
        at = (mca_pml_champion_message_t **) &(*at)->entry.link[0];
    }
    message->entry.link[0] = *at;
    if (NULL == *at) {
        peer->early_last = message;
    }
    *at = message;
}

/* Keep a message until its turn comes. */
static void early_hold(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *message = arrival->message;

    if (NULL == message) {
        message = mca_pml_champion_message_new(arrival);
        if (OPAL_UNLIKELY(NULL == message)) {
            return;
        }
    }
    ++mca_pml_champion.counters.early;
    early_insert(arrival->peer, message);
}

/* The user does not mind in which order the messages of its communicator come.
 * MPI's own messages keep their order, and those that are counted. */
static bool may_overtake(const mca_pml_champion_arrival_t *arrival)
{
    const mca_pml_champion_comm_t *comm;

    if (arrival->envelope.tag < 0 || NULL != arrival->peer->inflows) {
        return false;
    }
    comm = mca_pml_champion_comm_find(arrival->envelope.context);
    return NULL != comm && 0 != (comm->domain->info.assertions &
                                 MCA_MQ_ASSERT_ALLOW_OVERTAKING);
}

/* Match a message before its turn; what stays in the peer's list says that its
 * number has been. Returns false, with nothing done, if there is no memory for
 * that. */
static bool overtake(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *place =
        opal_size_pool_alloc(&mca_pml_champion.pool, message_size(0));

    if (NULL == place) {
        return false;
    }
    place->where = MCA_PML_CHAMPION_OVERTOOK;
    place->owned = false;
    place->sequence = arrival->sequence;
    early_insert(arrival->peer, place);
    ++mca_pml_champion.counters.overtook;
    mca_pml_champion_arrival_match(arrival);
    return true;
}

void mca_pml_champion_arrival_arrive(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_peer_t *peer = arrival->peer;

    if (OPAL_UNLIKELY(arrival->sequence != peer->recv_sequence)) {
        if (!may_overtake(arrival) || !overtake(arrival)) {
            early_hold(arrival);
        }
        return;
    }
    ++peer->recv_sequence;
    if (OPAL_UNLIKELY(NULL != peer->inflows)) {
        mca_pml_champion_offload_arrived(peer, &arrival->envelope,
                                         arrival->where, arrival->token);
    }
    mca_pml_champion_arrival_match(arrival);
    if (OPAL_UNLIKELY(NULL != peer->early)) {
        mca_pml_champion_early_release(peer);
    }
}

void mca_pml_champion_message_arrive(mca_pml_champion_message_t *message)
{
    mca_pml_champion_arrival_t arrival;

    arrival_of(&arrival, message);
    mca_pml_champion_arrival_arrive(&arrival);
}

void mca_pml_champion_send_local(mca_pml_champion_send_t *send,
                                 const mca_pml_champion_header_t *header,
                                 mca_pml_champion_comm_t *comm)
{
    mca_pml_champion_arrival_t arrival = {
        .envelope = {header->context, header->source, header->tag},
        .peer = send->peer,
        .payload = send,
        .length = send->length,
        .where = MCA_PML_CHAMPION_LOCAL,
        .comm = comm,
    };

    /* The caller sees by itself what is complete when it returns. */
    send->pending = 2;
    mca_pml_champion_arrival_match(&arrival);
    --send->pending;
}
