/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/offload/follow.h"

#include "ompi/mca/pml/champion/offload/invite.h"
#include "ompi/mca/pml/champion/offload/offload_rule.h"
#include "ompi/mca/pml/champion/offload/posted.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"

#define OFFLOAD mca_pml_champion_offload
#define BIT(name) MCA_PML_CHAMPION_TRACKED_##name

/* Wildcard receives that are checked for one receive; if there are more, it is
 * not offloaded. */
#define WILDCARDS_LOOKED_AT 32

/* Receives eligible for offload in a measurement period of the cancel rate. */
#define PERIOD 256

/* ---- whether to offload ------------------------------------------------- */

/* Decide whether to offload a receive that could be. */
static bool decide(const mca_pml_champion_peer_t *peer, size_t bytes)
{
    if (!mca_pml_champion_window_allows(&mca_pml_champion_posted_window, PERIOD,
                                        OFFLOAD.cancel_limit)) {
        ++mca_pml_champion.counters.offload_blocked;
        return false;
    }
    return mca_pml_champion_invite_pays(peer, bytes);
}

/* Is there a wildcard receive that could take a message before this receive? */
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

void mca_pml_champion_follow_offload(mca_pml_champion_peer_t *peer,
                                     const mca_pml_champion_comm_t *comm,
                                     const mca_pml_champion_stream_t *stream,
                                     mca_pml_champion_recv_t *recv,
                                     uint32_t number)
{
    MCA_PML_CHAMPION_LOCKED();
    if (!mca_pml_champion_posted_eligible(recv) || stream->unwanted ||
        peer->offload.in_streams->withdrawn ||
        number - stream->next_number >= MCA_PML_CHAMPION_TAG_AHEAD ||
        number >= MCA_PML_CHAMPION_TAG_NUMBERS ||
        wildcard_before(comm, &recv->entry.envelope) ||
        !decide(peer, recv->capacity)) {
        return;
    }
    ++mca_pml_champion.counters.offloaded;
    ++mca_pml_champion_posted_window.offloaded;
    mca_pml_champion_posted_give(
        recv,
        mca_pml_champion_tag_pack(peer->offload.in_streams->index, stream->id,
                                  number),
        recv->capacity, mca_pml_champion_transfer_cost(peer, recv->capacity));
}

/* ---- streams ------------------------------------------------------------ */

/* Stop counting a stream. Its receives are collected again if it is taken up
 * again. */
static void unfollow(mca_pml_champion_peer_t *peer,
                     mca_pml_champion_stream_t *stream)
{
    mca_pml_champion_recv_t *recv;

    while (NULL != (recv = stream->first)) {
        mca_pml_champion_posted_leave(recv);
        if (mca_pml_champion_posted_is(recv, BIT(AT_UCX))) {
            mca_pml_champion_posted_take_back(recv);
        } else if (mca_pml_champion_posted_is(recv, BIT(UNWANTED))) {
            mca_pml_champion_posted_cancelled(recv);
        }
    }
    mca_pml_champion_in_stream_end(peer->offload.in_streams, stream);
}

typedef struct collect_t {
    const mca_mq_envelope_t *envelope;
    mca_pml_champion_stream_t *stream;
} collect_t;

static void collect(mca_mq_entry_t *entry, void *arg)
{
    const collect_t *wanted = arg;

    if (entry->envelope.source == wanted->envelope->source &&
        entry->envelope.tag == wanted->envelope->tag) {
        mca_pml_champion_posted_add(wanted->stream,
                                    (mca_pml_champion_recv_t *) entry);
    }
}

/* Begin counting a stream with a message that is about to be matched. */
static mca_pml_champion_stream_t *follow(mca_pml_champion_peer_t *peer,
                                         const mca_mq_envelope_t *envelope,
                                         uint32_t id, uint32_t number)
{
    mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(envelope->context);
    collect_t wanted = {.envelope = envelope};
    mca_pml_champion_recv_t *recv, *next;

    if (NULL == comm) {
        return NULL;
    }
    wanted.stream = mca_pml_champion_in_stream_begin(
        peer->offload.in_streams, envelope->context, envelope->tag, id, number);
    if (NULL == wanted.stream) {
        return NULL;
    }
    if (OMPI_SUCCESS != mca_mq_base_visit(comm->domain->module, MCA_MQ_POSTED,
                                          &envelope->context, collect,
                                          &wanted)) {
        unfollow(peer, wanted.stream);
        return NULL;
    }
    /* The first gets this message; the others are offloaded now. */
    recv = wanted.stream->first;
    for (next = NULL == recv ? NULL : recv->offload.next; NULL != next;
         next = next->offload.next) {
        mca_pml_champion_follow_offload(peer, comm, wanted.stream, next,
                                        ++number);
    }
    return wanted.stream;
}

/* The stream of a TAGGED message; NULL if it is not counted. */
static mca_pml_champion_stream_t *stream_of(mca_pml_champion_peer_t *peer,
                                            const mca_mq_envelope_t *envelope,
                                            mca_pml_champion_stream_t *stream,
                                            uint64_t ucp_tag)
{
    uint32_t id = mca_pml_champion_tag_stream(ucp_tag);
    uint32_t number = mca_pml_champion_tag_number(ucp_tag);
    mca_pml_champion_stream_t *other;

    if (NULL != stream && stream->id == id) {
        if (OPAL_UNLIKELY(stream->next_number != number)) {
            mca_pml_champion_offload_broken("another number expected of",
                                            ucp_tag);
        }
        return stream;
    }
    if (NULL != stream) {
        unfollow(peer, stream);
    }
    other = mca_pml_champion_in_stream_of(peer->offload.in_streams, id);
    if (NULL != other) {
        unfollow(peer, other);
    }
    return follow(peer, envelope, id, number);
}

void mca_pml_champion_follow_counted(mca_pml_champion_peer_t *peer,
                                     const mca_mq_envelope_t *envelope,
                                     uint8_t kind, uint64_t token)
{
    mca_pml_champion_stream_t *stream = mca_pml_champion_stream_find(
        peer->offload.in_streams, envelope->context, envelope->tag);

    MCA_PML_CHAMPION_LOCKED();
    if (MCA_PML_CHAMPION_TAGGED == kind ||
        MCA_PML_CHAMPION_RENDEZVOUS == kind ||
        MCA_PML_CHAMPION_READABLE == kind) {
        mca_pml_champion_invite_review(peer);
    }
    if (MCA_PML_CHAMPION_TAGGED == kind) {
        stream = stream_of(peer, envelope, stream, token);
    }
    if (NULL != stream &&
        ++stream->next_number == MCA_PML_CHAMPION_TAG_NUMBERS) {
        unfollow(peer, stream);
    }
}

void mca_pml_champion_follow_forget(uint32_t context)
{
    mca_pml_champion_peer_t *peer;

    MCA_PML_CHAMPION_LOCKED();
    for (peer = OFFLOAD.senders; NULL != peer;
         peer = peer->offload.next_sender) {
        mca_pml_champion_stream_t *stream, *next;

        for (stream = peer->offload.in_streams->used; NULL != stream;
             stream = next) {
            next = stream->next;
            if (stream->context == context) {
                unfollow(peer, stream);
            }
        }
    }
    for (peer = OFFLOAD.receivers; NULL != peer;
         peer = peer->offload.next_receiver) {
        mca_pml_champion_out_streams_forget(peer->offload.out_streams, context);
    }
}
