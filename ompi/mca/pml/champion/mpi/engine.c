/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Advancing schedules.
 *
 * The messages of a schedule are requests that the program never sees. When one
 * is complete it is queued, with those of the program, in champion.completed,
 * so that the paths of messages know nothing of schedules. It is taken from
 * there
 *
 *     by the program   where it completes queued requests
 *     by the thread    after each step, which leaves the program's where they
 *                      are
 *
 * and operations that waited for it begin. At the end, a request is queued that
 * only the program takes: its completion calls on_end().
 *
 * Reductions and copies are made in pieces. Between two of them the lock is
 * released and UCX polled; the rest is one of progress's chores.
 *
 * If a message fails, operations not begun never begin, receives that have no
 * message are withdrawn, and the schedule ends when the rest is complete.
 */

#include "ompi/mca/pml/champion/mpi/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/core/inflight.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/match/request.h"
#include "ompi/mca/pml/champion/large/standstill.h"
#include "ompi/mca/pml/champion/mpi/send_start.h"

#define NONE MCA_PML_CHAMPION_SCHEDULE_NONE
#define CHORE mca_pml_champion_schedules_chore

typedef mca_pml_champion_schedule_t schedule_t;
typedef mca_pml_champion_schedule_op_t op_t;

/* Slots allocated at a time. */
enum { STEP = 32 };

/* The request of a message that is under way, or of a schedule's end. */
typedef struct mca_pml_champion_slot_t {
    union {
        mca_pml_champion_request_t super;
        mca_pml_champion_recv_request_t recv;
        mca_pml_champion_send_request_t send;
    };
    schedule_t *schedule;
    uint32_t op;
    struct mca_pml_champion_slot_t *next, **link; /* see flying; or free */
} slot_t;
_Static_assert(0 == offsetof(slot_t, super), "a request is cast to its slot");

typedef struct chunk_t {
    struct chunk_t *next;
    slot_t slots[STEP];
} chunk_t;

/* Protected by the lock. */
static struct {
    chunk_t *chunks;
    slot_t *free;
    schedule_t *first, **last; /* those that can go on */
    /* The end of champion.completed up to which no message of a schedule is
     * queued. If another request took that very place meanwhile, those before
     * it are found with the next one. */
    mca_pml_champion_request_t **seen;
} all = {.last = &all.first};

/* ---- slots -------------------------------------------------------------- */

static void slots_add(void)
{
    chunk_t *chunk = calloc(1, sizeof(*chunk));

    if (NULL == chunk) {
        return;
    }
    chunk->next = all.chunks;
    all.chunks = chunk;
    for (unsigned i = 0; i < STEP; ++i) {
        chunk->slots[i].next = all.free;
        all.free = &chunk->slots[i];
    }
}

static slot_t *slot_take(schedule_t *schedule, uint8_t internal)
{
    slot_t *slot;

    if (NULL == all.free) {
        slots_add();
    }
    slot = all.free;
    if (NULL == slot) {
        return NULL;
    }
    all.free = slot->next;
    slot->schedule = schedule;
    slot->super.internal = internal;
    /* Not to be completed where its message is: see
     * mca_pml_champion_request_complete_here. */
    slot->super.state = MCA_PML_CHAMPION_SCHEDULED;
    slot->super.super.req_comm = schedule->comm;
    return slot;
}

static void slot_return(slot_t *slot)
{
    slot->next = all.free;
    all.free = slot;
}

static void slot_flies(slot_t *slot, uint32_t op)
{
    schedule_t *schedule = slot->schedule;

    slot->op = op;
    slot->next = schedule->flying;
    slot->link = &schedule->flying;
    if (NULL != slot->next) {
        slot->next->link = &slot->next;
    }
    schedule->flying = slot;
}

static void slot_landed(slot_t *slot)
{
    *slot->link = slot->next;
    if (NULL != slot->next) {
        slot->next->link = slot->link;
    }
    slot_return(slot);
}

/* ---- what is ready ------------------------------------------------------ */

static void queue(schedule_t *schedule)
{
    if (schedule->queued) {
        return;
    }
    schedule->queued = true;
    schedule->next = NULL;
    *all.last = schedule;
    all.last = &schedule->next;
}

/* The first one leaves the list. */
static void leave(schedule_t *schedule)
{
    assert(schedule == all.first);
    all.first = schedule->next;
    if (NULL == all.first) {
        all.last = &all.first;
    }
    schedule->queued = false;
}

static void ready(schedule_t *schedule, uint32_t op)
{
    schedule->ops[op].next = NONE;
    if (NONE == schedule->first_ready) {
        schedule->first_ready = op;
    } else {
        schedule->ops[schedule->last_ready].next = op;
    }
    schedule->last_ready = op;
    queue(schedule);
}

static void fail(schedule_t *schedule, int error)
{
    if (MPI_SUCCESS == schedule->error) {
        schedule->error = error;
    }
    schedule->first_ready = NONE;
    for (slot_t *slot = schedule->flying, *next; NULL != slot; slot = next) {
        next = slot->next;
        if (MCA_PML_REQUEST_RECV == slot->super.super.req_type &&
            slot->recv.recv.posted) {
            mca_pml_champion_recv_cancelled(&slot->recv.recv);
        }
    }
    queue(schedule);
}

/* An operation is complete: those that waited for it may begin. */
static void on_op_end(schedule_t *schedule, uint32_t op, int error)
{
    uint32_t edge = schedule->ops[op].first;

    --schedule->left;
    if (OPAL_UNLIKELY(MPI_SUCCESS != error)) {
        fail(schedule, error);
    }
    if (OPAL_UNLIKELY(MPI_SUCCESS != schedule->error)) {
        queue(schedule);
        return;
    }
    for (; NONE != edge; edge = schedule->edges[edge].next) {
        const uint32_t after = schedule->edges[edge].op;

        if (0 == --schedule->ops[after].waits) {
            ready(schedule, after);
        }
    }
    if (0 == schedule->left) {
        queue(schedule);
    }
}

/* ---- messages ----------------------------------------------------------- */

/* A message is complete, successfully or not. */
static void on_message_end(slot_t *slot)
{
    schedule_t *schedule = slot->schedule;
    const uint32_t op = slot->op;
    int error = MPI_SUCCESS;

    if (MCA_PML_REQUEST_SEND == slot->super.super.req_type) {
        error = slot->send.send.error;
    } else if (MCA_PML_CHAMPION_FAILED & slot->super.state) {
        error = slot->super.error;
    }
    slot_landed(slot);
    on_op_end(schedule, op, error);
}

static bool begin_send(schedule_t *schedule, op_t *op)
{
    slot_t *slot = slot_take(schedule, MCA_PML_CHAMPION_INTERNAL_MESSAGE);
    mca_pml_champion_send_t *send;

    if (OPAL_UNLIKELY(NULL == slot)) {
        return false;
    }
    slot_flies(slot, (uint32_t) (op - schedule->ops));
    slot->super.super.req_type = MCA_PML_REQUEST_SEND;
    send = &slot->send.send;
    send->request = &slot->super;
    mca_pml_champion_send_describe(send, op->from, op->count, &ompi_mpi_byte.dt,
                                   MCA_PML_BASE_SEND_STANDARD, NULL);
    mca_pml_champion_send_start(send, schedule->tag - op->tag,
                                mca_pml_champion_comm(schedule->comm), op->peer,
                                0);
    if (0 == send->pending) {
        on_message_end(slot);
    }
    return true;
}

static bool begin_recv(schedule_t *schedule, op_t *op)
{
    mca_pml_champion_comm_t *comm = mca_pml_champion_comm(schedule->comm);
    slot_t *slot = slot_take(schedule, MCA_PML_CHAMPION_INTERNAL_MESSAGE);
    mca_pml_champion_recv_t *recv;
    mca_mq_entry_t *entry;

    if (OPAL_UNLIKELY(NULL == slot)) {
        return false;
    }
    slot_flies(slot, (uint32_t) (op - schedule->ops));
    slot->super.super.req_type = MCA_PML_REQUEST_RECV;
    recv = &slot->recv.recv;
    recv->request = &slot->super;
    recv->status = &slot->super.super.req_ompi.req_status;
    recv->status->MPI_ERROR = MPI_SUCCESS;
    mca_pml_champion_recv_prepare(recv, op->to, op->count, &ompi_mpi_byte.dt,
                                  NULL);
    recv->offload.flags = 0;
    recv->entry.envelope = (mca_mq_envelope_t){
        .context = comm->context,
        .source = op->rank,
        .tag = schedule->tag - op->tag,
    };
    recv->posted = true;
    entry = mca_mq_base_post(comm->domain, &recv->entry);
    if (NULL != entry) {
        mca_pml_champion_message_deliver((mca_pml_champion_message_t *) entry,
                                         recv);
    }
    return true;
}

/* ---- advancing ---------------------------------------------------------- */

/* Make a piece of a reduction or copy. Returns its size in bytes; the operation
 * is complete if its count is 0. */
static size_t local_piece(const schedule_t *schedule, op_t *op)
{
    const bool reduces = MCA_PML_CHAMPION_SCHEDULE_REDUCE == op->kind;
    const size_t unit = reduces ? schedule->extent : 1;
    size_t most = MCA_PML_CHAMPION_SCHEDULE_PIECE / unit;
    size_t count = op->count < most ? op->count : most;

    if (reduces) {
        ompi_op_reduce(schedule->op, (void *) (uintptr_t) op->from, op->to,
                       count, schedule->datatype);
    } else {
        memcpy(op->to, op->from, count);
    }
    op->from = (const char *) op->from + count * unit;
    op->to = (char *) op->to + count * unit;
    op->count -= count;
    return count * unit;
}

/* Begin what is ready; returns how many bytes were reduced or copied. */
static size_t run(schedule_t *schedule, size_t limit)
{
    size_t bytes = 0;

    while (NONE != schedule->first_ready && bytes < limit) {
        const uint32_t index = schedule->first_ready;
        op_t *op = &schedule->ops[index];
        bool begun = true;

        if (MCA_PML_CHAMPION_SCHEDULE_SEND == op->kind ||
            MCA_PML_CHAMPION_SCHEDULE_RECV == op->kind) {
            schedule->first_ready = op->next;
            begun = MCA_PML_CHAMPION_SCHEDULE_SEND == op->kind
                        ? begin_send(schedule, op)
                        : begin_recv(schedule, op);
            ++mca_pml_champion.counters.coll_messages;
            mca_pml_champion.counters.coll_by_thread +=
                mca_pml_champion.in_thread;
        } else {
            bytes += local_piece(schedule, op);
            if (0 == op->count) {
                schedule->first_ready = op->next;
                on_op_end(schedule, index, MPI_SUCCESS);
            }
        }
        if (OPAL_UNLIKELY(!begun)) {
            fail(schedule, MPI_ERR_NO_MEM);
        }
    }
    return bytes;
}

/* Is nothing left, or, after an error, nothing under way? */
static bool is_over(const schedule_t *schedule)
{
    return MPI_SUCCESS == schedule->error ? 0 == schedule->left
                                          : NULL == schedule->flying;
}

/* Its owner may start or free it from now on: it must be in no list. */
static void end(schedule_t *schedule)
{
    assert(!schedule->queued);
    --mca_pml_champion.schedules;
    mca_pml_champion_standstill_ends(&schedule->delay);
    mca_pml_champion_request_push(&schedule->end->super);
}

/* Take the messages of schedules out of the completed requests. */
static void gather(void)
{
    mca_pml_champion_request_t **at = &mca_pml_champion.completed, *request;

    if (all.seen == mca_pml_champion.completed_tail) {
        return;
    }
    while (NULL != (request = *at)) {
        if (MCA_PML_CHAMPION_INTERNAL_MESSAGE != request->internal) {
            at = &request->next;
            continue;
        }
        *at = request->next;
        if (NULL == *at) {
            mca_pml_champion.completed_tail = at;
        }
        on_message_end((slot_t *) request);
    }
    all.seen = mca_pml_champion.completed_tail;
}

/* If something can go on, have progress come back. */
static void chore_update(void)
{
    const bool more = NULL != all.first;

    if (more == CHORE.polls) {
        return;
    }
    CHORE.polls = more;
    mca_pml_champion_chore_set(
        &CHORE, more || 0 != mca_pml_champion_standstill_watched);
    if (more) {
        mca_pml_champion_inflight_begin(); /* so that progress is not idle */
        mca_pml_champion_wake_tell();
    } else {
        mca_pml_champion_inflight_end();
    }
}

/* Let the schedules go on, up to a piece of local work. Returns whether any
 * did. Lock held. */
static bool advance(void)
{
    size_t bytes = 0;
    schedule_t *schedule;

    MCA_PML_CHAMPION_LOCKED();
    gather();
    if (NULL == all.first) {
        chore_update();
        return false;
    }
    while (NULL != (schedule = all.first) &&
           bytes < MCA_PML_CHAMPION_SCHEDULE_PIECE) {
        bytes += run(schedule, MCA_PML_CHAMPION_SCHEDULE_PIECE - bytes);
        leave(schedule);
        if (NONE != schedule->first_ready) {
            queue(schedule);
        } else if (is_over(schedule)) {
            end(schedule);
        }
        gather();
    }
    chore_update();
    return true;
}

/* UCX was polled: let the schedules go on. */
static unsigned advance_after_poll(void)
{
    if (mca_pml_champion_standstill_watching()) {
        gather();
        mca_pml_champion_standstill_on_poll(NULL != all.first);
    }
    return advance();
}

/* ---- in the program's calls --------------------------------------------- */

/* A call of the program has popped a request of a schedule from the queue of
 * completed requests. Without the lock. */
static void on_popped(mca_pml_champion_request_t *request)
{
    slot_t *slot = (slot_t *) request;
    mca_pml_champion_request_t *completed;
    schedule_t *over = NULL;

    mca_pml_champion_lock();
    if (MCA_PML_CHAMPION_INTERNAL_END == request->internal) {
        over = slot->schedule;
        slot_return(slot);
    } else {
        on_message_end(slot);
    }
    (void) advance();
    completed = mca_pml_champion_request_pop_all();
    mca_pml_champion_unlock();
    if (NULL != over) {
        over->on_end(over);
    }
    mca_pml_champion_request_complete_all(completed);
}

static bool is_remote(const schedule_t *schedule, int rank)
{
    const ompi_proc_t *proc = ompi_comm_peer_lookup(schedule->comm, rank);

    return !OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags) ||
           mca_pml_champion.params.thread_within_node;
}

/* How much the schedule sends to other nodes, or receives from them. */
static size_t remote_bytes(const schedule_t *schedule)
{
    size_t sent = 0, received = 0;
    bool remote = false;
    int rank = -1;

    for (uint32_t i = 0; i < schedule->num_ops; ++i) {
        const op_t *op = &schedule->ops[i];

        if (MCA_PML_CHAMPION_SCHEDULE_SEND != op->kind &&
            MCA_PML_CHAMPION_SCHEDULE_RECV != op->kind) {
            continue;
        }
        if (op->rank != rank) {
            rank = op->rank;
            remote = is_remote(schedule, rank);
        }
        if (remote) {
            *(MCA_PML_CHAMPION_SCHEDULE_SEND == op->kind ? &sent : &received) +=
                op->count;
        }
    }
    return sent > received ? sent : received;
}

/* Connect to the processes that a schedule sends to. Without the lock. */
static int connect_all(schedule_t *schedule)
{
    for (uint32_t i = 0; i < schedule->num_ops; ++i) {
        op_t *op = &schedule->ops[i];

        if (MCA_PML_CHAMPION_SCHEDULE_SEND != op->kind) {
            continue;
        }
        op->peer = mca_pml_champion_peer_get(schedule->comm, op->rank);
        if (NULL == op->peer) {
            return OMPI_ERR_UNREACH;
        }
    }
    schedule->remote = remote_bytes(schedule);
    return OMPI_SUCCESS;
}

static void begin(schedule_t *schedule)
{
    assert(!schedule->queued);
    ++mca_pml_champion.counters.coll_started;
    ++mca_pml_champion.schedules;
    schedule->error = MPI_SUCCESS;
    schedule->flying = NULL;
    schedule->left = schedule->num_ops;
    schedule->first_ready = NONE;
    mca_pml_champion_standstill_begins(&schedule->delay, schedule->remote);
    queue(schedule);
    for (uint32_t i = 0; i < schedule->num_ops; ++i) {
        if (0 == schedule->ops[i].waits) {
            ready(schedule, i);
        }
    }
    (void) advance();
}

static int start(schedule_t *schedule)
{
    int rc = connect_all(schedule);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    mca_pml_champion_lock();
    schedule->end = slot_take(schedule, MCA_PML_CHAMPION_INTERNAL_END);
    if (NULL == schedule->end) {
        mca_pml_champion_unlock();
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    begin(schedule);
    (void) mca_pml_champion_unlock_and_complete();
    return OMPI_SUCCESS;
}

const mca_pml_champion_schedule_calls_t mca_pml_champion_schedule_calls = {
    .start = start,
};

static int schedules_open(void)
{
    CHORE.step = advance_after_poll;
    mca_pml_champion_standstill_open();
    mca_pml_champion_request_on_popped = on_popped;
    return OMPI_SUCCESS;
}

static void schedules_close(void)
{
    chunk_t *chunk;

    while (NULL != (chunk = all.chunks)) {
        all.chunks = chunk->next;
        free(chunk);
    }
    all.free = NULL;
    all.first = NULL;
    all.last = &all.first;
    all.seen = NULL;
    /* What the program has not waited for is forgotten, in a next life, too. */
    chore_update();
    mca_pml_champion_standstill_close();
    mca_pml_champion.schedules = 0;
}

MCA_PML_CHAMPION_UNIT(schedules) = {
    .name = "schedules",
    .open = schedules_open,
    .close = schedules_close,
};
