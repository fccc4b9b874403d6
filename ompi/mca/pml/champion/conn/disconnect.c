/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/conn/disconnect.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/conn/flow_control.h"
#include "ompi/mca/pml/champion/core/wake.h"

/* Bits of a peer's link.events. */
enum {
    IDLE = MCA_PML_CHAMPION_PEER_IDLE,
    /* Messages from the peer. */
    ASKED = 0x02,
    OFFERED = 0x04,
    AGREED = 0x08,
    DECLINED = 0x10,
    FLUSHED = 0x20, /* all sends to it are flushed */
    FAILED = 0x40   /* UCX has lost the peer */
};

/* Sum of link.comms of all peers. */
static uint32_t met;

/* ---- communicators ------------------------------------------------------ */

static bool is_other(const opal_process_name_t *name)
{
    return name->jobid != mca_pml_champion.my_jobid;
}

int mca_pml_champion_disconnect_join(ompi_communicator_t *comm, bool *others)
{
    ompi_group_t *group = comm->c_remote_group;
    int size = ompi_group_size(group);

    MCA_PML_CHAMPION_LOCKED();
    *others = false;
    /* Processes of other jobs are first met through an inter-communicator, from
     * which other communicators are made. */
    if (!OMPI_COMM_IS_INTER(comm) && 0 == met) {
        return OMPI_SUCCESS;
    }
    for (int i = 0; i < size; ++i) {
        opal_process_name_t name = ompi_group_get_proc_name(group, i);

        if (is_other(&name) && NULL == mca_pml_champion_peer_find(&name)) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    for (int i = 0; i < size; ++i) {
        opal_process_name_t name = ompi_group_get_proc_name(group, i);

        if (is_other(&name)) {
            ++mca_pml_champion_peer_find(&name)->link.comms;
            ++met;
            *others = true;
        }
    }
    return OMPI_SUCCESS;
}

/* Sends must not use the cached peer: it may be disconnected. */
static void hide(ompi_group_t *group, int rank)
{
    ompi_proc_t *proc = ompi_group_peer_lookup_existing(group, rank);

    if (NULL != proc) {
        __atomic_store_n(&proc->proc_endpoints[OMPI_PROC_ENDPOINT_TAG_PML],
                         NULL, __ATOMIC_RELEASE);
    }
}

void mca_pml_champion_disconnect_leave(ompi_communicator_t *comm)
{
    ompi_group_t *group = comm->c_remote_group;

    MCA_PML_CHAMPION_LOCKED();
    for (int i = 0; i < ompi_group_size(group); ++i) {
        opal_process_name_t name = ompi_group_get_proc_name(group, i);
        mca_pml_champion_peer_t *peer;

        if (!is_other(&name)) {
            continue;
        }
        peer = mca_pml_champion_peer_find(&name);
        --met;
        if (0 == --peer->link.comms) {
            hide(group, i);
            mca_pml_champion_peer_due(peer, IDLE);
        }
    }
}

static bool is_idle(const mca_pml_champion_peer_t *peer)
{
    return 0 == peer->link.comms && 0 == peer->link.active;
}

/* Is this process the leader of the pair? */
static bool leads(const mca_pml_champion_peer_t *peer)
{
    const opal_process_name_t *me = &OPAL_PROC_MY_NAME;

    return me->jobid != peer->name.jobid ? me->jobid < peer->name.jobid
                                         : me->vpid < peer->name.vpid;
}

/* ---- messages ----------------------------------------------------------- */

/* Keep the peer's address. Without memory the connection stays open. */
static void address_keep(mca_pml_champion_peer_t *peer, const void *address,
                         size_t length)
{
    if (0 != length && NULL == peer->link.address) {
        peer->link.address = malloc(length);
        if (NULL != peer->link.address) {
            memcpy(peer->link.address, address, length);
        }
    }
}

mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_disconnect_received(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length)
{
    static const uint8_t events[] = {
        [MCA_PML_CHAMPION_DISCONNECT_ASK] = ASKED,
        [MCA_PML_CHAMPION_DISCONNECT_OFFER] = OFFERED,
        [MCA_PML_CHAMPION_DISCONNECT_AGREE] = AGREED,
        [MCA_PML_CHAMPION_DISCONNECT_DECLINE] = DECLINED,
    };
    mca_pml_champion_disconnect_t msg;
    bool has_address;

    MCA_PML_CHAMPION_LOCKED();
    memcpy(&msg, bytes, sizeof(msg));
    length -= sizeof(msg);
    if (msg.what >= sizeof(events) / sizeof(events[0])) {
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    if (!is_other(&peer->name)) {
        return MCA_PML_CHAMPION_CTRL_MSG_SENDER; /* not within a job */
    }
    has_address = MCA_PML_CHAMPION_DISCONNECT_ASK == msg.what ||
                  MCA_PML_CHAMPION_DISCONNECT_OFFER == msg.what;
    if (has_address != (0 != length)) {
        return has_address ? MCA_PML_CHAMPION_CTRL_MSG_SHORT
                           : MCA_PML_CHAMPION_CTRL_MSG_LONG;
    }
    address_keep(peer, (const char *) bytes + sizeof(msg), length);
    if (MCA_PML_CHAMPION_DISCONNECT_ASK != msg.what) {
        peer->link.recv_last = msg.sequence;
    }
    if (MCA_PML_CHAMPION_DISCONNECT_AGREE == msg.what) {
        peer->link.events &= (uint8_t) ~ASKED; /* that is answered */
    }
    mca_pml_champion_peer_due(peer, events[msg.what]);
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

/* UCX's callback: it has lost a peer. */
static void lost(void *peer, ucp_ep_h ep, ucs_status_t status)
{
    mca_pml_champion_peer_t *failed = peer;

    opal_output_verbose(1, mca_pml_champion.output, "champion: lost %s: %s",
                        OPAL_NAME_PRINT(failed->name),
                        ucs_status_string(status));
    if (NULL == failed->ep || ep == failed->ep) {
        mca_pml_champion_peer_due(failed, FAILED);
    }
}

/* Create a message, followed by this process's address if wanted. NULL if out
 * of memory. */
static mca_pml_champion_disconnect_t *message(uint32_t what, size_t *length,
                                              bool address)
{
    ucp_worker_attr_t attr = {.field_mask = UCP_WORKER_ATTR_FIELD_ADDRESS};
    mca_pml_champion_disconnect_t *msg;

    if (address && UCS_OK != ucp_worker_query(mca_pml_champion.worker, &attr)) {
        return NULL;
    }
    *length = sizeof(*msg) + attr.address_length;
    msg = malloc(*length);
    if (NULL != msg) {
        msg->jobid = mca_pml_champion.my_jobid;
        msg->vpid = OPAL_PROC_MY_NAME.vpid;
        msg->what = what;
        if (address) {
            memcpy(msg + 1, attr.address, attr.address_length);
        }
    }
    if (address) {
        ucp_worker_release_address(mca_pml_champion.worker, attr.address);
    }
    return msg;
}

/* Send a DISCONNECT message. False if it could not be sent. */
static bool disconnect_send(mca_pml_champion_peer_t *peer, uint32_t what)
{
    bool address = MCA_PML_CHAMPION_DISCONNECT_ASK == what ||
                   MCA_PML_CHAMPION_DISCONNECT_OFFER == what;
    mca_pml_champion_disconnect_t *msg;
    ucs_status_t status;
    size_t length;

    msg = message(what, &length, address);
    if (NULL == msg) {
        return false;
    }
    msg->sequence = peer->send_sequence;
    status = mca_pml_champion_ctrl_msg_send(
        peer, MCA_PML_CHAMPION_AM_DISCONNECT, msg, length, 0);
    free(msg);
    if (UCS_OK != status) {
        peer->link.events |= FAILED;
    }
    return UCS_OK == status;
}

/* ---- steps -------------------------------------------------------------- */

/* Make sure that there is an endpoint: the peer may have sent messages here,
 * but this process none to it. False if there is nothing to close. */
static bool has_endpoint(mca_pml_champion_peer_t *peer)
{
    if (NULL == peer->ep && NULL != peer->link.address) {
        (void) mca_pml_champion_peer_connect_to(peer, peer->link.address, true);
    }
    return NULL != peer->ep && peer->link.closes;
}

/* Events that belong to the next connection: a peer that has closed first may
 * have connected again, and sent a request, before this process closes. The
 * peer would wait forever if such a request were dropped. */
static uint8_t of_next_connection(const mca_pml_champion_peer_t *peer)
{
    if (MCA_PML_CHAMPION_DISCONNECT_AGREED == peer->link.stage) {
        return peer->link.events & OFFERED;
    }
    return 0 != (peer->link.events & AGREED) ? peer->link.events & ASKED : 0;
}

static void close_endpoint(mca_pml_champion_peer_t *peer)
{
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
        .flags = UCP_EP_CLOSE_FLAG_FORCE,
    };
    ucs_status_ptr_t request;

    request = ucp_ep_close_nbx(peer->ep, &param);
    if (UCS_PTR_IS_PTR(request)) {
        ucp_request_free(request);
    }
    peer->ep = NULL;
    peer->reply_ep = NULL;
    mca_pml_champion_flow_reset(peer);
    peer->link.events = of_next_connection(peer);
    if (0 == peer->link.events) {
        free(peer->link.address);
        peer->link.address = NULL;
    } else {
        mca_pml_champion_peer_due(peer, 0);
    }
    peer->link.stage = MCA_PML_CHAMPION_CONNECTED;
    ++mca_pml_champion.counters.others_disconnected;
}

static void flushed(void *request, ucs_status_t status, void *peer)
{
    mca_pml_champion_peer_due(peer, UCS_OK == status ? FLUSHED : FAILED);
    ucp_request_free(request);
}

/* Agree to disconnect: close the endpoint once all sends are flushed. */
static void agree(mca_pml_champion_peer_t *peer)
{
    ucp_request_param_t param = {
        .op_attr_mask =
            UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.send = flushed,
        .user_data = peer,
    };
    ucs_status_ptr_t request;

    if (!disconnect_send(peer, MCA_PML_CHAMPION_DISCONNECT_AGREE)) {
        return;
    }
    peer->link.stage = MCA_PML_CHAMPION_DISCONNECT_AGREED;
    request = ucp_ep_flush_nbx(peer->ep, &param);
    if (!UCS_PTR_IS_PTR(request)) {
        close_endpoint(peer);
    }
}

/* Are messages under way that came before its word? There may be some already
 * that came after it, if it has closed and is connected again. */
static bool misses_messages(const mca_pml_champion_peer_t *peer)
{
    return (int32_t) (peer->recv_sequence - peer->link.recv_last) < 0;
}

/* The next three functions return whether the peer has to be checked again
 * soon. */

static bool lead(mca_pml_champion_peer_t *peer)
{
    unsigned events = peer->link.events;

    if (!is_idle(peer)) {
        peer->link.events &= (uint8_t) ~(IDLE | OFFERED);
        if (0 != (events & OFFERED)) {
            (void) disconnect_send(peer, MCA_PML_CHAMPION_DISCONNECT_DECLINE);
        }
    } else if (0 != (events & OFFERED)) {
        if (misses_messages(peer)) {
            return true;
        }
        peer->link.events &= (uint8_t) ~(IDLE | OFFERED);
        agree(peer);
    } else if (0 != (events & IDLE)) {
        peer->link.events &= (uint8_t) ~IDLE;
        (void) disconnect_send(peer, MCA_PML_CHAMPION_DISCONNECT_ASK);
    }
    return false;
}

static bool follow(mca_pml_champion_peer_t *peer)
{
    unsigned events = peer->link.events;

    peer->link.events &= (uint8_t) ~(IDLE | ASKED);
    if (is_idle(peer) && 0 != (events & (IDLE | ASKED)) &&
        disconnect_send(peer, MCA_PML_CHAMPION_DISCONNECT_OFFER)) {
        peer->link.stage = MCA_PML_CHAMPION_DISCONNECT_OFFERED;
    }
    return false;
}

static bool look(mca_pml_champion_peer_t *peer)
{
    bool again;

    if (!has_endpoint(peer)) {
        peer->link.events = 0;
        return false;
    }
    if (0 != (peer->link.events & FAILED)) {
        if (MCA_PML_CHAMPION_CONNECTED != peer->link.stage || is_idle(peer)) {
            close_endpoint(peer);
        }
        return false;
    }
    if (MCA_PML_CHAMPION_DISCONNECT_AGREED == peer->link.stage) {
        if (0 != (peer->link.events & FLUSHED)) {
            close_endpoint(peer);
        }
        return false;
    }
    if (MCA_PML_CHAMPION_DISCONNECT_OFFERED == peer->link.stage) {
        if (0 != (peer->link.events & AGREED)) {
            if (misses_messages(peer)) {
                return true;
            }
            close_endpoint(peer);
        }
        if (0 == (peer->link.events & DECLINED)) {
            return false;
        }
        peer->link.events &= (uint8_t) ~DECLINED;
        peer->link.stage = MCA_PML_CHAMPION_CONNECTED;
    }
    again = leads(peer) ? lead(peer) : follow(peer);
    return again || 0 != (peer->link.events & FAILED);
}

void mca_pml_champion_disconnect_step(void)
{
    mca_pml_champion_peer_t *peer, *next = mca_pml_champion_peers_due;

    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_peers_due = NULL;
    --mca_pml_champion.chores;
    while (NULL != (peer = next)) {
        next = peer->link.next_due;
        peer->link.due = false;
        if (0 != (peer->link.events & MCA_PML_CHAMPION_PEER_NEW)) {
            peer->link.events &= (uint8_t) ~MCA_PML_CHAMPION_PEER_NEW;
            mca_pml_champion_peer_meet(peer);
        }
        if (is_other(&peer->name) && look(peer)) {
            mca_pml_champion_peer_due(peer, 0);
        }
    }
}

void mca_pml_champion_disconnect_open(bool closes)
{
    static const mca_pml_champion_ctrl_msg_kind_t kind = {
        .id = MCA_PML_CHAMPION_AM_DISCONNECT,
        .name = "DISCONNECT",
        .least = sizeof(mca_pml_champion_disconnect_t),
        .most = SIZE_MAX,
        .by = MCA_PML_CHAMPION_CTRL_MSG_BY_NAME,
        .always = true,
        .handler = mca_pml_champion_disconnect_received,
    };

    mca_pml_champion_ctrl_msg_register(&kind);
    mca_pml_champion_peer_lost = closes ? lost : NULL;
}

void mca_pml_champion_disconnect_fini(void)
{
    mca_pml_champion_peer_lost = NULL;
    mca_pml_champion.chores -= NULL != mca_pml_champion_peers_due;
    mca_pml_champion_peers_due = NULL;
    met = 0;
}
