/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sending.
 *
 *     same node                    without UCX: up to 1 KiB as one record in
 *                                  the receiver's ring, or its FIFO
 *     payload <= PACKED_MAX        envelope and payload are composed on the
 *                                  stack and sent without a request. Not to
 *                                  processes of other jobs
 *     other messages               by the first route that wants them
 *                                  (mpi/route.h)
 *
 * Synchronous sends are records of a ring or FIFO, or eager or rendezvous messages
 * of UCX, with a token that the receiver returns (ACK) when the message is
 * matched. UCX's completion does not imply a match, because of prefetching
 * (large/prefetch.h).
 */

#include "ompi/mca/pml/champion/mpi/send.h"

#include <string.h>

#include "ompi/errhandler/errcode.h"

#include "ompi/mca/pml/base/pml_base_bsend.h"

#include "ompi/mca/pml/champion/core/device.h"
#include "ompi/mca/pml/champion/progress/progress.h"
#include "ompi/mca/pml/champion/match/completed_send.h"
#include "ompi/mca/pml/champion/shm/ring_send.h"
#include "ompi/mca/pml/champion/mpi/send_start.h"

mca_pml_base_module_t mca_pml_champion_host;

/* Send a packed message. True if it is sent. Lock held. */
static inline bool packed_send(mca_pml_champion_peer_t *peer,
                               const mca_pml_champion_packed_t *packed,
                               size_t length)
{
    ucs_status_ptr_t status;

    MCA_PML_CHAMPION_LOCKED();
    /* UCX either copies the message now or does nothing: it must not refer to
     * the stack later. */
    status = ucp_am_send_nbx(peer->ep, MCA_PML_CHAMPION_AM_PACKED, NULL, 0,
                             packed, sizeof(packed->header) + length,
                             &mca_pml_champion.packed_param);
    if (OPAL_UNLIKELY(NULL != status)) {
        return false;
    }
    mca_pml_champion_doorbell_ring(peer->doorbell);
    return true;
}

/* Try to send a small message by UCP immediately. Here and below *out is set to
 * the completed send that represents it, unless out is NULL. */
static inline __attribute__((always_inline)) bool send_small(
    const void *buffer, size_t count, ompi_datatype_t *datatype, size_t length,
    int tag, mca_pml_champion_comm_t *comm, mca_pml_champion_peer_t *peer,
    mca_pml_champion_completed_send_t **out)
{
    mca_pml_champion_packed_t packed;
    bool sent;

    if (OPAL_LIKELY(mca_pml_champion_contiguous(datatype, count))) {
        mca_pml_champion_copy(packed.payload,
                              mca_pml_champion_begin(buffer, datatype), length);
    } else {
        mca_pml_champion_pack(buffer, count, datatype, packed.payload, length);
    }
    mca_pml_champion_lock();
    mca_pml_champion_send_header(&packed.header, comm, peer, tag);
    sent = packed_send(peer, &packed, length);
    if (sent) {
        mca_pml_champion_sent_by_ucp(peer, comm->context, tag);
        if (NULL != out) {
            *out = mca_pml_champion_completed_send_take(
                peer, &packed.header, tag, packed.header.sequence);
        }
    }
    mca_pml_champion_unlock();
    return sent;
}

/* Receives of this process that a send to self has completed. They must be
 * complete when the send returns, because MPI_Testall of Open MPI 4.1 checks
 * only once. Lock held. */
static mca_pml_champion_request_t *completed_by_send(
    const mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    return OPAL_UNLIKELY(peer->self) ? mca_pml_champion_request_pop_all()
                                     : NULL;
}

/* Describe a send and start it. device, here and below, says whether the buffer
 * is in the memory of a device; a compile-time constant. Lock held, except to
 * describe. */
static inline __attribute__((always_inline)) void describe(
    mca_pml_champion_send_t *send, const void *buffer, size_t count,
    ompi_datatype_t *datatype, mca_pml_base_send_mode_t mode,
    const mca_pml_champion_peer_t *peer, opal_convertor_t *convertor,
    bool device)
{
    if (device) {
        mca_pml_champion_send_describe_device(send, buffer, count, datatype,
                                              mode, peer, convertor);
    } else {
        mca_pml_champion_send_describe(send, buffer, count, datatype, mode,
                                       convertor);
    }
}

static inline __attribute__((always_inline)) void start(
    mca_pml_champion_send_t *send, int tag, mca_pml_champion_comm_t *comm,
    mca_pml_champion_peer_t *peer, uint32_t attributes, bool device)
{
    if (device) {
        mca_pml_champion_send_start_device(send, tag, comm, peer, attributes);
    } else {
        mca_pml_champion_send_start(send, tag, comm, peer, attributes);
    }
}

/* A blocking send that may have to wait. */
static inline __attribute__((always_inline)) int send_and_wait(
    const void *buffer, size_t count, ompi_datatype_t *datatype, int tag,
    mca_pml_base_send_mode_t mode, mca_pml_champion_comm_t *comm,
    mca_pml_champion_peer_t *peer, bool device)
{
    mca_pml_champion_send_t send = {.request = NULL};
    mca_pml_champion_request_t *completed;
    opal_convertor_t convertor;
    bool wait;

    if (device || !mca_pml_champion_contiguous(datatype, count)) {
        OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    }
    describe(&send, buffer, count, datatype, mode, peer, &convertor, device);
    mca_pml_champion_lock();
    start(&send, tag, comm, peer, UCP_OP_ATTR_FLAG_FAST_CMPL, device);
    wait = 0 != send.pending;
    completed = completed_by_send(peer);
    mca_pml_champion_unlock();
    mca_pml_champion_request_complete_all(completed);
    if (wait) {
        mca_pml_champion_wait(&send.done, MCA_PML_CHAMPION_FOR_SEND);
    }
    if (device || !send.contiguous) {
        mca_pml_champion_send_conclude(&send);
        OBJ_DESTRUCT(&convertor);
    }
    return send.error;
}

static inline __attribute__((always_inline)) mca_pml_champion_send_request_t *
send_request_new(const void *buffer, size_t count, ompi_datatype_t *datatype,
                 int dst, int tag, mca_pml_base_send_mode_t mode,
                 ompi_communicator_t *comm, bool persistent)
{
    mca_pml_champion_send_request_t *request;

    request = (mca_pml_champion_send_request_t *) opal_free_list_get(
        &mca_pml_base_send_requests);
    if (OPAL_UNLIKELY(NULL == request)) {
        return NULL;
    }
    MCA_PML_CHAMPION_HAPPENS_AFTER(request);
    mca_pml_champion_request_describe(&request->super, buffer, count, datatype,
                                      dst, tag, comm, persistent);
    request->super.mode = mode;
    request->super.internal = MCA_PML_CHAMPION_INTERNAL_NO;
    request->super.retains_comm = persistent;
    if (persistent) {
        OBJ_RETAIN(comm);
    }
    return request;
}

/* Take the completed send that represents a send. Lock held. */
static mca_pml_champion_completed_send_t *sent_take(
    const mca_pml_champion_send_t *send)
{
    const mca_pml_champion_header_t *header = &send->header.super.super;

    MCA_PML_CHAMPION_LOCKED();
    return mca_pml_champion_completed_send_take(send->peer, header, header->tag,
                                                header->sequence);
}

/* Allocate from the buffer of MPI_Buffer_attach. If it is full, Open MPI has
 * made progress, so that a second attempt may succeed: messages to self were
 * received meanwhile. */
static void *bsend_alloc(ompi_communicator_t *comm, size_t length)
{
    void *room = MCA_MQ_OMPI_BSEND_ALLOC(comm, length);

    return OPAL_LIKELY(NULL != room) ? room
                                     : MCA_MQ_OMPI_BSEND_ALLOC(comm, length);
}

/* A send in buffered mode. */
static int send_buffered(const void *buffer, size_t count,
                         ompi_datatype_t *datatype, int tag,
                         mca_pml_champion_comm_t *comm,
                         mca_pml_champion_peer_t *peer,
                         mca_pml_champion_completed_send_t **out)
{
    size_t length = mca_pml_champion_size(datatype, count);
    mca_pml_champion_send_request_t *request;
    mca_pml_champion_request_t *completed;
    mca_pml_champion_send_t *send;
    bool complete;
    void *packed;
    int error;

    packed = bsend_alloc(comm->comm, length);
    if (NULL == packed) {
        return MPI_ERR_BUFFER;
    }
    if (0 != length) {
        mca_pml_champion_pack(buffer, count, datatype, packed, length);
    }
    request = (mca_pml_champion_send_request_t *) opal_free_list_get(
        &mca_pml_base_send_requests);
    if (OPAL_UNLIKELY(NULL == request)) {
        MCA_MQ_OMPI_BSEND_FREE(comm->comm, packed);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    MCA_PML_CHAMPION_HAPPENS_AFTER(request);
    request->super.internal = MCA_PML_CHAMPION_INTERNAL_SEND;
    request->super.bsend_buffer = packed;
    request->super.super.req_comm = comm->comm;
    send = &request->send;
    mca_pml_champion_send_describe(send, packed, length, &ompi_mpi_byte.dt,
                                   MCA_PML_BASE_SEND_STANDARD, NULL);
    mca_pml_champion_lock();
    mca_pml_champion_send_start(send, tag, comm, peer, 0);
    complete = 0 == send->pending;
    error = complete ? send->error : MPI_SUCCESS;
    if (NULL != out) {
        *out = sent_take(send);
    }
    completed = completed_by_send(peer);
    mca_pml_champion_unlock();
    mca_pml_champion_request_complete_all(completed);
    if (complete) {
        mca_pml_champion_request_complete(&request->super);
    }
    return error;
}

/* Take a completed send on the fast path; the list is never empty. */
static inline __attribute__((always_inline)) mca_pml_champion_completed_send_t *
sent_take_fast(mca_pml_champion_peer_t *peer,
               const mca_pml_champion_comm_t *comm, uint64_t second)
{
    mca_pml_champion_completed_send_t *sent =
        mca_pml_champion_completed_sends.first;

    mca_pml_champion_completed_sends.first = sent->next;
    sent->peer = peer;
    memcpy(&sent->first, &comm->header, sizeof(sent->first));
    sent->second = second;
    return sent;
}

/* The receiver of a message that a fast path may send; NULL if mode or datatype
 * forbids it, or if it is not known yet. */
static inline __attribute__((always_inline)) mca_pml_champion_peer_t *fast_peer(
    size_t count, const ompi_datatype_t *datatype, int dst,
    mca_pml_base_send_mode_t mode, ompi_communicator_t *comm)
{
    return OPAL_UNLIKELY(MCA_PML_BASE_SEND_SYNCHRONOUS == mode ||
                         !mca_pml_champion_contiguous(datatype, count))
               ? NULL
               : mca_pml_champion_peer_known(comm, dst);
}

/* More will follow, in all probability. After a send that answers, the next to
 * use the lines is the receiver: a ping-pong took 3 to 15 % longer. */
static inline __attribute__((always_inline)) void fast_prefetch(
    const mca_pml_champion_ring_writer_t *writer)
{
    if (OPAL_LIKELY(mca_pml_champion_rings.sent > 1)) {
        mca_pml_champion_ring_prefetch_to_write(writer,
                                                MCA_PML_CHAMPION_RING_AHEAD);
    } else if (0 != mca_pml_champion_rings.sent++) {
        mca_pml_champion_ring_prefetch_all_to_write(writer);
    }
}

/* Fill in the record of a small message, all but its length; and *sent, unless
 * sent is NULL. */
static inline __attribute__((always_inline)) void fast_fill(
    mca_pml_champion_ring_slot_t *slot, mca_pml_champion_peer_t *peer,
    const mca_pml_champion_comm_t *comm, int tag, const void *data,
    size_t length, mca_pml_champion_completed_send_t **sent)
{
    const uint64_t second =
        (uint64_t) peer->send_sequence++ << 32 | (uint32_t) tag;

    /* Context and source: the first 8 bytes of an envelope. */
    memcpy(&slot->word[0], &comm->header, sizeof(slot->word[0]));
    slot->word[1] = second;
    if (NULL != sent) {
        *sent = sent_take_fast(peer, comm, second);
    }
    mca_pml_champion_ring_copy_short(slot->data, data, length);
}

/* The fast path: a small message is written into the receiver's ring, or its
 * FIFO, which is returned; NULL if it has not been sent. It makes no call, and so
 * saves no registers. by_fifo is a compile-time constant: with both in one
 * function a send by ring would save registers. Not used with threads or
 * slow_calls: fast_max is -1 then. The slow path obeys the stop flag; a ring's
 * is read with its reader's position. */
static inline __attribute__((always_inline)) mca_pml_champion_ring_out_t *
send_fast(const void *buffer, size_t count, const ompi_datatype_t *datatype,
          int dst, int tag, mca_pml_base_send_mode_t mode,
          ompi_communicator_t *comm, bool by_fifo,
          mca_pml_champion_completed_send_t **sent)
{
    mca_pml_champion_peer_t *peer = fast_peer(count, datatype, dst, mode, comm);
    const size_t length = mca_pml_champion_size(datatype, count);
    mca_pml_champion_ring_out_t *out;
    mca_pml_champion_ring_slot_t *slot;

    if (OPAL_UNLIKELY(NULL == peer)) {
        return NULL;
    }
    out = peer->out;
    if (OPAL_UNLIKELY((int64_t) length > out->fast_max)) {
        return NULL;
    }
    if (by_fifo) {
        slot = OPAL_UNLIKELY(out->own) || mca_pml_champion_ring_stops(out)
                   ? NULL
                   : mca_pml_champion_fifo_reserve_short(&out->fifo);
        if (OPAL_UNLIKELY(NULL == slot)) {
            return NULL;
        }
    } else {
        if (!mca_pml_champion_ring_has_room(&out->writer)) {
            return NULL;
        }
        slot = out->writer.next;
        fast_prefetch(&out->writer);
    }
    fast_fill(slot, peer, mca_pml_champion_comm(comm), tag,
              mca_pml_champion_begin(buffer, datatype), length, sent);
    if (by_fifo) {
        mca_pml_champion_fifo_publish(
            &out->fifo, slot, MCA_PML_CHAMPION_RING_MESSAGE, (uint32_t) length);
    } else {
        mca_pml_champion_ring_publish_short(&out->writer, slot,
                                            MCA_PML_CHAMPION_RING_MESSAGE,
                                            (uint32_t) length);
    }
    return out;
}

/* The fast path has sent: the result of the call, whose last step this is. */
static inline __attribute__((always_inline)) int sent_fast(
    mca_pml_champion_ring_out_t *out)
{
    return OPAL_LIKELY(!mca_pml_champion_ring_reader_waits(out))
               ? OMPI_SUCCESS
               : mca_pml_champion_ring_wake_from_fast_path(out);
}

/* Buffered sends of more bytes need the program's buffer, as under other PMLs: one
 * that has no room is an error to be told. */
enum { BUFFERLESS_MAX = 4096 };

/* Try to send a message that the fast path has left over, by the ring or by
 * UCP, without a request. */
static inline __attribute__((always_inline)) bool ring_or_small(
    const void *buffer, size_t count, ompi_datatype_t *datatype, size_t length,
    int tag, mca_pml_base_send_mode_t mode, mca_pml_champion_comm_t *comm,
    mca_pml_champion_peer_t *peer, mca_pml_champion_completed_send_t **out)
{
    if (MCA_PML_BASE_SEND_SYNCHRONOUS == mode) {
        return false;
    }
    if (OPAL_UNLIKELY(length > BUFFERLESS_MAX) &&
        MCA_PML_BASE_SEND_BUFFERED == mode) {
        return false;
    }
    if (mca_pml_champion_peer_has_ring_for(peer, length)) {
        return mca_pml_champion_ring_send(peer, comm, tag, buffer, count,
                                          datatype, length, out);
    }
    return mca_pml_champion_peer_takes_packed(peer, length) &&
           send_small(buffer, count, datatype, length, tag, comm, peer, out);
}

/* Try to send without a request, off the fast path. True if the message is
 * sent. */
static inline __attribute__((always_inline)) bool send_at_once(
    const void *buffer, size_t count, ompi_datatype_t *datatype, int dst,
    int tag, mca_pml_base_send_mode_t mode, ompi_communicator_t *ompi_comm,
    mca_pml_champion_completed_send_t **out)
{
    mca_pml_champion_peer_t *peer = mca_pml_champion_peer_known(ompi_comm, dst);

    return OPAL_LIKELY(NULL != peer) &&
           ring_or_small(buffer, count, datatype,
                         mca_pml_champion_size(datatype, count), tag, mode,
                         mca_pml_champion_comm(ompi_comm), peer, out);
}

/* A blocking send that cannot be completed immediately. Not inlined, so that
 * its registers and stack do not burden the fast path. */
static inline __attribute__((always_inline)) int send_slow_by(
    const void *buffer, size_t count, ompi_datatype_t *datatype, int dst,
    int tag, mca_pml_base_send_mode_t mode, ompi_communicator_t *ompi_comm,
    bool device)
{
    mca_pml_champion_peer_t *peer = mca_pml_champion_peer_get(ompi_comm, dst);
    mca_pml_champion_comm_t *comm = mca_pml_champion_comm(ompi_comm);

    if (OPAL_UNLIKELY(NULL == peer)) {
        return OMPI_ERR_UNREACH;
    }
    if (OPAL_UNLIKELY(MCA_PML_BASE_SEND_BUFFERED == mode)) {
        return send_buffered(buffer, count, datatype, tag, comm, peer, NULL);
    }
    return send_and_wait(buffer, count, datatype, tag, mode, comm, peer,
                         device);
}

static __attribute__((noinline)) int send_slow(const void *buffer, size_t count,
                                               ompi_datatype_t *datatype,
                                               int dst, int tag,
                                               mca_pml_base_send_mode_t mode,
                                               ompi_communicator_t *comm)
{
    return send_slow_by(buffer, count, datatype, dst, tag, mode, comm, false);
}

int mca_pml_champion_send_any(const void *buffer, size_t count,
                              ompi_datatype_t *datatype, int dst, int tag,
                              mca_pml_base_send_mode_t mode,
                              ompi_communicator_t *comm)
{
    void *data = (void *) (uintptr_t) buffer;

    return mca_pml_champion_device_takes(&data, &count, &datatype)
               ? send_slow_by(data, count, datatype, dst, tag, mode, comm, true)
               : mca_pml_champion_host.pml_send(data, count, datatype, dst, tag,
                                                mode, comm);
}

int mca_pml_champion_send_slow(const void *buffer, size_t count,
                               ompi_datatype_t *datatype, int dst, int tag,
                               mca_pml_base_send_mode_t mode,
                               ompi_communicator_t *comm)
{
    if (OPAL_LIKELY(send_at_once(buffer, count, datatype, dst, tag, mode, comm,
                                 NULL))) {
        return OMPI_SUCCESS;
    }
    return send_slow(buffer, count, datatype, dst, tag, mode, comm);
}

/* What the fast path to a ring has left over, in runs with one thread. */
static __attribute__((noinline)) int send_by_fifo(
    const void *buffer, size_t count, ompi_datatype_t *datatype, int dst,
    int tag, mca_pml_base_send_mode_t mode, ompi_communicator_t *comm)
{
    mca_pml_champion_ring_out_t *out =
        send_fast(buffer, count, datatype, dst, tag, mode, comm, true, NULL);

    return NULL != out ? sent_fast(out)
                       : mca_pml_champion_send_slow(buffer, count, datatype,
                                                    dst, tag, mode, comm);
}

int mca_pml_champion_send(const void *buffer, size_t count,
                          ompi_datatype_t *datatype, int dst, int tag,
                          mca_pml_base_send_mode_t mode,
                          ompi_communicator_t *comm)
{
    mca_pml_champion_ring_out_t *ring =
        send_fast(buffer, count, datatype, dst, tag, mode, comm, false, NULL);

    if (OPAL_LIKELY(NULL != ring)) {
        return sent_fast(ring);
    }
    return send_by_fifo(buffer, count, datatype, dst, tag, mode, comm);
}

/* Start the send of a request. *complete is set to whether the send is complete
 * on return; Open MPI has not been notified of that. *out is set to the
 * completed send that represents it then, unless out is NULL. */
static inline __attribute__((always_inline)) int request_start(
    mca_pml_champion_send_request_t *request, mca_pml_champion_peer_t *peer,
    bool *complete, mca_pml_champion_completed_send_t **out, bool device)
{
    mca_pml_base_request_t *base = &request->super.super;
    mca_pml_champion_send_t *send = &request->send;
    mca_pml_champion_request_t *completed;
    int error;

    base->req_ompi.req_status.MPI_ERROR = MPI_SUCCESS; /* as for receives */
    base->req_pml_complete = false;
    describe(send, base->req_addr, base->req_count, base->req_datatype,
             request->super.mode, peer, &base->req_convertor, device);
    request->super.shown.data = base->req_addr;
    request->super.shown_length = send->length;
    mca_pml_champion_lock();
    start(send, base->req_tag, mca_pml_champion_comm(base->req_comm), peer, 0,
          device);
    *complete = 0 == send->pending;
    error = *complete ? send->error : MPI_SUCCESS;
    if (NULL != out && *complete) {
        *out = sent_take(send);
    }
    completed = completed_by_send(peer);
    mca_pml_champion_unlock();
    mca_pml_champion_request_complete_all(completed);
    return error;
}

static inline __attribute__((always_inline)) int isend_slow_by(
    const void *buffer, size_t count, ompi_datatype_t *datatype, int dst,
    int tag, mca_pml_base_send_mode_t mode, ompi_communicator_t *comm,
    ompi_request_t **out, bool device)
{
    mca_pml_champion_peer_t *peer = mca_pml_champion_peer_get(comm, dst);
    mca_pml_champion_completed_send_t *sent =
        &mca_pml_champion_completed_sends.shared;
    mca_pml_champion_send_request_t *request;
    bool complete;
    int rc;

    if (OPAL_UNLIKELY(NULL == peer)) {
        return OMPI_ERR_UNREACH;
    }
    if (OPAL_UNLIKELY(MCA_PML_BASE_SEND_BUFFERED == mode)) {
        rc = send_buffered(buffer, count, datatype, tag,
                           mca_pml_champion_comm(comm), peer, &sent);
        *out = &sent->super;
        return rc;
    }
    request =
        send_request_new(buffer, count, datatype, dst, tag, mode, comm, false);
    if (OPAL_UNLIKELY(NULL == request)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = request_start(request, peer, &complete, &sent, device);
    *out = &request->super.super.req_ompi;
    if (complete) {
        mca_pml_champion_send_conclude(&request->send);
        mca_pml_champion_request_return(&request->super);
        *out = &sent->super;
    }
    return rc;
}

static __attribute__((noinline)) int isend_slow(
    const void *buffer, size_t count, ompi_datatype_t *datatype, int dst,
    int tag, mca_pml_base_send_mode_t mode, ompi_communicator_t *comm,
    ompi_request_t **out)
{
    return isend_slow_by(buffer, count, datatype, dst, tag, mode, comm, out,
                         false);
}

int mca_pml_champion_isend_any(const void *buffer, size_t count,
                               ompi_datatype_t *datatype, int dst, int tag,
                               mca_pml_base_send_mode_t mode,
                               ompi_communicator_t *comm, ompi_request_t **out)
{
    void *data = (void *) (uintptr_t) buffer;

    return mca_pml_champion_device_takes(&data, &count, &datatype)
               ? isend_slow_by(data, count, datatype, dst, tag, mode, comm, out,
                               true)
               : mca_pml_champion_host.pml_isend(data, count, datatype, dst,
                                                 tag, mode, comm, out);
}

int mca_pml_champion_isend_slow(const void *buffer, size_t count,
                                ompi_datatype_t *datatype, int dst, int tag,
                                mca_pml_base_send_mode_t mode,
                                ompi_communicator_t *comm, ompi_request_t **out)
{
    mca_pml_champion_completed_send_t *sent;

    if (OPAL_LIKELY(send_at_once(buffer, count, datatype, dst, tag, mode, comm,
                                 &sent))) {
        *out = &sent->super;
        return OMPI_SUCCESS;
    }
    return isend_slow(buffer, count, datatype, dst, tag, mode, comm, out);
}

/* As send_by_fifo. */
static __attribute__((noinline)) int isend_by_fifo(
    const void *buffer, size_t count, ompi_datatype_t *datatype, int dst,
    int tag, mca_pml_base_send_mode_t mode, ompi_communicator_t *comm,
    ompi_request_t **out)
{
    mca_pml_champion_completed_send_t *sent;
    mca_pml_champion_ring_out_t *fifo =
        send_fast(buffer, count, datatype, dst, tag, mode, comm, true, &sent);

    if (NULL != fifo) {
        *out = &sent->super;
        return sent_fast(fifo);
    }
    return mca_pml_champion_isend_slow(buffer, count, datatype, dst, tag, mode,
                                       comm, out);
}

int mca_pml_champion_isend(const void *buffer, size_t count,
                           ompi_datatype_t *datatype, int dst, int tag,
                           mca_pml_base_send_mode_t mode,
                           ompi_communicator_t *comm, ompi_request_t **out)
{
    mca_pml_champion_completed_send_t *sent;
    mca_pml_champion_ring_out_t *ring =
        send_fast(buffer, count, datatype, dst, tag, mode, comm, false, &sent);

    if (OPAL_LIKELY(NULL != ring)) {
        *out = &sent->super;
        return sent_fast(ring);
    }
    return isend_by_fifo(buffer, count, datatype, dst, tag, mode, comm, out);
}

int mca_pml_champion_isend_init(const void *buffer, size_t count,
                                ompi_datatype_t *datatype, int dst, int tag,
                                mca_pml_base_send_mode_t mode,
                                ompi_communicator_t *comm, ompi_request_t **out)
{
    mca_pml_champion_send_request_t *request;
    void *data = (void *) (uintptr_t) buffer;

    (void) mca_pml_champion_device_takes(&data, &count, &datatype);
    request =
        send_request_new(data, count, datatype, dst, tag, mode, comm, true);
    if (NULL == request) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *out = &request->super.super.req_ompi;
    return OMPI_SUCCESS;
}

/* Complete a persistent send that was sent without its request. sent represents
 * it and is released here; NULL after an error. */
static void start_done(mca_pml_champion_send_request_t *request, size_t length,
                       mca_pml_champion_completed_send_t *sent, int error)
{
    mca_pml_champion_header_t *header = &request->send.header.super.super;

    *header = mca_pml_champion_comm(request->super.super.req_comm)->header;
    request->send.contiguous = true; /* no layout to end */
    request->send.length = length;
    request->send.error = error;
    request->send.pending = 0;
    request->send.recalled = false;
    request->send.cancelled = false;
    request->send.peer = NULL;
    if (NULL != sent && &mca_pml_champion_completed_sends.shared != sent) {
        request->send.peer = sent->peer;
        header->tag = (int32_t) (uint32_t) sent->second;
        header->sequence = (uint32_t) (sent->second >> 32);
        mca_pml_champion_completed_send_release(sent);
    }
}

static inline __attribute__((always_inline)) int start_send_by(
    mca_pml_champion_request_t *request, bool device)
{
    mca_pml_champion_send_request_t *send_request =
        (mca_pml_champion_send_request_t *) request;
    mca_pml_base_request_t *base = &request->super;
    mca_pml_champion_comm_t *comm = mca_pml_champion_comm(base->req_comm);
    mca_pml_champion_peer_t *peer =
        mca_pml_champion_peer_get(base->req_comm, base->req_peer);
    size_t length = mca_pml_champion_size(base->req_datatype, base->req_count);
    mca_pml_champion_completed_send_t *sent = NULL;
    bool complete = true;
    int rc = MPI_SUCCESS;

    base->req_ompi.req_state = OMPI_REQUEST_ACTIVE;
    if (OPAL_UNLIKELY(NULL == peer)) {
        rc = ompi_errcode_get_mpi_code(OMPI_ERR_UNREACH);
        start_done(send_request, length, NULL, rc);
    } else if (!device &&
               ring_or_small(base->req_addr, base->req_count,
                             base->req_datatype, length, base->req_tag,
                             request->mode, comm, peer, &sent)) {
        start_done(send_request, length, sent, MPI_SUCCESS);
    } else if (MCA_PML_BASE_SEND_BUFFERED == request->mode) {
        rc = send_buffered(base->req_addr, base->req_count, base->req_datatype,
                           base->req_tag, comm, peer, &sent);
        rc = rc < 0 ? ompi_errcode_get_mpi_code(rc) : rc;
        start_done(send_request, length, sent, rc);
    } else {
        rc = request_start(send_request, peer, &complete, NULL, device);
    }
    if (complete) {
        mca_pml_champion_request_complete(request);
    }
    return rc;
}

int mca_pml_champion_start_send(mca_pml_champion_request_t *request)
{
    return start_send_by(request, false);
}

int mca_pml_champion_start_send_any(mca_pml_champion_request_t *request)
{
    const mca_pml_base_request_t *base = &request->super;

    return start_send_by(
        request, mca_pml_champion_device_has(base->req_addr, base->req_count,
                                             base->req_datatype));
}
