/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/mpi/recv.h"

#include "ompi/mca/pml/champion/core/device.h"
#include "ompi/mca/pml/champion/offload/offload_recv.h"
#include "ompi/mca/pml/champion/mpi/info_keys.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/mpi/probe.h"
#include "ompi/mca/pml/champion/progress/progress.h"
#include "ompi/mca/pml/champion/mpi/revoke.h"

/* Match a receive against the unexpected messages, or queue it. Returns true if
 * it matched; that may also have completed sends to self, which are then queued
 * for completion. Lock held. slow, here and below, is
 * mca_pml_champion.slow_calls; a compile-time constant on the fast path. */
static inline __attribute__((always_inline)) bool recv_post(
    mca_pml_champion_recv_t *recv, int source, int tag,
    mca_pml_champion_comm_t *comm, bool slow)
{
    mca_mq_entry_t *entry;

    MCA_PML_CHAMPION_LOCKED();
    /* A blocking call does not initialise `posted`. */
    assert(NULL == recv->request || !recv->posted);
    recv->entry.envelope.context = comm->context;
    recv->entry.envelope.source = source;
    recv->entry.envelope.tag = tag;
    recv->posted = true;
    if (slow) {
        recv->offload.flags = 0;
    }
    entry = mca_mq_base_post(comm->domain, &recv->entry);
    if (NULL != entry) {
        mca_pml_champion_message_deliver((mca_pml_champion_message_t *) entry,
                                         recv);
        return true;
    }
    if (MCA_MQ_OMPI_IS_REVOKED(comm->comm, tag)) {
        mca_pml_champion_recv_revoked(comm, recv);
    } else if (slow) {
        mca_pml_champion_offload_posted(recv, comm);
    }
    return false;
}

/* Deliver a message that a matched probe took. Lock held. */
static inline void recv_probed(mca_pml_champion_recv_t *recv,
                               mca_pml_champion_message_t *message)
{
    MCA_PML_CHAMPION_LOCKED();
    recv->offload.flags = 0;
    recv->entry.envelope = message->entry.envelope;
    mca_pml_champion_message_deliver(message, recv);
}

/* The result of MPI_Recv, which must not set MPI_ERROR in the user's status. */
static inline int recv_result(const ompi_status_public_t *result,
                              ompi_status_public_t *status)
{
    if (MPI_STATUS_IGNORE != status) {
        status->MPI_SOURCE = result->MPI_SOURCE;
        status->MPI_TAG = result->MPI_TAG;
        status->_cancelled = 0;
        status->_ucount = result->_ucount;
    }
    return result->MPI_ERROR;
}

/* A blocking receive; message is what a matched probe took, or NULL. */
static inline __attribute__((always_inline)) int recv_and_wait(
    mca_pml_champion_recv_t *recv, int source, int tag,
    mca_pml_champion_comm_t *comm, mca_pml_champion_message_t *message,
    ompi_status_public_t *status, bool slow)
{
    mca_pml_champion_request_t *completed = NULL;
    ompi_status_public_t result;

    result.MPI_ERROR = MPI_SUCCESS;
    recv->request = NULL;
    recv->status = &result;
    recv->done = 0;
    mca_pml_champion_lock();
    if (OPAL_UNLIKELY(NULL != message)) {
        recv_probed(recv, message);
        completed = mca_pml_champion_request_pop_all();
    } else if (recv_post(recv, source, tag, comm, slow)) {
        completed = mca_pml_champion_request_pop_all();
    }
    mca_pml_champion_unlock();
    mca_pml_champion_request_complete_all(completed);
    mca_pml_champion_wait(&recv->done, MCA_PML_CHAMPION_FOR_RECEIVE);
    return recv_result(&result, status);
}

/* A separate function, because a convertor takes much stack. */
static __attribute__((noinline)) int recv_noncontiguous(
    mca_pml_champion_recv_t *recv, int source, int tag,
    mca_pml_champion_comm_t *comm, mca_pml_champion_message_t *message,
    ompi_status_public_t *status)
{
    opal_convertor_t convertor;
    int rc;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    recv->layout.convertor = &convertor;
    rc = recv_and_wait(recv, source, tag, comm, message, status,
                       mca_pml_champion.slow_calls);
    OBJ_DESTRUCT(&convertor);
    return rc;
}

/* Describe the buffer of a receive. device, here and below, says whether it is
 * in the memory of a device; a compile-time constant on the fast path. */
static inline __attribute__((always_inline)) void prepare(
    mca_pml_champion_recv_t *recv, void *buffer, size_t count,
    ompi_datatype_t *datatype, opal_convertor_t *convertor, bool device)
{
    if (device) {
        mca_pml_champion_recv_prepare_device(recv, buffer, count, datatype,
                                             convertor);
    } else {
        mca_pml_champion_recv_prepare(recv, buffer, count, datatype, convertor);
    }
}

static inline __attribute__((always_inline)) int champion_recv(
    void *buffer, size_t count, ompi_datatype_t *datatype, int source, int tag,
    ompi_communicator_t *ompi_comm, ompi_status_public_t *status, bool slow,
    bool device)
{
    mca_pml_champion_comm_t *comm = mca_pml_champion_comm(ompi_comm);
    mca_pml_champion_recv_t recv;

    if (mca_pml_champion_breaks_promise(comm, source, tag)) {
        return mca_pml_champion_broken_promise(comm, source);
    }
    prepare(&recv, buffer, count, datatype, NULL, device);
    if (OPAL_UNLIKELY(!recv.contiguous)) {
        return recv_noncontiguous(&recv, source, tag, comm, NULL, status);
    }
    if (slow) {
        mca_pml_champion_offload_prepare(&recv, source, ompi_comm);
    }
    return recv_and_wait(&recv, source, tag, comm, NULL, status, slow);
}

int mca_pml_champion_recv(void *buffer, size_t count, ompi_datatype_t *datatype,
                          int source, int tag, ompi_communicator_t *comm,
                          ompi_status_public_t *status)
{
    return champion_recv(buffer, count, datatype, source, tag, comm, status,
                         false, false);
}

int mca_pml_champion_recv_slow(void *buffer, size_t count,
                               ompi_datatype_t *datatype, int source, int tag,
                               ompi_communicator_t *comm,
                               ompi_status_public_t *status)
{
    const bool device =
        mca_pml_champion_device_takes(&buffer, &count, &datatype);

    return champion_recv(buffer, count, datatype, source, tag, comm, status,
                         mca_pml_champion.slow_calls, device);
}

static inline __attribute__((always_inline)) mca_pml_champion_recv_request_t *
recv_request_new(void *buffer, size_t count, ompi_datatype_t *datatype,
                 int source, int tag, ompi_communicator_t *comm,
                 bool persistent, bool device)
{
    mca_pml_champion_recv_request_t *request;

    request = (mca_pml_champion_recv_request_t *) opal_free_list_get(
        &mca_pml_base_recv_requests);
    if (OPAL_UNLIKELY(NULL == request)) {
        return NULL;
    }
    MCA_PML_CHAMPION_HAPPENS_AFTER(request);
    mca_pml_champion_request_describe(&request->super, buffer, count, datatype,
                                      source, tag, comm, persistent);
    prepare(&request->recv, buffer, count, datatype,
            &request->super.super.req_convertor, device);
    OBJ_RETAIN(comm);
    return request;
}

/* Post the receive of a request, and complete what that completes. */
static inline __attribute__((always_inline)) void request_post(
    mca_pml_champion_recv_request_t *request,
    mca_pml_champion_message_t *message, bool slow)
{
    mca_pml_base_request_t *base = &request->super.super;

    /* If another request fails, Open MPI frees all whose status has an
     * error. */
    base->req_ompi.req_status.MPI_ERROR = MPI_SUCCESS;
    /* Shows debuggers that there is no message yet. */
    base->req_ompi.req_status.MPI_TAG = MPI_ANY_TAG;
    request->super.shown.capacity = request->recv.capacity;
    base->req_pml_complete = false;
    if (slow && NULL == message) {
        mca_pml_champion_offload_prepare(&request->recv, base->req_peer,
                                         base->req_comm);
    }
    mca_pml_champion_lock();
    if (OPAL_LIKELY(NULL == message)) {
        recv_post(&request->recv, base->req_peer, base->req_tag,
                  mca_pml_champion_comm(base->req_comm), slow);
    } else {
        recv_probed(&request->recv, message);
    }
    (void) mca_pml_champion_unlock_and_complete();
}

static inline __attribute__((always_inline)) int champion_irecv(
    void *buffer, size_t count, ompi_datatype_t *datatype, int source, int tag,
    ompi_communicator_t *comm, ompi_request_t **out, bool slow, bool device)
{
    mca_pml_champion_recv_request_t *request;

    if (mca_pml_champion_breaks_promise(mca_pml_champion_comm(comm), source,
                                        tag)) {
        return mca_pml_champion_broken_promise(mca_pml_champion_comm(comm),
                                               source);
    }
    request = recv_request_new(buffer, count, datatype, source, tag, comm,
                               false, device);
    if (OPAL_UNLIKELY(NULL == request)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    /* Set before the receive is posted: another thread may complete it at
     * once. */
    *out = &request->super.super.req_ompi;
    request_post(request, NULL, slow);
    return OMPI_SUCCESS;
}

int mca_pml_champion_irecv(void *buffer, size_t count,
                           ompi_datatype_t *datatype, int source, int tag,
                           ompi_communicator_t *comm, ompi_request_t **out)
{
    return champion_irecv(buffer, count, datatype, source, tag, comm, out,
                          false, false);
}

int mca_pml_champion_irecv_slow(void *buffer, size_t count,
                                ompi_datatype_t *datatype, int source, int tag,
                                ompi_communicator_t *comm, ompi_request_t **out)
{
    const bool device =
        mca_pml_champion_device_takes(&buffer, &count, &datatype);

    return champion_irecv(buffer, count, datatype, source, tag, comm, out,
                          mca_pml_champion.slow_calls, device);
}

int mca_pml_champion_irecv_init(void *buffer, size_t count,
                                ompi_datatype_t *datatype, int source, int tag,
                                ompi_communicator_t *comm, ompi_request_t **out)
{
    mca_pml_champion_recv_request_t *request;

    (void) mca_pml_champion_device_takes(&buffer, &count, &datatype);
    request = recv_request_new(buffer, count, datatype, source, tag, comm, true,
                               false);
    if (NULL == request) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *out = &request->super.super.req_ompi;
    return OMPI_SUCCESS;
}

/* Complete a persistent receive, which cannot be posted, with an error. */
static int start_failed(mca_pml_champion_request_t *request, int error)
{
    ompi_request_t *ompi = &request->super.req_ompi;

    ompi->req_state = OMPI_REQUEST_ACTIVE;
    ompi->req_status = ompi_status_empty;
    ompi->req_status.MPI_ERROR = error;
    mca_pml_champion_request_complete(request);
    return error;
}

int mca_pml_champion_start_recv(mca_pml_champion_request_t *request)
{
    mca_pml_base_request_t *base = &request->super;
    mca_pml_champion_comm_t *comm = mca_pml_champion_comm(base->req_comm);

    if (mca_pml_champion_breaks_promise(comm, base->req_peer, base->req_tag)) {
        return start_failed(
            request, mca_pml_champion_broken_promise(comm, base->req_peer));
    }
    base->req_ompi.req_state = OMPI_REQUEST_ACTIVE;
    request_post((mca_pml_champion_recv_request_t *) request, NULL,
                 mca_pml_champion.slow_calls);
    return OMPI_SUCCESS;
}

int mca_pml_champion_start_recv_any(mca_pml_champion_request_t *request)
{
    mca_pml_champion_recv_request_t *recv_request =
        (mca_pml_champion_recv_request_t *) request;
    mca_pml_base_request_t *base = &request->super;

    if (mca_pml_champion_device_has(base->req_addr, base->req_count,
                                    base->req_datatype)) {
        mca_pml_champion_recv_prepare_device(
            &recv_request->recv, base->req_addr, base->req_count,
            base->req_datatype, &base->req_convertor);
    }
    return mca_pml_champion_start_recv(request);
}

int mca_pml_champion_mrecv(void *buffer, size_t count,
                           ompi_datatype_t *datatype, ompi_message_t **handle,
                           ompi_status_public_t *status)
{
    const bool device =
        mca_pml_champion_device_takes(&buffer, &count, &datatype);
    mca_pml_champion_message_t *message;
    ompi_communicator_t *comm;
    mca_pml_champion_recv_t recv;
    int rc;

    message = mca_pml_champion_probed_take(handle, &comm);
    prepare(&recv, buffer, count, datatype, NULL, device);
    rc = recv.contiguous
             ? recv_and_wait(&recv, 0, 0, NULL, message, status, false)
             : recv_noncontiguous(&recv, 0, 0, NULL, message, status);
    /* An error goes to the error handler of the communicator. If the program
     * has freed the communicator, it is kept until MPI_Finalize. */
    if (OPAL_LIKELY(MPI_SUCCESS == rc) ||
        ((opal_object_t *) comm)->obj_reference_count > 1) {
        OBJ_RELEASE(comm);
    }
    return rc;
}

int mca_pml_champion_imrecv(void *buffer, size_t count,
                            ompi_datatype_t *datatype, ompi_message_t **handle,
                            ompi_request_t **out)
{
    const bool device =
        mca_pml_champion_device_takes(&buffer, &count, &datatype);
    mca_pml_champion_recv_request_t *request;
    mca_pml_champion_message_t *message = (*handle)->req_ptr;
    ompi_communicator_t *comm = (*handle)->comm;

    request = recv_request_new(
        buffer, count, datatype, message->entry.envelope.source,
        message->entry.envelope.tag, comm, false, device);
    if (NULL == request) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *out = &request->super.super.req_ompi;
    message = mca_pml_champion_probed_take(handle, &comm);
    request_post(request, message, false);
    OBJ_RELEASE(comm);
    return OMPI_SUCCESS;
}

/* Does it wait for data of a process that has failed? Then they may never
 * come. */
static bool has_lost_sender(const mca_pml_base_request_t *base)
{
    return REQUEST_COMPLETED != base->req_ompi.req_complete &&
           OMPI_ANY_SOURCE != base->req_peer &&
           MCA_MQ_OMPI_HAS_FAILED(base->req_comm, base->req_peer,
                                  base->req_tag);
}

int mca_pml_champion_cancel_recv(ompi_request_t *ompi, int flag)
{
    mca_pml_champion_recv_request_t *request =
        (mca_pml_champion_recv_request_t *) ompi;
    mca_pml_champion_recv_t *recv = &request->recv;

    (void) flag;
    mca_pml_champion_lock();
    if (recv->posted && mca_pml_champion_offload_cancel(recv)) {
        mca_pml_champion_recv_cancelled(recv);
    }
    (void) mca_pml_champion_unlock_and_complete();
    if (MCA_MQ_OMPI_FT_ENABLED && has_lost_sender(&request->super.super)) {
        mca_pml_champion_request_abandon(&request->super);
    }
    return OMPI_SUCCESS;
}
