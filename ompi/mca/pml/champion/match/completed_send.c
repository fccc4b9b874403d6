/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/completed_send.h"

#include <stdlib.h>

enum {
    STEP = 64,      /* elements allocated at a time */
    MAX = 1024,     /* limit until a cancel needs more */
    LIMIT = 1 << 16 /* limit */
};

/* Bits of the state of a cancelled element. */
enum { REOPENED = 1, COMPLETE = 2, FREED = 4 };

/* Elements allocated together. */
typedef struct chunk_t {
    struct chunk_t *next;
    mca_pml_champion_completed_send_t sent[STEP];
} chunk_t;

mca_pml_champion_completed_sends_t mca_pml_champion_completed_sends;

static chunk_t *chunks;
static unsigned made, allowed;
/* Refills to skip, because the last one found no element. */
static unsigned skip;
static ompi_request_cancel_fn_t cancel_fn;

/* MPI's free function in runs with one thread: back to the list. */
static int free_to_list(ompi_request_t **request)
{
    mca_pml_champion_completed_send_t *sent =
        (mca_pml_champion_completed_send_t *) *request;

    sent->next = mca_pml_champion_completed_sends.first;
    mca_pml_champion_completed_sends.first = sent;
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

/* MPI's free function with MPI_THREAD_MULTIPLE: mark, without the lock. */
static int free_to_mark(ompi_request_t **request)
{
    mca_pml_champion_completed_send_t *sent =
        (mca_pml_champion_completed_send_t *) *request;

    __atomic_store_n(&sent->unused, true, __ATOMIC_RELEASE);
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

/* MPI's free function of the shared element. */
static int free_shared(ompi_request_t **request)
{
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static ompi_request_free_fn_t plain_free(void)
{
    return mca_pml_champion.multiple ? free_to_mark : free_to_list;
}

static void sent_init(mca_pml_champion_completed_send_t *sent,
                      ompi_request_free_fn_t free_fn)
{
    ompi_request_t *request = &sent->super;

    OBJ_CONSTRUCT(request, ompi_request_t);
    OMPI_REQUEST_INIT(request, false);
    request->req_type = OMPI_REQUEST_PML;
    request->req_free = free_fn;
    request->req_cancel = cancel_fn;
    request->req_state = OMPI_REQUEST_ACTIVE;
    request->req_mpi_object.comm = &ompi_mpi_comm_world.comm;
    request->req_status = ompi_status_empty;
    request->req_complete = REQUEST_COMPLETED;
    sent->state = 0;
    sent->unused = false;
}

static void sent_fini(mca_pml_champion_completed_send_t *sent)
{
    OMPI_REQUEST_FINI(&sent->super);
    OBJ_DESTRUCT(&sent->super);
}

void mca_pml_champion_completed_sends_init(ompi_request_cancel_fn_t cancel)
{
    mca_pml_champion_completed_send_t *shared =
        &mca_pml_champion_completed_sends.shared;

    cancel_fn = cancel;
    sent_init(shared, free_shared);
    shared->next = shared;
    mca_pml_champion_completed_sends.first = shared;
    made = 0;
    allowed = MAX;
    skip = 0;
}

void mca_pml_champion_completed_sends_fini(void)
{
    chunk_t *chunk;

    mca_pml_champion_completed_sends.first =
        &mca_pml_champion_completed_sends.shared;
    while (NULL != (chunk = chunks)) {
        chunks = chunk->next;
        for (unsigned i = 0; i < STEP; ++i) {
            sent_fini(&chunk->sent[i]);
        }
        free(chunk);
    }
    sent_fini(&mca_pml_champion_completed_sends.shared);
}

static void push(mca_pml_champion_completed_send_t *sent)
{
    sent->next = mca_pml_champion_completed_sends.first;
    mca_pml_champion_completed_sends.first = sent;
}

/* Collect the elements that threads have marked. */
static void gather(void)
{
    for (chunk_t *chunk = chunks; NULL != chunk; chunk = chunk->next) {
        for (unsigned i = 0; i < STEP; ++i) {
            mca_pml_champion_completed_send_t *sent = &chunk->sent[i];

            if (__atomic_load_n(&sent->unused, __ATOMIC_ACQUIRE)) {
                sent->unused = false;
                push(sent);
            }
        }
    }
}

static void make(void)
{
    chunk_t *chunk =
        made < allowed
            ? aligned_alloc(opal_cache_line_size,
                            (sizeof(*chunk) + opal_cache_line_size - 1) /
                                opal_cache_line_size * opal_cache_line_size)
            : NULL;

    if (NULL == chunk) {
        return;
    }
    made += STEP;
    chunk->next = chunks;
    chunks = chunk;
    for (unsigned i = 0; i < STEP; ++i) {
        sent_init(&chunk->sent[i], plain_free());
        push(&chunk->sent[i]);
    }
}

void mca_pml_champion_completed_sends_fill(void)
{
    const mca_pml_champion_completed_send_t *shared =
        &mca_pml_champion_completed_sends.shared;

    MCA_PML_CHAMPION_LOCKED();
    if (shared != mca_pml_champion_completed_sends.first) {
        return;
    }
    if (0 != skip) {
        --skip;
        return;
    }
    if (mca_pml_champion.multiple) {
        gather();
    }
    if (shared == mca_pml_champion_completed_sends.first) {
        make();
    }
    if (shared == mca_pml_champion_completed_sends.first) {
        skip = STEP;
    }
}

void mca_pml_champion_completed_sends_extend(void)
{
    MCA_PML_CHAMPION_LOCKED();
    if (allowed < LIMIT) {
        allowed = allowed < LIMIT / 4 ? 4 * allowed : LIMIT;
    }
    while (!mca_pml_champion.multiple && made < allowed) {
        unsigned before = made;

        make();
        if (made == before) {
            break; /* out of memory */
        }
    }
}

void mca_pml_champion_completed_send_release(
    mca_pml_champion_completed_send_t *sent)
{
    ompi_request_t *request = &sent->super;

    (void) request->req_free(&request);
}

/* Undo what a cancel has changed, and return the element. */
static void sent_reset(mca_pml_champion_completed_send_t *sent)
{
    sent->state = 0;
    sent->super.req_complete_cb = NULL;
    sent->super.req_status = ompi_status_empty;
    sent->super.req_complete = REQUEST_COMPLETED;
    sent->super.req_free = plain_free();
    mca_pml_champion_completed_send_release(sent);
}

/* MPI's free function of a cancelled element: return it when it is complete. */
static int free_cancelled(ompi_request_t **request)
{
    mca_pml_champion_completed_send_t *sent =
        (mca_pml_champion_completed_send_t *) *request;

    *request = MPI_REQUEST_NULL;
    if (0 ==
        (COMPLETE & __atomic_fetch_or(&sent->state, FREED, __ATOMIC_ACQ_REL))) {
        return OMPI_SUCCESS;
    }
    /* Another thread may be about to complete it. */
    while (REQUEST_COMPLETED !=
           __atomic_load_n(&sent->super.req_complete, __ATOMIC_ACQUIRE)) {
        opal_atomic_rmb();
    }
    sent_reset(sent);
    return OMPI_SUCCESS;
}

bool mca_pml_champion_completed_send_reopen(
    mca_pml_champion_completed_send_t *sent)
{
    MCA_PML_CHAMPION_LOCKED();
    if (0 != sent->state) {
        return false;
    }
    sent->state = REOPENED;
    sent->super.req_free = free_cancelled;
    sent->super.req_complete = REQUEST_PENDING;
    return true;
}

void mca_pml_champion_completed_send_complete(
    mca_pml_champion_completed_send_t *sent, bool cancelled)
{
    MCA_PML_CHAMPION_UNLOCKED();
    sent->super.req_status._cancelled = cancelled;
    if (FREED & __atomic_fetch_or(&sent->state, COMPLETE, __ATOMIC_ACQ_REL)) {
        sent_reset(sent);
    } else {
        ompi_request_complete(&sent->super, true);
    }
}
