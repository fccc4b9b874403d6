/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/mpi/cancel.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/match/reorder.h"
#include "ompi/mca/pml/champion/match/completed_send.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"

typedef mca_pml_champion_send_request_t send_request_t;

/* ---- tokens: what answers are known by ---------------------------------- */

/* A send whose receiver has been asked, or a free place. */
typedef struct place_t {
    mca_pml_champion_send_t *send; /* NULL: free */
    uint32_t use;                  /* counts; wraps */
    uint32_t next;                 /* free place, by .. */
} place_t;

/* A token is a place, counted from 1, and in its upper half which use of it
 * that is: an answer that nobody waits for finds no send. */
static struct {
    place_t *places;
    uint32_t count;
    uint32_t free; /* .. its place, counted from 1; 0: none */
} tokens;

static bool tokens_grow(void)
{
    const uint32_t count = 0 == tokens.count ? 16 : 2 * tokens.count;
    place_t *places = realloc(tokens.places, count * sizeof(*places));

    if (NULL == places) {
        return false;
    }
    for (uint32_t i = tokens.count; i < count; ++i) {
        places[i] = (place_t){.next = i + 1 < count ? i + 2 : 0};
    }
    tokens.places = places;
    tokens.free = tokens.count + 1;
    tokens.count = count;
    return true;
}

/* 0: no memory. */
static uint64_t token_new(mca_pml_champion_send_t *send)
{
    const uint32_t at = 0 != tokens.free || tokens_grow() ? tokens.free : 0;
    place_t *place;

    if (0 == at) {
        return 0;
    }
    place = &tokens.places[at - 1];
    tokens.free = place->next;
    place->send = send;
    return (uint64_t) ++place->use << 32 | at;
}

/* The send to that peer which has the token; it has none from here on. NULL:
 * there is no such send. */
static mca_pml_champion_send_t *token_take(uint64_t token,
                                           const mca_pml_champion_peer_t *peer)
{
    const uint32_t at = (uint32_t) token;
    mca_pml_champion_send_t *send;
    place_t *place;

    if (0 == at || at > tokens.count) {
        return NULL;
    }
    place = &tokens.places[at - 1];
    send = place->send;
    if (NULL == send || token >> 32 != place->use || peer != send->peer) {
        return NULL;
    }
    place->send = NULL;
    place->next = tokens.free;
    tokens.free = at;
    return send;
}

/* ---- asking ------------------------------------------------------------- */

/* Can the receiver be asked, and answer? */
static bool is_reachable(mca_pml_champion_peer_t *peer)
{
    return NULL != peer && NULL != mca_pml_champion_peer_ep(peer) &&
           MCA_PML_CHAMPION_CONNECTED == peer->link.stage &&
           !mca_pml_champion.finalizing;
}

/* Make a send pending again that was not waiting for anything. */
static void reopen(mca_pml_champion_send_t *send)
{
    mca_pml_champion_peer_t *peer = send->peer;

    send->pending = 1;
    send->contiguous = true; /* its layout has been ended */
    send->in_active = peer->name.jobid == mca_pml_champion.my_jobid;
    send->marks = send->in_active ? 0 : MCA_PML_CHAMPION_SEND_OTHER_JOB;
    mca_pml_champion.active_sends += send->in_active;
    peer->link.active += !send->in_active;
}

static ucs_status_t ask_with(const mca_pml_champion_send_t *send,
                             uint64_t token)
{
    const mca_pml_champion_header_t *header = &send->header.super.super;
    const mca_pml_champion_recall_t recall = {
        .jobid = mca_pml_champion.my_jobid,
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .token = token,
        .what = MCA_PML_CHAMPION_RECALL_ASK,
        .context = header->context,
        .source = header->source,
        .tag = header->tag,
        .sequence = header->sequence,
    };

    return mca_pml_champion_ctrl_msg_send(
        send->peer, MCA_PML_CHAMPION_AM_RECALL, &recall, sizeof(recall),
        UCP_AM_SEND_FLAG_EAGER | UCP_AM_SEND_FLAG_REPLY);
}

/* Ask a send's receiver for its message. The send waits for the answer, whether
 * it waited for something before or not. False if that is not possible. */
static bool ask(mca_pml_champion_send_t *send)
{
    uint64_t token;

    MCA_PML_CHAMPION_LOCKED();
    token = is_reachable(send->peer) ? token_new(send) : 0;
    if (0 == token) {
        return false;
    }
    if (UCS_OK != ask_with(send, token)) {
        (void) token_take(token, send->peer);
        return false;
    }
    send->recalled = true;
    if (0 == send->pending) {
        reopen(send);
    } else {
        ++send->pending;
    }
    return true;
}

/* Withdraw a message that this process has sent to itself. */
static bool take_own(mca_pml_champion_peer_t *peer,
                     const mca_pml_champion_header_t *header)
{
    const mca_mq_envelope_t envelope = {header->context, header->source,
                                        header->tag};

    return MCA_PML_CHAMPION_GONE ==
           mca_pml_champion_reorder_withdraw(peer, &envelope, header->sequence,
                                             0, NULL);
}

/* Dropping the message completes a send that waits; the flag is set before
 * that, and corrected if the message had been matched. */
static void cancel_own(send_request_t *request)
{
    mca_pml_champion_send_t *send = &request->send;

    send->cancelled = true;
    send->cancelled = take_own(send->peer, &send->header.super.super);
    request->super.super.req_ompi.req_status._cancelled = send->cancelled;
}

/* Make a complete request pending again while its receiver is asked. */
static bool recall_complete(send_request_t *request)
{
    mca_pml_champion_request_t *super = &request->super;

    if (!ask(&request->send)) {
        return false;
    }
    super->super.req_ompi.req_complete = REQUEST_PENDING;
    super->super.req_pml_complete = false;
    __atomic_fetch_and(&super->state, ~(uint32_t) MCA_PML_CHAMPION_COMPLETE,
                       __ATOMIC_RELEASE);
    return true;
}

bool mca_pml_champion_cancel_recall(send_request_t *request)
{
    bool waits;

    mca_pml_champion_lock();
    waits = !request->send.recalled && !request->send.cancelled &&
            recall_complete(request);
    mca_pml_champion_unlock();
    return waits;
}

/* Lock held. */
static void cancel(send_request_t *request)
{
    mca_pml_champion_request_t *super = &request->super;
    mca_pml_champion_send_t *send = &request->send;
    uint32_t state;

    MCA_PML_CHAMPION_LOCKED();
    state = __atomic_fetch_or(&super->state, MCA_PML_CHAMPION_RECALL,
                              __ATOMIC_ACQ_REL);
    if (NULL == send->peer || 0 != (state & MCA_PML_CHAMPION_RECALL)) {
        return;
    }
    if (send->peer->self) {
        cancel_own(request);
    } else if (0 != send->pending) {
        (void) ask(send);
    } else if (0 != (state & MCA_PML_CHAMPION_COMPLETE) &&
               REQUEST_COMPLETED == super->super.req_ompi.req_complete) {
        (void) recall_complete(request);
    }
    /* Else the thread that completes it sees MCA_PML_CHAMPION_RECALL. */
}

int mca_pml_champion_cancel_send(ompi_request_t *ompi, int flag)
{
    send_request_t *request = (send_request_t *) ompi;

    if (MCA_MQ_OMPI_FT_ENABLED &&
        MCA_MQ_OMPI_HAS_FAILED(request->super.super.req_comm,
                               request->super.super.req_peer,
                               request->super.super.req_tag)) {
        mca_pml_champion_request_abandon(&request->super);
        return OMPI_SUCCESS;
    }
    if (!flag || OMPI_REQUEST_ACTIVE != ompi->req_state) {
        return OMPI_SUCCESS;
    }
    mca_pml_champion_lock();
    cancel(request);
    (void) mca_pml_champion_unlock_and_complete();
    return OMPI_SUCCESS;
}

/* An internal request that waits for the answer in place of a completed send.
 * NULL if out of memory. */
static send_request_t *proxy_new(mca_pml_champion_completed_send_t *sent)
{
    send_request_t *proxy =
        (send_request_t *) opal_free_list_get(&mca_pml_base_send_requests);
    unsigned char *header;

    if (NULL == proxy) {
        return NULL;
    }
    MCA_PML_CHAMPION_HAPPENS_AFTER(proxy);
    proxy->super.internal = MCA_PML_CHAMPION_INTERNAL_SEND;
    proxy->super.sent = sent;
    proxy->super.super.req_comm = &ompi_mpi_comm_world.comm;
    proxy->send.peer = sent->peer;
    proxy->send.pending = 0;
    proxy->send.error = MPI_SUCCESS;
    proxy->send.recalled = false;
    proxy->send.cancelled = false;
    /* All of the header except the sender. */
    header = (unsigned char *) &proxy->send.header.super.super;
    memcpy(header, &sent->first, sizeof(sent->first));
    memcpy(header + sizeof(sent->first), &sent->second, sizeof(sent->second));
    return proxy;
}

/* Cancel a completed send through a proxy. Returns the proxy if it has nothing
 * to wait for, else NULL. Lock held. */
static send_request_t *cancel_by(send_request_t *proxy)
{
    mca_pml_champion_completed_send_t *sent = proxy->super.sent;
    mca_pml_champion_send_t *send = &proxy->send;

    MCA_PML_CHAMPION_LOCKED();
    if (!mca_pml_champion_completed_send_reopen(sent)) {
        proxy->super.sent = NULL;
        return proxy;
    }
    if (send->peer->self) {
        send->cancelled = take_own(send->peer, &send->header.super.super);
        return proxy;
    }
    return ask(send) ? NULL : proxy;
}

int mca_pml_champion_cancel_sent(ompi_request_t *ompi, int flag)
{
    mca_pml_champion_completed_send_t *sent =
        (mca_pml_champion_completed_send_t *) ompi;
    send_request_t *proxy = NULL;

    if (!flag) {
        return OMPI_SUCCESS;
    }
    if (&mca_pml_champion_completed_sends.shared != sent) {
        proxy = proxy_new(sent);
    }
    mca_pml_champion_lock();
    if (NULL != proxy) {
        proxy = cancel_by(proxy);
    } else {
        mca_pml_champion_completed_sends_extend();
    }
    mca_pml_champion_unlock();
    if (NULL != proxy) {
        mca_pml_champion_request_complete(&proxy->super);
    }
    return OMPI_SUCCESS;
}

/* ---- answers ------------------------------------------------------------ */

/* Answer a sender: was its message withdrawn, or matched before? */
static void answer(mca_pml_champion_peer_t *peer, uint64_t token,
                   mca_pml_champion_withdrawal_t what)
{
    const mca_pml_champion_recall_t recall = {
        .jobid = mca_pml_champion.my_jobid,
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .token = token,
        .what = MCA_PML_CHAMPION_GONE == what
                    ? MCA_PML_CHAMPION_RECALL_CANCELLED
                    : MCA_PML_CHAMPION_RECALL_MATCHED,
    };
    ucs_status_t status = mca_pml_champion_ctrl_msg_send(
        peer, MCA_PML_CHAMPION_AM_RECALL, &recall, sizeof(recall), 0);

    if (OPAL_UNLIKELY(UCS_OK != status)) {
        mca_pml_champion_abort(
            MPI_ERR_OTHER, "a cancelled send of %s cannot be answered: %s",
            OPAL_NAME_PRINT(peer->name), ucs_status_string(status));
    }
}

/* Handle a RECALL message of a peer. */
static mca_pml_champion_ctrl_msg_verdict_t received(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length)
{
    mca_pml_champion_recall_t recall;
    mca_pml_champion_withdrawal_t what;
    mca_pml_champion_send_t *send;
    mca_mq_envelope_t envelope;

    MCA_PML_CHAMPION_LOCKED();
    (void) length;
    memcpy(&recall, bytes, sizeof(recall));
    switch (recall.what) {
    case MCA_PML_CHAMPION_RECALL_ASK:
        envelope =
            (mca_mq_envelope_t){recall.context, recall.source, recall.tag};
        what = mca_pml_champion_reorder_withdraw(
            peer, &envelope, recall.sequence, recall.token, answer);
        if (MCA_PML_CHAMPION_TWICE == what) {
            return MCA_PML_CHAMPION_CTRL_MSG_ABSENT;
        }
        if (MCA_PML_CHAMPION_NOT_YET != what) {
            answer(peer, recall.token, what);
        }
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
    case MCA_PML_CHAMPION_RECALL_CANCELLED:
    case MCA_PML_CHAMPION_RECALL_MATCHED:
        send = token_take(recall.token, peer);
        if (NULL == send) {
            return MCA_PML_CHAMPION_CTRL_MSG_ABSENT;
        }
        send->cancelled = MCA_PML_CHAMPION_RECALL_CANCELLED == recall.what;
        mca_pml_champion_send_event(send);
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
    default:
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
}

static int cancel_open(void)
{
    static const mca_pml_champion_ctrl_msg_kind_t kind = {
        .id = MCA_PML_CHAMPION_AM_RECALL,
        .name = "RECALL",
        .least = sizeof(mca_pml_champion_recall_t),
        .most = sizeof(mca_pml_champion_recall_t),
        .by = MCA_PML_CHAMPION_CTRL_MSG_BY_NAME,
        .always = true,
        .handler = received,
    };

    mca_pml_champion_ctrl_msg_register(&kind);
    return OMPI_SUCCESS;
}

/* The worker is gone. */
static void cancel_close(void)
{
    free(tokens.places);
    tokens.places = NULL;
    tokens.count = tokens.free = 0;
}

MCA_PML_CHAMPION_UNIT(cancel) = {
    .name = "cancelling", .open = cancel_open, .close = cancel_close};
