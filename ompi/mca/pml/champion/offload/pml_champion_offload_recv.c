/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receive offload at the receiver. What becomes of a receive that is queued in
 * mq, and UCX's part of it:
 *
 *             posted to UCX            UCX has put data
 *     queued ---------------> AT_UCX -------------------> LANDED
 *        |                     |  \                         |
 *        | mq gives it a       |   \ mq gives it another    | mq gives it its
 *        | TAGGED message      |    \ message: taken back   | message
 *        v                     v     \                      v
 *     onloaded             MATCHED    delivered as usual  complete
 *     (AT_UCX, MATCHED) -----> complete when UCX is done
 */

#include "ompi/mca/pml/champion/offload/pml_champion_offload_recv.h"

#include <stdlib.h>

#include "ompi/mca/pml/champion/offload/pml_champion_outstanding.h"
#include "ompi/mca/pml/champion/offload/pml_champion_offload_rule.h"
#include "ompi/mca/pml/champion/offload/pml_champion_transfer.h"
#include "ompi/mca/pml/champion/pml_champion_clock.h"
#include "ompi/mca/pml/champion/pml_champion_control.h"
#include "ompi/mca/pml/champion/pml_champion_deliver.h"
#include "ompi/mca/pml/champion/pml_champion_offload_hooks.h"
#include "ompi/mca/pml/champion/pml_champion_pace.h"
#include "ompi/mca/pml/champion/pml_champion_wake.h"

#define OFFLOAD mca_pml_champion_offload
#define BIT(name) MCA_PML_CHAMPION_TRACKED_##name

/* Receives with wildcards that are looked at for one receive; if there are
 * more, it is not offloaded. */
#define WILDCARDS_LOOKED_AT 32

/* A message whose data nobody wants. */
typedef struct discard_t {
    mca_pml_champion_transfer_t transfer; /* first */
    void *request;
    struct discard_t *next, *previous;
} discard_t;

static uint32_t ucx_receives; /* that UCX has */
static discard_t *discards;
static mca_pml_champion_window_t window;

static void ucx_post(mca_pml_champion_recv_t *recv, uint64_t ucp_tag,
                     size_t length, uint64_t cost);
static void settle(mca_pml_champion_inflow_t *flow);

static inline bool has(const mca_pml_champion_recv_t *recv, uint32_t bits)
{
    return 0 != (recv->offload.flags & bits);
}

/* ---- lists -------------------------------------------------------------- */

static void wild_add(mca_pml_champion_recv_t *recv,
                     mca_pml_champion_comm_t *comm)
{
    mca_pml_champion_tracked_t *tracked = &recv->offload;

    tracked->flags = BIT(WILD);
    tracked->comm = comm;
    tracked->previous = NULL;
    tracked->next = comm->wildcards;
    if (NULL != comm->wildcards) {
        comm->wildcards->offload.previous = recv;
    }
    comm->wildcards = recv;
}

static void flow_add(mca_pml_champion_inflow_t *flow,
                     mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_tracked_t *tracked = &recv->offload;

    tracked->flags |= BIT(LISTED);
    tracked->stream = flow;
    tracked->next = NULL;
    tracked->previous = flow->last;
    if (NULL != flow->last) {
        flow->last->offload.next = recv;
    } else {
        flow->first = recv;
    }
    flow->last = recv;
    ++flow->length;
}

/* Out of the list it is in, if any. */
static void leave(mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_tracked_t *tracked = &recv->offload;
    mca_pml_champion_recv_t *next = tracked->next;
    mca_pml_champion_recv_t *previous = tracked->previous;
    mca_pml_champion_inflow_t *flow = NULL;

    if (!has(recv, BIT(WILD) | BIT(LISTED))) {
        return;
    }
    if (has(recv, BIT(LISTED))) {
        flow = tracked->stream;
        --flow->length;
    }
    if (NULL != previous) {
        previous->offload.next = next;
    } else if (NULL != flow) {
        flow->first = next;
    } else {
        tracked->comm->wildcards = next;
    }
    if (NULL != next) {
        next->offload.previous = previous;
    } else if (NULL != flow) {
        flow->last = previous;
    }
    tracked->flags &= ~(BIT(WILD) | BIT(LISTED));
}

/* ---- what UCX has ------------------------------------------------------- */

/* A receive has its message and its data. */
static void finish(mca_pml_champion_recv_t *recv, ucs_status_t status)
{
    if (OPAL_UNLIKELY(UCS_OK != status)) {
        mca_pml_champion_recv_fail(recv, UCS_ERR_MESSAGE_TRUNCATED == status
                                             ? MPI_ERR_TRUNCATE
                                             : MPI_ERR_OTHER);
    }
    if (!recv->contiguous) {
        mca_pml_champion_layout_end(&recv->layout);
    }
    recv->offload.flags = 0;
    mca_pml_champion_recv_complete(recv);
}

/* The user's cancelling of a receive has come to its end. */
static void cancelled(mca_pml_champion_recv_t *recv)
{
    leave(recv);
    recv->offload.flags = 0;
    mca_pml_champion_recv_cancelled(recv);
}

/* UCX has given back a receive that is still without message. */
static void given_back(mca_pml_champion_recv_t *recv)
{
    if (has(recv, BIT(LISTED))) {
        settle(recv->offload.stream);
    } else if (has(recv, BIT(UNWANTED))) {
        cancelled(recv);
    }
}

/* UCX has taken a receive out of its lists: here is what it came to. */
static void ucx_cancelled(mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_message_t *held = recv->offload.held;

    ++mca_pml_champion.counters.offload_cancelled;
    ++window.cancelled;
    if (NULL != held) {
        recv->offload.flags = 0;
        mca_pml_champion_message_deliver(held, recv);
    } else if (has(recv, BIT(MATCHED))) {
        ucx_post(recv, recv->offload.ucp_tag, recv->status->_ucount,
                 recv->offload.cost);
    } else {
        given_back(recv);
    }
}

/* UCX is done with a receive. */
static void ucx_done(mca_pml_champion_recv_t *recv, ucs_status_t status)
{
    mca_pml_champion_tracked_t *tracked = &recv->offload;

    --ucx_receives;
    mca_pml_champion_outstanding_ends(recv);
    tracked->flags &= ~(BIT(AT_UCX) | BIT(CANCELLING));
    if (has(recv, BIT(FAILED))) {
        tracked->flags = 0;
        mca_pml_champion_recv_complete(recv);
    } else if (has(recv, BIT(ABANDONED))) {
        tracked->flags = 0;
    } else if (UCS_ERR_CANCELED == status) {
        ucx_cancelled(recv);
    } else if (NULL != tracked->held) {
        mca_pml_champion_offload_broken("data of a message without",
                                        tracked->ucp_tag);
    } else if (has(recv, BIT(MATCHED))) {
        finish(recv, status);
    } else {
        tracked->flags |= BIT(LANDED);
        tracked->status = status;
        given_back(recv);
    }
}

static void ucx_received(mca_pml_champion_transfer_t *transfer,
                         ucs_status_t status)
{
    ucx_done(mca_pml_champion_recv_of(transfer), status);
}

/* Give a receive to UCX, for a message of length bytes or, if that is not
 * known yet, as many as fit. It costs so many ns. */
static void ucx_post(mca_pml_champion_recv_t *recv, uint64_t ucp_tag,
                     size_t length, uint64_t cost)
{
    const mca_pml_champion_source_t source = {.tag = ucp_tag};
    ucp_request_param_t param = {.op_attr_mask = 0};
    size_t count = length < recv->capacity ? length : recv->capacity;
    void *buffer, *request;

    MCA_PML_CHAMPION_LOCKED();
    recv->offload.flags |= BIT(AT_UCX);
    recv->offload.ucp_tag = ucp_tag;
    recv->offload.held = NULL;
    ++ucx_receives;
    mca_pml_champion_outstanding_begins(recv, cost);
    buffer = mca_pml_champion_recv_target(recv, count, &param, &count);
    recv->transfer.done = ucx_received;
    request = mca_pml_champion_transfer_begin(&recv->transfer, &source, buffer,
                                              count, &param);
    if (NULL != request) {
        recv->offload.request = request;
        mca_pml_champion_wake_tell();
    }
}

/* Ask UCX to give a receive back; often it has when this returns. */
static void ucx_cancel(mca_pml_champion_recv_t *recv)
{
    MCA_PML_CHAMPION_LOCKED();
    if (BIT(AT_UCX) ==
        (recv->offload.flags & (BIT(AT_UCX) | BIT(CANCELLING)))) {
        recv->offload.flags |= BIT(CANCELLING);
        OFFLOAD.ops->cancel(mca_pml_champion.worker, recv->offload.request);
    }
}

/* ---- whether to offload ------------------------------------------------- */

static bool pays(const mca_pml_champion_peer_t *peer, size_t bytes)
{
    return MCA_PML_CHAMPION_OFFLOAD_ALWAYS == OFFLOAD.mode ||
           mca_pml_champion_delta_pays(peer->delta,
                                       mca_pml_champion_outstanding.sum,
                                       mca_pml_champion_pace_cost(peer, bytes));
}

/* A receive could be offloaded: shall it be? */
static bool decide(const mca_pml_champion_peer_t *peer, size_t bytes)
{
    if (!mca_pml_champion_window_allows(&window, OFFLOAD.period,
                                        OFFLOAD.cancel_limit)) {
        ++mca_pml_champion.counters.offload_blocked;
        return false;
    }
    return pays(peer, bytes);
}

/* Is a receive queued that could take a message in front of this one? */
static bool wildcard_before(const mca_pml_champion_comm_t *comm,
                            const mca_mq_envelope_t *envelope)
{
    const mca_pml_champion_recv_t *recv = comm->wildcards;

    for (unsigned i = 0; NULL != recv; recv = recv->offload.next, ++i) {
        if (i == WILDCARDS_LOOKED_AT ||
            mca_mq_matches(&recv->entry.envelope, envelope)) {
            return true;
        }
    }
    return false;
}

/* Offload a receive that is bound to get message number of its stream, unless
 * there is a reason against it. */
static void offload(mca_pml_champion_peer_t *peer,
                    const mca_pml_champion_comm_t *comm,
                    const mca_pml_champion_inflow_t *flow,
                    mca_pml_champion_recv_t *recv, uint32_t number)
{
    if (!mca_pml_champion_offload_eligible(recv) || flow->unwanted ||
        peer->inflows->withdrawn ||
        number - flow->next_number >= MCA_PML_CHAMPION_TAG_AHEAD ||
        number >= MCA_PML_CHAMPION_TAG_NUMBERS ||
        wildcard_before(comm, &recv->entry.envelope) ||
        !decide(peer, recv->capacity)) {
        return;
    }
    ++mca_pml_champion.counters.offloaded;
    ++window.offloaded;
    ucx_post(
        recv,
        mca_pml_champion_tag_pack(peer->inflows->index, flow->stream, number),
        recv->capacity, mca_pml_champion_pace_cost(peer, recv->capacity));
}

/* ---- peers -------------------------------------------------------------- */

/* Where the peer that is source in comm is kept, or will be; NULL if it is of
 * another job. */
static mca_pml_champion_peer_t **place_of(ompi_communicator_t *comm, int source)
{
    const opal_process_name_t *name =
        &ompi_comm_peer_lookup(comm, source)->super.proc_name;

    return name->jobid == mca_pml_champion.my_jobid &&
                   name->vpid < mca_pml_champion.job_size
               ? &mca_pml_champion.job_peers[name->vpid]
               : NULL;
}

/* Shall there be a way to a source, so that it can be asked? */
static bool is_wanted(int source, ompi_communicator_t *comm)
{
    bool always = MCA_PML_CHAMPION_OFFLOAD_ALWAYS == OFFLOAD.mode;
    mca_pml_champion_peer_t *const *place = place_of(comm, source);

    if (NULL == place || NULL == *place) {
        return NULL != place && always;
    }
    return !(*place)->self && NULL == (*place)->ep &&
           (always || 0 != (*place)->delta);
}

void mca_pml_champion_offload_connect(int source, ompi_communicator_t *comm)
{
    bool wanted;

    MCA_PML_CHAMPION_UNLOCKED();
    if (OMPI_ANY_SOURCE == source) {
        return;
    }
    mca_pml_champion_lock();
    wanted = is_wanted(source, comm);
    mca_pml_champion_unlock();
    if (wanted) {
        (void) mca_pml_champion_peer_get(comm, source);
    }
}

/* Does its network match tags? Asked once. */
static bool capable(mca_pml_champion_peer_t *peer)
{
    if (MCA_PML_CHAMPION_OFFLOAD_ALWAYS == OFFLOAD.mode) {
        return true;
    }
    if (!peer->looked_at) {
        peer->looked_at = true;
        peer->capable = OFFLOAD.ops->capable(peer->ep);
    }
    return peer->capable;
}

/* False if there is no memory, or UCX refuses; then perhaps with the next
 * receive, as nothing waits for it. */
static bool offer_send(const mca_pml_champion_peer_t *peer, uint32_t index,
                       uint64_t min)
{
    const mca_pml_champion_offer_t offer = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .index = index,
        .min = min,
    };

    return UCS_OK == mca_pml_champion_control_send(peer,
                                                   MCA_PML_CHAMPION_AM_OFFER,
                                                   &offer, sizeof(offer), 0);
}

/* Ask a peer to send large data by tag, if there is a reason to. */
static void invite(mca_pml_champion_peer_t *peer, size_t bytes)
{
    mca_pml_champion_inflows_t *flows;

    if (NULL == peer->ep || !pays(peer, bytes) || !capable(peer) ||
        OFFLOAD.next_index >= MCA_PML_CHAMPION_TAG_INDICES) {
        return;
    }
    flows = calloc(1, sizeof(*flows));
    if (NULL == flows || !offer_send(peer, OFFLOAD.next_index, OFFLOAD.min)) {
        free(flows);
        return;
    }
    flows->index = OFFLOAD.next_index++;
    flows->max = OFFLOAD.streams;
    peer->inflows = flows;
    peer->next_sender = OFFLOAD.senders;
    OFFLOAD.senders = peer;
}

/* A peer's next large message is about to be matched: are the last ones a
 * reason to ask it for no more tags? Unexpected messages gain nothing by them,
 * and a receive that was offloaded would have to be taken back. */
static void invitation_review(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_inflows_t *flows = peer->inflows;

    if (MCA_PML_CHAMPION_OFFLOAD_AUTO == OFFLOAD.mode && !flows->withdrawn &&
        NULL != peer->ep &&
        mca_pml_champion_invitation_failed(flows->history, flows->looked) &&
        offer_send(peer, flows->index, UINT64_MAX)) {
        flows->withdrawn = true;
        flows->looked = 0;
        ++mca_pml_champion.counters.offload_withdrawn;
    }
    flows->history <<= 1; /* expected, until it turns out not to be */
    if (flows->looked < MCA_PML_CHAMPION_INVITED_WINDOW) {
        ++flows->looked;
    }
}

/* A large message was queued as unexpected. */
static void unexpected(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    peer->inflows->history |= 1;
}

/* A receive from a peer is posted that could be offloaded: ask it again? */
static void invitation_renew(mca_pml_champion_peer_t *peer, size_t bytes)
{
    mca_pml_champion_inflows_t *flows = peer->inflows;

    if (flows->withdrawn &&
        mca_pml_champion_invitation_renewed(flows->history, flows->looked) &&
        pays(peer, bytes) && offer_send(peer, flows->index, OFFLOAD.min)) {
        flows->withdrawn = false;
        flows->looked = 0;
    }
}

/* ---- streams ------------------------------------------------------------ */

/* Stop counting a stream. Its receives are given to it again if it comes up
 * again. */
static void unfollow(mca_pml_champion_peer_t *peer,
                     mca_pml_champion_inflow_t *flow)
{
    mca_pml_champion_recv_t *recv;

    while (NULL != (recv = flow->first)) {
        leave(recv);
        if (has(recv, BIT(AT_UCX))) {
            ucx_cancel(recv);
        } else if (has(recv, BIT(UNWANTED))) {
            cancelled(recv);
        }
    }
    mca_pml_champion_inflow_end(peer->inflows, flow);
}

typedef struct collect_t {
    const mca_mq_envelope_t *envelope;
    mca_pml_champion_inflow_t *flow;
} collect_t;

static void collect(mca_mq_entry_t *entry, void *arg)
{
    const collect_t *wanted = arg;

    if (entry->envelope.source == wanted->envelope->source &&
        entry->envelope.tag == wanted->envelope->tag) {
        flow_add(wanted->flow, (mca_pml_champion_recv_t *) entry);
    }
}

/* Begin to count a stream with a message that is about to be matched. */
static mca_pml_champion_inflow_t *follow(mca_pml_champion_peer_t *peer,
                                         const mca_mq_envelope_t *envelope,
                                         uint32_t stream, uint32_t number)
{
    mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(envelope->context);
    collect_t wanted = {.envelope = envelope};
    mca_pml_champion_recv_t *recv, *next;

    if (NULL == comm) {
        return NULL;
    }
    wanted.flow = mca_pml_champion_inflow_begin(
        peer->inflows, envelope->context, envelope->tag, stream, number);
    if (NULL == wanted.flow) {
        return NULL;
    }
    if (OMPI_SUCCESS != mca_mq_base_visit(comm->domain->module, MCA_MQ_POSTED,
                                          &envelope->context, collect,
                                          &wanted)) {
        unfollow(peer, wanted.flow);
        return NULL;
    }
    /* The first gets this message; those after it are offloaded late. */
    recv = wanted.flow->first;
    for (next = NULL == recv ? NULL : recv->offload.next; NULL != next;
         next = next->offload.next) {
        offload(peer, comm, wanted.flow, next, ++number);
    }
    return wanted.flow;
}

/* The stream of a message with data under a tag; NULL if it is not counted. */
static mca_pml_champion_inflow_t *flow_of(mca_pml_champion_peer_t *peer,
                                          const mca_mq_envelope_t *envelope,
                                          mca_pml_champion_inflow_t *flow,
                                          uint64_t ucp_tag)
{
    uint32_t stream = mca_pml_champion_tag_stream(ucp_tag);
    uint32_t number = mca_pml_champion_tag_number(ucp_tag);
    mca_pml_champion_inflow_t *other;

    if (NULL != flow && flow->stream == stream) {
        if (OPAL_UNLIKELY(flow->next_number != number)) {
            mca_pml_champion_offload_broken("another number expected of",
                                            ucp_tag);
        }
        return flow;
    }
    if (NULL != flow) {
        unfollow(peer, flow);
    }
    other = mca_pml_champion_inflow_of(peer->inflows, stream);
    if (NULL != other) {
        unfollow(peer, other);
    }
    return follow(peer, envelope, stream, number);
}

/* A message is next in its pair. */
static void counted(mca_pml_champion_peer_t *peer,
                    const mca_mq_envelope_t *envelope, uint8_t kind,
                    uint64_t token)
{
    mca_pml_champion_inflow_t *flow = mca_pml_champion_inflow_find(
        peer->inflows, envelope->context, envelope->tag);

    MCA_PML_CHAMPION_LOCKED();
    if (MCA_PML_CHAMPION_TAGGED == kind ||
        MCA_PML_CHAMPION_RENDEZVOUS == kind) {
        invitation_review(peer);
    }
    if (MCA_PML_CHAMPION_TAGGED == kind) {
        flow = flow_of(peer, envelope, flow, token);
    }
    if (NULL != flow && ++flow->next_number == MCA_PML_CHAMPION_TAG_NUMBERS) {
        unfollow(peer, flow);
    }
}

/* ---- receives ----------------------------------------------------------- */

void mca_pml_champion_offload_track(mca_pml_champion_recv_t *recv,
                                    mca_pml_champion_comm_t *comm)
{
    const mca_mq_envelope_t *envelope = &recv->entry.envelope;
    mca_pml_champion_peer_t **place, *peer;
    mca_pml_champion_inflow_t *flow;
    uint32_t number;

    MCA_PML_CHAMPION_LOCKED();
    if (MCA_MQ_ANY_SOURCE == envelope->source ||
        MCA_MQ_ANY_TAG == envelope->tag) {
        wild_add(recv, comm);
        return;
    }
    place = place_of(comm->comm, envelope->source);
    peer = NULL != place ? *place : NULL;
    if (NULL == peer || peer->self) {
        return;
    }
    if (MCA_PML_CHAMPION_OFFLOAD_AUTO == OFFLOAD.mode &&
        mca_pml_champion_offload_eligible(recv)) {
        recv->offload.flags = BIT(TIMED);
        recv->offload.posted_at = mca_pml_champion_now();
    }
    if (NULL == peer->inflows) {
        if (mca_pml_champion_offload_eligible(recv)) {
            invite(peer, recv->capacity);
        }
        return;
    }
    if (mca_pml_champion_offload_eligible(recv)) {
        invitation_renew(peer, recv->capacity);
    }
    flow = mca_pml_champion_inflow_find(peer->inflows, envelope->context,
                                        envelope->tag);
    if (NULL != flow) {
        number = flow->next_number + flow->length;
        flow_add(flow, recv);
        offload(peer, comm, flow, recv, number);
    }
}

/* How long did the receive wait for software to start its transfer? */
static void sample(const mca_pml_champion_arrival_t *arrival,
                   mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_peer_t *peer = arrival->peer;

    if (has(recv, BIT(TIMED)) &&
        (MCA_PML_CHAMPION_TAGGED == arrival->kind ||
         MCA_PML_CHAMPION_RENDEZVOUS == arrival->kind)) {
        peer->delta = mca_pml_champion_delta_smooth(
            peer->delta, mca_pml_champion_now() - recv->offload.posted_at);
    }
}

static void deliver(mca_pml_champion_arrival_t *arrival,
                    mca_pml_champion_recv_t *recv)
{
    if (NULL != arrival->message) {
        mca_pml_champion_message_deliver(arrival->message, recv);
    } else {
        mca_pml_champion_deliver(arrival, recv);
    }
}

/* Take a receive back from UCX before it gets a message that comes another
 * way. False if it has to wait for that; the message is kept. */
static bool take_back(mca_pml_champion_arrival_t *arrival,
                      mca_pml_champion_recv_t *recv)
{
    if (has(recv, BIT(LANDED))) {
        mca_pml_champion_offload_broken("data of a message without",
                                        recv->offload.ucp_tag);
    }
    ucx_cancel(recv);
    if (!has(recv, BIT(AT_UCX))) {
        return true;
    }
    recv->offload.held = NULL != arrival->message
                             ? arrival->message
                             : mca_pml_champion_message_new(arrival);
    return false;
}

/* mq has given a message to a receive. */
static void matched(mca_pml_champion_arrival_t *arrival,
                    mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_inflow_t *flow =
        has(recv, BIT(LISTED)) ? recv->offload.stream : NULL;

    MCA_PML_CHAMPION_LOCKED();
    sample(arrival, recv);
    leave(recv);
    recv->posted = false;
    recv->offload.flags &= ~(BIT(TIMED) | BIT(UNWANTED));
    if (NULL != flow) {
        settle(flow); /* it may have been the last unwanted one */
    }
    if (MCA_PML_CHAMPION_TAGGED != arrival->kind &&
        has(recv, BIT(AT_UCX) | BIT(LANDED)) && !take_back(arrival, recv)) {
        return;
    }
    deliver(arrival, recv);
}

/* Get the data of a TAGGED message that was matched. */
static void tagged_deliver(mca_pml_champion_arrival_t *arrival,
                           mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_tracked_t *tracked = &recv->offload;
    const uint64_t ucp_tag = arrival->token;

    arrival->kept = true;

    if (!has(recv, BIT(AT_UCX) | BIT(LANDED))) {
        ++mca_pml_champion.counters.onloaded;
        tracked->flags |= BIT(MATCHED);
        ucx_post(recv, ucp_tag, arrival->length,
                 mca_pml_champion_pace_cost(arrival->peer, arrival->length));
        return;
    }
    if (OPAL_UNLIKELY(tracked->ucp_tag != ucp_tag)) {
        mca_pml_champion_offload_broken("a receive for another one got",
                                        ucp_tag);
    }
    tracked->flags |= BIT(MATCHED);
    ++mca_pml_champion.counters.offload_matched;
    if (has(recv, BIT(LANDED))) {
        finish(recv, tracked->status);
    }
}

/* ---- cancelling --------------------------------------------------------- */

/* Some receives of a stream are unwanted: see which can be cancelled, and
 * which are bound to get their message. */
static void settle(mca_pml_champion_inflow_t *flow)
{
    bool at_ucx = false, landed = false, left = false;
    mca_pml_champion_recv_t *recv, *older;

    if (!flow->unwanted || flow->settling) {
        return;
    }
    for (recv = flow->last; NULL != recv; recv = older) {
        older = recv->offload.previous;
        at_ucx = at_ucx || has(recv, BIT(AT_UCX));
        landed = landed || has(recv, BIT(LANDED));
        if (!has(recv, BIT(UNWANTED))) {
            continue;
        }
        if (landed) {
            recv->offload.flags &= ~BIT(UNWANTED);
        } else if (at_ucx) {
            left = true;
        } else {
            cancelled(recv);
        }
    }
    flow->unwanted = left;
}

bool mca_pml_champion_offload_cancel(mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_inflow_t *flow;
    mca_pml_champion_recv_t *newer;

    MCA_PML_CHAMPION_LOCKED();
    if (!has(recv, BIT(LISTED))) {
        if (has(recv, BIT(AT_UCX))) {
            recv->offload.flags |= BIT(UNWANTED);
            return false;
        }
        leave(recv);
        return true;
    }
    flow = recv->offload.stream;
    recv->offload.flags |= BIT(UNWANTED);
    flow->unwanted = true;
    flow->settling = true;
    for (newer = flow->last; newer != recv; newer = newer->offload.previous) {
        ucx_cancel(newer);
    }
    ucx_cancel(recv);
    flow->settling = false;
    settle(flow);
    return false;
}

/* Nobody wants a receive any more. True if UCX has given it back. */
static bool let_go(mca_pml_champion_recv_t *recv, uint32_t bit)
{
    MCA_PML_CHAMPION_LOCKED();
    leave(recv);
    recv->offload.flags &= ~BIT(UNWANTED);
    ucx_cancel(recv);
    if (!has(recv, BIT(AT_UCX))) {
        recv->offload.flags = 0;
        return true;
    }
    recv->offload.flags |= bit;
    return false;
}

bool mca_pml_champion_offload_fail(mca_pml_champion_recv_t *recv)
{
    return let_go(recv, BIT(FAILED));
}

void mca_pml_champion_offload_abandon(mca_pml_champion_recv_t *recv)
{
    (void) let_go(recv, BIT(ABANDONED));
}

void mca_pml_champion_offload_forget(uint32_t context)
{
    mca_pml_champion_peer_t *peer;

    MCA_PML_CHAMPION_LOCKED();
    for (peer = OFFLOAD.senders; NULL != peer; peer = peer->next_sender) {
        mca_pml_champion_inflow_t *flow, *next;

        for (flow = peer->inflows->used; NULL != flow; flow = next) {
            next = flow->next;
            if (flow->context == context) {
                unfollow(peer, flow);
            }
        }
    }
    for (peer = OFFLOAD.receivers; NULL != peer; peer = peer->next_receiver) {
        mca_pml_champion_outflows_forget(peer->outflows, context);
    }
}

/* ---- data that nobody wants --------------------------------------------- */

static void discarded(mca_pml_champion_transfer_t *transfer,
                      ucs_status_t status)
{
    discard_t *discard = (discard_t *) transfer;

    (void) status;
    if (NULL != discard->previous) {
        discard->previous->next = discard->next;
    } else {
        discards = discard->next;
    }
    if (NULL != discard->next) {
        discard->next->previous = discard->previous;
    }
    opal_size_pool_free(&mca_pml_champion.pool, discard, sizeof(*discard));
}

/* A receive without room makes UCX tell the sender that it is done. */
static void tagged_drop(mca_pml_champion_arrival_t *arrival)
{
    const mca_pml_champion_source_t source = {.tag = arrival->token};
    ucp_request_param_t param = {.op_attr_mask = 0};
    discard_t *discard;
    void *request;

    discard = opal_size_pool_alloc(&mca_pml_champion.pool, sizeof(*discard));
    if (NULL == discard) {
        mca_pml_champion_offload_broken("out of memory for dropping",
                                        arrival->token);
        return;
    }
    discard->transfer.done = discarded;
    discard->previous = NULL;
    discard->next = discards;
    if (NULL != discard->next) {
        discard->next->previous = discard;
    }
    discards = discard;
    request = mca_pml_champion_transfer_begin(&discard->transfer, &source, NULL,
                                              0, &param);
    if (NULL != request) {
        discard->request = request;
    }
}

/* What is left: data that UCX had put into a receive which failed, and that
 * will not come a second time. */
void mca_pml_champion_offload_drain(void)
{
    discard_t *discard, *next;

    MCA_PML_CHAMPION_UNLOCKED();
    mca_pml_champion_lock();
    for (discard = discards; NULL != discard; discard = next) {
        next = discard->next;
        OFFLOAD.ops->cancel(mca_pml_champion.worker, discard->request);
    }
    mca_pml_champion_unlock();
}

bool mca_pml_champion_offload_is_busy(void)
{
    MCA_PML_CHAMPION_UNLOCKED();
    return 0 != ucx_receives || NULL != discards;
}

void mca_pml_champion_offload_recv_open(void)
{
    mca_pml_champion_payload_ops_t *ops =
        &mca_pml_champion_payloads[MCA_PML_CHAMPION_TAGGED];

    ops->deliver = tagged_deliver;
    ops->drop = tagged_drop;
    mca_pml_champion_offload_hooks = (mca_pml_champion_offload_hooks_t){
        .counted = counted,
        .unexpected = unexpected,
        .matched = matched,
        .sent = mca_pml_champion_outflow_count,
    };
}
