/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/request.h"

#include "ompi/mca/pml/base/pml_base_bsend.h"

#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/match/completed_send.h"

/* Requests that a free list allocates at a time. */
#define REQUESTS_STEP 64

mca_pml_champion_offload_hooks_t mca_pml_champion_offload_hooks;

void (*mca_pml_champion_request_on_popped)(mca_pml_champion_request_t *request);

void (*mca_pml_champion_send_unlist)(mca_pml_champion_send_t *send);

static mca_pml_champion_request_calls_t calls;

static int recv_request_free(ompi_request_t **request);
static int send_request_free(ompi_request_t **request);

static uint32_t state_or(mca_pml_champion_request_t *request, uint32_t bit)
{
    uint32_t old = request->state;

    if (OPAL_UNLIKELY(mca_pml_champion.threaded)) {
        return __atomic_fetch_or(&request->state, bit, __ATOMIC_ACQ_REL);
    }
    request->state = old | bit;
    return old;
}

static void request_construct(mca_pml_champion_request_t *request)
{
    request->super.req_ompi.req_type = OMPI_REQUEST_PML;
    request->super.req_proc = NULL;
    request->super.req_ompi.req_start = calls.start;
    OBJ_CONSTRUCT(&request->super.req_convertor, opal_convertor_t);
    OMPI_REQUEST_INIT(&request->super.req_ompi, false);
    request->internal = MCA_PML_CHAMPION_INTERNAL_NO;
    request->in_callback = false;
    request->bsend_buffer = NULL;
    request->sent = NULL;
}

static void request_destruct(mca_pml_champion_request_t *request)
{
    OBJ_DESTRUCT(&request->super.req_convertor);
}

static void recv_request_construct(mca_pml_champion_recv_request_t *request)
{
    request_construct(&request->super);
    request->super.super.req_type = MCA_PML_REQUEST_RECV;
    request->super.retains_comm = true;
    request->recv.posted = false;
    request->super.super.req_ompi.req_free = recv_request_free;
    request->super.super.req_ompi.req_cancel = calls.cancel_recv;
    request->recv.request = &request->super;
    request->recv.status = &request->super.super.req_ompi.req_status;
    MCA_PML_CHAMPION_HAPPENS_BEFORE(request);
}

static void recv_request_destruct(mca_pml_champion_recv_request_t *request)
{
    request_destruct(&request->super);
}

static void send_request_construct(mca_pml_champion_send_request_t *request)
{
    request_construct(&request->super);
    request->super.super.req_type = MCA_PML_REQUEST_SEND;
    request->super.super.req_ompi.req_free = send_request_free;
    request->super.super.req_ompi.req_cancel = calls.cancel_send;
    request->send.request = &request->super;
    MCA_PML_CHAMPION_HAPPENS_BEFORE(request);
}

static void send_request_destruct(mca_pml_champion_send_request_t *request)
{
    request_destruct(&request->super);
}

OBJ_CLASS_INSTANCE(mca_pml_champion_recv_request_t, mca_pml_base_request_t,
                   recv_request_construct, recv_request_destruct);
OBJ_CLASS_INSTANCE(mca_pml_champion_send_request_t, mca_pml_base_request_t,
                   send_request_construct, send_request_destruct);

int mca_pml_champion_request_init(
    const mca_pml_champion_request_calls_t *wanted)
{
    int rc;

    calls = *wanted;
    mca_pml_champion_completed_sends_init(calls.cancel_sent);
    OBJ_CONSTRUCT(&mca_pml_base_recv_requests, opal_free_list_t);
    rc = opal_free_list_init(
        &mca_pml_base_recv_requests, sizeof(mca_pml_champion_recv_request_t),
        opal_cache_line_size, OBJ_CLASS(mca_pml_champion_recv_request_t), 0,
        opal_cache_line_size, 0, -1, REQUESTS_STEP, NULL, 0, NULL, NULL, NULL);
    if (OPAL_SUCCESS != rc) {
        return rc;
    }
    OBJ_CONSTRUCT(&mca_pml_base_send_requests, opal_free_list_t);
    return opal_free_list_init(
        &mca_pml_base_send_requests, sizeof(mca_pml_champion_send_request_t),
        opal_cache_line_size, OBJ_CLASS(mca_pml_champion_send_request_t), 0,
        opal_cache_line_size, 0, -1, REQUESTS_STEP, NULL, 0, NULL, NULL, NULL);
}

void mca_pml_champion_request_fini(void)
{
    OBJ_DESTRUCT(&mca_pml_base_send_requests);
    OBJ_DESTRUCT(&mca_pml_base_recv_requests);
    mca_pml_champion_completed_sends_fini();
}

static inline bool request_is_complete(
    const mca_pml_champion_request_t *request)
{
    return REQUEST_COMPLETED ==
           __atomic_load_n(&request->super.req_ompi.req_complete,
                           __ATOMIC_ACQUIRE);
}

static inline void request_return(mca_pml_champion_request_t *request,
                                  opal_free_list_t *list)
{
    mca_pml_base_request_t *base = &request->super;

    assert(MCA_PML_REQUEST_RECV != base->req_type ||
           !((mca_pml_champion_recv_request_t *) request)->recv.posted);
    OMPI_REQUEST_FINI(&base->req_ompi);
    OMPI_DATATYPE_RELEASE(base->req_datatype);
    if (request->retains_comm) {
        OBJ_RELEASE(base->req_comm);
    }
    MCA_PML_CHAMPION_HAPPENS_BEFORE(request);
    opal_free_list_return(list, &base->req_ompi.super);
}

void mca_pml_champion_request_return(mca_pml_champion_request_t *request)
{
    request_return(request, MCA_PML_REQUEST_RECV == request->super.req_type
                                ? &mca_pml_base_recv_requests
                                : &mca_pml_base_send_requests);
}

/* Fill in the status that MPI_Wait returns for a send. */
static void send_status(mca_pml_champion_send_request_t *request)
{
    ompi_status_public_t *status = &request->super.super.req_ompi.req_status;

    status->MPI_SOURCE = request->send.header.super.super.source;
    status->MPI_TAG = request->super.super.req_tag;
    status->MPI_ERROR = request->send.error;
    status->_cancelled = request->send.cancelled;
    status->_ucount = request->send.length;
}

/* A failed send invokes the error handler of its communicator; if that has been
 * freed, of MPI_COMM_WORLD. */
static void send_error_handler(mca_pml_champion_send_request_t *request)
{
    mca_pml_base_request_t *base = &request->super.super;
    bool found = false;

    mca_pml_champion_lock();
    for (uint32_t i = 0; i < mca_pml_champion.num_comms && !found; ++i) {
        mca_pml_champion_comm_t *comm = mca_pml_champion_comm_at(i);

        found = NULL != comm && comm->comm == base->req_comm;
    }
    mca_pml_champion_unlock();
    if (!found) {
        base->req_ompi.req_mpi_object.comm = &ompi_mpi_comm_world.comm;
    }
}

void mca_pml_champion_send_finish(mca_pml_champion_send_request_t *request)
{
    if (OPAL_UNLIKELY(MPI_SUCCESS != request->send.error)) {
        send_error_handler(request);
    }
    mca_pml_champion_send_conclude(&request->send);
    send_status(request);
}

/* ---- requests of processes that have failed ----------------------------- */

void mca_pml_champion_request_doubt(mca_pml_champion_request_t *request)
{
    mca_pml_champion_lock();
    if (!(MCA_PML_CHAMPION_COMPLETE & request->state)) {
        (void) state_or(request, MCA_PML_CHAMPION_DOUBTED);
    }
    mca_pml_champion_unlock();
}

static ompi_request_free_fn_t free_of(const mca_pml_champion_request_t *request)
{
    return MCA_PML_REQUEST_SEND == request->super.req_type ? send_request_free
                                                           : recv_request_free;
}

/* The user frees it: at once if nothing refers to it any more. */
static int abandoned_free(ompi_request_t **ompi)
{
    mca_pml_champion_request_t *request = (mca_pml_champion_request_t *) *ompi;
    bool ended;

    mca_pml_champion_lock();
    ended = MCA_PML_CHAMPION_INTERNAL_NO == request->internal;
    (void) state_or(request, MCA_PML_CHAMPION_FREED);
    mca_pml_champion_unlock();
    *ompi = MPI_REQUEST_NULL;
    if (ended) {
        mca_pml_champion_request_return(request);
    }
    return OMPI_SUCCESS;
}

static int abandoned_start(size_t count, ompi_request_t **requests)
{
    (void) count;
    (void) requests;
    return MCA_MQ_OMPI_ERR_FAILED;
}

/* Nothing refers to it any more. */
static void abandoned_end(mca_pml_champion_request_t *request)
{
    bool freed;

    if (MCA_PML_REQUEST_SEND == request->super.req_type) {
        mca_pml_champion_send_conclude(
            &((mca_pml_champion_send_request_t *) request)->send);
    }
    mca_pml_champion_lock();
    request->internal = MCA_PML_CHAMPION_INTERNAL_NO;
    request->super.req_ompi.req_free = free_of(request);
    request->super.req_ompi.req_start = calls.start;
    freed = 0 != (request->state & MCA_PML_CHAMPION_FREED);
    mca_pml_champion_unlock();
    if (freed) {
        mca_pml_champion_request_return(request);
    }
}

void mca_pml_champion_request_abandon(mca_pml_champion_request_t *request)
{
    ompi_request_t *ompi = &request->super.req_ompi;
    bool pending;

    MCA_PML_CHAMPION_UNLOCKED();
    mca_pml_champion_lock();
    pending = MCA_PML_CHAMPION_INTERNAL_NO == request->internal &&
              !(MCA_PML_CHAMPION_COMPLETE &
                state_or(request, MCA_PML_CHAMPION_COMPLETE));
    if (pending) {
        request->internal = MCA_PML_CHAMPION_INTERNAL_ABANDONED;
        ompi->req_free = abandoned_free;
        ompi->req_start = abandoned_start;
        if (MCA_PML_REQUEST_SEND == request->super.req_type) {
            mca_pml_champion_send_abandoned(
                &((mca_pml_champion_send_request_t *) request)->send);
        }
    }
    mca_pml_champion_unlock();
    if (pending) {
        request->super.req_pml_complete = true;
        MCA_PML_CHAMPION_HAPPENS_BEFORE(request);
        ompi_request_complete(ompi, true);
    }
}

static void internal_complete(mca_pml_champion_request_t *request)
{
    if (MCA_PML_CHAMPION_INTERNAL_ABANDONED == request->internal) {
        abandoned_end(request);
        return;
    }
    if (MCA_PML_CHAMPION_INTERNAL_SEND != request->internal) {
        mca_pml_champion_request_on_popped(request);
        return;
    }
    if (NULL != request->bsend_buffer) {
        MCA_MQ_OMPI_BSEND_FREE(request->super.req_comm, request->bsend_buffer);
        request->bsend_buffer = NULL;
    }
    if (OPAL_UNLIKELY(NULL != request->sent)) {
        mca_pml_champion_completed_send_complete(
            request->sent,
            ((mca_pml_champion_send_request_t *) request)->send.cancelled);
        request->sent = NULL;
    }
    MCA_PML_CHAMPION_HAPPENS_BEFORE(request);
    opal_free_list_return(&mca_pml_base_send_requests,
                          &request->super.req_ompi.super);
}

void mca_pml_champion_send_marked_ended(mca_pml_champion_send_t *send)
{
    MCA_PML_CHAMPION_LOCKED();
    if (0 != (send->marks & MCA_PML_CHAMPION_SEND_STRIPABLE)) {
        mca_pml_champion_send_unlist(send);
    }
    if (0 != (send->marks & MCA_PML_CHAMPION_SEND_OTHER_JOB)) {
        mca_pml_champion_peer_send_ended(send->peer);
    }
    send->marks = 0;
}

void mca_pml_champion_recv_fail(mca_pml_champion_recv_t *recv, int error)
{
    MCA_PML_CHAMPION_LOCKED();
    if (NULL == recv->request) {
        recv->status->MPI_ERROR = error;
    } else {
        recv->request->error = error;
        state_or(recv->request, MCA_PML_CHAMPION_FAILED);
    }
}

/* Run the completion callback. True if it has freed or restarted the request,
 * which must not be touched then. */
static bool callback_took_it(mca_pml_champion_request_t *request)
{
    ompi_request_t *ompi = &request->super.req_ompi;
    ompi_request_complete_fn_t callback = ompi->req_complete_cb;

    ompi->req_complete_cb = NULL;
    request->in_callback = true;
    if (0 != callback(ompi)) {
        return true;
    }
    request->in_callback = false;
    return false;
}

void mca_pml_champion_request_complete(mca_pml_champion_request_t *request)
{
    ompi_request_t *ompi = &request->super.req_ompi;
    uint32_t state;

    MCA_PML_CHAMPION_UNLOCKED();
    if (OPAL_UNLIKELY(request->internal)) {
        internal_complete(request);
        return;
    }
    if (MCA_PML_REQUEST_SEND == request->super.req_type) {
        mca_pml_champion_send_finish(
            (mca_pml_champion_send_request_t *) request);
    }
    state = state_or(request, MCA_PML_CHAMPION_COMPLETE);
    if (OPAL_UNLIKELY(0 != state)) {
        if (MCA_PML_CHAMPION_COMPLETE & state) { /* abandoned just now */
            abandoned_end(request);
            return;
        }
        if ((MCA_PML_CHAMPION_RECALL & state) &&
            calls.recall((mca_pml_champion_send_request_t *) request)) {
            return;
        }
        if (MCA_PML_CHAMPION_FREED & state) {
            ompi->req_complete_cb = NULL;
            mca_pml_champion_request_return(request);
            return;
        }
        if (MCA_PML_CHAMPION_FAILED & state) {
            ompi->req_status.MPI_ERROR = request->error;
        } else if (MCA_MQ_OMPI_ERR_PENDING == ompi->req_status.MPI_ERROR) {
            ompi->req_status.MPI_ERROR = MPI_SUCCESS;
        }
    }
    request->super.req_pml_complete = true;
    if (OPAL_UNLIKELY(NULL != ompi->req_complete_cb) &&
        callback_took_it(request)) {
        return;
    }
    /* From here on another thread may free or restart the request. */
    MCA_PML_CHAMPION_HAPPENS_BEFORE(request);
    ompi_request_complete(ompi, true);
}

void mca_pml_champion_recv_cancelled(mca_pml_champion_recv_t *recv)
{
    const mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm(recv->request->super.req_comm);
    int error;

    MCA_PML_CHAMPION_LOCKED();
    assert(recv->posted);
    mca_mq_base_withdraw_posted(comm->domain, &recv->entry);
    recv->posted = false;
    error = recv->status->MPI_ERROR;
    *recv->status = ompi_status_empty;
    recv->status->_cancelled = 1;
    if (MCA_MQ_OMPI_ERR_PENDING != error) {
        recv->status->MPI_ERROR = error;
    }
    mca_pml_champion_recv_complete(recv);
}

/* Free a request that may not be complete. */
static __attribute__((noinline)) int request_free_slow(
    mca_pml_champion_request_t *request)
{
    bool inactive = OMPI_REQUEST_INACTIVE == request->super.req_ompi.req_state;

    if (!inactive && !(MCA_PML_CHAMPION_COMPLETE &
                       state_or(request, MCA_PML_CHAMPION_FREED))) {
        return OMPI_SUCCESS; /* returned when it is complete */
    }
    /* Another thread may be about to mark it complete, unless the completion
     * callback has called here. */
    while (OPAL_UNLIKELY(!inactive && !request->in_callback &&
                         !request_is_complete(request))) {
        opal_atomic_rmb();
    }
    request->in_callback = false;
    mca_pml_champion_request_return(request);
    return OMPI_SUCCESS;
}

static inline int request_free(ompi_request_t **ompi, opal_free_list_t *list)
{
    mca_pml_champion_request_t *request = (mca_pml_champion_request_t *) *ompi;

    *ompi = MPI_REQUEST_NULL;
    if (OPAL_LIKELY(request_is_complete(request))) {
        MCA_PML_CHAMPION_HAPPENS_AFTER(request);
        request_return(request, list);
        return OMPI_SUCCESS;
    }
    request->super.req_free_called = true;
    return request_free_slow(request);
}

static int recv_request_free(ompi_request_t **request)
{
    return request_free(request, &mca_pml_base_recv_requests);
}

static int send_request_free(ompi_request_t **request)
{
    return request_free(request, &mca_pml_base_send_requests);
}
