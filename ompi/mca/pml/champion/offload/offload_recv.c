/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receive offload at the receiver. States of a receive that is posted in mq:
 *
 *             posted to UCX            UCX has its data
 *     posted ---------------> AT_UCX -------------------> LANDED
 *        |                     |  \                         |
 *        | matched with a      |   \ matched with a         | matched with its
 *        | TAGGED message      |    \ message of another    | message
 *        |                     |     \ kind: cancelled      |
 *        v                     v      \                     v
 *     onloaded             MATCHED     delivered as usual  complete
 *     (AT_UCX, MATCHED) -----> complete when UCX is done
 */

#include "ompi/mca/pml/champion/offload/offload_recv.h"

#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/offload/follow.h"
#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/core/estimate.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"

#define OFFLOAD mca_pml_champion_offload
#define BIT(name) MCA_PML_CHAMPION_TRACKED_##name

void mca_pml_champion_offload_track(mca_pml_champion_recv_t *recv,
                                    mca_pml_champion_comm_t *comm)
{
    const mca_mq_envelope_t *envelope = &recv->entry.envelope;
    mca_pml_champion_peer_t **place, *peer;
    mca_pml_champion_stream_t *stream;
    uint32_t number;

    MCA_PML_CHAMPION_LOCKED();
    if (MCA_MQ_ANY_SOURCE == envelope->source ||
        MCA_MQ_ANY_TAG == envelope->tag) {
        mca_pml_champion_posted_add_wild(recv, comm);
        return;
    }
    place = mca_pml_champion_invite_place(comm->comm, envelope->source);
    peer = NULL != place ? *place : NULL;
    if (NULL == peer || peer->self) {
        return;
    }
    if (mca_pml_champion_posted_eligible(recv)) {
        if (MCA_PML_CHAMPION_OFFLOAD_AUTO == OFFLOAD.mode) {
            recv->offload.flags = BIT(TIMED);
            recv->offload.posted_at = mca_pml_champion_now();
        }
        mca_pml_champion_invite(peer, recv->capacity);
    }
    if (NULL == peer->offload.in_streams) {
        return;
    }
    stream = mca_pml_champion_stream_find(peer->offload.in_streams,
                                          envelope->context, envelope->tag);
    if (NULL != stream) {
        number = stream->next_number + stream->length;
        mca_pml_champion_posted_add(stream, recv);
        mca_pml_champion_follow_offload(peer, comm, stream, recv, number);
    }
}

/* Measure how long a receive waited until software could start its transfer. */
static void sample(const mca_pml_champion_arrival_t *arrival,
                   mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_peer_t *peer = arrival->peer;

    if (mca_pml_champion_posted_is(recv, BIT(TIMED)) &&
        (MCA_PML_CHAMPION_TAGGED == arrival->kind ||
         MCA_PML_CHAMPION_RENDEZVOUS == arrival->kind ||
         MCA_PML_CHAMPION_READABLE == arrival->kind)) {
        peer->offload.delta = mca_pml_champion_mean(
            peer->offload.delta,
            mca_pml_champion_now() - recv->offload.posted_at);
    }
}

/* Cancel a receive in UCX before it gets a message by another way. False if UCX
 * has not cancelled it yet; the message is kept until then. */
static bool take_back(mca_pml_champion_arrival_t *arrival,
                      mca_pml_champion_recv_t *recv)
{
    if (mca_pml_champion_posted_is(recv, BIT(LANDED))) {
        mca_pml_champion_offload_broken("data of a message without",
                                        recv->offload.ucp_tag);
    }
    mca_pml_champion_posted_take_back(recv);
    if (!mca_pml_champion_posted_is(recv, BIT(AT_UCX))) {
        return true;
    }
    recv->offload.held = mca_pml_champion_arrival_message(arrival);
    return false;
}

/* mq has matched a message with a receive. */
static void matched(mca_pml_champion_arrival_t *arrival,
                    mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_stream_t *stream =
        mca_pml_champion_posted_is(recv, BIT(LISTED)) ? recv->offload.stream
                                                      : NULL;

    MCA_PML_CHAMPION_LOCKED();
    sample(arrival, recv);
    mca_pml_champion_posted_leave(recv);
    recv->posted = false;
    recv->offload.flags &= ~(BIT(TIMED) | BIT(UNWANTED));
    if (NULL != stream) {
        /* It may have been the last cancelled one. */
        mca_pml_champion_posted_settle(stream);
    }
    if (MCA_PML_CHAMPION_TAGGED != arrival->kind &&
        mca_pml_champion_posted_is(recv, BIT(AT_UCX) | BIT(LANDED)) &&
        !take_back(arrival, recv)) {
        return;
    }
    mca_pml_champion_arrival_deliver(arrival, recv);
}

/* Get the data of a matched TAGGED message. */
static void tagged_deliver(mca_pml_champion_arrival_t *arrival,
                           mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_offload_state_t *tracked = &recv->offload;
    const uint64_t ucp_tag = arrival->token;

    arrival->kept = true;
    if (!mca_pml_champion_posted_is(recv, BIT(AT_UCX) | BIT(LANDED))) {
        ++mca_pml_champion.counters.onloaded;
        tracked->flags |= BIT(MATCHED);
        mca_pml_champion_posted_give(
            recv, ucp_tag, arrival->length,
            mca_pml_champion_transfer_cost(arrival->peer, arrival->length));
        return;
    }
    if (OPAL_UNLIKELY(tracked->ucp_tag != ucp_tag)) {
        mca_pml_champion_offload_broken("a receive for another one got",
                                        ucp_tag);
    }
    tracked->flags |= BIT(MATCHED);
    ++mca_pml_champion.counters.offload_matched;
    if (mca_pml_champion_posted_is(recv, BIT(LANDED))) {
        mca_pml_champion_posted_finish(recv, tracked->status);
    }
}

/* ---- cancelling --------------------------------------------------------- */

bool mca_pml_champion_offload_cancel(mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_stream_t *stream;
    mca_pml_champion_recv_t *newer;

    MCA_PML_CHAMPION_LOCKED();
    if (!OFFLOAD.on) {
        return true;
    }
    if (!mca_pml_champion_posted_is(recv, BIT(LISTED))) {
        if (mca_pml_champion_posted_is(recv, BIT(AT_UCX))) {
            recv->offload.flags |= BIT(UNWANTED);
            return false;
        }
        mca_pml_champion_posted_leave(recv);
        return true;
    }
    stream = recv->offload.stream;
    recv->offload.flags |= BIT(UNWANTED);
    stream->unwanted = true;
    stream->settling = true;
    for (newer = stream->last; newer != recv; newer = newer->offload.previous) {
        mca_pml_champion_posted_take_back(newer);
    }
    mca_pml_champion_posted_take_back(recv);
    stream->settling = false;
    mca_pml_champion_posted_settle(stream);
    return false;
}

bool mca_pml_champion_offload_give_up(mca_pml_champion_recv_t *recv,
                                      uint32_t bit)
{
    MCA_PML_CHAMPION_LOCKED();
    if (!OFFLOAD.on) {
        return true;
    }
    mca_pml_champion_posted_leave(recv);
    recv->offload.flags &= ~BIT(UNWANTED);
    mca_pml_champion_posted_take_back(recv);
    if (!mca_pml_champion_posted_is(recv, BIT(AT_UCX))) {
        recv->offload.flags = 0;
        return true;
    }
    recv->offload.flags |= bit;
    return false;
}

static void sent(mca_pml_champion_peer_t *peer, uint32_t context, int32_t tag)
{
    mca_pml_champion_out_stream_count(peer->offload.out_streams, context, tag);
}

static int offload_open(void)
{
    mca_pml_champion_payload_ops_t *ops =
        &mca_pml_champion_payloads[MCA_PML_CHAMPION_TAGGED];
    int rc = mca_pml_champion_offload_open();

    if (!OFFLOAD.on) {
        return rc;
    }
    ops->deliver = tagged_deliver;
    ops->drop = mca_pml_champion_posted_discard;
    mca_pml_champion_offload_hooks = (mca_pml_champion_offload_hooks_t){
        .counted = mca_pml_champion_follow_counted,
        .matched = matched,
        .sent = sent,
    };
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(offload) = {
    .name = "receive offload",
    .registers = mca_pml_champion_offload_register,
    .open = offload_open,
    .start = mca_pml_champion_offload_start,
    .stop = mca_pml_champion_offload_stop,
    .close = mca_pml_champion_offload_fini,
};
