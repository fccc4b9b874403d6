/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/reorder.h"

#include <string.h>

#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/test_delay.h"

/* Count a message whose turn has come, even if it will be dropped. */
static inline void count(const mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_peer_t *peer = arrival->peer;

    ++peer->recv_sequence;
    if (OPAL_UNLIKELY(NULL != peer->offload.in_streams)) {
        mca_pml_champion_offload_hooks.counted(peer, &arrival->envelope,
                                               arrival->kind, arrival->token);
    }
}

/* The turn of a recalled message has come: remove its RECALLED entry, the first
 * one of the list, and drop the message. With offload, a receive may already be
 * bound to this message by counting: then match it, and drop it only if it
 * finds no receive. */
static void on_recall(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_peer_t *peer = arrival->peer;
    mca_pml_champion_message_t *recall = peer->reorder.first;
    const mca_mq_envelope_t envelope = arrival->envelope;
    mca_pml_champion_withdrawal_t what = MCA_PML_CHAMPION_GONE;
    mca_pml_champion_withdrawn_fn_t done;

    peer->reorder.first = mca_pml_champion_message_next(recall);
    --peer->reorder.recalls;
    count(arrival);
    if (OPAL_UNLIKELY(NULL != peer->offload.in_streams)) {
        mca_pml_champion_arrival_match(arrival);
        if (!mca_pml_champion_arrival_take_back(peer, &envelope,
                                                recall->sequence)) {
            what = MCA_PML_CHAMPION_MATCHED;
        }
    } else {
        mca_pml_champion_arrival_recalled(arrival);
    }
    memcpy(&done, recall->copy, sizeof(done));
    done(peer, recall->token, what);
    mca_pml_champion_message_free(recall);
}

/* Is the message that is next in its pair recalled? */
static inline bool is_next_recalled(const mca_pml_champion_peer_t *peer)
{
    return NULL != peer->reorder.first &&
           MCA_PML_CHAMPION_RECALLED == peer->reorder.first->kind &&
           peer->reorder.first->sequence == peer->recv_sequence;
}

/* Drop the recalled message that is next, if it has arrived. False if it has
 * not. */
static bool recall_held(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_message_t *recall = peer->reorder.first;
    mca_pml_champion_message_t *message = mca_pml_champion_message_next(recall);
    mca_pml_champion_arrival_t arrival;

    if (NULL == message || message->sequence != recall->sequence) {
        return false;
    }
    recall->entry.link[0] = mca_pml_champion_message_next(message);
    mca_pml_champion_message_describe(message, &arrival);
    on_recall(&arrival);
    return true;
}

/* Match messages of the list as far as their turn has come. */
static void release(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_message_t *message;
    mca_pml_champion_arrival_t arrival;

    while (NULL != (message = peer->reorder.first) &&
           message->sequence == peer->recv_sequence) {
        if (OPAL_UNLIKELY(MCA_PML_CHAMPION_RECALLED == message->kind)) {
            if (!recall_held(peer)) {
                break;
            }
            continue;
        }
        peer->reorder.first = mca_pml_champion_message_next(message);
        if (MCA_PML_CHAMPION_MATCHED_EARLY == message->kind) {
            ++peer->recv_sequence;
            mca_pml_champion_message_free(message);
            continue;
        }
        mca_pml_champion_message_describe(message, &arrival);
        count(&arrival);
        mca_pml_champion_arrival_match(&arrival);
    }
}

/* Insert into a peer's list, sorted by number, which may wrap. */
static void insert(mca_pml_champion_peer_t *peer,
                   mca_pml_champion_message_t *message)
{
    mca_pml_champion_message_t **at = &peer->reorder.first;
    const int32_t behind = MCA_PML_CHAMPION_RECALLED == message->kind ? 0 : 1;

    /* In most cases it is the last one. */
    if (NULL != *at &&
        (int32_t) (peer->reorder.last->sequence - message->sequence) < 0) {
        at = (mca_pml_champion_message_t **) &peer->reorder.last->entry.link[0];
    }
    while (NULL != *at &&
           (int32_t) ((*at)->sequence - message->sequence) < behind) {
        at = (mca_pml_champion_message_t **) &(*at)->entry.link[0];
    }
    message->entry.link[0] = *at;
    if (NULL == *at) {
        peer->reorder.last = message;
    }
    *at = message;
    peer->slow_arrivals = true;
}

/* Keep a message until its turn comes. */
static void hold(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *message =
        mca_pml_champion_arrival_message(arrival);

    if (OPAL_UNLIKELY(NULL == message)) {
        return;
    }
    ++mca_pml_champion.counters.out_of_order;
    insert(arrival->peer, message);
}

/* Find the entry of that number and kind in a peer's list, or NULL. */
static const mca_pml_champion_message_t *find(
    const mca_pml_champion_peer_t *peer, uint32_t sequence, uint8_t kind)
{
    const mca_pml_champion_message_t *message = peer->reorder.first;

    while (NULL != message &&
           (message->sequence != sequence || message->kind != kind)) {
        message = mca_pml_champion_message_next(message);
    }
    return message;
}

/* May the message be matched out of order? Only if the user allows it for the
 * communicator. MPI's own messages keep their order, and so do messages that
 * are counted for offload. */
static bool may_overtake(const mca_pml_champion_arrival_t *arrival)
{
    const mca_pml_champion_comm_t *comm;

    if (arrival->envelope.tag < 0 ||
        NULL != arrival->peer->offload.in_streams) {
        return false;
    }
    comm = mca_pml_champion_comm_find(arrival->envelope.context);
    return NULL != comm &&
           0 != (comm->domain->info.assertions &
                 MCA_MQ_ASSERT_ALLOW_OVERTAKING) &&
           (OPAL_LIKELY(0 == arrival->peer->reorder.recalls) ||
            NULL == find(arrival->peer, arrival->sequence,
                         MCA_PML_CHAMPION_RECALLED));
}

/* Match a message out of order. A MATCHED_EARLY entry takes its place in the
 * list, so that its number is skipped later. False, with nothing done, if there
 * is no memory for the entry. */
static bool overtake(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *place =
        opal_size_pool_alloc(&mca_pml_champion.pool, sizeof(*place));

    if (NULL == place) {
        return false;
    }
    place->peer = arrival->peer;
    ++place->peer->backlog.waiting;
    place->kind = MCA_PML_CHAMPION_MATCHED_EARLY;
    place->owned = false;
    place->remote = false;
    place->sequence = arrival->sequence;
    insert(arrival->peer, place);
    ++mca_pml_champion.counters.matched_early;
    mca_pml_champion_arrival_match(arrival);
    return true;
}

/* The message has come through the test network, if there is one. Returns
 * whether it is ahead of its turn. */
static bool arrive(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_peer_t *peer = arrival->peer;

    if (OPAL_UNLIKELY(arrival->sequence != peer->recv_sequence)) {
        if (!may_overtake(arrival) || !overtake(arrival)) {
            hold(arrival);
        }
        return true;
    }
    if (OPAL_UNLIKELY(is_next_recalled(peer))) {
        on_recall(arrival);
    } else {
        count(arrival);
        mca_pml_champion_arrival_match(arrival);
    }
    if (OPAL_UNLIKELY(NULL != peer->reorder.first)) {
        release(peer);
    }
    peer->slow_arrivals =
        mca_pml_champion.slow_arrivals || NULL != peer->reorder.first;
    return false;
}

static void arrive_late(mca_pml_champion_message_t *message)
{
    mca_pml_champion_arrival_t arrival;

    mca_pml_champion_message_describe(message, &arrival);
    (void) arrive(&arrival);
}

bool mca_pml_champion_reorder_arrive(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *message;

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_LIKELY(0 == mca_pml_champion.params.test_delay)) {
        return arrive(arrival);
    }
    message = mca_pml_champion_arrival_message(arrival);
    if (NULL != message) {
        mca_pml_champion_test_delay_add(message, arrive_late);
    }
    return false;
}

void mca_pml_champion_reorder_message(mca_pml_champion_message_t *message)
{
    mca_pml_champion_arrival_t arrival;

    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_message_describe(message, &arrival);
    (void) mca_pml_champion_reorder_arrive(&arrival);
}

/* Add a RECALLED entry for a message whose turn has not come. Its payload is
 * the function to call then. False if there is no memory for it. */
static bool recall_hold(mca_pml_champion_peer_t *peer, uint32_t sequence,
                        uint64_t token, mca_pml_champion_withdrawn_fn_t done)
{
    mca_pml_champion_message_t *recall = opal_size_pool_alloc(
        &mca_pml_champion.pool, mca_pml_champion_message_size(sizeof(done)));

    if (NULL == recall) {
        return false;
    }
    recall->peer = peer;
    ++peer->backlog.waiting;
    recall->kind = MCA_PML_CHAMPION_RECALLED;
    recall->owned = true;
    recall->remote = false;
    recall->sequence = sequence;
    recall->token = token;
    recall->length = sizeof(done);
    memcpy(recall->copy, &done, sizeof(done));
    ++peer->reorder.recalls;
    insert(peer, recall);
    return true;
}

/* Is the turn of the message still to come? Never for messages to self, which
 * are matched before their send returns. */
static bool is_to_come(const mca_pml_champion_peer_t *peer, uint32_t sequence)
{
    return !peer->self && (int32_t) (sequence - peer->recv_sequence) >= 0 &&
           NULL == find(peer, sequence, MCA_PML_CHAMPION_MATCHED_EARLY);
}

mca_pml_champion_withdrawal_t mca_pml_champion_reorder_withdraw(
    mca_pml_champion_peer_t *peer, const mca_mq_envelope_t *envelope,
    uint32_t sequence, uint64_t token, mca_pml_champion_withdrawn_fn_t done)
{
    MCA_PML_CHAMPION_LOCKED();
    if (is_to_come(peer, sequence)) {
        if (NULL != find(peer, sequence, MCA_PML_CHAMPION_RECALLED)) {
            return MCA_PML_CHAMPION_TWICE;
        }
        if (recall_hold(peer, sequence, token, done)) {
            return MCA_PML_CHAMPION_NOT_YET;
        }
    }
    return mca_pml_champion_arrival_take_back(peer, envelope, sequence)
               ? MCA_PML_CHAMPION_GONE
               : MCA_PML_CHAMPION_MATCHED;
}
