/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/large/stripe_send.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/core/inflight.h"
#include "ompi/mca/pml/champion/core/wake.h"

#define MOST MCA_PML_CHAMPION_STRIPES_MAX

/* ---- sends that may be asked for ---------------------------------------- */

/* A peer that has sent nothing yet may have no endpoint to this process, by
 * which it would ask. */
static void say_where(mca_pml_champion_peer_t *peer,
                      mca_pml_champion_peer_stripe_t *stripe)
{
    const mca_pml_champion_stripe_control_t here = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = MCA_PML_CHAMPION_STRIPE_HERE,
        .parts = 1,
    };

    if (stripe->here || 0 != peer->recv_sequence ||
        peer->name.jobid != mca_pml_champion.my_jobid) {
        return;
    }
    stripe->here = true;
    (void) mca_pml_champion_stripe_tell(peer, &here, sizeof(here));
}

void mca_pml_champion_stripe_enter(mca_pml_champion_send_t *send)
{
    mca_pml_champion_peer_stripe_t *stripe;

    MCA_PML_CHAMPION_LOCKED();
    stripe = mca_pml_champion_peer_has_only_tcp(send->peer)
                 ? mca_pml_champion_stripe_of(send->peer)
                 : NULL;
    if (NULL == stripe) {
        return;
    }
    say_where(send->peer, stripe);
    send->marks |= MCA_PML_CHAMPION_SEND_STRIPABLE;
    send->stripable.next = NULL;
    send->stripable.previous = stripe->last;
    if (NULL == stripe->last) {
        stripe->first = send;
    } else {
        stripe->last->stripable.next = send;
    }
    stripe->last = send;
}

static void leave(mca_pml_champion_send_t *send)
{
    mca_pml_champion_peer_stripe_t *stripe = send->peer->stripe;
    mca_pml_champion_send_t *next = send->stripable.next;
    mca_pml_champion_send_t *previous = send->stripable.previous;

    send->marks &= (uint8_t) ~MCA_PML_CHAMPION_SEND_STRIPABLE;
    if (NULL == next) {
        stripe->last = previous;
    } else {
        next->stripable.previous = previous;
    }
    if (NULL == previous) {
        stripe->first = next;
    } else {
        previous->stripable.next = next;
    }
}

/* They are asked for in about the order in which they were sent. */
static mca_pml_champion_send_t *find(const mca_pml_champion_peer_t *peer,
                                     uint32_t sequence)
{
    mca_pml_champion_send_t *send =
        NULL == peer->stripe ? NULL : peer->stripe->first;

    while (NULL != send && sequence != send->header.super.super.sequence) {
        send = send->stripable.next;
    }
    return send;
}

/* ---- endpoints ---------------------------------------------------------- */

/* UCX reads them until they are sent. */
static mca_pml_champion_stripe_control_t hellos[MOST];

static void hello_sent(void *request, ucs_status_t status, void *connected)
{
    *(bool *) connected = UCS_OK == status;
    ucp_request_free(request);
    mca_pml_champion_inflight_end();
}

/* What UCX does not send is not answered: the endpoint is not used then. */
static void say_hello(mca_pml_champion_peer_stripe_t *stripe, uint32_t number)
{
    bool *connected = &stripe->connected[number - 1];
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                        UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS,
        .flags = UCP_AM_SEND_FLAG_EAGER,
        .cb.send = hello_sent,
        .user_data = connected,
    };
    ucs_status_ptr_t request = ucp_am_send_nbx(
        stripe->ep[number - 1], MCA_PML_CHAMPION_AM_STRIPE, NULL, 0,
        &hellos[number], sizeof(hellos[number]), &param);

    if (UCS_PTR_IS_PTR(request)) {
        mca_pml_champion_inflight_begin();
    } else {
        *connected = NULL == request;
    }
}

static void lost_parts(const mca_pml_champion_peer_t *peer, ucs_status_t status)
{
    mca_pml_champion_abort(MPI_ERR_OTHER,
                           "a connection to %s, which carried a part of a "
                           "message, is lost: %s",
                           OPAL_NAME_PRINT(peer->name),
                           ucs_status_string(status));
}

/* UCX's callback: a connection was refused or is broken. Those made before it
 * may be used still. A part that it carried would never end, nor its message. */
static void on_lost(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    mca_pml_champion_peer_t *peer = arg;
    mca_pml_champion_peer_stripe_t *stripe = peer->stripe;

    opal_output_verbose(1, mca_pml_champion.output,
                        "champion: a further connection to %s is lost: %s",
                        OPAL_NAME_PRINT(peer->name), ucs_status_string(status));
    for (uint32_t i = 0; i < stripe->good; ++i) {
        if (ep == stripe->ep[i]) {
            stripe->good = i;
            if (stripe->connected[i] && 0 != stripe->under_way) {
                lost_parts(peer, status);
            }
        }
    }
}

/* What a peer has asked for by OPEN. Allocated by malloc. */
typedef struct mca_pml_champion_stripe_opening_t {
    struct mca_pml_champion_stripe_opening_t *next;
    mca_pml_champion_peer_t *peer;
    uint32_t parts; /* connections, with the first one */
    char address[]; /* of its worker */
} opening_t;

static void make(const opening_t *opening)
{
    const ucp_ep_params_t params = {
        .field_mask =
            UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .address = (const ucp_address_t *) opening->address,
        .err_handler = {on_lost, opening->peer},
    };
    mca_pml_champion_peer_stripe_t *stripe = opening->peer->stripe;

    while (stripe->good == stripe->made && stripe->made + 1 < opening->parts &&
           mca_pml_champion_stripes.left > 0 &&
           UCS_OK == ucp_ep_create(mca_pml_champion.worker, &params,
                                   &stripe->ep[stripe->made])) {
        --mca_pml_champion_stripes.left;
        stripe->good = ++stripe->made;
        say_hello(stripe, stripe->made);
        mca_pml_champion_wake_tell();
    }
}

static unsigned open_all(void);

static mca_pml_champion_chore_t chore = {.step = open_all, .polls = true};

static opening_t *take_opening(void)
{
    opening_t *opening = mca_pml_champion_stripes.openings;

    mca_pml_champion_stripes.openings = opening->next;
    mca_pml_champion_chore_set(&chore, NULL != opening->next);
    return opening;
}

/* Make the connections that peers have asked for, not in a callback of UCX. */
static unsigned open_all(void)
{
    opening_t *opening;

    MCA_PML_CHAMPION_LOCKED();
    while (NULL != mca_pml_champion_stripes.openings) {
        opening = take_opening();
        if (!mca_pml_champion.finalizing) {
            make(opening);
        }
        free(opening);
    }
    return 0;
}

/* The connections are not made here. If the peer makes some to this process at
 * the same time, UCX joins each two, and while it handles what it has received,
 * UCX 1.13 may read once more from the one that it has just closed, and prints
 * an error. Without memory messages come by the connections that there are. */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_stripe_opens(
    mca_pml_champion_peer_t *peer,
    const mca_pml_champion_stripe_control_t *open, const void *address)
{
    opening_t *opening;

    MCA_PML_CHAMPION_LOCKED();
    if (mca_pml_champion.finalizing ||
        NULL == mca_pml_champion_stripe_of(peer)) {
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
    }
    opening = malloc(sizeof(*opening) + open->id);
    if (NULL != opening) {
        opening->peer = peer;
        opening->parts = open->parts;
        memcpy(opening->address, address, open->id);
        opening->next = mca_pml_champion_stripes.openings;
        mca_pml_champion_stripes.openings = opening;
        mca_pml_champion_chore_set(&chore, true);
    }
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

/* ---- parts -------------------------------------------------------------- */

/* Parts on their way. From mca_pml_champion.pool. */
typedef struct parts_t {
    mca_pml_champion_send_t *send;
    uint32_t left;
    mca_pml_champion_part_header_t header[MOST]; /* UCX reads them until the
                                                    parts are sent */
} parts_t;

static void part_ends(parts_t *parts, ucs_status_t status)
{
    mca_pml_champion_send_t *send = parts->send;

    if (0 == --parts->left) {
        --send->peer->stripe->under_way;
        opal_size_pool_free(&mca_pml_champion.pool, parts, sizeof(*parts));
    }
    if (OPAL_UNLIKELY(UCS_OK != status)) {
        /* Its receiver waits for the part. */
        lost_parts(send->peer, status);
        send->error = MPI_ERR_OTHER;
    }
    mca_pml_champion_send_event(send);
}

static void part_sent(void *request, ucs_status_t status, void *parts)
{
    ucp_request_free(request);
    mca_pml_champion_inflight_end();
    part_ends(parts, status);
}

static ucs_status_ptr_t part_give(parts_t *parts, uint32_t count,
                                  uint32_t number, ucp_ep_h ep)
{
    const mca_pml_champion_send_t *send = parts->send;
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                        UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS |
                        mca_pml_champion.memory_attr,
        .flags = UCP_AM_SEND_FLAG_RNDV,
        .cb.send = part_sent,
        .user_data = parts,
        .memory_type = UCS_MEMORY_TYPE_HOST,
    };

    return ucp_am_send_nbx(
        ep, MCA_PML_CHAMPION_AM_PART, &parts->header[number],
        sizeof(parts->header[number]),
        (const char *) send->data +
            mca_pml_champion_part_begin(send->length, count, number),
        mca_pml_champion_part_length(send->length, count, number), &param);
}

/* What a further endpoint does not take the first one does. */
static void part_send(parts_t *parts, uint32_t count, uint32_t number)
{
    mca_pml_champion_send_t *send = parts->send;
    mca_pml_champion_peer_t *peer = send->peer;
    ucs_status_ptr_t request = UCS_STATUS_PTR(UCS_ERR_NOT_CONNECTED);

    if (0 != number) {
        request = part_give(parts, count, number, peer->stripe->ep[number - 1]);
    }
    if (UCS_PTR_IS_ERR(request)) {
        request = part_give(parts, count, number, peer->ep);
    }
    if (UCS_PTR_IS_PTR(request)) {
        mca_pml_champion_inflight_begin();
        mca_pml_champion_wake_tell(); /* who is asked may compute soon */
        return;
    }
    part_ends(parts, UCS_PTR_STATUS(request));
}

static void send_parts(mca_pml_champion_send_t *send, parts_t *parts,
                       const mca_pml_champion_stripe_control_t *ask)
{
    const uint32_t count = ask->parts;

    leave(send);
    parts->send = send;
    parts->left = count;
    for (uint32_t i = 0; i < count; ++i) {
        parts->header[i] = (mca_pml_champion_part_header_t){
            .vpid = OPAL_PROC_MY_NAME.vpid, .id = ask->id, .part = i};
    }
    send->pending = (uint8_t) (send->pending + count);
    ++mca_pml_champion.counters.stripes_sent;
    ++send->peer->stripe->under_way;
    for (uint32_t i = 0; i < count; ++i) {
        part_send(parts, count, i);
    }
}

mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_stripe_asked(
    mca_pml_champion_peer_t *peer, const mca_pml_champion_stripe_control_t *ask)
{
    mca_pml_champion_peer_stripe_t *stripe = peer->stripe;
    const uint32_t most = NULL == stripe ? 1 : 1 + stripe->good;
    mca_pml_champion_send_t *send =
        ask->parts <= most ? find(peer, ask->sequence) : NULL;
    parts_t *parts = NULL == send ? NULL
                                  : opal_size_pool_alloc(&mca_pml_champion.pool,
                                                         sizeof(*parts));
    const mca_pml_champion_stripe_control_t decline = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = MCA_PML_CHAMPION_STRIPE_DECLINE,
        .id = ask->id,
        .sequence = ask->sequence,
        .parts = most,
    };

    MCA_PML_CHAMPION_LOCKED();
    if (NULL != parts) {
        send_parts(send, parts, ask);
    } else if (!mca_pml_champion_stripe_tell(peer, &decline, sizeof(decline))) {
        return MCA_PML_CHAMPION_CTRL_MSG_UNANSWERED;
    }
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

void mca_pml_champion_stripe_send_open(void)
{
    mca_pml_champion_send_unlist = leave;
    for (uint32_t i = 0; i < MOST; ++i) {
        hellos[i] = (mca_pml_champion_stripe_control_t){
            .vpid = OPAL_PROC_MY_NAME.vpid,
            .what = MCA_PML_CHAMPION_STRIPE_HELLO,
            .parts = i,
        };
    }
}

void mca_pml_champion_stripe_send_close(void)
{
    while (NULL != mca_pml_champion_stripes.openings) {
        free(take_opening());
    }
}
