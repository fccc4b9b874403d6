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
#include "ompi/mca/pml/champion/stuck/call.h"

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
        return;
    }
    made =
        item(MCA_PML_CHAMPION_STUCK_SEND, comm, -1, header->tag, send->length);
    made.vpid = send->peer->name.jobid == mca_pml_champion.my_jobid
                    ? send->peer->name.vpid
                    : MCA_PML_CHAMPION_STUCK_ANY;
    add(state, &made);
}

/* ---- what the call waits for ---- */

typedef struct search_t {
    const mca_mq_entry_t *entry;
    bool found;
} search_t;

static void compare(mca_mq_entry_t *entry, void *arg)
{
    search_t *search = arg;

    search->found |= entry == search->entry;
}

/* Has no message matched the receive? */
static bool is_posted(const mca_pml_champion_recv_t *recv)
{
    const uint32_t context = recv->entry.envelope.context;
    const mca_pml_champion_comm_t *comm = mca_pml_champion_comm_find(context);
    search_t search = {.entry = &recv->entry};

    if (NULL != comm) {
        mca_mq_base_visit(comm->domain->module, MCA_MQ_POSTED, &context,
                          compare, &search);
    }
    return search.found;
}

/* UCX may have matched it, and does not say so. */
static bool is_at_ucx(const mca_pml_champion_recv_t *recv)
{
    return mca_pml_champion.slow_calls && /* else that is not filled in */
           0 != (recv->offload.flags & MCA_PML_CHAMPION_TRACKED_AT_UCX);
}

/* A receive that has matched goes on by itself: it is no item. */
static void add_recv(state_t *state, const mca_pml_champion_recv_t *recv)
{
    if (state->items < MCA_PML_CHAMPION_STUCK_ITEMS && !is_at_ucx(recv) &&
        is_posted(recv)) {
        add_receive(state, MCA_PML_CHAMPION_STUCK_RECEIVE,
                    &recv->entry.envelope, recv->capacity);
    } else {
        ++state->items_all;
    }
}

static void add_posted(mca_mq_entry_t *entry, void *arg)
{
    const mca_pml_champion_recv_t *recv = (mca_pml_champion_recv_t *) entry;
    state_t *state = arg;

    if (is_at_ucx(recv)) {
        ++state->items_all;
    } else {
        add_receive(state, MCA_PML_CHAMPION_STUCK_RECEIVE, &entry->envelope,
                    recv->capacity);
    }
}

/* The same of Open MPI's own, by which collective operations wait. */
static void add_posted_internal(mca_mq_entry_t *entry, void *state)
{
    if (entry->envelope.tag < -1) {
        add_posted(entry, state);
    }
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

/* Returns whether it is one of a collective operation. */
static bool add_request(state_t *state, ompi_request_t *request)
{
    mca_pml_base_request_t *base = (mca_pml_base_request_t *) request;

    if (REQUEST_COMPLETED ==
            __atomic_load_n(&request->req_complete, __ATOMIC_ACQUIRE) ||
        OMPI_REQUEST_INACTIVE == request->req_state) {
        return false;
    }
    if (OMPI_REQUEST_PML != request->req_type) {
        ++state->items_all;
        return OMPI_REQUEST_COLL == request->req_type;
    }
    if (MCA_PML_REQUEST_SEND == base->req_type) {
        add_send(state, &((mca_pml_champion_send_request_t *) request)->send);
    } else {
        add_recv(state, &((mca_pml_champion_recv_request_t *) request)->recv);
    }
    return false;
}

#define CONTAINER(pointer, type, member)                                       \
    ((const type *) ((const char *) (pointer) -offsetof(type, member)))

/* Returns how many of them are of collective operations. */
static uint32_t add_wait(state_t *state, const mca_pml_champion_note_t *note)
{
    const mca_pml_champion_prober_t *prober;
    uint32_t collective = 0;

    switch (note->what) {
    case MCA_PML_CHAMPION_FOR_REQUESTS:
        for (size_t i = 0; i < note->count; ++i) {
            collective +=
                add_request(state, ((ompi_request_t *const *) note->of)[i]);
        }
        break;
    case MCA_PML_CHAMPION_FOR_RECEIVE:
        add_recv(state, CONTAINER(note->of, mca_pml_champion_recv_t, done));
        break;
    case MCA_PML_CHAMPION_FOR_SEND:
        add_send(state, CONTAINER(note->of, mca_pml_champion_send_t, done));
        break;
    case MCA_PML_CHAMPION_FOR_PROBE:
        prober = CONTAINER(note->of, mca_pml_champion_prober_t, found);
        add_receive(state, MCA_PML_CHAMPION_STUCK_PROBE, &prober->envelope, 0);
        break;
    default:
        break;
    }
    return collective;
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
    const mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(envelope->context);
    state_t *state = arg;
    item_t made;

    if (envelope->tag < 0 || NULL == comm) {
        return;
    }
    made = item(MCA_PML_CHAMPION_STUCK_MESSAGE, comm, envelope->source,
                envelope->tag, message->length);
    for (uint32_t i = 0; i < state->nears; ++i) {
        item_t *near = &state->near[i];

        if (near->vpid == made.vpid && near->tag == made.tag &&
            near->context == made.context) {
            ++near->count;
            return;
        }
    }
    if (state->nears < MCA_PML_CHAMPION_STUCK_NEAR) {
        state->near[state->nears++] = made;
    } else if (is_near(state, &made)) {
        for (uint32_t i = 0; i < state->nears; ++i) {
            if (!is_near(state, &state->near[i])) {
                state->near[i] = made;
                return;
            }
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

static bool takes_one(const char *call)
{
    static const char *const some[] = {
        "MPI_Waitany", "MPI_Waitsome", "MPI_Testany", "MPI_Testsome", NULL,
    };

    return is_one_of(call, some);
}

/* Does the call wait for messages of Open MPI alone? Some others, as those on
 * windows and files, or MPI_Comm_accept, wait for more. */
static bool is_collective(const char *call)
{
    static const char *const some[] = {
        "MPI_Barrier",    "MPI_Bcast",           "MPI_Gather",
        "MPI_Scatter",    "MPI_Allgather",       "MPI_Alltoall",
        "MPI_Reduce",     "MPI_Allreduce",       "MPI_Scan",
        "MPI_Exscan",     "MPI_Neighbor_",       "MPI_Comm_dup",
        "MPI_Comm_split", "MPI_Comm_create",     "MPI_Cart_create",
        "MPI_Cart_sub",   "MPI_Intercomm_merge", NULL,
    };

    return is_one_of(call, some);
}

static mca_pml_champion_stuck_where_t where(const char *call)
{
    return 0 == *call                     ? MCA_PML_CHAMPION_STUCK_OUTSIDE
           : begins(call, "MPI_Finalize") ? MCA_PML_CHAMPION_STUCK_ENDS
           : polls(call)                  ? MCA_PML_CHAMPION_STUCK_POLLS
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

/* Collective operations wait for whichever of their receives is next, and all
 * of them look alike: one may be enough. So it may be for a call that polls. */
static void add_queued(state_t *state, visit_fn_t visit)
{
    state->items_all = 0;
    state->one = true;
    visit_all(MCA_MQ_POSTED, visit, state);
}

void mca_pml_champion_stuck_look(mca_pml_champion_stuck_state_t *state)
{
    uint32_t collective = 0;

    MCA_PML_CHAMPION_LOCKED();
    memset(state, 0, sizeof(*state));
    state->vpid = OPAL_PROC_MY_NAME.vpid;
    state->moved = mca_pml_champion_stuck_moved();
    state->threads = mca_pml_champion.multiple;
    state->transfers = mca_pml_champion.fetches;
    if (!mca_pml_champion_call_name(state->call, sizeof(state->call)) &&
        mca_pml_champion.ending) { /* it is no function with a frame */
        snprintf(state->call, sizeof(state->call), "MPI_Finalize");
    }
    state->where = where(state->call);
    state->one = takes_one(state->call);
    if (mca_pml_champion_note.paused) {
        collective = add_wait(state, &mca_pml_champion_note);
    }
    if (0 == state->items && MCA_PML_CHAMPION_STUCK_POLLS == state->where) {
        add_queued(state, add_posted);
    } else if (0 == state->items && state->items_all == collective &&
               (0 != collective || is_collective(state->call))) {
        add_queued(state, add_posted_internal);
    }
    visit_all(MCA_MQ_UNEXPECTED, add_message, state);
}
