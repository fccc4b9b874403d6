/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/large/rendezvous.h"

#include "ompi/mca/pml/champion/offload/outstanding.h"
#include "ompi/mca/pml/champion/offload/transfer.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/complain.h"
#include "ompi/mca/pml/champion/large/thread_trigger.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/core/inflight.h"

#define RENDEZVOUS mca_pml_champion_rendezvous

mca_pml_champion_rendezvous_t mca_pml_champion_rendezvous;

/* ---- fetching ----------------------------------------------------------- */

static void fetched(mca_pml_champion_transfer_t *transfer, ucs_status_t status)
{
    mca_pml_champion_recv_t *recv = mca_pml_champion_recv_of(transfer);

    if (OPAL_UNLIKELY(UCS_OK != status)) {
        mca_pml_champion_recv_fail(recv, MPI_ERR_OTHER);
    }
    if (!recv->contiguous) {
        mca_pml_champion_layout_end(&recv->layout);
    }
    if (OPAL_UNLIKELY(mca_pml_champion_outstanding.on)) {
        mca_pml_champion_outstanding_ends(recv);
    }
    mca_pml_champion_recv_complete(recv);
}

void mca_pml_champion_rendezvous_fetch(mca_pml_champion_recv_t *recv,
                                       const mca_pml_champion_source_t *source)
{
    mca_pml_champion_peer_t *const peer = source->peer;
    const size_t length = source->length;
    ucp_request_param_t param = {.op_attr_mask = 0};
    void *buffer;
    size_t count;

    ++mca_pml_champion.counters.rendezvous;
    if (OPAL_UNLIKELY(mca_pml_champion_outstanding.on)) {
        mca_pml_champion_outstanding_begins(
            recv, mca_pml_champion_transfer_cost(source->peer, source->length));
    }
    buffer = mca_pml_champion_recv_target(recv, source->length, &param, &count);
    recv->transfer.on_end = fetched;
    if (NULL != mca_pml_champion_transfer_begin(&recv->transfer, source, buffer,
                                                count, &param) &&
        NULL != recv->request) {
        mca_pml_champion_wake_tell();
    }
    /* Behind UCX's request, which the data wait for. */
    mca_pml_champion_thread_trigger_fetching(peer, length);
}

/* ---- fetching at once, or deferred -------------------------------------- */

static unsigned begin_deferred(void);

static mca_pml_champion_chore_t chore = {.step = begin_deferred, .polls = true};

/* Give progress something to do. */
static void due(void)
{
    if (!RENDEZVOUS.due) {
        RENDEZVOUS.due = true;
        mca_pml_champion_chore_set(&chore, true);
        mca_pml_champion_inflight_begin(); /* so that UCX's progress is not
                                              skipped */
    }
}

/* Could a fetch hold up a send to the peer that the program may be about to
 * start? Not in MPI_Recv, which sends nothing before it is complete. */
static bool is_in_the_way(mca_pml_champion_peer_t *peer,
                          const mca_pml_champion_recv_t *recv)
{
    return NULL != recv->request &&
           (peer->local || mca_pml_champion_peer_has_only_tcp(peer));
}

/* The message was waiting when its receive came: have a large send to the peer,
 * or the chore, begin the fetch. What comes first decides whether the
 * peer's next fetch is deferred. */
static void defer(mca_pml_champion_recv_t *recv,
                  const mca_pml_champion_source_t *source)
{
    ++mca_pml_champion.counters.deferred;
    source->peer->defer.sends_after = false;
    due();
    recv->deferred.source = *source;
    recv->deferred.next = NULL;
    if (NULL == RENDEZVOUS.first) {
        RENDEZVOUS.first = recv;
    } else {
        RENDEZVOUS.last->deferred.next = recv;
    }
    RENDEZVOUS.last = recv;
    mca_pml_champion_wake_tell();
}

/* The transfer takes the place of what was deferred. */
static void fetch_deferred(mca_pml_champion_recv_t *recv)
{
    const mca_pml_champion_source_t source = recv->deferred.source;

    mca_pml_champion_rendezvous_fetch(recv, &source);
}

void mca_pml_champion_rendezvous_begin(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_recv_t *recv = RENDEZVOUS.first, *last = NULL, *next;

    MCA_PML_CHAMPION_LOCKED();
    peer->defer.sends_after = true;
    for (; NULL != recv; recv = next) {
        next = recv->deferred.next;
        if (peer != recv->deferred.source.peer) {
            last = recv;
            continue;
        }
        if (NULL == last) {
            RENDEZVOUS.first = next;
        } else {
            last->deferred.next = next;
        }
        fetch_deferred(recv);
    }
    RENDEZVOUS.last = last;
}

/* Begin the deferred fetches. */
static unsigned begin_deferred(void)
{
    mca_pml_champion_recv_t *recv = RENDEZVOUS.first, *next;
    mca_pml_champion_peer_t *peer;

    MCA_PML_CHAMPION_LOCKED();
    if (NULL != RENDEZVOUS.at_once) {
        RENDEZVOUS.at_once->defer.at_once =
            !RENDEZVOUS.at_once->defer.sends_after;
    }
    RENDEZVOUS.first = NULL;
    RENDEZVOUS.at_once = NULL;
    RENDEZVOUS.due = false;
    mca_pml_champion_chore_set(&chore, false);
    mca_pml_champion_inflight_end();
    for (; NULL != recv; recv = next) {
        next = recv->deferred.next;
        peer = recv->deferred.source.peer;
        peer->defer.at_once = !peer->defer.sends_after;
        fetch_deferred(recv);
    }
    return 0;
}

/* ---- payload operations of rendezvous messages -------------------------- */

static void rendezvous_deliver(mca_pml_champion_arrival_t *arrival,
                               mca_pml_champion_recv_t *recv)
{
    const mca_pml_champion_source_t source = {
        .peer = arrival->peer,
        .descriptor = (void *) (uintptr_t) arrival->payload,
        .length = arrival->length,
        .sequence = arrival->sequence,
    };

    if (OPAL_UNLIKELY(arrival->length > recv->capacity)) {
        /* The caller drops the descriptor. */
        mca_pml_champion_recv_truncated(recv);
        mca_pml_champion_recv_complete(recv);
        return;
    }
    arrival->kept = true;
    if (NULL == arrival->message || !is_in_the_way(arrival->peer, recv)) {
        mca_pml_champion_rendezvous_fetch(recv, &source);
    } else if (!arrival->peer->defer.at_once) {
        defer(recv, &source);
    } else {
        arrival->peer->defer.sends_after = false;
        due();
        RENDEZVOUS.at_once = arrival->peer;
        mca_pml_champion_rendezvous_fetch(recv, &source);
    }
}

int mca_pml_champion_rendezvous_open(void)
{
    mca_pml_champion_payload_ops_t *ops =
        &mca_pml_champion_payloads[MCA_PML_CHAMPION_RENDEZVOUS];

    ops->deliver = rendezvous_deliver;
    ops->drop = mca_pml_champion_ucx_drop;
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(rendezvous) = {.name = "rendezvous",
                                     .open = mca_pml_champion_rendezvous_open};
