/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Disconnecting two processes of different jobs: each joins and leaves
 * communicators, sends and makes progress at any time, control messages arrive
 * late, and one process may fail. In the end both have closed their endpoints,
 * or both are connected.
 */

#include "ompi/mca/pml/champion/match/disconnect.c"
#include "ompi/mca/pml/champion/core/chores.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "pml_random.h"

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
    mca_pml_champion_t champion;
    mca_pml_champion_peer_t *due;
    uint32_t met;
    mca_pml_champion_peer_t peer; /* the other one */
    opal_proc_t self;
    ompi_proc_t other; /* as Open MPI knows it */
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

mca_pml_champion_t mca_pml_champion;
mca_pml_champion_peer_t *mca_pml_champion_peers_due;
mca_pml_champion_chore_t mca_pml_champion_peers_chore = {.polls = true};
ucp_err_handler_cb_t mca_pml_champion_peer_lost;
#if !defined(NDEBUG)
_Thread_local bool mca_pml_champion_lock_mine = true;
#endif

static side_t sides[SIDES];
static int me; /* the side whose state is in place */

static side_t *mine(void)
{
    return &sides[me];
}

static side_t *theirs(void)
{
    return &sides[1 - me];
}

static void take_place(int i)
{
    mine()->champion = mca_pml_champion;
    mine()->due = mca_pml_champion_peers_due;
    mine()->met = met;
    me = i;
    mca_pml_champion = mine()->champion;
    mca_pml_champion_peers_due = mine()->due;
    met = mine()->met;
}

/* ---- what stands for the rest of the component, Open MPI and UCX -------- */

static bool no_address; /* UCX fails to return an address */
static ucs_status_t say_status;
static bool failing; /* the other process has failed: messages may be lost */
static mca_pml_champion_ctrl_msg_handler_t handler;
static bool flush_at_once;
static unsigned
    count_of[MCA_PML_CHAMPION_DISCONNECT_KINDS]; /* control messages by kind */

opal_proc_t *opal_proc_local_get(void)
{
    return &mine()->self;
}

#if MCA_MQ_OMPI_MAJOR < 5 /* later it is inline, and does just that */
ompi_proc_t *ompi_group_get_proc_ptr_raw(ompi_group_t *group, int rank)
{
    return group->grp_proc_pointers[rank];
}
#endif

const char *ucs_status_string(ucs_status_t status)
{
    return "lost";
}

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
static unsigned char byte_of(int side, int at)
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
        assert_int_equal(byte_of(1 - me, i), ((unsigned char *) address)[i]);
    }
    ++mine()->num_endpoints;
    *ep = (endpoint_t){.side = me, .open = true};
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
    assert_int_equal(mine()->self.proc_name.jobid, told->jobid);
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
        ((unsigned char *) attr->address)[i] = byte_of(me, i);
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
    assert_int_equal(me, ep->side);
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

static void join(int i)
{
    bool others = false;

    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_disconnect_join(
                                       &mine()->comms[i], &others));
    assert_true(others);
}

static void leave(int i)
{
    mca_pml_champion_disconnect_leave(&mine()->comms[i]);
}

/* How the program looks a peer up: directly, or as one that must be connected
 * first. NULL: the connection is being closed. */
static mca_pml_champion_peer_t *find_peer(void)
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

static bool send_one(void)
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

static void end_one(void)
{
    --mine()->ending;
    mca_pml_champion_peer_send_ended(&mine()->peer);
}

/* Deliver the oldest message of the other side. */
static void message_comes(void)
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
static uint32_t piece_comes(void)
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
static void word_comes(void)
{
    while (MCA_PML_CHAMPION_DISCONNECT_ADDRESS == piece_comes()) {
    }
}

static void flush_ends(ucs_status_t status)
{
    mine()->flushes = false;
    flush_callback(&flush_request, status, mine()->flushing);
}

static void step(void)
{
    (void) mca_pml_champion_chores_step();
}

/* ---- before and after each test ----------------------------------------- */

static void open_side(int i, opal_vpid_t vpid)
{
    side_t *side = &sides[i];

    memset(side, 0, sizeof(*side));
    side->self.proc_name = (opal_process_name_t){.jobid = 1 + (uint32_t) i};
    side->self.proc_name.vpid = vpid;
    side->peer.name = (opal_process_name_t){.jobid = 2 - (uint32_t) i};
    side->other.super.proc_name = side->peer.name;
    side->others[0] = &side->other;
    side->group.grp_proc_pointers = side->others;
    side->group.grp_proc_count = 1;
    side->champion.my_jobid = side->self.proc_name.jobid;
    for (int k = 0; k < COMMS; ++k) {
        side->comms[k].c_remote_group = &side->group;
        side->comms[k].c_flags = OMPI_COMM_INTER;
    }
}

static int begin(void **state)
{
    failing = no_address = flush_at_once = false;
    say_status = UCS_OK;
    flush_requests = 0;
    memset(count_of, 0, sizeof(count_of));
    for (int i = 0; i < SIDES; ++i) {
        take_place(1 - i);
        open_side(i, 0);
    }
    memset(&sides[me], 0, sizeof(sides[me]));
    open_side(me, 0);
    mca_pml_champion = mine()->champion;
    mca_pml_champion_peers_due = NULL;
    met = 0;
    mca_pml_champion_closes = true;
    mca_pml_champion_disconnect_open();
    take_place(LEADER);
    return 0;
}

static int end(void **state)
{
    for (int i = 0; i < SIDES; ++i) {
        take_place(i);
        free(mine()->peer.link.address);
        free(mine()->peer.link.coming);
        mine()->peer.link.address = mine()->peer.link.coming = NULL;
    }
    return 0;
}

/* ---- tests of single steps ---------------------------------------------- */

/* Connect both sides, with one message from each. */
static void meet(void)
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

static void at(int side, void (*action)(void))
{
    take_place(side);
    action();
}

static void leave_first(void)
{
    leave(0);
}

static void join_first(void)
{
    join(0);
}

static bool is_closed(int side)
{
    take_place(side);
    return NULL == mine()->peer.ep && NULL == mine()->peer.link.address &&
           MCA_PML_CHAMPION_CONNECTED == mine()->peer.link.stage &&
           0 == mca_pml_champion.chores && 0 == mine()->num_said;
}

static bool is_connected(int side)
{
    take_place(side);
    return NULL != mine()->peer.ep && 0 == mca_pml_champion.chores &&
           MCA_PML_CHAMPION_CONNECTED == mine()->peer.link.stage;
}

static void the_last_to_leave_begins_and_both_close(void **state)
{
    for (int last = 0; last < SIDES; ++last) {
        end(state);
        begin(state);
        meet();
        at(1 - last, leave_first);
        at(1 - last, step);
        at(last, leave_first);
        at(last, step);
        for (int i = 0; i < 6; ++i) {
            take_place(i % SIDES);
            while (theirs()->num_said > 0) {
                word_comes();
            }
            step();
            if (mine()->flushes) {
                flush_ends(UCS_OK);
                step();
            }
        }
        assert_true(is_closed(LEADER));
        assert_true(is_closed(FOLLOWER));
        assert_int_equal(1, sides[LEADER].parted);
        assert_int_equal(1, sides[FOLLOWER].parted);
        assert_int_equal(0, flush_requests);
    }
}

static void a_leader_that_is_not_idle_declines(void **state)
{
    meet();
    at(FOLLOWER, leave_first);
    at(FOLLOWER, step);
    assert_int_equal(MCA_PML_CHAMPION_DISCONNECT_OFFERED,
                     sides[FOLLOWER].peer.link.stage);
    at(FOLLOWER, join_first);
    assert_null(find_peer()); /* its sends wait */
    at(LEADER, word_comes);
    step();
    at(FOLLOWER, word_comes);
    step();
    assert_true(is_connected(LEADER));
    assert_true(is_connected(FOLLOWER));
    assert_true(send_one());
    assert_int_equal(1, count_of[MCA_PML_CHAMPION_DISCONNECT_DECLINE]);
}

static void no_side_closes_before_the_last_message(void **state)
{
    meet();
    take_place(FOLLOWER);
    assert_true(send_one());
    end_one();
    leave(0);
    step();
    at(LEADER, leave_first);
    word_comes(); /* OFFER overtakes the message */
    for (int i = 0; i < 3; ++i) {
        step();
        assert_int_equal(1, mca_pml_champion.chores);
        assert_non_null(mine()->peer.ep);
    }
    flush_at_once = true;
    message_comes();
    step();
    assert_null(mine()->peer.ep);
    at(FOLLOWER, step);
    while (theirs()->num_said > 0) {
        word_comes();
    }
    step();
    assert_true(is_closed(FOLLOWER));
}

/* The side that closes has no endpoint; it connects by the address that the
 * request to close contains. */
static void a_process_that_never_sent_connects_to_close(void **state)
{
    flush_at_once = true;
    at(FOLLOWER, join_first);
    at(LEADER, join_first);
    assert_true(send_one());
    end_one();
    at(FOLLOWER, message_comes);
    leave(0);
    step(); /* the message cannot be sent */
    assert_null(mine()->peer.ep);
    at(LEADER, leave_first);
    step();
    at(FOLLOWER, word_comes);
    step();
    assert_non_null(mine()->peer.ep);
    at(LEADER, word_comes);
    step();
    at(FOLLOWER, word_comes);
    step();
    assert_true(is_closed(LEADER));
    assert_true(is_closed(FOLLOWER));
    assert_int_equal(1, sides[FOLLOWER].num_endpoints);
}

/* The leader agrees, and UCX has flushed. */
static void agree_to_close(void)
{
    meet();
    at(FOLLOWER, leave_first);
    at(FOLLOWER, step);
    at(LEADER, leave_first);
    word_comes();
    step();
}

static void meet_again(int side)
{
    at(side, join_first);
    assert_true(send_one());
    end_one();
}

/* Sequence numbers continue: the last one before was that of the previous
 * connection. */
static void messages_of_the_next_connection_keep_nobody_waiting(void **state)
{
    flush_at_once = true;
    agree_to_close();
    meet_again(LEADER);
    at(FOLLOWER, word_comes); /* AGREE */
    message_comes();
    step();
    assert_true(is_closed(FOLLOWER));
    assert_int_equal(1, mine()->parted);
}

static void a_question_of_the_next_connection_is_answered(void **state)
{
    flush_at_once = true;
    agree_to_close();
    meet_again(LEADER);
    leave(0);
    step(); /* ASK */
    at(FOLLOWER, word_comes);
    word_comes();
    message_comes();
    step();
    step();
    at(LEADER, word_comes);
    step();
    at(FOLLOWER, word_comes);
    step();
    assert_true(is_closed(LEADER));
    assert_true(is_closed(FOLLOWER));
    assert_int_equal(2, sides[LEADER].parted);
    assert_int_equal(2, sides[FOLLOWER].parted);
}

static void an_offer_of_the_next_connection_is_answered(void **state)
{
    agree_to_close();
    at(FOLLOWER, word_comes);
    step();
    meet_again(FOLLOWER);
    leave(0);
    step(); /* OFFER, before the leader has closed */
    at(LEADER, message_comes);
    word_comes();
    step();
    flush_ends(UCS_OK);
    flush_at_once = true;
    step();
    step();
    at(FOLLOWER, word_comes);
    step();
    assert_true(is_closed(LEADER));
    assert_true(is_closed(FOLLOWER));
    assert_int_equal(2, sides[LEADER].parted);
}

static void a_flush_that_fails_closes_as_well(void **state)
{
    meet();
    at(FOLLOWER, leave_first);
    at(FOLLOWER, step);
    at(LEADER, leave_first);
    word_comes();
    step();
    assert_true(mine()->flushes);
    failing = true;
    flush_ends(UCS_ERR_ENDPOINT_TIMEOUT);
    step();
    assert_null(mine()->peer.ep);
    assert_int_equal(MCA_PML_CHAMPION_CONNECTED, mine()->peer.link.stage);
}

static void a_control_message_that_fails_changes_nothing(void **state)
{
    meet();
    no_address = true;
    at(FOLLOWER, leave_first);
    at(FOLLOWER, step);
    assert_true(is_connected(FOLLOWER));
    at(LEADER, leave_first);
    at(LEADER, step);
    assert_true(is_connected(LEADER));
    assert_int_equal(0, sides[LEADER].num_said);
}

/* UCX refuses the message: the other side has gone. */
static void a_peer_that_cannot_be_sent_to_is_lost(void **state)
{
    for (int i = 0; i < SIDES; ++i) {
        end(state);
        begin(state);
        meet();
        failing = true;
        say_status = UCS_ERR_CONNECTION_RESET;
        at(i, leave_first);
        for (int k = 0; k < 3; ++k) {
            step();
        }
        assert_true(is_closed(i));
    }
}

static void lose(void)
{
    mca_pml_champion_peer_lost(&mine()->peer, mine()->peer.ep,
                               UCS_ERR_ENDPOINT_TIMEOUT);
}

static void a_lost_peer_is_closed_when_idle(void **state)
{
    meet();
    failing = true;
    at(LEADER, lose);
    step();
    assert_true(is_connected(LEADER));
    leave(0);
    step();
    assert_true(is_closed(LEADER));
    /* UCX reports an endpoint that is closed. */
    join(0);
    assert_true(send_one());
    mca_pml_champion_peer_lost(&mine()->peer, (ucp_ep_h) &mine()->endpoints[0],
                               UCS_ERR_ENDPOINT_TIMEOUT);
    step();
    assert_true(is_connected(LEADER));
    assert_int_equal(0, mine()->peer.link.events);
}

/* Invalid messages: they are rejected and change nothing. */
static void invalid_control_messages_are_refused(void **state)
{
    static const struct {
        uint32_t what;
        size_t address;
        mca_pml_champion_ctrl_msg_verdict_t verdict;
    } cases[] = {
        {MCA_PML_CHAMPION_DISCONNECT_KINDS, 0, MCA_PML_CHAMPION_CTRL_MSG_KIND},
        {UINT32_MAX, 0, MCA_PML_CHAMPION_CTRL_MSG_KIND},
        {MCA_PML_CHAMPION_DISCONNECT_ASK, 8, MCA_PML_CHAMPION_CTRL_MSG_LONG},
        {MCA_PML_CHAMPION_DISCONNECT_OFFER, 8, MCA_PML_CHAMPION_CTRL_MSG_LONG},
        {MCA_PML_CHAMPION_DISCONNECT_ADDRESS, 0,
         MCA_PML_CHAMPION_CTRL_MSG_SHORT},
        {MCA_PML_CHAMPION_DISCONNECT_AGREE, 8, MCA_PML_CHAMPION_CTRL_MSG_LONG},
        {MCA_PML_CHAMPION_DISCONNECT_DECLINE, 8,
         MCA_PML_CHAMPION_CTRL_MSG_LONG},
    };
    unsigned char bytes[sizeof(mca_pml_champion_disconnect_t) + 8];
    mca_pml_champion_disconnect_t told = {.jobid = 2};

    memset(bytes, 0, sizeof(bytes));
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
        told.what = cases[i].what;
        memcpy(bytes, &told, sizeof(told));
        assert_int_equal(
            cases[i].verdict,
            handler(&mine()->peer, bytes, sizeof(told) + cases[i].address));
    }
    mine()->peer.name.jobid = mca_pml_champion.my_jobid;
    told.what = MCA_PML_CHAMPION_DISCONNECT_AGREE;
    memcpy(bytes, &told, sizeof(told));
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_SENDER,
                     handler(&mine()->peer, bytes, sizeof(told)));
    assert_int_equal(0, mca_pml_champion.chores);
}

/* Pieces of an address that are not what was said: none is kept. */
static void wrong_pieces_make_no_address(void **state)
{
    static const struct {
        uint32_t at, length;
        size_t piece;
    } cases[] = {{8, 16, 8},          {0, 4, 8},  {0, 1 << 24, 8},
                 {0, 16, 8},          {9, 16, 8}, {0, 16, 8},
                 {8, UINT32_MAX, 16}, {0, 0, 8},  {0, UINT32_MAX, 8}};
    unsigned char bytes[sizeof(mca_pml_champion_disconnect_t) + 16];
    mca_pml_champion_disconnect_t told = {
        .jobid = 2, .what = MCA_PML_CHAMPION_DISCONNECT_ADDRESS};

    memset(bytes, 0, sizeof(bytes));
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
        told.sequence = cases[i].at;
        told.length = cases[i].length;
        memcpy(bytes, &told, sizeof(told));
        assert_int_equal(
            MCA_PML_CHAMPION_CTRL_MSG_GOOD,
            handler(&mine()->peer, bytes, sizeof(told) + cases[i].piece));
        assert_true(NULL == mine()->peer.link.coming ||
                    mine()->peer.link.coming->came <
                        mine()->peer.link.coming->length);
    }
}

/* A process that has sent, asks to disconnect and ends. */
static void nobody_connects_to_a_peer_that_has_ended(void **state)
{
    const pid_t pid = fork();
    mca_pml_champion_disconnect_t told = {
        .jobid = 2,
        .what = MCA_PML_CHAMPION_DISCONNECT_ADDRESS,
        .length = 8,
        .place = place,
        .pid = pid,
    };
    unsigned char bytes[sizeof(told) + 8];

    if (0 == pid) {
        _exit(0);
    }
    assert_true(pid > 0);
    assert_int_not_equal(0, place);
    assert_int_equal(pid, waitpid(pid, NULL, 0));
    memset(bytes, 0, sizeof(bytes));
    memcpy(bytes, &told, sizeof(told));
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_GOOD,
                     handler(&mine()->peer, bytes, sizeof(bytes)));
    told.what = MCA_PML_CHAMPION_DISCONNECT_OFFER;
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_GOOD,
                     handler(&mine()->peer, &told, sizeof(told)));
    step();
    assert_null(mine()->peer.ep);
    assert_int_equal(0, mine()->num_endpoints);
    assert_int_equal(0, mca_pml_champion.chores);
}

/* Peers of this job are never disconnected. */
static void others_come_by_an_intercommunicator_first(void **state)
{
    bool others = true;

    mine()->comms[0].c_flags = 0;
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_disconnect_join(
                                       &mine()->comms[0], &others));
    assert_false(others);
    join(1);
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_disconnect_join(
                                       &mine()->comms[0], &others));
    assert_true(others);
    assert_int_equal(2, mine()->peer.link.comms);
    /* A peer of this job is in the communicator. */
    mine()->other.super.proc_name.jobid = mca_pml_champion.my_jobid;
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_disconnect_join(
                                       &mine()->comms[0], &others));
    assert_false(others);
    leave(0);
    assert_int_equal(2, mine()->peer.link.comms);
    /* There is no memory for one. */
    mine()->other.super.proc_name.jobid = 77;
    assert_int_equal(OMPI_ERR_OUT_OF_RESOURCE, mca_pml_champion_disconnect_join(
                                                   &mine()->comms[1], &others));
    assert_int_equal(2, mine()->peer.link.comms);
}

static void nothing_is_left_at_the_end(void **state)
{
    meet();
    at(LEADER, leave_first);
    assert_int_equal(1, mca_pml_champion.chores);
    mca_pml_champion_disconnect_fini();
    assert_int_equal(0, mca_pml_champion.chores);
    assert_null(mca_pml_champion_peers_due);
    assert_null(mca_pml_champion_peer_lost);
    mca_pml_champion_disconnect_fini();
    assert_int_equal(0, mca_pml_champion.chores);
    mca_pml_champion_closes = false;
    mca_pml_champion_disconnect_open();
    assert_null(mca_pml_champion_peer_lost);
}

/* ---- everything at any time --------------------------------------------- */

static unsigned joined[SIDES];

/* Actions of the program. */
static void program_acts(void)
{
    switch (pml_random_below(8)) {
    case 0:
        if (joined[me] < COMMS) {
            join((int) joined[me]++);
        }
        break;
    case 1:
    case 2:
        if (joined[me] > 0) {
            leave((int) --joined[me]);
        }
        break;
    case 3:
    case 4:
        if (joined[me] > 0) {
            (void) send_one();
        }
        break;
    default:
        if (mine()->ending > 0) {
            end_one();
        }
    }
}

/* Actions of UCX, and progress. */
static void progress_acts(void)
{
    switch (pml_random_below(5)) {
    case 0:
        if (theirs()->num_sent > 0) {
            message_comes();
        }
        break;
    case 1:
    case 2:
        if (theirs()->num_said > 0) {
            (void) piece_comes();
        }
        break;
    case 3:
        if (mine()->flushes && pml_random_percent(50)) {
            flush_ends(UCS_OK);
        }
        break;
    default:
        step();
    }
}

static void check_side(void)
{
    const mca_pml_champion_peer_t *peer = &mine()->peer;

    assert_int_equal(joined[me], peer->link.comms);
    assert_int_equal(mine()->ending, peer->link.active);
    assert_int_equal(peer->link.due, mca_pml_champion.chores);
    assert_int_equal(NULL != peer->ep,
                     mine()->num_endpoints > 0 &&
                         mine()->endpoints[mine()->num_endpoints - 1].open);
    if (MCA_PML_CHAMPION_CONNECTED != peer->link.stage) {
        assert_non_null(peer->ep);
        assert_int_equal(0, peer->link.active);
    }
}

static void act(uint32_t program)
{
    take_place((int) pml_random_below(SIDES));
    if (mine()->dead) {
        return;
    }
    flush_at_once = pml_random_percent(30);
    if (pml_random_percent(program)) {
        program_acts();
    } else {
        progress_acts();
    }
    check_side();
}

/* Deliver all messages, in any order, until nothing changes. */
static void settle(void)
{
    for (int i = 0; i < 500; ++i) {
        act(0);
    }
    for (int i = 0; i < SIDES; ++i) {
        take_place(i);
        while (mine()->ending > 0) {
            end_one();
        }
    }
    for (int i = 0; i < 500; ++i) {
        act(0);
    }
}

static void check_settled(void)
{
    for (int i = 0; i < SIDES; ++i) {
        take_place(i);
        if (mine()->dead) {
            continue;
        }
        assert_int_equal(0, mca_pml_champion.chores);
        assert_int_equal(MCA_PML_CHAMPION_CONNECTED, mine()->peer.link.stage);
        assert_int_equal(0, mine()->num_said);
        assert_int_equal(0, mine()->num_sent);
        assert_false(mine()->flushes);
    }
}

static void leave_all(void)
{
    for (int i = 0; i < SIDES; ++i) {
        take_place(i);
        while (joined[i] > 0 && !mine()->dead) {
            leave((int) --joined[i]);
        }
    }
}

static void begin_round(void **state)
{
    end(state);
    begin(state);
    memset(joined, 0, sizeof(joined));
    for (int i = 0; i < SIDES; ++i) { /* sequence numbers wrap soon */
        sides[i].peer.send_sequence = sides[1 - i].peer.recv_sequence =
            0 - pml_random_below(30);
    }
}

static void in_the_end_both_have_closed(void **state)
{
    unsigned parted = 0, declined = 0;

    for (int round = 0; round < 300; ++round) {
        const uint32_t program = 10 + pml_random_below(60);

        begin_round(state);
        for (int i = 0; i < 600; ++i) {
            act(program);
        }
        settle();
        check_settled();
        leave_all();
        settle();
        check_settled();
        assert_true(is_closed(LEADER));
        assert_true(is_closed(FOLLOWER));
        assert_int_equal(sides[LEADER].num_endpoints,
                         sides[FOLLOWER].num_endpoints);
        assert_int_equal(sides[LEADER].parted, sides[FOLLOWER].parted);
        parted += sides[LEADER].parted;
        declined += count_of[MCA_PML_CHAMPION_DISCONNECT_DECLINE];
    }
    /* Otherwise the test has checked nothing. */
    assert_true(parted > 400);
    assert_true(declined > 100);
}

/* A process ends without disconnecting; UCX reports it at some time. */
static void die(int i)
{
    take_place(1 - i);
    failing = true;
    mine()->num_said = mine()->num_sent = 0;
    theirs()->num_said = pml_random_below(theirs()->num_said + 1);
    theirs()->num_sent = pml_random_below(theirs()->num_sent + 1);
    theirs()->dead = true;
}

static void notice(void)
{
    if (mine()->flushes) {
        flush_ends(UCS_ERR_ENDPOINT_TIMEOUT);
    }
    if (NULL != mine()->peer.ep) {
        lose();
    }
}

static void a_side_whose_peer_has_failed_closes(void **state)
{
    for (int round = 0; round < 300; ++round) {
        const int survivor = (int) pml_random_below(SIDES);

        begin_round(state);
        for (int i = 0; i < (int) pml_random_below(300); ++i) {
            act(50);
        }
        die(1 - survivor);
        for (int i = 0; i < 30; ++i) {
            act(50);
        }
        at(survivor, notice);
        settle();
        leave_all();
        settle();
        at(survivor, notice); /* for what it has connected since */
        settle();
        take_place(survivor);
        assert_null(mine()->peer.ep);
        assert_int_equal(0, mca_pml_champion.chores);
        assert_int_equal(MCA_PML_CHAMPION_CONNECTED, mine()->peer.link.stage);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_last_to_leave_begins_and_both_close),
        TEST(a_leader_that_is_not_idle_declines),
        TEST(no_side_closes_before_the_last_message),
        TEST(a_process_that_never_sent_connects_to_close),
        TEST(messages_of_the_next_connection_keep_nobody_waiting),
        TEST(a_question_of_the_next_connection_is_answered),
        TEST(an_offer_of_the_next_connection_is_answered),
        TEST(a_flush_that_fails_closes_as_well),
        TEST(a_control_message_that_fails_changes_nothing),
        TEST(a_peer_that_cannot_be_sent_to_is_lost),
        TEST(a_lost_peer_is_closed_when_idle),
        TEST(invalid_control_messages_are_refused),
        TEST(wrong_pieces_make_no_address),
        TEST(nobody_connects_to_a_peer_that_has_ended),
        TEST(others_come_by_an_intercommunicator_first),
        TEST(nothing_is_left_at_the_end),
        TEST(in_the_end_both_have_closed),
        TEST(a_side_whose_peer_has_failed_closes),
    };

    pml_random_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
