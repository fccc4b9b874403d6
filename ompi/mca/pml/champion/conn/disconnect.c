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

/* What has happened to a peer: bits of its news. */
enum {
    IDLE = MCA_PML_CHAMPION_PEER_IDLE,
    ASKED = 0x02,    /* these four it has told us */
    OFFERED = 0x04,  /* .. */
    AGREED = 0x08,   /* .. */
    DECLINED = 0x10, /* .. */
    FLUSHED = 0x20,  /* it has all that we sent */
    FAILED = 0x40    /* UCX cannot reach it any more */
};

/* Sum of all peers' comms. */
static uint32_t met;

/* ---------------------------------------------------------- who is in what */

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
    /* Whoever comes from another job comes by an inter-communicator first, of
     * which others are made. */
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

/* Sends must not find it the short way: it may be gone. */
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

/* Do we lead? */
static bool leads(const mca_pml_champion_peer_t *peer)
{
    const opal_process_name_t *me = &OPAL_PROC_MY_NAME;

    return me->jobid != peer->name.jobid ? me->jobid < peer->name.jobid
                                         : me->vpid < peer->name.vpid;
}

/* --------------------------------------------------------- what is said */

/* UCX's address, by which it can be reached. Without memory all stays as it is:
 * it is not parted from. */
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

mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_disconnect_told(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length)
{
    static const uint8_t news[] = {
        [MCA_PML_CHAMPION_DISCONNECT_ASK] = ASKED,
        [MCA_PML_CHAMPION_DISCONNECT_OFFER] = OFFERED,
        [MCA_PML_CHAMPION_DISCONNECT_AGREE] = AGREED,
        [MCA_PML_CHAMPION_DISCONNECT_DECLINE] = DECLINED,
    };
    mca_pml_champion_disconnect_t told;
    bool has_address;

    MCA_PML_CHAMPION_LOCKED();
    memcpy(&told, bytes, sizeof(told));
    length -= sizeof(told);
    if (told.what >= sizeof(news) / sizeof(news[0])) {
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    if (!is_other(&peer->name)) {
        return MCA_PML_CHAMPION_CTRL_MSG_SENDER; /* nobody parts within a job */
    }
    has_address = MCA_PML_CHAMPION_DISCONNECT_ASK == told.what ||
                  MCA_PML_CHAMPION_DISCONNECT_OFFER == told.what;
    if (has_address != (0 != length)) {
        return has_address ? MCA_PML_CHAMPION_CTRL_MSG_SHORT
                           : MCA_PML_CHAMPION_CTRL_MSG_LONG;
    }
    address_keep(peer, (const char *) bytes + sizeof(told), length);
    if (MCA_PML_CHAMPION_DISCONNECT_ASK != told.what) {
        peer->link.recv_last = told.sequence;
    }
    mca_pml_champion_peer_due(peer, news[told.what]);
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

/* UCX cannot reach a peer any more. */
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

/* The message, with our address behind it if wanted. NULL without memory. */
static mca_pml_champion_disconnect_t *message(uint32_t what, size_t *length,
                                              bool address)
{
    ucp_worker_attr_t attr = {.field_mask = UCP_WORKER_ATTR_FIELD_ADDRESS};
    mca_pml_champion_disconnect_t *told;

    if (address && UCS_OK != ucp_worker_query(mca_pml_champion.worker, &attr)) {
        return NULL;
    }
    *length = sizeof(*told) + attr.address_length;
    told = malloc(*length);
    if (NULL != told) {
        told->jobid = mca_pml_champion.my_jobid;
        told->vpid = OPAL_PROC_MY_NAME.vpid;
        told->what = what;
        if (address) {
            memcpy(told + 1, attr.address, attr.address_length);
        }
    }
    if (address) {
        ucp_worker_release_address(mca_pml_champion.worker, attr.address);
    }
    return told;
}

/* Returns false if it could not be said. */
static bool say(mca_pml_champion_peer_t *peer, uint32_t what)
{
    bool address = MCA_PML_CHAMPION_DISCONNECT_ASK == what ||
                   MCA_PML_CHAMPION_DISCONNECT_OFFER == what;
    mca_pml_champion_disconnect_t *told;
    ucs_status_t status;
    size_t length;

    told = message(what, &length, address);
    if (NULL == told) {
        return false;
    }
    told->sequence = peer->send_sequence;
    status = mca_pml_champion_ctrl_msg_send(
        peer, MCA_PML_CHAMPION_AM_DISCONNECT, told, length, 0);
    free(told);
    if (UCS_OK != status) {
        peer->link.events |= FAILED;
    }
    return UCS_OK == status;
}

/* ---------------------------------------------------------- what is done */

/* It may have talked to us, and we not to it. False: nobody talked. */
static bool has_endpoint(mca_pml_champion_peer_t *peer)
{
    if (NULL == peer->ep && NULL != peer->link.address) {
        (void) mca_pml_champion_peer_connect_to(peer, peer->link.address, true);
    }
    return NULL != peer->ep && peer->link.closes;
}

static void part(mca_pml_champion_peer_t *peer)
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
    mca_pml_champion_flow_part(peer);
    free(peer->link.address);
    peer->link.address = NULL;
    peer->link.events = 0;
    peer->link.stage = MCA_PML_CHAMPION_CONNECTED;
    ++mca_pml_champion.counters.others_parted;
}

static void flushed(void *request, ucs_status_t status, void *peer)
{
    mca_pml_champion_peer_due(peer, UCS_OK == status ? FLUSHED : FAILED);
    ucp_request_free(request);
}

/* From here on it closes its endpoint. */
static void agree(mca_pml_champion_peer_t *peer)
{
    ucp_request_param_t param = {
        .op_attr_mask =
            UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.send = flushed,
        .user_data = peer,
    };
    ucs_status_ptr_t request;

    if (!say(peer, MCA_PML_CHAMPION_DISCONNECT_AGREE)) {
        return;
    }
    peer->link.stage = MCA_PML_CHAMPION_DISCONNECT_AGREED;
    request = ucp_ep_flush_nbx(peer->ep, &param);
    if (!UCS_PTR_IS_PTR(request)) {
        part(peer);
    }
}

/* These three return whether the peer has to be looked at again soon. */

static bool lead(mca_pml_champion_peer_t *peer)
{
    unsigned news = peer->link.events;

    if (!is_idle(peer)) {
        peer->link.events &= (uint8_t) ~(IDLE | OFFERED);
        if (0 != (news & OFFERED)) {
            (void) say(peer, MCA_PML_CHAMPION_DISCONNECT_DECLINE);
        }
    } else if (0 != (news & OFFERED)) {
        if (peer->recv_sequence != peer->link.recv_last) {
            return true; /* its last messages are under way */
        }
        peer->link.events &= (uint8_t) ~(IDLE | OFFERED);
        agree(peer);
    } else if (0 != (news & IDLE)) {
        peer->link.events &= (uint8_t) ~IDLE;
        (void) say(peer, MCA_PML_CHAMPION_DISCONNECT_ASK);
    }
    return false;
}

static bool follow(mca_pml_champion_peer_t *peer)
{
    unsigned news = peer->link.events;

    peer->link.events &= (uint8_t) ~(IDLE | ASKED);
    if (is_idle(peer) && 0 != (news & (IDLE | ASKED)) &&
        say(peer, MCA_PML_CHAMPION_DISCONNECT_OFFER)) {
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
            part(peer);
        }
        return false;
    }
    if (MCA_PML_CHAMPION_DISCONNECT_AGREED == peer->link.stage) {
        if (0 != (peer->link.events & FLUSHED)) {
            part(peer);
        }
        return false;
    }
    if (MCA_PML_CHAMPION_DISCONNECT_OFFERED == peer->link.stage) {
        if (0 != (peer->link.events & AGREED)) {
            if (peer->recv_sequence != peer->link.recv_last) {
                return true;
            }
            part(peer);
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
        if (look(peer)) {
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
        .handler = mca_pml_champion_disconnect_told,
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
