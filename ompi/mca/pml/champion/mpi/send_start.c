/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/mpi/send_start.h"

#include "ompi/mca/pml/champion/core/device.h"
#include "ompi/mca/pml/champion/core/inflight.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/offload/offload_send.h"
#include "ompi/mca/pml/champion/progress/progress.h"
#include "ompi/mca/pml/champion/large/rendezvous.h"
#include "ompi/mca/pml/champion/large/single_copy.h"
#include "ompi/mca/pml/champion/large/thread_trigger.h"
#include "ompi/mca/pml/champion/mpi/route.h"
#include "ompi/mca/pml/champion/mpi/self.h"
#include "ompi/mca/pml/champion/large/stripe_send.h"

_Static_assert(SIZE_MAX == MCA_PML_CHAMPION_EAGER_AUTO,
               "mpi/route.h has the same value for automatic");

/* Describe all but where the data are. */
static inline __attribute__((always_inline)) void describe(
    mca_pml_champion_send_t *send, size_t count,
    const ompi_datatype_t *datatype, mca_pml_base_send_mode_t mode)
{
    send->length = mca_pml_champion_size(datatype, count);
    send->sync = MCA_PML_BASE_SEND_SYNCHRONOUS == mode;
    send->in_active = false;
    send->marks = 0;
    send->recalled = false;
    send->cancelled = false;
    send->error = MPI_SUCCESS;
    send->done = 0;
}

void mca_pml_champion_send_describe(mca_pml_champion_send_t *send,
                                    const void *buffer, size_t count,
                                    ompi_datatype_t *datatype,
                                    mca_pml_base_send_mode_t mode,
                                    opal_convertor_t *convertor)
{
    describe(send, count, datatype, mode);
    send->contiguous = mca_pml_champion_contiguous(datatype, count);
    if (send->contiguous) {
        send->data = mca_pml_champion_begin(buffer, datatype);
    } else {
        mca_pml_champion_layout_send(&send->layout, buffer, count, datatype,
                                     convertor);
    }
}

void mca_pml_champion_send_describe_device(mca_pml_champion_send_t *send,
                                           const void *buffer, size_t count,
                                           ompi_datatype_t *datatype,
                                           mca_pml_base_send_mode_t mode,
                                           const mca_pml_champion_peer_t *peer,
                                           opal_convertor_t *convertor)
{
    describe(send, count, datatype, mode);
    send->contiguous = mca_pml_champion_device.by_ucx && !peer->self &&
                       mca_pml_champion_contiguous(datatype, count);
    if (send->contiguous) {
        send->data = mca_pml_champion_begin(buffer, datatype);
    } else {
        mca_pml_champion_layout_send(&send->layout, buffer, count, datatype,
                                     convertor);
        send->layout.offset = MCA_PML_CHAMPION_LAYOUT_STAGED;
    }
}

static void on_send_end(void *request, ucs_status_t status, void *arg)
{
    mca_pml_champion_send_t *send = arg;

    ucp_request_free(request);
    mca_pml_champion_inflight_end();
    if (OPAL_UNLIKELY(UCS_OK != status)) {
        send->error = MPI_ERR_OTHER;
    }
    mca_pml_champion_send_event(send);
}

/* Flow control: does a receiver that has fallen behind take only envelopes?
 * Internal messages (negative tags) are never throttled. */
static inline bool is_throttled(const mca_pml_champion_send_t *send)
{
    return OPAL_UNLIKELY(send->peer->flow.throttled) &&
           send->header.super.super.tag >= 0;
}

/* Does the send wait for an ack of the match? A throttled send without payload
 * does: without data to be fetched, nothing else would delay its completion. */
static inline bool wants_ack(const mca_pml_champion_send_t *send)
{
    return send->sync || (0 == send->length && is_throttled(send));
}

static uint32_t send_flags(mca_pml_champion_protocol_t protocol)
{
    static const uint32_t flags[] = {
        [MCA_PML_CHAMPION_BY_UCX] = 0,
        [MCA_PML_CHAMPION_BY_EAGER] = UCP_AM_SEND_FLAG_EAGER,
        [MCA_PML_CHAMPION_BY_RENDEZVOUS] = UCP_AM_SEND_FLAG_RNDV,
    };

    return flags[protocol];
}

static inline ucp_request_param_t send_param(mca_pml_champion_send_t *send,
                                             uint32_t attributes)
{
    return (ucp_request_param_t){
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                        UCP_OP_ATTR_FIELD_USER_DATA |
                        mca_pml_champion.memory_attr | attributes,
        .cb.send = on_send_end,
        .user_data = send,
        .memory_type = UCS_MEMORY_TYPE_HOST,
    };
}

/* Give UCX a send whose header is complete except for the token. */
static ucs_status_ptr_t send_by_ucx(mca_pml_champion_send_t *send,
                                    uint32_t attributes,
                                    mca_pml_champion_protocol_t protocol)
{
    ucp_request_param_t param =
        send_param(send, attributes | UCP_OP_ATTR_FIELD_FLAGS);
    ucs_status_ptr_t request;
    size_t header_length = sizeof(send->header.super), count = send->length;
    unsigned id = MCA_PML_CHAMPION_AM_MESSAGE;
    const void *buffer = send->data;

    MCA_PML_CHAMPION_LOCKED();
    param.flags = send_flags(protocol);
    send->pending = 1;
    if (wants_ack(send)) {
        id = MCA_PML_CHAMPION_AM_SYNC;
        param.flags |= UCP_AM_SEND_FLAG_REPLY;
        send->header.token = (uintptr_t) send;
        header_length = sizeof(send->header);
        send->pending = 2;
    }
    if (!send->contiguous) {
        param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
        param.datatype = mca_pml_champion.generic_datatype;
        buffer = &send->layout;
        count = 1;
    }
    if (OPAL_UNLIKELY(NULL == mca_pml_champion_peer_ep(send->peer))) {
        return UCS_STATUS_PTR(UCS_ERR_NOT_CONNECTED);
    }
    request = ucp_am_send_nbx(send->peer->ep, id, &send->header, header_length,
                              buffer, count, &param);
    if (UCS_PTR_IS_PTR(request)) {
        mca_pml_champion_inflight_begin();
    }
    mca_pml_champion_doorbell_ring(send->peer->doorbell);
    return request;
}

/* UCX has refused a send: report it on standard error. */
static void send_refused(mca_pml_champion_send_t *send, ucs_status_t status)
{
    opal_output(0, "champion: sending %zu bytes to %s failed: %s", send->length,
                OPAL_NAME_PRINT(send->peer->name), ucs_status_string(status));
    send->error = MPI_ERR_OTHER;
}

/* UCX has accepted or refused the envelope. */
static void send_started(mca_pml_champion_send_t *send,
                         const mca_pml_champion_comm_t *comm,
                         ucs_status_ptr_t request)
{
    mca_pml_champion_peer_t *peer = send->peer;

    if (OPAL_UNLIKELY(UCS_PTR_IS_ERR(request))) {
        send_refused(send, UCS_PTR_STATUS(request));
        send->pending = 0;
        return;
    }
    mca_pml_champion_sent_by_ucp(peer, comm->context,
                                 send->header.super.super.tag);
    if (NULL == request) {
        --send->pending;
    }
    if (0 == send->pending) {
        return;
    }
    if (peer->name.jobid == mca_pml_champion.my_jobid) {
        send->in_active = true;
        ++mca_pml_champion.active_sends;
    } else {
        send->marks |= MCA_PML_CHAMPION_SEND_OTHER_JOB;
        ++peer->link.active;
    }
    if (NULL != send->request) {
        mca_pml_champion_wake_tell();
    }
}

/* Is the payload in memory that the receiver cannot fetch it from, though it is
 * of this node? A message that a ring or FIFO takes is not fetched below a limit. */
static inline bool is_private(const mca_pml_champion_send_t *send,
                              const mca_pml_champion_route_facts_t *facts)
{
    return send->length >= MCA_PML_CHAMPION_SINGLE_COPY_UCX_MIN &&
           send->contiguous && send->peer->local &&
           (send->length >= MCA_PML_CHAMPION_WAY_MIN ||
            !mca_pml_champion_route_ring_may(facts)) &&
           mca_pml_champion_single_copy_is_private(send->data, send->length);
}

/* Send what has waited for room in a ring; its header is filled in. */
static void send_again(mca_pml_champion_send_t *send)
{
    mca_pml_champion_route_facts_t facts = {
        .length = send->length,
        .eager_limit = mca_pml_champion.params.eager_limit,
        .sync = send->sync,
        .throttled = is_throttled(send),
    };
    const uint8_t answers = send->pending - 1; /* outstanding, if cancelled */
    ucs_status_ptr_t request;

    MCA_PML_CHAMPION_LOCKED();
    facts.private = is_private(send, &facts);
    request = send_by_ucx(send, 0, mca_pml_champion_route_protocol(&facts));
    if (OPAL_UNLIKELY(UCS_PTR_IS_ERR(request))) {
        send_refused(send, UCS_PTR_STATUS(request));
        send->pending = 1;
    }
    send->pending += answers;
    if (!UCS_PTR_IS_PTR(request)) {
        mca_pml_champion_send_event(send);
    }
}

/* ---- the routes --------------------------------------------------------- */

static __attribute__((noinline)) bool start_tagged(
    mca_pml_champion_send_t *send, const mca_pml_champion_comm_t *comm,
    uint32_t attributes)
{
    ucp_request_param_t param = send_param(send, attributes);
    ucs_status_ptr_t request;

    if (!mca_pml_champion_offload_send(send, &param, &request)) {
        return false;
    }
    send_started(send, comm, request);
    return true;
}

static inline bool start_by_ucx(mca_pml_champion_send_t *send,
                                const mca_pml_champion_comm_t *comm,
                                uint32_t attributes,
                                mca_pml_champion_protocol_t protocol)
{
    send_started(send, comm, send_by_ucx(send, attributes, protocol));
    return true;
}

_Static_assert((int) MCA_PML_CHAMPION_SYNC_RING + (int) sizeof(uint64_t) <=
                   (int) MCA_PML_CHAMPION_RING_MAX -
                       (int) MCA_PML_CHAMPION_FIFO_TRAILER,
               "a record, also of a FIFO, has room for the token");

/* Start a send whose header is complete except for the token. False, with
 * nothing changed, if the route cannot take it now. */
static inline __attribute__((always_inline)) bool start_by(
    mca_pml_champion_route_t route, mca_pml_champion_send_t *send,
    mca_pml_champion_comm_t *comm, uint32_t attributes)
{
    switch (route) {
    case MCA_PML_CHAMPION_ROUTE_SELF:
        mca_pml_champion_send_local(send, &send->header.super.super, comm);
        return true;
    case MCA_PML_CHAMPION_ROUTE_TAGGED:
        return start_tagged(send, comm, attributes);
    case MCA_PML_CHAMPION_ROUTE_RGET:
        return mca_pml_champion_ring_rget(send, send->peer);
    case MCA_PML_CHAMPION_ROUTE_SYNC:
    case MCA_PML_CHAMPION_ROUTE_RING:
        mca_pml_champion_ring_start(send, send->peer);
        return true;
    case MCA_PML_CHAMPION_ROUTE_UCX:
        return start_by_ucx(send, comm, attributes, MCA_PML_CHAMPION_BY_UCX);
    case MCA_PML_CHAMPION_ROUTE_EAGER:
        return start_by_ucx(send, comm, attributes, MCA_PML_CHAMPION_BY_EAGER);
    default:
        return start_by_ucx(send, comm, attributes,
                            MCA_PML_CHAMPION_BY_RENDEZVOUS);
    }
}

/* Can the receiver read the data from this process's memory, and be told by its
 * ring? */
static inline bool is_readable(const mca_pml_champion_send_t *send)
{
    mca_pml_champion_peer_t *peer = send->peer;

    return (peer->ring.reads || (send->length > MCA_PML_CHAMPION_RING_INLINE &&
                                 mca_pml_champion_ring_reads(peer))) &&
           (mca_pml_champion_peer_has_ring_for(peer, send->length) ||
            (mca_pml_champion_rings.large && peer->ring_max >= 0));
}

/* Collect the facts that the choice depends on; those that an earlier route
 * makes irrelevant are left out. device, here and below, says whether the data
 * are in the memory of a device, a compile-time constant: only UCX may have
 * their address then, so that neither rings nor CMA are used. */
static inline __attribute__((always_inline)) void facts_find(
    mca_pml_champion_route_facts_t *facts, mca_pml_champion_send_t *send,
    bool device)
{
    mca_pml_champion_peer_t *peer = send->peer;
    mca_pml_champion_way_t way;

    *facts = (mca_pml_champion_route_facts_t){
        .length = send->length,
        .eager_limit = mca_pml_champion.params.eager_limit,
        .sync = send->sync,
        .self = peer->self,
        .throttled = is_throttled(send),
        .ring =
            !device && mca_pml_champion_peer_has_ring_for(peer, send->length),
        .readable = !device && is_readable(send),
    };
    if (OPAL_UNLIKELY(facts->self)) {
        return;
    }
    if (OPAL_UNLIKELY(!device && is_private(send, facts))) {
        facts->private = true;
        facts->readable = false;
        return;
    }
    facts->tagged = OPAL_UNLIKELY(peer->slow_sends) && !facts->throttled &&
                    mca_pml_champion_offload_wants(send);
    if (device || OPAL_UNLIKELY(facts->tagged)) {
        return;
    }
    way = mca_pml_champion_single_copy_way(send, peer);
    facts->fetch = MCA_PML_CHAMPION_WAY_FETCHED == way ||
                   (MCA_PML_CHAMPION_WAY_IF_ROOM == way &&
                    !mca_pml_champion_ring_has_room_for(peer, send->length));
}

/* Start a send by the first route that takes it. */
static inline __attribute__((always_inline)) void send_route(
    mca_pml_champion_send_t *send, int tag, mca_pml_champion_comm_t *comm,
    mca_pml_champion_peer_t *peer, uint32_t attributes, bool device)
{
    mca_pml_champion_route_facts_t facts;
    mca_pml_champion_route_t route;

    MCA_PML_CHAMPION_LOCKED();
    send->peer = peer;
    mca_pml_champion_send_header(&send->header.super.super, comm, peer, tag);
    send->header.super.jobid = mca_pml_champion.my_jobid;
    send->header.super.sent = 0;
    if (send->length >= MCA_PML_CHAMPION_THREAD_TRIGGER_BYTES && !peer->self) {
        send->header.super.sent = mca_pml_champion_thread_trigger_stamp(peer);
    }
    facts_find(&facts, send, device);
    if (device) {
        ++*(send->contiguous ? &mca_pml_champion.counters.device_ucx
                             : &mca_pml_champion.counters.device_sends);
    }
    route = mca_pml_champion_route_next(&facts, MCA_PML_CHAMPION_ROUTE_SELF);
    if (OPAL_LIKELY(MCA_PML_CHAMPION_ROUTE_UCX == route)) {
        (void) start_by_ucx(send, comm, attributes, MCA_PML_CHAMPION_BY_UCX);
        return;
    }
    while (!start_by(route, send, comm, attributes)) {
        route = mca_pml_champion_route_next(&facts, route + 1);
    }
}

/* Poll UCX while a send is under way, which may complete it: it is complete on
 * return then, as if UCX had done it at once. */
static void poll_under_way(mca_pml_champion_send_t *send)
{
    if (0 == send->pending) {
        mca_pml_champion_progress_in_send();
        return;
    }
    ++send->pending;
    mca_pml_champion_progress_in_send();
    if (0 == --send->pending) {
        mca_pml_champion_send_ended(send);
    }
}

static inline __attribute__((always_inline)) void send_start(
    mca_pml_champion_send_t *send, int tag, mca_pml_champion_comm_t *comm,
    mca_pml_champion_peer_t *peer, uint32_t attributes, bool device)
{
    const bool check = OPAL_UNLIKELY(peer->flow.check);

    MCA_PML_CHAMPION_LOCKED();
    if (check) {
        mca_pml_champion_flow_check(peer);
    }
    send_route(send, tag, comm, peer, attributes, device);
    if (send->length >= MCA_PML_CHAMPION_THREAD_TRIGGER_BYTES) {
        mca_pml_champion_rendezvous_sent(peer);
        if (!device) {
            mca_pml_champion_stripe_sent(send);
        }
    }
    if (check) {
        poll_under_way(send);
    }
}

void mca_pml_champion_send_start(mca_pml_champion_send_t *send, int tag,
                                 mca_pml_champion_comm_t *comm,
                                 mca_pml_champion_peer_t *peer,
                                 uint32_t attributes)
{
    send_start(send, tag, comm, peer, attributes, false);
}

void mca_pml_champion_send_start_device(mca_pml_champion_send_t *send, int tag,
                                        mca_pml_champion_comm_t *comm,
                                        mca_pml_champion_peer_t *peer,
                                        uint32_t attributes)
{
    send_start(send, tag, comm, peer, attributes, true);
}

static bool sends_register(void)
{
    mca_pml_champion.params.eager_limit = MCA_PML_CHAMPION_EAGER_AUTO;
    return mca_pml_champion_param_auto_size(
        "eager_limit",
        "Eager limit: largest payload, in bytes, that is sent without waiting "
        "for a matching receive. Payloads of up to 64 bytes never wait. auto: "
        "chosen for each peer",
        OPAL_INFO_LVL_4, 0, (size_t) 2 << 30,
        &mca_pml_champion.params.eager_limit);
}

static int sends_open(void)
{
    mca_pml_champion_rings.send_by_ucx = send_again;
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(sends) = {
    .name = "sends", .registers = sends_register, .open = sends_open};
