/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/peer/modex.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/core/board.h"

#include <stdlib.h>
#include <string.h>

#include "opal/class/opal_hash_table.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/show_help.h"

#define HELP "help-mpi-pml-champion.txt"

ucp_err_handler_cb_t mca_pml_champion_peer_on_lost;
bool (*mca_pml_champion_peer_ring_open)(mca_pml_champion_peer_t *peer);
mca_pml_champion_peer_t *mca_pml_champion_peers_due;
mca_pml_champion_chore_t mca_pml_champion_peers_chore = {.polls = true};

/* All peers, oldest first: walks are not to go through job_peers, which has a
 * place for each process of the job, however few are known. */
static mca_pml_champion_peer_t *first_peer;
static mca_pml_champion_peer_t **peers_end = &first_peer;

/* Endpoints have been closed: none is made any more. */
static bool disconnected;

/* Peers of other jobs, by name. */
static opal_hash_table_t other_peers;

/* In the order in which they were added. */
static mca_pml_champion_peer_hooks_t *first_hooks;

void mca_pml_champion_peer_hooks_add(mca_pml_champion_peer_hooks_t *hooks)
{
    mca_pml_champion_peer_hooks_t **end = &first_hooks;

    assert(NULL == mca_pml_champion.job_peers);
    while (NULL != *end) {
        if (hooks == *end) {
            return;
        }
        end = &(*end)->next;
    }
    hooks->next = NULL;
    *end = hooks;
}

static void born(mca_pml_champion_peer_t *peer)
{
    for (const mca_pml_champion_peer_hooks_t *hooks = first_hooks;
         NULL != hooks; hooks = hooks->next) {
        if (NULL != hooks->born) {
            hooks->born(peer);
        }
    }
}

static void connected(mca_pml_champion_peer_t *peer)
{
    for (const mca_pml_champion_peer_hooks_t *hooks = first_hooks;
         NULL != hooks; hooks = hooks->next) {
        if (NULL != hooks->connected) {
            hooks->connected(peer);
        }
    }
}

int mca_pml_champion_peers_init(void)
{
    mca_pml_champion_peer_t *self;

    disconnected = false;
    mca_pml_champion.my_jobid = OPAL_PROC_MY_NAME.jobid;
    mca_pml_champion.job_size = (uint32_t) ompi_proc_world_size();
    /* Zero pages use no memory until a peer is met. */
    mca_pml_champion.job_peers =
        calloc(mca_pml_champion.job_size, sizeof(*mca_pml_champion.job_peers));
    if (NULL == mca_pml_champion.job_peers) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    OBJ_CONSTRUCT(&other_peers, opal_hash_table_t);
    opal_hash_table_init(&other_peers, 16);
    self = mca_pml_champion_peer_find(&OPAL_PROC_MY_NAME);
    if (NULL == self) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    self->self = true;
    return OMPI_SUCCESS;
}

void mca_pml_champion_peers_each(void (*visit)(mca_pml_champion_peer_t *peer))
{
    for (mca_pml_champion_peer_t *peer = first_peer, *next; NULL != peer;
         peer = next) {
        next = peer->next;
        visit(peer);
    }
}

void mca_pml_champion_peer_due(mca_pml_champion_peer_t *peer, unsigned events)
{
    MCA_PML_CHAMPION_LOCKED();
    peer->link.events |= (uint8_t) events;
    if (peer->link.due) {
        return;
    }
    peer->link.due = true;
    mca_pml_champion_chore_set(&mca_pml_champion_peers_chore, true);
    peer->link.next_due = mca_pml_champion_peers_due;
    mca_pml_champion_peers_due = peer;
    mca_pml_champion_wake_tell();
}

static void peer_free(mca_pml_champion_peer_t *peer)
{
    free(peer->cost_model);
    free(peer->stripe);
    free(peer->clock);
    free(peer->link.address);
    free(peer->link.coming);
    free(peer);
}

void mca_pml_champion_peers_fini(void)
{
    mca_pml_champion_peers_each(peer_free);
    first_peer = NULL;
    peers_end = &first_peer;
    OBJ_DESTRUCT(&other_peers);
    free(mca_pml_champion.job_peers);
    mca_pml_champion.job_peers = NULL;
    mca_pml_champion.job_size = 0;
}

MCA_PML_CHAMPION_UNIT(peers) = {.name = "peers",
                                .start = mca_pml_champion_peers_init,
                                .stop = mca_pml_champion_peers_fini};

static uint64_t name_key(const opal_process_name_t *name)
{
    return (uint64_t) name->jobid << 32 | name->vpid;
}

mca_pml_champion_peer_t *mca_pml_champion_peer_find(
    const opal_process_name_t *name)
{
    bool same_job = name->jobid == mca_pml_champion.my_jobid;
    mca_pml_champion_peer_t *peer = NULL;
    void *value;

    if (same_job && name->vpid >= mca_pml_champion.job_size) {
        return NULL;
    }
    if (same_job) {
        peer = mca_pml_champion.job_peers[name->vpid];
    } else if (OPAL_SUCCESS == opal_hash_table_get_value_uint64(
                                   &other_peers, name_key(name), &value)) {
        peer = value;
    }
    if (NULL != peer) {
        return peer;
    }
    peer = calloc(1, sizeof(*peer));
    if (NULL == peer) {
        return NULL;
    }
    peer->name = *name;
    peer->packed_max = -1;
    peer->doorbell = &mca_pml_champion_doorbell_dummy;
    peer->slow_arrivals = mca_pml_champion.slow_arrivals;
    if (same_job) {
        mca_pml_champion.job_peers[name->vpid] = peer;
    } else if (OPAL_SUCCESS != opal_hash_table_set_value_uint64(
                                   &other_peers, name_key(name), peer)) {
        free(peer);
        return NULL;
    }
    *peers_end = peer;
    peers_end = &peer->next;
    born(peer);
    return peer;
}

/* Check that an address is of a peer with the same protocol. */
static bool address_check(const opal_process_name_t *name,
                          const mca_pml_champion_address_t *address,
                          size_t length)
{
    uint32_t arch = opal_proc_local_get()->proc_arch;

    if (length <= sizeof(*address) ||
        MCA_PML_CHAMPION_MAGIC != address->magic ||
        MCA_PML_CHAMPION_WIRE_VERSION != address->wire_version ||
        length <= mca_pml_champion_address_head(address)) {
        opal_show_help(HELP, "peer version", true, OPAL_NAME_PRINT(*name),
                       MCA_PML_CHAMPION_WIRE_VERSION,
                       length > sizeof(*address) ? (int) address->wire_version
                                                 : -1);
        return false;
    }
    if (arch != address->arch) {
        opal_show_help(HELP, "peer architecture", true, OPAL_NAME_PRINT(*name),
                       arch, address->arch);
        return false;
    }
    return true;
}

int mca_pml_champion_peer_connect_to(mca_pml_champion_peer_t *peer,
                                     const void *address, bool closes)
{
    ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
        .address = address,
        .err_mode = UCP_ERR_HANDLING_MODE_PEER,
        .err_handler = {mca_pml_champion_peer_on_lost, peer},
    };
    bool other = peer->name.jobid != mca_pml_champion.my_jobid;
    ucs_status_t status;

    MCA_PML_CHAMPION_LOCKED();
    peer->link.closes =
        other && closes && NULL != mca_pml_champion_peer_on_lost;
    if (peer->link.closes) {
        params.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                             UCP_EP_PARAM_FIELD_ERR_HANDLER;
    }
    status = ucp_ep_create(mca_pml_champion.worker, &params, &peer->ep);
    if (UCS_OK != status) {
        peer->ep = NULL;
        opal_show_help(HELP, "connect failed", true,
                       OPAL_NAME_PRINT(peer->name), ucs_status_string(status));
        return OMPI_ERR_UNREACH;
    }
    if (other) {
        ++mca_pml_champion.counters.others_connected;
    }
    if (!peer->flow.throttled) {
        mca_pml_champion_peer_allow_packed(peer);
    }
    connected(peer);
    /* The thread may sleep without being armed for a device that UCX uses from
     * now on. */
    mca_pml_champion_wake_tell();
    return OMPI_SUCCESS;
}

/* What a process of this node has posted on the board. NULL: nothing. */
static const mca_pml_champion_card_t *card_of(const opal_process_name_t *name)
{
    const mca_pml_champion_entry_t *entry =
        name->jobid == mca_pml_champion.my_jobid
            ? mca_pml_champion_board_find(name->vpid)
            : NULL;

    return NULL == entry ? NULL : mca_pml_champion_board_card(entry);
}

static int connect_to(mca_pml_champion_peer_t *peer,
                      const mca_pml_champion_address_t *address)
{
    return mca_pml_champion_peer_connect_to(
        peer, (const char *) address + mca_pml_champion_address_head(address),
        mca_pml_champion_address_closes(address));
}

bool mca_pml_champion_peer_reach(mca_pml_champion_peer_t *peer)
{
    const mca_pml_champion_card_t *card =
        disconnected ? NULL : card_of(&peer->name);

    MCA_PML_CHAMPION_LOCKED();
    if (NULL == card) {
        return false;
    }
    peer->local = true;
    return OMPI_SUCCESS == connect_to(peer, (const void *) card->address);
}

/* Reach a peer whose address is known: by ring, or by UCX. */
static int reach_by(mca_pml_champion_peer_t *peer,
                    const mca_pml_champion_address_t *address)
{
    peer->by_ring = peer->local && NULL != mca_pml_champion_peer_ring_open &&
                    mca_pml_champion_peer_ring_open(peer);
    return peer->by_ring ? OMPI_SUCCESS : connect_to(peer, address);
}

/* Find a peer, and whether it can be reached already; if it is disconnecting, wait
 * for the end of that. */
static mca_pml_champion_peer_t *find_connected(const opal_process_name_t *name,
                                               bool *reached)
{
    mca_pml_champion_peer_t *peer;
    bool disconnecting;

    for (;;) {
        mca_pml_champion_lock();
        peer = mca_pml_champion_peer_find(name);
        disconnecting =
            NULL != peer && MCA_PML_CHAMPION_CONNECTED != peer->link.stage;
        *reached =
            NULL != peer && (peer->self || NULL != peer->ep || peer->by_ring);
        mca_pml_champion_unlock();
        if (!disconnecting) {
            return peer;
        }
        opal_progress();
    }
}

/* The address of a process: on the board, or what Open MPI has of it, which the
 * caller frees then. NULL after an error message. */
static const mca_pml_champion_address_t *address_of(
    const opal_process_name_t *name, char **to_free)
{
    const mca_pml_champion_card_t *card = card_of(name);
    const void *address;
    size_t length = 0;
    int rc;

    *to_free = NULL;
    if (NULL != card) {
        address = card->address;
        length = card->length;
    } else {
        rc = mca_pml_champion_modex_recv(name, (void **) to_free, &length);
        if (rc < 0) {
            opal_show_help(HELP, "no address", true, OPAL_NAME_PRINT(*name),
                           opal_strerror(rc));
            return NULL;
        }
        address = *to_free;
    }
    return address_check(name, address, length) ? address : NULL;
}

mca_pml_champion_peer_t *mca_pml_champion_peer_connect(
    ompi_communicator_t *comm, int rank)
{
    ompi_proc_t *proc = ompi_comm_peer_lookup(comm, rank);
    const opal_process_name_t *name = &proc->super.proc_name;
    const mca_pml_champion_address_t *address;
    mca_pml_champion_peer_t *peer;
    bool reached;

    peer = find_connected(name, &reached);
    if (NULL == peer) {
        return NULL;
    }
    if (!reached) {
        char *to_free;
        int rc = OMPI_SUCCESS;

        address = address_of(name, &to_free);
        if (NULL == address) {
            free(to_free);
            return NULL;
        }
        mca_pml_champion_lock();
        if (NULL == peer->ep && !peer->by_ring) {
            /* No other thread has been faster. */
            peer->local = name->jobid == mca_pml_champion.my_jobid &&
                          OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags);
            rc = reach_by(peer, address);
        }
        mca_pml_champion_unlock();
        free(to_free);
        if (OMPI_SUCCESS != rc) {
            return NULL;
        }
    }
    __atomic_store_n(&proc->proc_endpoints[OMPI_PROC_ENDPOINT_TAG_PML], peer,
                     __ATOMIC_RELEASE);
    return peer;
}

static void ep_close(const mca_pml_champion_peer_t *peer, ucp_ep_h ep)
{
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
        .flags = 0,
    };
    ucs_status_ptr_t request = ucp_ep_close_nbx(ep, &param);

    if (UCS_PTR_IS_PTR(request)) {
        while (UCS_INPROGRESS == ucp_request_check_status(request)) {
            ucp_worker_progress(mca_pml_champion.worker);
        }
        ucp_request_free(request);
    } else if (UCS_PTR_IS_ERR(request)) {
        opal_output_verbose(1, mca_pml_champion.output,
                            "champion: closing the endpoint to %s: %s",
                            OPAL_NAME_PRINT(peer->name),
                            ucs_status_string(UCS_PTR_STATUS(request)));
    }
}

/* What was never connected, or is broken, cannot be flushed: it is left to the
 * worker's destruction. */
static void further_close(const mca_pml_champion_peer_t *peer,
                          mca_pml_champion_peer_stripe_t *stripe)
{
    const uint32_t good = stripe->good;

    stripe->good = 0;
    for (uint32_t i = 0; i < good; ++i) {
        if (stripe->connected[i]) {
            ep_close(peer, stripe->ep[i]);
        }
    }
}

/* Endpoints to other jobs are left to the worker's destruction: their processes
 * may be gone and cannot answer. */
static void peer_disconnect(mca_pml_champion_peer_t *peer)
{
    const ucp_ep_h ep = peer->ep;

    if (NULL == ep || peer->name.jobid != mca_pml_champion.my_jobid) {
        return;
    }
    /* Closing polls UCX: nobody may use it then. */
    peer->ep = NULL;
    ep_close(peer, ep);
    if (NULL != peer->stripe) {
        further_close(peer, peer->stripe);
    }
}

void mca_pml_champion_peers_disconnect(void)
{
    MCA_PML_CHAMPION_LOCKED();
    disconnected = true;
    mca_pml_champion_peers_each(peer_disconnect);
}

bool mca_pml_champion_peer_has_only_tcp(mca_pml_champion_peer_t *peer)
{
    const ucp_ep_h ep = NULL != peer->ep ? peer->ep : peer->reply_ep;

    MCA_PML_CHAMPION_LOCKED();
    if (MCA_PML_CHAMPION_NOT_LOOKED == peer->tcp && NULL != ep) {
        peer->tcp = mca_pml_champion_ucx_has_only_tcp(ep)
                        ? MCA_PML_CHAMPION_ONLY_TCP
                        : MCA_PML_CHAMPION_NOT_ONLY_TCP;
    }
    return MCA_PML_CHAMPION_ONLY_TCP == peer->tcp;
}

MCA_MQ_OMPI_TRANSPORTS_T *mca_pml_champion_peer_transports(
    ompi_communicator_t *comm, int rank)
{
    enum { MAX = 32 };
    mca_pml_champion_peer_t *peer = mca_pml_champion_peer_known(comm, rank);
    mca_pml_champion_ucx_lane_t lanes[MAX];
    MCA_MQ_OMPI_TRANSPORTS_T *transports;
    unsigned count = 0;

    if (NULL != peer) {
        mca_pml_champion_lock();
        if (NULL != mca_pml_champion_peer_ep(peer)) {
            count = mca_pml_champion_ucx_lanes(peer->ep, lanes, MAX);
        }
        mca_pml_champion_unlock();
    }
    transports = 0 == count ? NULL : malloc(sizeof(*transports));
    if (NULL == transports) {
        return NULL;
    }
    transports->entries = malloc(count * sizeof(*transports->entries));
    if (NULL == transports->entries) {
        free(transports);
        return NULL;
    }
    for (unsigned i = 0; i < count; ++i) {
        transports->entries[i].transport_name = lanes[i].transport;
        transports->entries[i].device_name = lanes[i].device;
    }
    transports->count = count;
    return transports;
}
