/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/disconnect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ompi/mca/pml/champion/match/flow_control.h"
#include "ompi/mca/pml/champion/core/unit.h"
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

/* The longest address of a worker that is believed, bytes. */
enum { ADDRESS_MOST = 1 << 16 };

/* Sum of link.comms of all peers. */
static uint32_t met;

bool mca_pml_champion_closes;

/* Where this process is: see DISCONNECT's place. */
static uint32_t place;

/* ---- processes ---------------------------------------------------------- */

static uint32_t hash(uint32_t so_far, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; ++i) {
        so_far =
            (so_far ^ ((const unsigned char *) bytes)[i]) * 16777619; /* FNV */
    }
    return so_far;
}

static uint32_t find_place(void)
{
    char boot[64];
    struct stat pids;
    size_t length;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");

    if (NULL == file) {
        return 0;
    }
    length = fread(boot, 1, sizeof(boot), file);
    fclose(file);
    if (0 == length || 0 != stat("/proc/self/ns/pid", &pids)) {
        return 0;
    }
    return hash(hash(2166136261, boot, length), &pids.st_ino,
                sizeof(pids.st_ino));
}

/* Has it ended? A process that ends loses its program before its files, and a
 * zombie has neither. */
static bool has_ended(int32_t pid)
{
    char name[32], program[1];

    snprintf(name, sizeof(name), "/proc/%d/exe", (int) pid);
    return readlink(name, program, sizeof(program)) < 0 && ENOENT == errno;
}

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

/* A piece of the peer's address. Pieces come in order, and ahead of the message
 * that they are for, which may be of the next connection. */
static void piece_keep(mca_pml_champion_peer_link_t *link,
                       const mca_pml_champion_disconnect_t *msg,
                       const void *piece, size_t length)
{
    mca_pml_champion_peer_address_t *coming;

    if (0 == msg->sequence) {
        free(link->coming);
        link->coming = NULL;
        if (0 != msg->length && msg->length <= ADDRESS_MOST) {
            link->coming = malloc(sizeof(*coming) + msg->length);
        }
        if (NULL != link->coming) {
            *link->coming = (mca_pml_champion_peer_address_t){
                .length = msg->length,
                .pid = 0 != place && place == msg->place ? msg->pid : 0,
            };
        }
    }
    coming = link->coming;
    if (NULL != coming && msg->sequence == coming->came &&
        length <= coming->length - coming->came) {
        memcpy(coming->ucx + coming->came, piece, length);
        coming->came += (uint32_t) length;
    }
}

/* All of it has come. Otherwise, without memory for one, the connection stays
 * open. */
static void address_keep(mca_pml_champion_peer_link_t *link)
{
    if (NULL != link->coming && link->coming->came == link->coming->length) {
        free(link->address);
        link->address = link->coming;
        link->coming = NULL;
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

    MCA_PML_CHAMPION_LOCKED();
    memcpy(&msg, bytes, sizeof(msg));
    length -= sizeof(msg);
    if (msg.what >= MCA_PML_CHAMPION_DISCONNECT_KINDS) {
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    if (!is_other(&peer->name)) {
        return MCA_PML_CHAMPION_CTRL_MSG_SENDER; /* not within a job */
    }
    if (MCA_PML_CHAMPION_DISCONNECT_ADDRESS == msg.what) {
        if (0 == length) {
            return MCA_PML_CHAMPION_CTRL_MSG_SHORT;
        }
        piece_keep(&peer->link, &msg, (const char *) bytes + sizeof(msg),
                   length);
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
    }
    if (0 != length) {
        return MCA_PML_CHAMPION_CTRL_MSG_LONG;
    }
    address_keep(&peer->link);
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
static void on_lost(void *peer, ucp_ep_h ep, ucs_status_t status)
{
    mca_pml_champion_peer_t *failed = peer;

    opal_output_verbose(1, mca_pml_champion.output, "champion: lost %s: %s",
                        OPAL_NAME_PRINT(failed->name),
                        ucs_status_string(status));
    if (NULL == failed->ep || ep == failed->ep) {
        mca_pml_champion_peer_due(failed, FAILED);
    }
}

/* Send a message of one kind, with a piece of the address or nothing behind it. */
static bool say(mca_pml_champion_peer_t *peer, uint32_t what, uint32_t sequence,
                uint32_t all, const void *piece, size_t length)
{
    struct {
        mca_pml_champion_disconnect_t head;
        char piece[MCA_PML_CHAMPION_DISCONNECT_PIECE];
    } msg = {
        .head =
            {
                .jobid = mca_pml_champion.my_jobid,
                .vpid = OPAL_PROC_MY_NAME.vpid,
                .sequence = sequence,
                .what = what,
                .length = all,
                .place = place,
                .pid = getpid(),
            },
    };
    ucs_status_t status;

    if (0 != length) {
        memcpy(msg.piece, piece, length);
    }
    status =
        mca_pml_champion_ctrl_msg_send(peer, MCA_PML_CHAMPION_AM_DISCONNECT,
                                       &msg, sizeof(msg.head) + length, 0);
    if (UCS_OK != status) {
        peer->link.events |= FAILED;
    }
    return UCS_OK == status;
}

/* Tell this process's address, in pieces: a message that is too long for UCX to
 * send at once makes it ask the peer for its endpoint first, and a peer that gets
 * this after the end of this process reports an error. False if it could not be
 * sent. */
static bool say_address(mca_pml_champion_peer_t *peer)
{
    ucp_worker_attr_t attr = {.field_mask = UCP_WORKER_ATTR_FIELD_ADDRESS};
    const size_t piece = MCA_PML_CHAMPION_DISCONNECT_PIECE;
    bool said = true;

    if (UCS_OK != ucp_worker_query(mca_pml_champion.worker, &attr)) {
        return false;
    }
    for (size_t at = 0; said && at < attr.address_length; at += piece) {
        const size_t left = attr.address_length - at;

        said =
            say(peer, MCA_PML_CHAMPION_DISCONNECT_ADDRESS, (uint32_t) at,
                (uint32_t) attr.address_length,
                (const char *) attr.address + at, left < piece ? left : piece);
    }
    ucp_worker_release_address(mca_pml_champion.worker, attr.address);
    return said;
}

/* Send a DISCONNECT message. False if it could not be sent. */
static bool disconnect_send(mca_pml_champion_peer_t *peer, uint32_t what)
{
    const bool address = MCA_PML_CHAMPION_DISCONNECT_ASK == what ||
                         MCA_PML_CHAMPION_DISCONNECT_OFFER == what;

    return (!address || say_address(peer)) &&
           say(peer, what, peer->send_sequence, 0, NULL, 0);
}

/* ---- steps -------------------------------------------------------------- */

/* Make sure that there is an endpoint: the peer may have sent messages here,
 * but this process none to it. Not to a peer that has ended: UCX would report
 * that it finds no memory of it. False if there is nothing to close. */
static bool has_endpoint(mca_pml_champion_peer_t *peer)
{
    const mca_pml_champion_peer_address_t *address = peer->link.address;

    if (NULL == peer->ep && NULL != address &&
        (0 == address->pid || !has_ended(address->pid))) {
        (void) mca_pml_champion_peer_connect_to(peer, address->ucx, true);
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

/* Handle the events of peers, not in a callback of UCX. */
static unsigned look_at_all(void)
{
    mca_pml_champion_peer_t *peer, *next = mca_pml_champion_peers_due;

    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_peers_due = NULL;
    mca_pml_champion_chore_set(&mca_pml_champion_peers_chore, false);
    while (NULL != (peer = next)) {
        next = peer->link.next_due;
        peer->link.due = false;
        if (look(peer)) {
            mca_pml_champion_peer_due(peer, 0);
        }
    }
    return 0;
}

int mca_pml_champion_disconnect_open(void)
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

    place = find_place();
    mca_pml_champion_peers_chore.step = look_at_all;
    mca_pml_champion_ctrl_msg_register(&kind);
    mca_pml_champion_peer_on_lost = mca_pml_champion_closes ? on_lost : NULL;
    return OMPI_SUCCESS;
}

void mca_pml_champion_disconnect_fini(void)
{
    mca_pml_champion_peer_on_lost = NULL;
    mca_pml_champion_peers_due = NULL;
    mca_pml_champion_chore_set(&mca_pml_champion_peers_chore, false);
    met = 0;
}

MCA_PML_CHAMPION_UNIT(disconnect) = {
    .name = "disconnect",
    .open = mca_pml_champion_disconnect_open,
    .close = mca_pml_champion_disconnect_fini,
};
