/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/stuck/look.h"

#include <stdio.h>
#include <string.h>

#include "ompi/mca/pml/champion/match/arrival.h"
#include "ompi/mca/pml/champion/match/message.h"
#include "ompi/mca/pml/champion/match/request.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/progress/pause.h"
#include "ompi/mca/pml/champion/shm/rings.h"

typedef mca_pml_champion_stuck_item_t item_t;
typedef mca_pml_champion_stuck_state_t state_t;

/* ---- items ---- */

static uint32_t vpid_in(ompi_group_t *group, int rank)
{
    const opal_process_name_t name = ompi_group_get_proc_name(group, rank);

    return name.jobid == mca_pml_champion.my_jobid
               ? name.vpid
               : MCA_PML_CHAMPION_STUCK_FOREIGN;
}

/* The process that has a rank of a communicator. */
static uint32_t vpid_of(const ompi_communicator_t *comm, int rank)
{
    ompi_group_t *group = comm->c_remote_group;

    if (rank >= 0 && rank < ompi_group_size(group)) {
        return vpid_in(group, rank);
    }
    for (int i = 0; i < ompi_group_size(group); ++i) {
        if (MCA_PML_CHAMPION_STUCK_FOREIGN == vpid_in(group, i)) {
            return MCA_PML_CHAMPION_STUCK_FOREIGN;
        }
    }
    return MCA_PML_CHAMPION_STUCK_ANY;
}

static uint32_t received;

static void add_received(mca_pml_champion_peer_t *peer)
{
    if (!peer->self && peer->name.jobid == mca_pml_champion.my_jobid) {
        received += peer->recv_sequence;
    }
}

/* The messages that have come from a process of this job, or from all others. */
static uint32_t received_from(uint32_t vpid)
{
    const mca_pml_champion_peer_t *peer = vpid < mca_pml_champion.job_size
                                              ? mca_pml_champion.job_peers[vpid]
                                              : NULL;

    if (MCA_PML_CHAMPION_STUCK_ANY == vpid) {
        received = 0;
        mca_pml_champion_peers_each(add_received);
        return received;
    }
    return NULL == peer ? 0 : peer->recv_sequence;
}

static item_t item(mca_pml_champion_stuck_kind_t kind,
                   const mca_pml_champion_comm_t *comm, int rank, int tag,
                   uint64_t bytes)
{
    item_t made = {
        .kind = kind,
        .vpid = vpid_of(comm->comm, rank),
        .rank = rank < 0 ? -1 : rank,
        .tag = tag,
        .context = comm->context,
        .count = 1,
        .bytes = bytes,
    };
    const char *name = comm->comm->c_name;

    made.messages = received_from(made.vpid);
    if (NULL == name || 0 == *name) {
        name = "a communicator";
    }
    snprintf(made.comm, sizeof(made.comm), "%.*s", (int) sizeof(made.comm) - 1,
             name);
    return made;
}

static void add(state_t *state, const item_t *made)
{
    if (state->items < MCA_PML_CHAMPION_STUCK_ITEMS) {
        state->item[state->items++] = *made;
    }
    ++state->items_all;
}

static void add_receive(state_t *state, mca_pml_champion_stuck_kind_t kind,
                        const mca_mq_envelope_t *envelope, uint64_t bytes)
{
    const mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(envelope->context);
    item_t made;

    if (NULL == comm || state->items >= MCA_PML_CHAMPION_STUCK_ITEMS) {
        ++state->items_all;
        return;
    }
    made = item(kind, comm, envelope->source, envelope->tag, bytes);
    add(state, &made);
}

static void add_send(state_t *state, const mca_pml_champion_send_t *send)
{
    const mca_pml_champion_header_t *header = &send->header.super.super;
    const mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(header->context);
    item_t made;

    if (NULL == comm) {
        ++state->items_all;
        return;
    }
    made =
        item(MCA_PML_CHAMPION_STUCK_SEND, comm, -1, header->tag, send->length);
    made.vpid = send->peer->name.jobid == mca_pml_champion.my_jobid
                    ? send->peer->name.vpid
                    : MCA_PML_CHAMPION_STUCK_FOREIGN;
    made.messages = send->peer->send_sequence;
    add(state, &made);
}

/* ---- what the call waits for ---- */

/* What a look has met, beside the items. */
typedef struct seen_t {
    state_t *state;
    uint32_t internal;    /* awaited receives of Open MPI's own */
    uint32_t sends;       /* awaited */
    uint32_t plans;       /* awaited, of coll/champion */
    uint32_t collectives; /* awaited; of one, its communicator is here */
    const ompi_communicator_t *comm;
    const mca_mq_entry_t *entry; /* looked for */
    bool found;
    unsigned searches; /* in queues */
} seen_t;

static void compare(mca_mq_entry_t *entry, void *arg)
{
    seen_t *seen = arg;

    seen->found |= entry == seen->entry;
}

/* Has no message matched the receive? */
static bool is_posted(seen_t *seen, const mca_pml_champion_recv_t *recv)
{
    const uint32_t context = recv->entry.envelope.context;
    const mca_pml_champion_comm_t *comm = mca_pml_champion_comm_find(context);

    seen->entry = &recv->entry;
    seen->found = false;
    if (NULL != comm && recv->posted) { /* MPI_Mrecv does not fill it in */
        mca_mq_base_visit(comm->domain->module, MCA_MQ_POSTED, &context,
                          compare, seen);
    }
    return seen->found;
}

/* Collective operations of Open MPI have tags of their own. */
static bool is_internal(const mca_mq_envelope_t *envelope)
{
    return envelope->tag < -1;
}

/* A receive that has matched goes on by itself: it is no item. Of many receives some
 * are looked for, as queues may be long: others may have matched. */
enum { SEARCHES = 64 };

static void add_recv(seen_t *seen, const mca_pml_champion_recv_t *recv)
{
    const mca_mq_envelope_t *envelope = &recv->entry.envelope;
    state_t *state = seen->state;

    if (state->items >= MCA_PML_CHAMPION_STUCK_ITEMS) {
        ++state->items_all;
        seen->internal += is_internal(envelope);
    } else if (++seen->searches <= SEARCHES && is_posted(seen, recv)) {
        add_receive(state, MCA_PML_CHAMPION_STUCK_RECEIVE, envelope,
                    recv->capacity);
        seen->internal += is_internal(envelope);
    } else {
        ++state->items_all;
        ++state->transfers;
    }
}

static void add_posted(mca_mq_entry_t *entry, void *arg)
{
    const mca_pml_champion_recv_t *recv = (mca_pml_champion_recv_t *) entry;
    seen_t *seen = arg;

    add_receive(seen->state, MCA_PML_CHAMPION_STUCK_RECEIVE, &entry->envelope,
                recv->capacity);
    seen->internal += is_internal(&entry->envelope);
}

/* The same of Open MPI's own, on the communicator, if that is known. */
static void add_posted_internal(mca_mq_entry_t *entry, void *arg)
{
    const seen_t *seen = arg;
    const mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(entry->envelope.context);

    if (is_internal(&entry->envelope) && NULL != comm &&
        (NULL == seen->comm || comm->comm == seen->comm)) {
        add_posted(entry, arg);
    }
}

static void count_internal(mca_mq_entry_t *entry, void *count)
{
    *(uint32_t *) count += is_internal(&entry->envelope);
}

typedef void (*visit_fn_t)(mca_mq_entry_t *entry, void *arg);

static void visit_all(mca_mq_queue_t queue, visit_fn_t visit, void *arg)
{
    for (uint32_t i = 0; i < mca_pml_champion.num_comms; ++i) {
        const mca_pml_champion_comm_t *comm = mca_pml_champion_comm_at(i);

        if (NULL != comm) {
            mca_mq_base_visit(comm->domain->module, queue, &comm->context,
                              visit, arg);
        }
    }
}

/* A request of another kind. Of those of collective operations it is known what
 * libnbc and coll/champion wait for: receives on their communicator. */
static void add_other(seen_t *seen, const ompi_request_t *request)
{
    const char *kind = ((const opal_object_t *) request)->obj_class->cls_name;
    const bool plan = 0 == strcmp(kind, "mca_coll_champion_plan_t");

    ++seen->state->items_all;
    if (OMPI_REQUEST_COLL == request->req_type &&
        (plan || 0 == strcmp(kind, "ompi_coll_libnbc_request_t")) &&
        NULL != request->req_mpi_object.comm) {
        ++seen->collectives;
        seen->plans += plan;
        seen->comm = request->req_mpi_object.comm;
    }
}

static void add_request(seen_t *seen, ompi_request_t *request)
{
    const opal_class_t *kind = ((opal_object_t *) request)->obj_class;

    if (REQUEST_COMPLETED ==
            __atomic_load_n(&request->req_complete, __ATOMIC_ACQUIRE) ||
        OMPI_REQUEST_INACTIVE == request->req_state) {
        return;
    }
    if (OBJ_CLASS(mca_pml_champion_send_request_t) == kind) {
        add_send(seen->state,
                 &((mca_pml_champion_send_request_t *) request)->send);
        ++seen->sends;
    } else if (OBJ_CLASS(mca_pml_champion_recv_request_t) == kind) {
        add_recv(seen, &((mca_pml_champion_recv_request_t *) request)->recv);
    } else {
        add_other(seen, request);
    }
}

#define CONTAINER(pointer, type, member)                                       \
    ((const type *) ((const char *) (pointer) -offsetof(type, member)))

static void add_wait(seen_t *seen, const mca_pml_champion_note_t *note)
{
    const mca_pml_champion_prober_t *prober;

    seen->state->one = note->one;
    switch (note->what) {
    case MCA_PML_CHAMPION_FOR_REQUESTS:
        for (size_t i = 0; i < note->count; ++i) {
            add_request(seen, ((ompi_request_t *const *) note->of)[i]);
        }
        break;
    case MCA_PML_CHAMPION_FOR_RECEIVE:
        add_recv(seen, CONTAINER(note->of, mca_pml_champion_recv_t, done));
        break;
    case MCA_PML_CHAMPION_FOR_SEND:
        add_send(seen->state,
                 CONTAINER(note->of, mca_pml_champion_send_t, done));
        ++seen->sends;
        break;
    case MCA_PML_CHAMPION_FOR_PROBE:
        prober = CONTAINER(note->of, mca_pml_champion_prober_t, found);
        add_receive(seen->state, MCA_PML_CHAMPION_STUCK_PROBE,
                    &prober->envelope, 0);
        break;
    default:
        break;
    }
}

/* Queued receives in place of the requests. One may be enough: the wait is for
 * whichever of them is next, or for a send. */
static void add_queued(seen_t *seen, visit_fn_t visit)
{
    seen->state->items_all = 0 != mca_pml_champion.active_sends;
    seen->state->one = true;
    visit_all(MCA_MQ_POSTED, visit, seen);
}

/* Does the call wait for receives of Open MPI's own, without a request of a known
 * kind? From 5.0 on it may wait for PMIx. */
static bool makes_communicator(const char *call)
{
    return MCA_MQ_OMPI_MAJOR < 5 && (0 == strcmp(call, "MPI_Comm_dup") ||
                                     0 == strcmp(call, "MPI_Comm_split"));
}

/* May the process send something while it waits? Threads may, MPI itself for
 * collective operations that are not awaited, and with fault tolerance each wait
 * may end. Of receives at UCX nothing is known. */
static bool does_more(const seen_t *seen)
{
    uint32_t internal = 0;

    visit_all(MCA_MQ_POSTED, count_internal, &internal);
    return mca_pml_champion.multiple || MCA_MQ_OMPI_FT_ENABLED ||
           mca_pml_champion.slow_calls || internal > seen->internal ||
           mca_pml_champion.schedules > seen->plans ||
           mca_pml_champion.active_sends > seen->sends;
}

/* ---- messages that are there ---- */

/* Is the message one that the first item nearly is for? */
static bool is_near(const state_t *state, const item_t *message)
{
    const item_t *wanted = &state->item[0];

    return 0 != state->items &&
           (message->vpid == wanted->vpid || message->tag == wanted->tag);
}

static void add_message(mca_mq_entry_t *entry, void *arg)
{
    const mca_pml_champion_message_t *message =
        (mca_pml_champion_message_t *) entry;
    const mca_mq_envelope_t *envelope = &entry->envelope;
    const mca_pml_champion_comm_t *comm;
    state_t *state = arg;
    item_t made;

    if (envelope->tag < 0) {
        return;
    }
    for (uint32_t i = 0; i < state->nears; ++i) {
        item_t *near = &state->near[i];

        if (near->rank == envelope->source && near->tag == envelope->tag &&
            near->context == envelope->context) {
            ++near->count;
            return;
        }
    }
    comm = mca_pml_champion_comm_find(envelope->context);
    if (NULL == comm) {
        return;
    }
    made = item(MCA_PML_CHAMPION_STUCK_MESSAGE, comm, envelope->source,
                envelope->tag, message->length);
    if (state->nears < MCA_PML_CHAMPION_STUCK_NEAR) {
        state->near[state->nears++] = made;
        return;
    }
    for (uint32_t i = 0; i < state->nears && is_near(state, &made); ++i) {
        if (!is_near(state, &state->near[i])) {
            state->near[i] = made;
            return;
        }
    }
}

/* ---- the state ---- */

static bool begins(const char *call, const char *words)
{
    return 0 == strncmp(call, words, strlen(words));
}

static bool is_one_of(const char *call, const char *const *some)
{
    while (NULL != *some && !begins(call, *some)) {
        ++some;
    }
    return NULL != *some;
}

static bool polls(const char *call)
{
    static const char *const some[] = {
        "MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status", NULL,
    };

    return is_one_of(call, some);
}

static mca_pml_champion_stuck_where_t where(const char *call)
{
    return 0 == *call    ? mca_pml_champion.ending ? MCA_PML_CHAMPION_STUCK_ENDS
                                                   : MCA_PML_CHAMPION_STUCK_OUTSIDE
           : polls(call) ? MCA_PML_CHAMPION_STUCK_POLLS
                         : MCA_PML_CHAMPION_STUCK_WAITS;
}

static uint64_t moved;

static void add_moved(mca_pml_champion_peer_t *peer)
{
    moved += peer->send_sequence + peer->recv_sequence;
}

uint64_t mca_pml_champion_stuck_moved(void)
{
    MCA_PML_CHAMPION_LOCKED();
    moved = 0;
    mca_pml_champion_peers_each(add_moved);
    return moved;
}

void mca_pml_champion_stuck_look(const char *call,
                                 mca_pml_champion_stuck_state_t *state)
{
    seen_t seen = {.state = state};

    MCA_PML_CHAMPION_LOCKED();
    memset(state, 0, sizeof(*state));
    state->vpid = OPAL_PROC_MY_NAME.vpid;
    state->moved = mca_pml_champion_stuck_moved();
    state->transfers =
        mca_pml_champion.fetches + mca_pml_champion_rings.copying.polls;
    state->where = where(call);
    snprintf(state->call, sizeof(state->call), "%s",
             MCA_PML_CHAMPION_STUCK_ENDS == state->where ? "MPI_Finalize"
                                                         : call);
    if (mca_pml_champion_note.paused) {
        add_wait(&seen, &mca_pml_champion_note);
    }
    if (0 == state->items && MCA_PML_CHAMPION_STUCK_POLLS == state->where) {
        add_queued(&seen, add_posted);
    } else if (0 == state->items && 1 == state->items_all &&
               1 == seen.collectives) {
        add_queued(&seen, add_posted_internal);
    } else if (0 == state->items && 1 >= state->items_all &&
               makes_communicator(call)) {
        seen.plans = 1; /* all receives are items: one of them is its own */
        add_queued(&seen, add_posted_internal);
    }
    state->more = does_more(&seen);
    visit_all(MCA_MQ_UNEXPECTED, add_message, state);
}
