/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/offload/posted.h"

#include "ompi/mca/pml/champion/offload/outstanding.h"
#include "ompi/mca/pml/champion/offload/transfer.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/complain.h"
#include "ompi/mca/pml/champion/core/wake.h"

#define OFFLOAD mca_pml_champion_offload
#define BIT(name) MCA_PML_CHAMPION_TRACKED_##name

/* A message whose data are discarded. */
typedef struct discard_t {
    mca_pml_champion_transfer_t transfer; /* first */
    void *request;
    struct discard_t *next, *previous;
} discard_t;

static uint32_t ucx_receives; /* posted to UCX */
static discard_t *discards;

mca_pml_champion_window_t mca_pml_champion_posted_window;

/* ---- lists -------------------------------------------------------------- */

void mca_pml_champion_posted_add_wild(mca_pml_champion_recv_t *recv,
                                      mca_pml_champion_comm_t *comm)
{
    mca_pml_champion_offload_state_t *tracked = &recv->offload;

    MCA_PML_CHAMPION_LOCKED();
    tracked->flags = BIT(WILD);
    tracked->comm = comm;
    tracked->previous = NULL;
    tracked->next = comm->wildcards;
    if (NULL != comm->wildcards) {
        comm->wildcards->offload.previous = recv;
    }
    comm->wildcards = recv;
}

void mca_pml_champion_posted_add(mca_pml_champion_stream_t *stream,
                                 mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_offload_state_t *tracked = &recv->offload;

    MCA_PML_CHAMPION_LOCKED();
    tracked->flags |= BIT(LISTED);
    tracked->stream = stream;
    tracked->next = NULL;
    tracked->previous = stream->last;
    if (NULL != stream->last) {
        stream->last->offload.next = recv;
    } else {
        stream->first = recv;
    }
    stream->last = recv;
    ++stream->length;
}

void mca_pml_champion_posted_leave(mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_offload_state_t *tracked = &recv->offload;
    mca_pml_champion_recv_t *next = tracked->next;
    mca_pml_champion_recv_t *previous = tracked->previous;
    mca_pml_champion_stream_t *stream = NULL;

    MCA_PML_CHAMPION_LOCKED();
    if (!mca_pml_champion_posted_is(recv, BIT(WILD) | BIT(LISTED))) {
        return;
    }
    if (mca_pml_champion_posted_is(recv, BIT(LISTED))) {
        stream = tracked->stream;
        --stream->length;
    }
    if (NULL != previous) {
        previous->offload.next = next;
    } else if (NULL != stream) {
        stream->first = next;
    } else {
        tracked->comm->wildcards = next;
    }
    if (NULL != next) {
        next->offload.previous = previous;
    } else if (NULL != stream) {
        stream->last = previous;
    }
    tracked->flags &= ~(BIT(WILD) | BIT(LISTED));
}

/* ---- receives that the user cancels -------------------------------------- */

void mca_pml_champion_posted_cancelled(mca_pml_champion_recv_t *recv)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_posted_leave(recv);
    recv->offload.flags = 0;
    mca_pml_champion_recv_cancelled(recv);
}

void mca_pml_champion_posted_settle(mca_pml_champion_stream_t *stream)
{
    bool at_ucx = false, landed = false, left = false;
    mca_pml_champion_recv_t *recv, *older;

    MCA_PML_CHAMPION_LOCKED();
    if (!stream->unwanted || stream->settling) {
        return;
    }
    for (recv = stream->last; NULL != recv; recv = older) {
        older = recv->offload.previous;
        at_ucx = at_ucx || mca_pml_champion_posted_is(recv, BIT(AT_UCX));
        landed = landed || mca_pml_champion_posted_is(recv, BIT(LANDED));
        if (!mca_pml_champion_posted_is(recv, BIT(UNWANTED))) {
            continue;
        }
        if (landed) {
            recv->offload.flags &= ~BIT(UNWANTED);
        } else if (at_ucx) {
            left = true;
        } else {
            mca_pml_champion_posted_cancelled(recv);
        }
    }
    stream->unwanted = left;
}

/* ---- receives posted to UCX --------------------------------------------- */

void mca_pml_champion_posted_finish(mca_pml_champion_recv_t *recv,
                                    ucs_status_t status)
{
    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(UCS_ERR_MESSAGE_TRUNCATED == status)) {
        mca_pml_champion_recv_truncated(recv);
    } else if (OPAL_UNLIKELY(UCS_OK != status)) {
        mca_pml_champion_recv_fail(recv, MPI_ERR_OTHER);
    }
    if (!recv->contiguous) {
        mca_pml_champion_layout_end(&recv->layout);
    }
    recv->offload.flags = 0;
    mca_pml_champion_recv_complete(recv);
}

/* UCX has completed or cancelled a receive that has no message yet. */
static void given_back(mca_pml_champion_recv_t *recv)
{
    if (mca_pml_champion_posted_is(recv, BIT(LISTED))) {
        mca_pml_champion_posted_settle(recv->offload.stream);
    } else if (mca_pml_champion_posted_is(recv, BIT(UNWANTED))) {
        mca_pml_champion_posted_cancelled(recv);
    }
}

/* UCX has cancelled a receive. */
static void ucx_cancelled(mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_message_t *held = recv->offload.held;

    ++mca_pml_champion.counters.offload_cancelled;
    ++mca_pml_champion_posted_window.cancelled;
    if (NULL != held) {
        recv->offload.flags = 0;
        mca_pml_champion_message_deliver(held, recv);
    } else if (mca_pml_champion_posted_is(recv, BIT(MATCHED))) {
        mca_pml_champion_posted_give(recv, recv->offload.ucp_tag,
                                     recv->status->_ucount, recv->offload.cost);
    } else {
        given_back(recv);
    }
}

/* UCX has completed or cancelled a receive. */
static void on_transfer_end(mca_pml_champion_transfer_t *transfer,
                            ucs_status_t status)
{
    mca_pml_champion_recv_t *recv = mca_pml_champion_recv_of(transfer);
    mca_pml_champion_offload_state_t *tracked = &recv->offload;

    --ucx_receives;
    mca_pml_champion_outstanding_ends(recv);
    tracked->flags &= ~(BIT(AT_UCX) | BIT(CANCELLING));
    if (mca_pml_champion_posted_is(recv, BIT(FAILED))) {
        tracked->flags = 0;
        mca_pml_champion_recv_complete(recv);
    } else if (mca_pml_champion_posted_is(recv, BIT(ABANDONED))) {
        tracked->flags = 0;
    } else if (UCS_ERR_CANCELED == status) {
        ucx_cancelled(recv);
    } else if (NULL != tracked->held) {
        mca_pml_champion_offload_broken("data of a message without",
                                        tracked->ucp_tag);
    } else if (mca_pml_champion_posted_is(recv, BIT(MATCHED))) {
        mca_pml_champion_posted_finish(recv, status);
    } else {
        tracked->flags |= BIT(LANDED);
        tracked->status = status;
        given_back(recv);
    }
}

void mca_pml_champion_posted_give(mca_pml_champion_recv_t *recv,
                                  uint64_t ucp_tag, size_t length,
                                  uint64_t cost)
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
    recv->transfer.on_end = on_transfer_end;
    request = mca_pml_champion_transfer_begin(&recv->transfer, &source, buffer,
                                              count, &param);
    if (NULL != request) {
        recv->offload.request = request;
        mca_pml_champion_wake_tell();
    }
}

void mca_pml_champion_posted_take_back(mca_pml_champion_recv_t *recv)
{
    MCA_PML_CHAMPION_LOCKED();
    if (BIT(AT_UCX) ==
        (recv->offload.flags & (BIT(AT_UCX) | BIT(CANCELLING)))) {
        recv->offload.flags |= BIT(CANCELLING);
        OFFLOAD.ops->cancel(mca_pml_champion.worker, recv->offload.request);
    }
}

/* ---- discarded data ----------------------------------------------------- */

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

void mca_pml_champion_posted_discard(mca_pml_champion_arrival_t *arrival)
{
    const mca_pml_champion_source_t source = {.tag = arrival->token};
    ucp_request_param_t param = {.op_attr_mask = 0};
    discard_t *discard;
    void *request;

    MCA_PML_CHAMPION_LOCKED();
    discard = opal_size_pool_alloc(&mca_pml_champion.pool, sizeof(*discard));
    if (NULL == discard) {
        mca_pml_champion_offload_broken("out of memory for dropping",
                                        arrival->token);
        return;
    }
    discard->transfer.on_end = discarded;
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

/* Discards whose data never come: UCX has received them into a receive that
 * failed. */
void mca_pml_champion_posted_drain(void)
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

bool mca_pml_champion_posted_is_busy(void)
{
    MCA_PML_CHAMPION_UNLOCKED();
    return 0 != ucx_receives || NULL != discards;
}
