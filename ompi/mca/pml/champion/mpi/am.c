/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The handlers of active messages, where all messages from UCX come in. UCX
 * calls them inside its progress function, so the lock is held.
 */

#include <string.h>

#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/match/reorder.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/large/thread_trigger.h"

/* Refuse a message whose sender cannot be entered in the table of peers. */
static __attribute__((noinline)) void no_peer(
    const mca_pml_champion_header_t *header, uint32_t jobid, size_t length)
{
    const opal_process_name_t name = {.jobid = jobid, .vpid = header->vpid};

    mca_pml_champion_ctrl_msg_refuse("point-to-point", &name, length,
                                     mca_pml_champion_ctrl_msg_is_name(&name)
                                         ? MCA_PML_CHAMPION_CTRL_MSG_MEMORY
                                         : MCA_PML_CHAMPION_CTRL_MSG_SENDER);
}

/* The slow path: a message of an unknown peer, out of order, or of a
 * communicator that does not exist here yet; or all are slow. */
static __attribute__((noinline)) void arrive_slow(
    mca_pml_champion_arrival_t *arrival,
    const mca_pml_champion_header_t *header, uint32_t jobid)
{
    arrival->peer = mca_pml_champion_peer_of(header, jobid);
    if (OPAL_UNLIKELY(NULL == arrival->peer)) {
        no_peer(header, jobid, arrival->length);
    } else {
        (void) mca_pml_champion_reorder_arrive(arrival);
    }
}

/* An envelope is copied from the header as a whole, and a packed payload
 * follows the header. */
#define SAME_PLACE(wire, field)                                                \
    _Static_assert(offsetof(mca_pml_champion_header_t, wire) ==                \
                           offsetof(mca_mq_envelope_t, field) &&               \
                       sizeof(((mca_pml_champion_header_t *) 0)->wire) ==      \
                           sizeof(((mca_mq_envelope_t *) 0)->field),           \
                   "the header begins with an envelope: " #field)
SAME_PLACE(context, context);
SAME_PLACE(source, source);
SAME_PLACE(tag, tag);
_Static_assert(sizeof(mca_mq_envelope_t) ==
                   offsetof(mca_pml_champion_header_t, sequence),
               "an envelope is these three fields and no more");
_Static_assert(sizeof(mca_pml_champion_header_t) ==
                   offsetof(mca_pml_champion_packed_t, payload),
               "a packed payload follows its header");

/* Describe an arrival, except for its peer and communicator. */
static inline __attribute__((always_inline)) void describe(
    mca_pml_champion_arrival_t *arrival,
    const mca_pml_champion_header_t *header, const void *payload, size_t length,
    uint64_t token, uint64_t attr)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_arrival_address(arrival, header);
    arrival->payload = payload;
    arrival->length = length;
    arrival->token = token;
    arrival->kind = attr & UCP_AM_RECV_ATTR_FLAG_RNDV
                        ? MCA_PML_CHAMPION_RENDEZVOUS
                        : MCA_PML_CHAMPION_EAGER;
    arrival->keepable = 0 != (attr & UCP_AM_RECV_ATTR_FLAG_DATA);
    arrival->kept = false;
    arrival->message = NULL;
}

/* Common to all handlers, with the whole fast path. */
static inline __attribute__((always_inline)) ucs_status_t receive(
    const mca_pml_champion_header_t *header, uint32_t jobid,
    const void *payload, size_t length, uint64_t token, uint64_t attr)
{
    mca_pml_champion_arrival_t arrival;
    mca_pml_champion_peer_t *peer = NULL;
    mca_pml_champion_comm_t *comm;
    mca_mq_entry_t *entry;

    describe(&arrival, header, payload, length, token, attr);
    if (OPAL_LIKELY(jobid == mca_pml_champion.my_jobid &&
                    header->vpid < mca_pml_champion.job_size)) {
        peer = mca_pml_champion.job_peers[header->vpid];
    }
    comm = mca_pml_champion_comm_find(header->context);
    if (OPAL_UNLIKELY(NULL == peer || NULL == comm ||
                      header->sequence != peer->recv_sequence ||
                      peer->slow_arrivals)) {
        arrive_slow(&arrival, header, jobid);
        return arrival.kept ? UCS_INPROGRESS : UCS_OK;
    }
    ++peer->recv_sequence;
    arrival.peer = peer;
    arrival.comm = comm;
    entry = mca_mq_base_arrive(comm->domain, &arrival.envelope,
                               mca_pml_champion_arrival_entry, &arrival);
    if (OPAL_LIKELY(NULL != entry)) {
        mca_pml_champion_deliver(&arrival, (mca_pml_champion_recv_t *) entry);
    }
    return OPAL_UNLIKELY(arrival.kept) ? UCS_INPROGRESS : UCS_OK;
}

/* Keep the reply endpoint to the sender, for the ACK. */
static void am_reply_ep(const mca_pml_champion_named_header_t *header,
                        const ucp_am_recv_param_t *param)
{
    mca_pml_champion_peer_t *peer =
        mca_pml_champion_peer_of(&header->super, header->jobid);

    if (NULL != peer && param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) {
        peer->reply_ep = param->reply_ep;
    }
}

static __attribute__((noinline)) void packed_slow(
    const mca_pml_champion_header_t *header, size_t length)
{
    mca_pml_champion_arrival_t arrival;

    describe(&arrival, header, header + 1, length, 0, 0);
    arrive_slow(&arrival, header, mca_pml_champion.my_jobid);
}

/* Refuse a message that is shorter than its header. */
static __attribute__((noinline, cold)) ucs_status_t too_short(size_t length)
{
    mca_pml_champion_ctrl_msg_refuse("point-to-point", NULL, length,
                                     MCA_PML_CHAMPION_CTRL_MSG_SHORT);
    return UCS_OK;
}

/* UCX's handler of packed messages. They are of this job, never rendezvous, and
 * too small for UCX's buffer to be kept. */
static ucs_status_t am_packed(void *arg, const void *header,
                              size_t header_length, void *data, size_t length,
                              const ucp_am_recv_param_t *param)
{
    const mca_pml_champion_header_t *named = data;
    mca_pml_champion_peer_t *peer = NULL;
    mca_pml_champion_comm_t *comm;
    mca_pml_champion_recv_t *recv;
    mca_pml_champion_arrival_t arrival;

    MCA_PML_CHAMPION_LOCKED();
    (void) arg;
    (void) header;
    (void) header_length;
    (void) param;
    if (OPAL_UNLIKELY(length < sizeof(*named))) {
        return too_short(length);
    }
    length -= sizeof(*named);
    /* Hides where length comes from; otherwise the compiler keeps the original
     * value as well, and spills a register for it. */
    __asm__("" : "+r"(length));
    if (OPAL_LIKELY(named->vpid < mca_pml_champion.job_size)) {
        peer = mca_pml_champion.job_peers[named->vpid];
    }
    comm = mca_pml_champion_comm_find(named->context);
    if (OPAL_UNLIKELY(NULL == peer || NULL == comm ||
                      named->sequence != peer->recv_sequence ||
                      peer->slow_arrivals)) {
        packed_slow(named, length);
        return UCS_OK;
    }
    ++peer->recv_sequence;
    mca_pml_champion_arrival_address(&arrival, named);
    arrival.payload = named + 1;
    arrival.length = length;
    arrival.peer = peer;
    arrival.comm = comm;
    recv = (mca_pml_champion_recv_t *) mca_mq_base_arrive(
        comm->domain, &arrival.envelope, mca_pml_champion_arrival_entry_eager,
        &arrival);
    if (OPAL_LIKELY(NULL != recv)) {
        mca_pml_champion_deliver_eager(recv, &arrival.envelope, named + 1,
                                       length);
    }
    return UCS_OK;
}

/* A rendezvous message: its timestamp is evaluated. */
static __attribute__((noinline)) ucs_status_t rendezvous(
    const mca_pml_champion_named_header_t *named, const void *data,
    size_t length, uint64_t token)
{
    mca_pml_champion_thread_trigger_on_header(named, length);
    return receive(&named->super, named->jobid, data, length, token,
                   UCP_AM_RECV_ATTR_FLAG_RNDV);
}

/* UCX's handler of messages that are neither packed nor synchronous. What the
 * kind of a message implies is a constant in its handler, and costs nothing. */
static ucs_status_t am_message(void *arg, const void *header,
                               size_t header_length, void *data, size_t length,
                               const ucp_am_recv_param_t *param)
{
    const mca_pml_champion_named_header_t *named = header;

    (void) arg;
    if (OPAL_UNLIKELY(header_length < sizeof(*named))) {
        return too_short(length);
    }
    if (OPAL_UNLIKELY(param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)) {
        return rendezvous(named, data, length, 0);
    }
    return receive(&named->super, named->jobid, data, length, 0,
                   param->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA);
}

/* UCX's handler of synchronous messages. */
static ucs_status_t am_sync(void *arg, const void *header, size_t header_length,
                            void *data, size_t length,
                            const ucp_am_recv_param_t *param)
{
    const mca_pml_champion_sync_header_t *sync = header;

    (void) arg;
    if (OPAL_UNLIKELY(header_length < sizeof(*sync))) {
        return too_short(length);
    }
    am_reply_ep(&sync->super, param);
    if (OPAL_UNLIKELY(param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)) {
        return rendezvous(&sync->super, data, length, sync->token);
    }
    return receive(&sync->super.super, sync->super.jobid, data, length,
                   sync->token, param->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA);
}

/* Handle an envelope whose payload is sent by tag; data describe the
 * payload. */
static mca_pml_champion_ctrl_msg_verdict_t tagged_handle(const void *header,
                                                         size_t header_length,
                                                         const void *data,
                                                         size_t length)
{
    const mca_pml_champion_sync_header_t *tagged = header;
    const mca_pml_champion_header_t *envelope = &tagged->super.super;
    mca_pml_champion_arrival_t arrival;
    mca_pml_champion_tagged_t payload;

    if (header_length < sizeof(*tagged) || length < sizeof(payload)) {
        return MCA_PML_CHAMPION_CTRL_MSG_SHORT;
    }
    if (header_length > sizeof(*tagged) || length > sizeof(payload)) {
        return MCA_PML_CHAMPION_CTRL_MSG_LONG;
    }
    memcpy(&payload, data, sizeof(payload));
    describe(&arrival, envelope, NULL, payload.length, tagged->token, 0);
    arrival.kind = MCA_PML_CHAMPION_TAGGED;
    arrival.sync = 0 != payload.sync;
    mca_pml_champion_thread_trigger_on_header(&tagged->super, payload.length);
    arrive_slow(&arrival, envelope, tagged->super.jobid);
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

static ucs_status_t am_tagged(void *arg, const void *header,
                              size_t header_length, void *data, size_t length,
                              const ucp_am_recv_param_t *param)
{
    mca_pml_champion_ctrl_msg_verdict_t verdict =
        tagged_handle(header, header_length, data, length);

    (void) arg;
    (void) param;
    if (OPAL_UNLIKELY(MCA_PML_CHAMPION_CTRL_MSG_GOOD != verdict)) {
        mca_pml_champion_ctrl_msg_refuse("TAGGED", NULL, length, verdict);
    }
    return UCS_OK;
}

/* Handle an ACK; its token is the address of the send that waits for it. */
static mca_pml_champion_ctrl_msg_verdict_t ack_handle(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length)
{
    uint64_t token;

    MCA_PML_CHAMPION_LOCKED();
    (void) peer;
    (void) length;
    memcpy(&token, bytes, sizeof(token));
    if (0 == token) {
        return MCA_PML_CHAMPION_CTRL_MSG_ABSENT;
    }
    mca_pml_champion_send_event((mca_pml_champion_send_t *) (uintptr_t) token);
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

/* Set the handler of messages that have a UCX header or are on the fast path;
 * the others go through peer/ctrl_msg.h. */
static bool set_handler(unsigned id, ucp_am_recv_callback_t handler)
{
    const ucp_am_handler_param_t param = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                      UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB,
        .id = id,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = handler,
    };

    return UCS_OK ==
           ucp_worker_set_am_recv_handler(mca_pml_champion.worker, &param);
}

/* Register the handlers with UCX. */
static int am_open(void)
{
    static const mca_pml_champion_ctrl_msg_kind_t ack = {
        .id = MCA_PML_CHAMPION_AM_ACK,
        .name = "ACK",
        .least = sizeof(uint64_t),
        .most = sizeof(uint64_t),
        .by = MCA_PML_CHAMPION_CTRL_MSG_BY_NOBODY,
        .always = true,
        .handler = ack_handle,
    };

    mca_pml_champion_ctrl_msg_register(&ack);
    return set_handler(MCA_PML_CHAMPION_AM_PACKED, am_packed) &&
                   set_handler(MCA_PML_CHAMPION_AM_MESSAGE, am_message) &&
                   set_handler(MCA_PML_CHAMPION_AM_SYNC, am_sync) &&
                   set_handler(MCA_PML_CHAMPION_AM_TAGGED, am_tagged)
               ? mca_pml_champion_ctrl_msg_listen()
               : OMPI_ERROR;
}

MCA_PML_CHAMPION_UNIT(active_messages) = {.name = "active messages",
                                          .open = am_open};
