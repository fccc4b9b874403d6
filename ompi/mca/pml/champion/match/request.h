/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends, receives and the MPI requests that wrap them.
 *
 * Protocols work on a mca_pml_champion_send_t or _recv_t. Of a blocking call it
 * is on the stack; of a non-blocking or persistent one it is in the request,
 * which comes from the PML base's free lists, where debuggers look for it.
 */

#ifndef MCA_PML_CHAMPION_MATCH_REQUEST_H
#define MCA_PML_CHAMPION_MATCH_REQUEST_H

#include "ompi/mca/pml/base/pml_base_request.h"

#include "ompi/mca/pml/champion/core/datatype.h"
#include "ompi/mca/pml/champion/core/happens_before.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/match/transfer_types.h"
#include "ompi/mca/pml/champion/match/offload_hooks.h"

#pragma GCC visibility push(hidden)

/** A receive. */
typedef struct mca_pml_champion_recv_t {
    mca_mq_entry_t entry; /**< first: a matched entry is its receive */
    void *data;           /**< buffer of contiguous data */
    size_t capacity;      /**< bytes that fit */
    bool contiguous;
    bool posted;   /**< in a posted queue of mq */
    uint32_t done; /**< 1 when complete; set last, with release order */
    ompi_status_public_t *status;        /**< filled in before done */
    mca_pml_champion_request_t *request; /**< NULL: a blocking call */
    mca_pml_champion_layout_t layout;    /**< if not contiguous */
    mca_pml_champion_offload_state_t offload;
    union {
        /** Transfer of a large message to it. */
        mca_pml_champion_transfer_t transfer;
        /** Before: the source of a matched message whose fetch is deferred; see
         * large/rendezvous.h. */
        struct {
            mca_pml_champion_source_t source;
            struct mca_pml_champion_recv_t *next;
        } deferred;
    };
} mca_pml_champion_recv_t;
_Static_assert(0 == offsetof(mca_pml_champion_recv_t, entry),
               "a matched entry is cast to its receive");

/** The receive that contains a transfer. */
static inline mca_pml_champion_recv_t *mca_pml_champion_recv_of(
    mca_pml_champion_transfer_t *transfer)
{
    return (void *) ((char *) transfer -
                     offsetof(mca_pml_champion_recv_t, transfer));
}

/** Marks of a send. */
enum {
    MCA_PML_CHAMPION_SEND_OTHER_JOB = 1, /**< counted in its peer's
                                              link.active */
    MCA_PML_CHAMPION_SEND_STRIPABLE = 2  /**< in the list of
                                              large/stripe.h */
};

/** A send. */
typedef struct mca_pml_champion_send_t {
    mca_pml_champion_sync_header_t header; /**< UCX reads it until completion */
    mca_pml_champion_peer_t *peer;
    const void *data; /**< contiguous data; may be NULL if there are none */
    size_t length;    /**< bytes */
    bool contiguous;
    bool sync;       /**< synchronous: complete only when matched */
    bool in_active;  /**< counted in mca_pml_champion.active_sends */
    uint8_t marks;   /**< MCA_PML_CHAMPION_SEND_OTHER_JOB and so on */
    bool recalled;   /**< its receiver was asked to drop it (MPI_Cancel) */
    bool cancelled;  /**< its receiver has dropped it */
    uint8_t pending; /**< outstanding events: UCX's completion, the ACK */
    uint32_t done;   /**< 1 when complete; set last, with release order */
    int error;       /**< MPI error class */
    mca_pml_champion_request_t *request;
    struct mca_pml_champion_send_t *next_waiting; /**< next send that waits
                                                       for room in the ring */
    /** In the list of large/stripe.h. */
    struct {
        struct mca_pml_champion_send_t *next, *previous;
    } stripable;
    mca_pml_champion_tagged_t tagged; /**< if TAGGED; UCX reads it until
                                           completion */
    size_t written;                   /**< bytes written to the ring so far */
    mca_pml_champion_layout_t layout; /**< if not contiguous */
} mca_pml_champion_send_t;

/** Bits of a request's state. */
enum {
    MCA_PML_CHAMPION_COMPLETE = 1,   /**< complete, or about to be */
    MCA_PML_CHAMPION_FREED = 2,      /**< the user has freed it */
    MCA_PML_CHAMPION_FAILED = 4,     /**< a receive with an error */
    MCA_PML_CHAMPION_RECALL = 8,     /**< a cancelled send */
    MCA_PML_CHAMPION_SCHEDULED = 16, /**< of mpi/engine.c */
    MCA_PML_CHAMPION_DOUBTED = 32    /**< MPI_Wait may say that it is pending */
};

/** Requests that the user never sees. */
enum {
    MCA_PML_CHAMPION_INTERNAL_NO,
    MCA_PML_CHAMPION_INTERNAL_SEND, /**< a buffered send, or one that stands for
                                         a cancelled send */
    MCA_PML_CHAMPION_INTERNAL_MESSAGE,  /**< a message of a schedule */
    MCA_PML_CHAMPION_INTERNAL_END,      /**< the end of a schedule */
    MCA_PML_CHAMPION_INTERNAL_ABANDONED /**< the user has seen its end */
};

/** A request for a send or a receive. */
struct mca_pml_champion_request_t {
    mca_pml_base_request_t super;
    /** Read by debuggers behind the base request, at the place of these fields
     * in Open MPI's own types: of a send its data, of a receive its capacity;
     * then the length of a send. */
    union {
        const void *data;
        size_t capacity;
    } shown;
    size_t shown_length;
    mca_pml_champion_request_t *next; /**< in mca_pml_champion.completed */
    uint32_t state;
    int error;        /**< MPI error class of a receive that FAILED */
    bool in_callback; /**< its completion callback is running */
    uint8_t internal; /**< MCA_PML_CHAMPION_INTERNAL_NO and so on */
    /** The request retains its communicator until it is returned.
     * Non-persistent sends do not: they do not need it, and two processes that
     * both wait for their sends before they release a freed communicator would
     * deadlock. */
    bool retains_comm;
    mca_pml_base_send_mode_t mode; /**< of a send */
    void *bsend_buffer;            /**< packed data of a buffered send */
    /** The cancelled send whose answer an internal request awaits. */
    struct mca_pml_champion_completed_send_t *sent;
};
_Static_assert(0 == offsetof(mca_pml_champion_request_t, super),
               "an MPI request of this component begins with its base");
_Static_assert(sizeof(mca_pml_base_request_t) ==
                       offsetof(mca_pml_champion_request_t, shown) &&
                   sizeof(mca_pml_base_request_t) + sizeof(void *) ==
                       offsetof(mca_pml_champion_request_t, shown_length),
               "debuggers read at these offsets");

typedef struct mca_pml_champion_recv_request_t {
    mca_pml_champion_request_t super;
    mca_pml_champion_recv_t recv;
} mca_pml_champion_recv_request_t;
_Static_assert(0 == offsetof(mca_pml_champion_recv_request_t, super),
               "a request is cast to a receive request");
OBJ_CLASS_DECLARATION(mca_pml_champion_recv_request_t);

typedef struct mca_pml_champion_send_request_t {
    mca_pml_champion_request_t super;
    mca_pml_champion_send_t send;
} mca_pml_champion_send_request_t;
_Static_assert(0 == offsetof(mca_pml_champion_send_request_t, super),
               "a request is cast to a send request");
OBJ_CLASS_DECLARATION(mca_pml_champion_send_request_t);

/** Functions that requests call. */
typedef struct mca_pml_champion_request_calls_t {
    ompi_request_start_fn_t start;
    ompi_request_cancel_fn_t cancel_recv;
    ompi_request_cancel_fn_t cancel_send;
    ompi_request_cancel_fn_t cancel_sent; /**< of a send that was complete
                                               immediately */
    /** A send was cancelled while it was completing. True if it is incomplete
     * again. */
    bool (*recall)(mca_pml_champion_send_request_t *request);
} mca_pml_champion_request_calls_t;

/** Initialise the base's free lists for this component's requests, and the list
 * of completed sends. */
int mca_pml_champion_request_init(
    const mca_pml_champion_request_calls_t *calls);
void mca_pml_champion_request_fini(void);

/** Called without the lock for a completed request of a schedule; set by
 * mpi/engine.c. */
extern void (*mca_pml_champion_request_on_popped)(
    mca_pml_champion_request_t *request);

/** Complete a request as MPI sees it. Called without the lock. */
void mca_pml_champion_request_complete(mca_pml_champion_request_t *request);

/** Fill in the status of a send before it is completed for MPI. */
void mca_pml_champion_send_finish(mca_pml_champion_send_request_t *request);

/** The data of a send are not needed any more. */
static inline void mca_pml_champion_send_conclude(mca_pml_champion_send_t *send)
{
    if (!send->contiguous) {
        mca_pml_champion_layout_end(&send->layout);
    }
}

/** Withdraw a posted receive from mq and complete it as cancelled. Lock held.
 */
void mca_pml_champion_recv_cancelled(mca_pml_champion_recv_t *recv);

/** The process with which a request that is matched or sent communicates has
 * failed: complete the request for the user. UCX and rings may refer to it until
 * they are done with it, if ever; only then is it used again. Without the
 * lock. */
void mca_pml_champion_request_abandon(mca_pml_champion_request_t *request);

/** A receive from any source has begun where processes may fail: the error that
 * MPI_Wait returns meanwhile (MPIX_ERR_PROC_FAILED_PENDING) is no longer true
 * when it is complete. Without the lock. */
void mca_pml_champion_request_doubt(mca_pml_champion_request_t *request);

/** Return a request to its free list. */
void mca_pml_champion_request_return(mca_pml_champion_request_t *request);

/** Record an error of an incomplete receive; the last one counts. Lock held. A
 * request's status shows it only from its completion on: when another request
 * fails, Open MPI frees every request whose status shows an error, complete or
 * not, and this error would be lost. */
void mca_pml_champion_recv_fail(mca_pml_champion_recv_t *recv, int error);

/** Queue a request for completion. Lock held. */
static inline void mca_pml_champion_request_push(
    mca_pml_champion_request_t *request)
{
    MCA_PML_CHAMPION_LOCKED();
    request->next = NULL;
    *mca_pml_champion.completed_tail = request;
    mca_pml_champion.completed_tail = &request->next;
}

/** Empty the queue of completed requests and return it. Lock held. */
static inline mca_pml_champion_request_t *mca_pml_champion_request_pop_all(void)
{
    mca_pml_champion_request_t *first = mca_pml_champion.completed;

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(NULL != first)) {
        mca_pml_champion.completed = NULL;
        mca_pml_champion.completed_tail = &mca_pml_champion.completed;
    }
    return first;
}

/** Complete the requests returned by pop_all; returns their number. Without the
 * lock. */
static inline int mca_pml_champion_request_complete_all(
    mca_pml_champion_request_t *request)
{
    int completed = 0;

    MCA_PML_CHAMPION_UNLOCKED();
    while (NULL != request) {
        mca_pml_champion_request_t *next = request->next;

        mca_pml_champion_request_complete(request);
        request = next;
        ++completed;
    }
    return completed;
}

/** Release the lock, and complete the requests in the queue; returns their
 * number. */
static inline int mca_pml_champion_unlock_and_complete(void)
{
    mca_pml_champion_request_t *completed = mca_pml_champion_request_pop_all();

    mca_pml_champion_unlock();
    return mca_pml_champion_request_complete_all(completed);
}

/** Complete a receive request immediately, if that has no side effects: there
 * is one thread, no callback, and the user has not freed it. False otherwise.
 */
static inline bool mca_pml_champion_request_complete_here(
    mca_pml_champion_request_t *request)
{
    ompi_request_t *ompi = &request->super.req_ompi;

    if (OPAL_UNLIKELY(mca_pml_champion.threaded || 0 != request->state ||
                      NULL != ompi->req_complete_cb)) {
        return false;
    }
    request->state = MCA_PML_CHAMPION_COMPLETE;
    request->super.req_pml_complete = true;
    MCA_PML_CHAMPION_HAPPENS_BEFORE(request);
    ompi_request_complete(ompi, true);
    return true;
}

/** Complete a receive whose status is filled in. Lock held. */
static inline __attribute__((always_inline)) void
mca_pml_champion_recv_complete(mca_pml_champion_recv_t *recv)
{
    MCA_PML_CHAMPION_LOCKED();
    if (NULL == recv->request) {
        __atomic_store_n(&recv->done, 1, __ATOMIC_RELEASE);
    } else if (!mca_pml_champion_request_complete_here(recv->request)) {
        mca_pml_champion_request_push(recv->request);
    }
}

/** Largest payload, in bytes, of a message to self that is copied if its
 * receive is not posted yet, so that its send does not wait. */
#define MCA_PML_CHAMPION_SELF_EAGER_LIMIT ((size_t) 128 << 10)

/** Is a send to this process complete once its data are copied? */
static inline bool mca_pml_champion_send_is_eager(
    const mca_pml_champion_send_t *send)
{
    return !send->sync && send->length <= MCA_PML_CHAMPION_SELF_EAGER_LIMIT;
}

/** Takes a send from the list of large/stripe.h; set by it. Lock held. */
extern void (*mca_pml_champion_send_unlist)(mca_pml_champion_send_t *send);

/** Part of mca_pml_champion_send_ended for a send with marks. */
void mca_pml_champion_send_marked_ended(mca_pml_champion_send_t *send);

/** A send waits for nothing any more: it counts no longer as active. */
static inline void mca_pml_champion_send_ended(mca_pml_champion_send_t *send)
{
    mca_pml_champion.active_sends -= send->in_active;
    if (OPAL_UNLIKELY(0 != send->marks)) {
        mca_pml_champion_send_marked_ended(send);
    }
}

/** Nobody waits for a send any more whose receiver has failed. Lock held. */
static inline void mca_pml_champion_send_abandoned(
    mca_pml_champion_send_t *send)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_send_ended(send);
    send->in_active = false;
}

/** One of the events that a send waits for has occurred. Lock held. */
static inline void mca_pml_champion_send_event(mca_pml_champion_send_t *send)
{
    MCA_PML_CHAMPION_LOCKED();
    if (0 != --send->pending) {
        return;
    }
    mca_pml_champion_send_ended(send);
    if (NULL == send->request) {
        __atomic_store_n(&send->done, 1, __ATOMIC_RELEASE);
    } else {
        mca_pml_champion_request_push(send->request);
    }
}

/**
 * Initialise the data part of a receive.
 *
 * @param convertor  constructed by the caller; needed only for non-contiguous
 *                   data
 */
static inline void mca_pml_champion_recv_prepare(mca_pml_champion_recv_t *recv,
                                                 void *buffer, size_t count,
                                                 ompi_datatype_t *datatype,
                                                 opal_convertor_t *convertor)
{
    recv->capacity = mca_pml_champion_size(datatype, count);
    recv->contiguous = mca_pml_champion_contiguous(datatype, count);
    if (OPAL_LIKELY(recv->contiguous)) {
        recv->data = mca_pml_champion_begin(buffer, datatype);
    } else {
        recv->layout.buffer = buffer;
        recv->layout.count = count;
        recv->layout.datatype = datatype;
        recv->layout.convertor = convertor;
    }
}

/** As .._recv_prepare, for a buffer in the memory of a device. */
static inline void mca_pml_champion_recv_prepare_device(
    mca_pml_champion_recv_t *recv, void *buffer, size_t count,
    ompi_datatype_t *datatype, opal_convertor_t *convertor)
{
    recv->capacity = mca_pml_champion_size(datatype, count);
    recv->contiguous = false;
    recv->layout.buffer = buffer;
    recv->layout.count = count;
    recv->layout.datatype = datatype;
    recv->layout.convertor = convertor;
}

/** The buffer, and its number of elements, into which UCX is to receive a
 * message of length bytes, which fit; adds the datatype to param. */
static inline void *mca_pml_champion_recv_target(mca_pml_champion_recv_t *recv,
                                                 size_t length,
                                                 ucp_request_param_t *param,
                                                 size_t *count)
{
    *count = length;
    if (recv->contiguous) {
        return recv->data;
    }
    param->op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
    param->datatype = mca_pml_champion.generic_datatype;
    mca_pml_champion_layout_recv(&recv->layout, length);
    *count = 1;
    return &recv->layout;
}

/**
 * Fill in MPI's fields of a request from a free list. The constructor or the
 * last completion has left the rest as needed: no callback is set or running.
 */
static inline __attribute__((always_inline)) void
mca_pml_champion_request_describe(mca_pml_champion_request_t *request,
                                  const void *buffer, size_t count,
                                  ompi_datatype_t *datatype, int peer, int tag,
                                  ompi_communicator_t *comm, bool persistent)
{
    mca_pml_base_request_t *base = &request->super;

    base->req_ompi.req_complete =
        persistent ? REQUEST_COMPLETED : REQUEST_PENDING;
    base->req_ompi.req_state =
        persistent ? OMPI_REQUEST_INACTIVE : OMPI_REQUEST_ACTIVE;
    base->req_ompi.req_persistent = persistent;
    base->req_ompi.req_mpi_object.comm = comm;
    base->req_free_called = false;
    base->req_comm = comm;
    base->req_datatype = datatype;
    base->req_addr = (void *) (uintptr_t) buffer;
    base->req_count = count;
    base->req_peer = peer;
    base->req_tag = tag;
    request->state = 0;
    OMPI_DATATYPE_RETAIN(datatype);
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_REQUEST_H */
