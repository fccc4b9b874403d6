/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/arrival.h"

#include <string.h>

#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/offload_hooks.h"

/* Messages whose communicator is not known yet, oldest first. */
static mca_pml_champion_message_t *parked, **parked_tail = &parked;

/* Threads that wait in a probe. */
static mca_pml_champion_prober_t *probers;

/* Tell those who wait for a message like this, which is just being queued. */
static void probers_notify(const mca_mq_envelope_t *envelope)
{
    mca_pml_champion_prober_t *prober;

    for (prober = probers; NULL != prober; prober = prober->next) {
        if (mca_mq_matches(&prober->envelope, envelope)) {
            __atomic_store_n(&prober->found, 1, __ATOMIC_RELEASE);
        }
    }
}

void mca_pml_champion_probers_wake(uint32_t context)
{
    mca_pml_champion_prober_t *prober;

    MCA_PML_CHAMPION_LOCKED();
    for (prober = probers; NULL != prober; prober = prober->next) {
        if (context == prober->envelope.context) {
            __atomic_store_n(&prober->found, 1, __ATOMIC_RELEASE);
        }
    }
}

void mca_pml_champion_probers_add(mca_pml_champion_prober_t *prober)
{
    MCA_PML_CHAMPION_LOCKED();
    prober->found = 0;
    prober->next = probers;
    probers = prober;
}

void mca_pml_champion_probers_remove(mca_pml_champion_prober_t *prober)
{
    mca_pml_champion_prober_t **at = &probers;

    MCA_PML_CHAMPION_LOCKED();
    while (*at != prober) {
        at = &(*at)->next;
    }
    *at = prober->next;
}

/* mq asks for the entry of a message that matched no receive. */
mca_mq_entry_t *mca_pml_champion_arrival_entry(void *arg)
{
    mca_pml_champion_arrival_t *arrival = arg;
    mca_pml_champion_message_t *message = arrival->message;

    if (OPAL_UNLIKELY(mca_pml_champion.ending && arrival->envelope.tag >= 0) ||
        MCA_MQ_OMPI_IS_REVOKED(arrival->comm->comm, arrival->envelope.tag)) {
        mca_pml_champion_arrival_drop(arrival);
        return NULL;
    }
    if (NULL == message) {
        message = mca_pml_champion_message_new(arrival);
        if (OPAL_UNLIKELY(NULL == message)) {
            return NULL;
        }
        arrival->message = message;
    }
    if (OPAL_UNLIKELY(message->remote)) {
        if (NULL != message->peer->offload.inflows) {
            mca_pml_champion_offload_hooks.unexpected(message->peer);
        }
        mca_pml_champion_message_queued(message);
    }
    if (OPAL_UNLIKELY(NULL != probers)) {
        probers_notify(&arrival->envelope);
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
    *parked_tail = message;
    parked_tail = (mca_pml_champion_message_t **) &message->entry.link[0];
}

void mca_pml_champion_parked_release(uint32_t context)
{
    mca_pml_champion_message_t **at = &parked;
    mca_pml_champion_message_t *due = NULL, **due_tail = &due, *message;

    MCA_PML_CHAMPION_LOCKED();
    while (NULL != (message = *at)) {
        if (message->entry.envelope.context != context) {
            at = (mca_pml_champion_message_t **) &message->entry.link[0];
            continue;
        }
        *at = mca_pml_champion_message_next(message);
        message->entry.link[0] = NULL;
        *due_tail = message;
        due_tail = (mca_pml_champion_message_t **) &message->entry.link[0];
    }
    parked_tail = at;
    while (NULL != (message = due)) {
        due = mca_pml_champion_message_next(message);
        mca_pml_champion_message_match(message);
    }
}

void mca_pml_champion_parked_drop(void)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_messages_drop(&parked);
    parked_tail = &parked;
}

/* Its communicator is not there: see whether it will come. */
static void arrival_homeless(mca_pml_champion_arrival_t *arrival)
{
    if (!mca_pml_champion.finalizing &&
        mca_pml_champion_context_may_come(arrival->envelope.context)) {
        park(arrival);
    } else {
        mca_pml_champion_arrival_drop(arrival);
    }
}

void mca_pml_champion_arrival_match(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(arrival->envelope.context);
    mca_pml_champion_recv_t *recv;

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(NULL == comm)) {
        arrival_homeless(arrival);
        return;
    }
    arrival->comm = comm;
    recv = (mca_pml_champion_recv_t *) mca_mq_base_arrive(
        comm->domain, &arrival->envelope, mca_pml_champion_arrival_entry,
        arrival);
    if (NULL == recv) {
        return;
    }
    if (mca_pml_champion_offload_tracks(recv)) {
        mca_pml_champion_offload_hooks.matched(arrival, recv);
        return;
    }
    if (NULL == arrival->message) {
        mca_pml_champion_deliver(arrival, recv);
    } else {
        mca_pml_champion_message_deliver(arrival->message, recv);
    }
}

void mca_pml_champion_message_match(mca_pml_champion_message_t *message)
{
    mca_pml_champion_arrival_t arrival;

    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_message_describe(message, &arrival);
    mca_pml_champion_arrival_match(&arrival);
}

/* Count a message whose turn has come, whatever becomes of it. */
static inline void arrival_count(const mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_peer_t *peer = arrival->peer;

    ++peer->recv_sequence;
    if (OPAL_UNLIKELY(NULL != peer->offload.inflows)) {
        mca_pml_champion_offload_hooks.counted(peer, &arrival->envelope,
                                               arrival->kind, arrival->token);
    }
}

static void recall_drop(mca_pml_champion_arrival_t *arrival)
{
    ++mca_pml_champion.counters.cancelled;
    mca_pml_champion_arrival_discard(arrival);
}

static mca_pml_champion_withdrawal_t take_back(
    const mca_pml_champion_peer_t *peer, const mca_mq_envelope_t *envelope,
    uint32_t sequence);

/* It is the turn of a message that is wanted back: the first one that is early,
 * which says so, is taken off. Where messages are counted (offload) a receive
 * may have its number already: there it is matched if it can be, and taken back
 * if not. */
static void recall_arrived(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_peer_t *peer = arrival->peer;
    mca_pml_champion_message_t *recall = peer->early;
    const mca_mq_envelope_t envelope = arrival->envelope;
    mca_pml_champion_withdrawal_t what = MCA_PML_CHAMPION_GONE;
    mca_pml_champion_withdrawn_fn_t done;

    peer->early = mca_pml_champion_message_next(recall);
    --peer->recalls;
    arrival_count(arrival);
    if (OPAL_UNLIKELY(NULL != peer->offload.inflows)) {
        mca_pml_champion_arrival_match(arrival);
        what = take_back(peer, &envelope, recall->sequence);
    } else {
        recall_drop(arrival);
    }
    memcpy(&done, recall->copy, sizeof(done));
    done(peer, recall->token, what);
    mca_pml_champion_message_free(recall);
}

/* Is the message that is next in its pair wanted back? */
static inline bool is_next_recalled(const mca_pml_champion_peer_t *peer)
{
    return NULL != peer->early &&
           MCA_PML_CHAMPION_RECALLED == peer->early->kind &&
           peer->early->sequence == peer->recv_sequence;
}

/* The same for one that was early. False if it has not come yet. */
static bool recall_early(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_message_t *recall = peer->early;
    mca_pml_champion_message_t *message = mca_pml_champion_message_next(recall);
    mca_pml_champion_arrival_t arrival;

    if (NULL == message || message->sequence != recall->sequence) {
        return false;
    }
    recall->entry.link[0] = mca_pml_champion_message_next(message);
    mca_pml_champion_message_describe(message, &arrival);
    recall_arrived(&arrival);
    return true;
}

/* Bring a peer's early messages into action as far as their turn has come. */
static void early_release(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_message_t *message;

    while (NULL != (message = peer->early) &&
           message->sequence == peer->recv_sequence) {
        if (OPAL_UNLIKELY(MCA_PML_CHAMPION_RECALLED == message->kind)) {
            if (!recall_early(peer)) {
                break;
            }
            continue;
        }
        peer->early = mca_pml_champion_message_next(message);
        ++peer->recv_sequence;
        if (MCA_PML_CHAMPION_OVERTOOK == message->kind) {
            mca_pml_champion_message_free(message);
            continue;
        }
        if (OPAL_UNLIKELY(NULL != peer->offload.inflows)) {
            mca_pml_champion_offload_hooks.counted(
                peer, &message->entry.envelope, message->kind, message->token);
        }
        mca_pml_champion_message_match(message);
    }
}

/* Among a peer's early messages; sorted, the sequence may wrap. That one is
 * wanted back stands before it. */
static void early_insert(mca_pml_champion_peer_t *peer,
                         mca_pml_champion_message_t *message)
{
    mca_pml_champion_message_t **at = &peer->early;
    const int32_t behind = MCA_PML_CHAMPION_RECALLED == message->kind ? 0 : 1;

    /* Mostly it is the last one. */
    if (NULL != *at &&
        (int32_t) (peer->early_last->sequence - message->sequence) < 0) {
        at = (mca_pml_champion_message_t **) &peer->early_last->entry.link[0];
    }
    while (NULL != *at &&
           (int32_t) ((*at)->sequence - message->sequence) < behind) {
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
    ++mca_pml_champion.counters.out_of_order;
    early_insert(arrival->peer, message);
}

/* What there is of that number and kind among a peer's early messages. */
static const mca_pml_champion_message_t *early_find(
    const mca_pml_champion_peer_t *peer, uint32_t sequence, uint8_t kind)
{
    const mca_pml_champion_message_t *message = peer->early;

    while (NULL != message &&
           (message->sequence != sequence || message->kind != kind)) {
        message = mca_pml_champion_message_next(message);
    }
    return message;
}

/* The user does not mind in which order the messages of its communicator come.
 * MPI's own messages keep their order, and those that are counted. */
static bool may_overtake(const mca_pml_champion_arrival_t *arrival)
{
    const mca_pml_champion_comm_t *comm;

    if (arrival->envelope.tag < 0 || NULL != arrival->peer->offload.inflows) {
        return false;
    }
    comm = mca_pml_champion_comm_find(arrival->envelope.context);
    return NULL != comm &&
           0 != (comm->domain->info.assertions &
                 MCA_MQ_ASSERT_ALLOW_OVERTAKING) &&
           (OPAL_LIKELY(0 == arrival->peer->recalls) ||
            NULL == early_find(arrival->peer, arrival->sequence,
                               MCA_PML_CHAMPION_RECALLED));
}

/* Match a message before its turn; what stays in the peer's list says that its
 * number has been. Returns false, with nothing done, if there is no memory for
 * that. */
static bool overtake(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *place =
        opal_size_pool_alloc(&mca_pml_champion.pool, sizeof(*place));

    if (NULL == place) {
        return false;
    }
    place->peer = arrival->peer;
    ++place->peer->backlog.waiting;
    place->kind = MCA_PML_CHAMPION_OVERTOOK;
    place->owned = false;
    place->remote = false;
    place->sequence = arrival->sequence;
    early_insert(arrival->peer, place);
    ++mca_pml_champion.counters.matched_early;
    mca_pml_champion_arrival_match(arrival);
    return true;
}

void mca_pml_champion_arrival_arrive(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_peer_t *peer = arrival->peer;

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(arrival->sequence != peer->recv_sequence)) {
        if (!may_overtake(arrival) || !overtake(arrival)) {
            early_hold(arrival);
        }
        return;
    }
    if (OPAL_UNLIKELY(is_next_recalled(peer))) {
        recall_arrived(arrival);
    } else {
        arrival_count(arrival);
        mca_pml_champion_arrival_match(arrival);
    }
    if (OPAL_UNLIKELY(NULL != peer->early)) {
        early_release(peer);
    }
}

void mca_pml_champion_message_arrive(mca_pml_champion_message_t *message)
{
    mca_pml_champion_arrival_t arrival;

    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_message_describe(message, &arrival);
    mca_pml_champion_arrival_arrive(&arrival);
}

/* A message that is looked for in a queue, not only by its envelope. */
typedef struct wanted_t {
    const mca_pml_champion_peer_t *peer;
    uint32_t sequence;
    mca_pml_champion_message_t *message; /* found */
} wanted_t;

static bool is_wanted(const mca_pml_champion_message_t *message,
                      const wanted_t *wanted)
{
    return NULL != message && message->peer == wanted->peer &&
           message->sequence == wanted->sequence;
}

static void wanted_visit(mca_mq_entry_t *entry, void *arg)
{
    wanted_t *wanted = arg;

    if (is_wanted((mca_pml_champion_message_t *) entry, wanted)) {
        wanted->message = (mca_pml_champion_message_t *) entry;
    }
}

/* Take it out of the unexpected messages. Mostly it is the oldest one with its
 * envelope. */
static mca_pml_champion_message_t *unexpected_take(
    const mca_pml_champion_comm_t *comm, const mca_mq_envelope_t *envelope,
    wanted_t *wanted)
{
    mca_mq_base_module_t *module = comm->domain->module;
    mca_pml_champion_message_t *message =
        (mca_pml_champion_message_t *) mca_mq_base_probe(comm->domain,
                                                         envelope);

    if (NULL == message) {
        return NULL;
    }
    if (is_wanted(message, wanted)) {
        wanted->message = message;
    } else {
        module->mq_each(module, MCA_MQ_UNEXPECTED, wanted_visit, wanted);
    }
    if (NULL != wanted->message) {
        mca_mq_base_withdraw_unexpected(comm->domain, &wanted->message->entry);
    }
    return wanted->message;
}

/* Take it out of the messages whose communicator is not known yet. */
static mca_pml_champion_message_t *parked_take(const wanted_t *wanted)
{
    mca_pml_champion_message_t **at = &parked, *message;

    while (NULL != *at && !is_wanted(*at, wanted)) {
        at = (mca_pml_champion_message_t **) &(*at)->entry.link[0];
    }
    message = *at;
    if (NULL != message) {
        *at = mca_pml_champion_message_next(message);
        if (NULL == *at) {
            parked_tail = at;
        }
    }
    return message;
}

/* Drop a message whose turn has come, if it waits for its receive. */
static mca_pml_champion_withdrawal_t take_back(
    const mca_pml_champion_peer_t *peer, const mca_mq_envelope_t *envelope,
    uint32_t sequence)
{
    const mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(envelope->context);
    wanted_t wanted = {.peer = peer, .sequence = sequence};
    mca_pml_champion_message_t *message;
    mca_pml_champion_arrival_t arrival;

    message = NULL != comm ? unexpected_take(comm, envelope, &wanted)
                           : parked_take(&wanted);
    if (NULL == message) {
        ++mca_pml_champion.counters.cancelled_late;
        return MCA_PML_CHAMPION_MATCHED;
    }
    mca_pml_champion_message_describe(message, &arrival);
    recall_drop(&arrival);
    return MCA_PML_CHAMPION_GONE;
}

/* Remember that a message is wanted back whose turn has not come; the payload
 * of what stands for it is whom to tell. False if there is no memory for that.
 */
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
    ++peer->recalls;
    early_insert(peer, recall);
    return true;
}

/* Can a message come yet, or be brought into action? Not one of this process to
 * itself, which is matched before its send returns. */
static bool is_to_come(const mca_pml_champion_peer_t *peer, uint32_t sequence)
{
    return !peer->self && (int32_t) (sequence - peer->recv_sequence) >= 0 &&
           NULL == early_find(peer, sequence, MCA_PML_CHAMPION_OVERTOOK);
}

mca_pml_champion_withdrawal_t mca_pml_champion_arrival_withdraw(
    mca_pml_champion_peer_t *peer, const mca_mq_envelope_t *envelope,
    uint32_t sequence, uint64_t token, mca_pml_champion_withdrawn_fn_t done)
{
    MCA_PML_CHAMPION_LOCKED();
    if (is_to_come(peer, sequence) &&
        recall_hold(peer, sequence, token, done)) {
        return MCA_PML_CHAMPION_NOT_YET;
    }
    return take_back(peer, envelope, sequence);
}
