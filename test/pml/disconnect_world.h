/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two processes of different jobs, which join and leave communicators, send and
 * disconnect: for test_disconnect and test_disconnect_random.
 */

#ifndef TEST_PML_DISCONNECT_WORLD_H
#define TEST_PML_DISCONNECT_WORLD_H

/* Included for its state, of which each process has its own. */
#include "ompi/mca/pml/champion/match/disconnect.c"

#include "pml_world.h"

/* The process with the smaller name is the leader. */
enum { LEADER, FOLLOWER, SIDES };

enum { COMMS = 2, SENDS = 6, WIRE = 512, ENDPOINTS = 4096, ADDRESS = 100 };

/* ---- the two processes -------------------------------------------------- */

/* An endpoint of UCX. The i-th one that a side creates is paired with the i-th
 * one of the other side. */
typedef struct endpoint_t {
    int side;
    bool open;
} endpoint_t;

/* A message under way. */
typedef struct wire_t {
    const endpoint_t *ep;
    unsigned char bytes[sizeof(mca_pml_champion_disconnect_t) +
                        MCA_PML_CHAMPION_DISCONNECT_PIECE];
    size_t length;
} wire_t;

typedef struct side_t {
    mca_pml_champion_peer_t peer; /* the other one */
    ompi_proc_t other;            /* as Open MPI knows it */
    ompi_proc_t *others[1];
    ompi_group_t group;
    ompi_communicator_t comms[COMMS];
    /* What it has sent and what has not arrived, oldest first: control messages
     * and messages of the program. UCX does not order the two kinds with each
     * other. */
    wire_t said[WIRE];
    const endpoint_t *sent[WIRE];
    unsigned num_said, num_sent;
    unsigned ending; /* sends that are not complete */
    bool flushes;    /* UCX is flushing */
    mca_pml_champion_peer_t *flushing;
    endpoint_t endpoints[ENDPOINTS];
    unsigned num_endpoints;
    unsigned parted;
    bool dead;
} side_t;

mca_pml_champion_peer_t *mca_pml_champion_peers_due;
mca_pml_champion_chore_t mca_pml_champion_peers_chore = {.polls = true};
ucp_err_handler_cb_t mca_pml_champion_peer_on_lost;

static const pml_part_t process_parts[] = {
    {&mca_pml_champion, sizeof(mca_pml_champion)},
    {&mca_pml_champion_peers_due, sizeof(mca_pml_champion_peers_due)},
    {&met, sizeof(met)},
    {NULL, 0},
};

static side_t sides[SIDES];

static inline side_t *mine(void)
{
    return &sides[pml_me];
}

static inline side_t *theirs(void)
{
    return &sides[1 - pml_me];
}

static inline void take_place(int i)
{
    pml_world_at(i);
    OPAL_PROC_MY_NAME = (opal_process_name_t){.jobid = 1 + (uint32_t) i};
}

/* ---- what stands for the rest of the component, Open MPI and UCX -------- */

static bool no_address; /* UCX fails to return an address */
static ucs_status_t say_status;
static bool failing; /* the other process has failed: messages may be lost */
static mca_pml_champion_ctrl_msg_handler_t handler;
static bool flush_at_once;
static unsigned
    count_of[MCA_PML_CHAMPION_DISCONNECT_KINDS]; /* control messages by kind */

#if MCA_MQ_OMPI_MAJOR < 5 /* later it is inline, and does just that */
ompi_proc_t *ompi_group_get_proc_ptr_raw(ompi_group_t *group, int rank)
{
    return group->grp_proc_pointers[rank];
}
#endif

mca_pml_champion_peer_t *mca_pml_champion_peer_find(
    const opal_process_name_t *name)
{
    assert_int_equal(0, name->vpid);
    return name->jobid == mine()->peer.name.jobid ? &mine()->peer : NULL;
}

void mca_pml_champion_peer_due(mca_pml_champion_peer_t *peer, unsigned news)
{
    peer->link.events |= (uint8_t) news;
    if (!peer->link.due) {
        peer->link.due = true;
        mca_pml_champion_chore_set(&mca_pml_champion_peers_chore, true);
        peer->link.next_due = mca_pml_champion_peers_due;
        mca_pml_champion_peers_due = peer;
    }
}

/* Of the address of a side. */
static inline unsigned char byte_of(int side, int at)
{
    return (unsigned char) (100 * side + at);
}

static const char modex[] = "an address of Open MPI's";

int mca_pml_champion_peer_connect_to(mca_pml_champion_peer_t *peer,
                                     const void *address, bool parts)
{
    endpoint_t *ep = &mine()->endpoints[mine()->num_endpoints];

    assert_true(mine()->num_endpoints < ENDPOINTS);
    assert_null(peer->ep);
    for (int i = 0; i < ADDRESS && address != modex; ++i) {
        assert_int_equal(byte_of(1 - pml_me, i),
                         ((unsigned char *) address)[i]);
    }
    ++mine()->num_endpoints;
    *ep = (endpoint_t){.side = pml_me, .open = true};
    peer->link.closes = parts;
    peer->ep = (ucp_ep_h) ep;
    return OMPI_SUCCESS;
}

void mca_pml_champion_flow_reset(mca_pml_champion_peer_t *peer)
{
    assert_null(peer->ep);
    ++mine()->parted;
}

void mca_pml_champion_ctrl_msg_register(
    const mca_pml_champion_ctrl_msg_kind_t *kind)
{
    assert_int_equal(MCA_PML_CHAMPION_AM_DISCONNECT, kind->id);
    assert_true(kind->always);
    handler = kind->handler;
}

ucs_status_t mca_pml_champion_ctrl_msg_send(mca_pml_champion_peer_t *peer,
                                            unsigned id, const void *data,
                                            size_t length, uint32_t flags)
{
    const mca_pml_champion_disconnect_t *told = data;
    wire_t *wire = &mine()->said[mine()->num_said];

    assert_int_equal(MCA_PML_CHAMPION_AM_DISCONNECT, id);
    assert_int_equal(0, flags);
    assert_non_null(peer->ep);
    assert_true(((endpoint_t *) peer->ep)->open);
    assert_int_equal(OPAL_PROC_MY_NAME.jobid, told->jobid);
    assert_true(told->what < MCA_PML_CHAMPION_DISCONNECT_KINDS);
    ++count_of[told->what];
    if (UCS_OK != say_status) {
        return say_status;
    }
    if (theirs()->dead) {
        return UCS_OK; /* the message is lost */
    }
    assert_true(mine()->num_said < WIRE);
    assert_true(length <= sizeof(wire->bytes));
    ++mine()->num_said;
    wire->ep = (endpoint_t *) peer->ep;
    wire->length = length;
    memcpy(wire->bytes, data, length);
    return UCS_OK;
}

ucs_status_t ucp_worker_query(ucp_worker_h worker, ucp_worker_attr_t *attr)
{
    if (no_address) {
        return UCS_ERR_NO_MEMORY;
    }
    attr->address = malloc(ADDRESS);
    attr->address_length = ADDRESS;
    assert_non_null(attr->address);
    for (int i = 0; i < ADDRESS; ++i) {
        ((unsigned char *) attr->address)[i] = byte_of(pml_me, i);
    }
    return UCS_OK;
}

void ucp_worker_release_address(ucp_worker_h worker, ucp_address_t *address)
{
    free(address);
}

/* No message of the other side may be under way to this endpoint: it would be
 * lost. */
ucs_status_ptr_t ucp_ep_close_nbx(ucp_ep_h handle,
                                  const ucp_request_param_t *param)
{
    endpoint_t *ep = (endpoint_t *) handle;
    const ptrdiff_t number = ep - mine()->endpoints;
    const endpoint_t *pair = &theirs()->endpoints[number];

    assert_true(0 != (param->op_attr_mask & UCP_OP_ATTR_FIELD_FLAGS));
    assert_int_equal(UCP_EP_CLOSE_FLAG_FORCE, param->flags);
    assert_int_equal(pml_me, ep->side);
    assert_true(ep->open);
    ep->open = false;
    for (unsigned i = 0; i < theirs()->num_sent && !failing; ++i) {
        assert_ptr_not_equal(pair, theirs()->sent[i]);
    }
    for (unsigned i = 0; i < theirs()->num_said && !failing; ++i) {
        assert_ptr_not_equal(pair, theirs()->said[i].ep);
    }
    assert_true(failing || 0 == mine()->peer.link.active);
    return NULL;
}

static int flush_request;
static unsigned flush_requests; /* flush requests that were not freed */
static ucp_send_nbx_callback_t flush_callback;

ucs_status_ptr_t ucp_ep_flush_nbx(ucp_ep_h ep, const ucp_request_param_t *param)
{
    assert_true(((endpoint_t *) ep)->open);
    assert_true(0 != (param->op_attr_mask & UCP_OP_ATTR_FIELD_CALLBACK));
    assert_false(mine()->flushes);
    if (flush_at_once) {
        return NULL;
    }
    mine()->flushes = true;
    mine()->flushing = param->user_data;
    flush_callback = param->cb.send;
    ++flush_requests;
    return &flush_request;
}

void ucp_request_free(void *request)
{
    assert_ptr_equal(&flush_request, request);
    assert_true(flush_requests > 0);
    --flush_requests;
}

/* ---- what a process does ------------------------------------------------ */

static inline void join(int i)
{
    bool others = false;

    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_disconnect_join(
                                       &mine()->comms[i], &others));
    assert_true(others);
}

static inline void leave(int i)
{
    mca_pml_champion_disconnect_leave(&mine()->comms[i]);
}

/* How the program looks a peer up: directly, or as one that must be connected
 * first. NULL: the connection is being closed. */
static inline mca_pml_champion_peer_t *find_peer(void)
{
    mca_pml_champion_peer_t *peer = &mine()->peer;
    void **known = &mine()->other.proc_endpoints[OMPI_PROC_ENDPOINT_TAG_PML];

    if (NULL != *known) {
        return *known;
    }
    if (MCA_PML_CHAMPION_CONNECTED != peer->link.stage) {
        return NULL;
    }
    if (NULL == peer->ep) {
        mca_pml_champion_peer_connect_to(peer, modex, true);
    }
    *known = peer;
    return peer;
}

static inline bool send_one(void)
{
    mca_pml_champion_peer_t *peer = find_peer();

    if (NULL == peer || WIRE == mine()->num_sent || SENDS == mine()->ending) {
        return false;
    }
    /* Guarantees for a peer that may be sent to. */
    assert_int_equal(MCA_PML_CHAMPION_CONNECTED, peer->link.stage);
    assert_non_null(peer->ep);
    assert_true(((endpoint_t *) peer->ep)->open);
    ++peer->send_sequence;
    ++peer->link.active;
    ++mine()->ending;
    if (!theirs()->dead) {
        mine()->sent[mine()->num_sent++] = (endpoint_t *) peer->ep;
    }
    return true;
}

static inline void end_one(void)
{
    --mine()->ending;
    mca_pml_champion_peer_send_ended(&mine()->peer);
}

/* Deliver the oldest message of the other side. */
static inline void message_comes(void)
{
    const endpoint_t *ep = theirs()->sent[0];
    const endpoint_t *pair = &mine()->endpoints[ep - theirs()->endpoints];

    assert_true(failing || pair->open ||
                pair >= mine()->endpoints + mine()->num_endpoints);
    memmove(theirs()->sent, theirs()->sent + 1,
            --theirs()->num_sent * sizeof(*theirs()->sent));
    ++mine()->peer.recv_sequence;
}

/* Deliver the oldest control message of the other side. Returns its kind. */
static inline uint32_t piece_comes(void)
{
    const wire_t wire = theirs()->said[0];
    mca_pml_champion_disconnect_t told;

    assert_true(theirs()->num_said > 0);
    memmove(theirs()->said, theirs()->said + 1,
            --theirs()->num_said * sizeof(*theirs()->said));
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_GOOD,
                     handler(&mine()->peer, wire.bytes, wire.length));
    memcpy(&told, wire.bytes, sizeof(told));
    return told.what;
}

/* The same, with the address that goes ahead of it. */
static inline void word_comes(void)
{
    while (MCA_PML_CHAMPION_DISCONNECT_ADDRESS == piece_comes()) {
    }
}

static inline void flush_ends(ucs_status_t status)
{
    mine()->flushes = false;
    flush_callback(&flush_request, status, mine()->flushing);
}

static inline void step(void)
{
    (void) mca_pml_champion_chores_step();
}

/* ---- before and after each test ----------------------------------------- */

static inline void open_side(int i)
{
    side_t *side = &sides[i];

    take_place(i);
    memset(side, 0, sizeof(*side));
    side->peer.name = (opal_process_name_t){.jobid = 2 - (uint32_t) i};
    side->other.super.proc_name = side->peer.name;
    side->others[0] = &side->other;
    side->group.grp_proc_pointers = side->others;
    side->group.grp_proc_count = 1;
    mca_pml_champion.my_jobid = OPAL_PROC_MY_NAME.jobid;
    for (int k = 0; k < COMMS; ++k) {
        side->comms[k].c_remote_group = &side->group;
        side->comms[k].c_flags = OMPI_COMM_INTER;
    }
}

static inline int begin(void **state)
{
    failing = no_address = flush_at_once = false;
    say_status = UCS_OK;
    flush_requests = 0;
    memset(count_of, 0, sizeof(count_of));
    pml_world_populate(SIDES, process_parts);
    open_side(FOLLOWER);
    open_side(LEADER);
    mca_pml_champion_closes = true;
    mca_pml_champion_disconnect_open();
    return 0;
}

static inline int end(void **state)
{
    for (int i = 0; i < SIDES; ++i) {
        take_place(i);
        free(mine()->peer.link.address);
        free(mine()->peer.link.coming);
        mine()->peer.link.address = mine()->peer.link.coming = NULL;
    }
    return 0;
}

/* Connect both sides, with one message from each. */
static inline void meet(void)
{
    for (int i = 0; i < SIDES; ++i) {
        take_place(i);
        join(0);
        assert_true(send_one());
        end_one();
    }
    for (int i = 0; i < SIDES; ++i) {
        take_place(i);
        message_comes();
    }
}

static inline void at(int side, void (*action)(void))
{
    take_place(side);
    action();
}

static inline void leave_first(void)
{
    leave(0);
}

/* A side leaves, and makes progress. */
static inline void leaves(int side)
{
    at(side, leave_first);
    step();
}

/* A side gets a control message, and makes progress. */
static inline void hears(int side)
{
    at(side, word_comes);
    step();
}

static inline void join_first(void)
{
    join(0);
}

static inline bool is_closed(int side)
{
    take_place(side);
    return NULL == mine()->peer.ep && NULL == mine()->peer.link.address &&
           MCA_PML_CHAMPION_CONNECTED == mine()->peer.link.stage &&
           0 == mca_pml_champion.chores && 0 == mine()->num_said;
}

static inline bool both_are_closed(void)
{
    return is_closed(LEADER) && is_closed(FOLLOWER);
}

static inline bool is_connected(int side)
{
    take_place(side);
    return NULL != mine()->peer.ep && 0 == mca_pml_champion.chores &&
           MCA_PML_CHAMPION_CONNECTED == mine()->peer.link.stage;
}

static inline void lose(void)
{
    mca_pml_champion_peer_on_lost(&mine()->peer, mine()->peer.ep,
                                  UCS_ERR_ENDPOINT_TIMEOUT);
}

#define TEST(name) UNIT_TEST_WITH(name, begin, end)

#endif /* TEST_PML_DISCONNECT_WORLD_H */
