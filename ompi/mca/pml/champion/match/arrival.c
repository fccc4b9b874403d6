/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/arrival.h"

#include <string.h>

#include "ompi/mca/pml/champion/match/deliver.h"

/* Messages whose communicator is not known yet, oldest first. */
static mca_pml_champion_message_t *parked, **parked_tail = &parked;

/* Threads that wait in a probe. */
static mca_pml_champion_prober_t *probers;

/* Notify the threads that probe for a message like this, which is being queued.
 */
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

mca_mq_entry_t *mca_pml_champion_arrival_entry(void *arg)
{
    mca_pml_champion_arrival_t *arrival = arg;
    mca_pml_champion_message_t *message = arrival->message;

    if (OPAL_UNLIKELY(arrival->comm->over && arrival->envelope.tag >= 0) ||
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
        message->peer->offload.unexpected.bits |= 1; /* see offload/invite.c */
        mca_pml_champion_message_queued(message);
    }
    if (OPAL_UNLIKELY(NULL != probers)) {
        probers_notify(&arrival->envelope);
    }
    mca_mq_base_stamp(arrival->comm->domain, &message->entry);
    return &message->entry;
}

mca_mq_entry_t *mca_pml_champion_arrival_entry_eager(void *arg)
{
    mca_pml_champion_arrival_eager(arg);
    return mca_pml_champion_arrival_entry(arg);
}

/* Keep a message whose communicator this process does not know yet. */
static void park(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *message =
        mca_pml_champion_arrival_message(arrival);

    if (OPAL_UNLIKELY(NULL == message)) {
        return;
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
    mca_pml_champion_arrival_t arrival;

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
        mca_pml_champion_message_describe(message, &arrival);
        mca_pml_champion_arrival_match(&arrival);
    }
}

void mca_pml_champion_parked_drop(void)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_messages_drop(&parked);
    parked_tail = &parked;
}

/* The communicator is not known here: park the message if the communicator may
 * still be created, drop it otherwise. */
static void arrival_without_comm(mca_pml_champion_arrival_t *arrival)
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
        arrival_without_comm(arrival);
        return;
    }
    arrival->comm = comm;
    recv = (mca_pml_champion_recv_t *) mca_mq_base_arrive(
        comm->domain, &arrival->envelope, mca_pml_champion_arrival_entry,
        arrival);
    if (NULL == recv) {
        return;
    }
    /* Its flags are valid only with this hook. */
    if (OPAL_UNLIKELY(NULL != mca_pml_champion_offload_hooks.matched) &&
        0 != recv->offload.flags) {
        mca_pml_champion_offload_hooks.matched(arrival, recv);
    } else {
        mca_pml_champion_arrival_deliver(arrival, recv);
    }
}

/* A search for a message by sender and sequence number. */
typedef struct wanted_t {
    const mca_pml_champion_peer_t *peer;
    uint32_t sequence;
    mca_pml_champion_message_t *message; /* the result */
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

/* Remove it from the unexpected messages. A probe usually finds it, because it
 * is the oldest one with its envelope; only otherwise is the queue searched. */
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

/* Remove it from the messages whose communicator is not known yet. */
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

void mca_pml_champion_arrival_recalled(mca_pml_champion_arrival_t *arrival)
{
    MCA_PML_CHAMPION_LOCKED();
    ++mca_pml_champion.counters.cancelled;
    mca_pml_champion_arrival_discard(arrival);
}

bool mca_pml_champion_arrival_take_back(const mca_pml_champion_peer_t *peer,
                                        const mca_mq_envelope_t *envelope,
                                        uint32_t sequence)
{
    const mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(envelope->context);
    wanted_t wanted = {.peer = peer, .sequence = sequence};
    mca_pml_champion_message_t *message;
    mca_pml_champion_arrival_t arrival;

    MCA_PML_CHAMPION_LOCKED();
    message = NULL != comm ? unexpected_take(comm, envelope, &wanted)
                           : parked_take(&wanted);
    if (NULL == message) {
        ++mca_pml_champion.counters.cancelled_late;
        return false;
    }
    mca_pml_champion_message_describe(message, &arrival);
    mca_pml_champion_arrival_recalled(&arrival);
    return true;
}
