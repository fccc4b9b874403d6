/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/large/stripe_recv.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/inflight.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/offload/transfer.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"

#define STRIPES mca_pml_champion_stripes
#define MOST MCA_PML_CHAMPION_STRIPES_MAX

/* So many messages in a row that the sender declines are asked for in vain: its
 * data are not contiguous, say. Then as many are not asked for, twice as many
 * after the next one that it declines, and so on, up to PASS_MAX. */
enum { DECLINES = 4, DOUBLED = 6, PASS_MAX = DECLINES << DOUBLED };

/* A message that comes in parts. From mca_pml_champion.pool. */
typedef struct stripe_t {
    struct stripe_t *next;
    mca_pml_champion_transfer_t *transfer;
    mca_pml_champion_peer_t *peer;
    void *descriptor; /* of the whole message; NULL: it is being fetched */
    char *buffer;
    size_t length;
    uint32_t id;
    uint32_t parts;
    uint32_t arrived; /* a bit for each part */
    uint32_t missing; /* parts whose data are not here */
    ucs_status_t status;
} stripe_t;

static stripe_t *stripes; /* under way */
static uint32_t last_id;

/* ---- connections -------------------------------------------------------- */

/* Ask the peer for another connection, once for each number of them. If that
 * fails, messages come by those that there are. */
static void open_more(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_stripe_control_t *open;
    ucp_worker_attr_t attr = {
        .field_mask =
            UCP_WORKER_ATTR_FIELD_ADDRESS | UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS,
        .address_flags = UCP_WORKER_ADDRESS_FLAG_NET_ONLY,
    };
    size_t length;

    peer->stripe->opened += 0 == peer->stripe->opened ? 2 : 1;
    if (0 == STRIPES.left) {
        return;
    }
    --STRIPES.left;
    if (UCS_OK != ucp_worker_query(mca_pml_champion.worker, &attr)) {
        return;
    }
    length = sizeof(*open) + attr.address_length;
    open = attr.address_length > MCA_PML_CHAMPION_STRIPE_ADDRESS_MAX
               ? NULL
               : malloc(length);
    if (NULL != open) {
        *open = (mca_pml_champion_stripe_control_t){
            .vpid = OPAL_PROC_MY_NAME.vpid,
            .what = MCA_PML_CHAMPION_STRIPE_OPEN,
            .id = (uint32_t) attr.address_length,
            .parts = peer->stripe->opened,
        };
        memcpy(open + 1, attr.address, attr.address_length);
        (void) mca_pml_champion_stripe_tell(peer, open, length);
        free(open);
    }
    ucp_worker_release_address(mca_pml_champion.worker, attr.address);
}

mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_stripe_greeted(
    mca_pml_champion_peer_t *peer,
    const mca_pml_champion_stripe_control_t *hello)
{
    MCA_PML_CHAMPION_LOCKED();
    if (NULL == peer->stripe || hello->parts >= peer->stripe->opened) {
        return MCA_PML_CHAMPION_CTRL_MSG_ABSENT;
    }
    peer->stripe->heard |= 1u << (hello->parts - 1);
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

/* ---- how many ----------------------------------------------------------- */

/* By how many connections are messages of this length to come? */
static uint32_t wanted(const mca_pml_champion_peer_t *peer, size_t length)
{
    if (length < STRIPES.min) {
        return 1;
    }
    if (MCA_PML_CHAMPION_FLOWS_AUTO != STRIPES.flows) {
        return (uint32_t) STRIPES.flows;
    }
    return peer->local ? 1 : mca_pml_champion_flows(&peer->stripe->rule);
}

/* By how many can they come? Endpoints are used from the first one on, and all
 * before the first that has not greeted. */
static uint32_t usable(const mca_pml_champion_peer_stripe_t *stripe)
{
    return 1 + (uint32_t) __builtin_ctz(~stripe->heard);
}

static bool is_stripable(mca_pml_champion_peer_t *peer)
{
    return !peer->self && peer->name.jobid == mca_pml_champion.my_jobid &&
           mca_pml_champion_peer_has_only_tcp(peer);
}

/* Is the next message not to be asked for, as the sender has declined others? */
static bool passes(mca_pml_champion_peer_stripe_t *stripe)
{
    const bool some = stripe->pass > 0;

    stripe->pass -= some;
    return some;
}

/* The sender has all connections that it was asked for, but not this message. */
static void has_declined(mca_pml_champion_peer_stripe_t *stripe)
{
    uint32_t more;

    if (stripe->pass > 0) {
        return; /* one of several that were asked for at a time */
    }
    if (++stripe->declined >= DECLINES) {
        more = stripe->declined - DECLINES;
        stripe->pass = more < DOUBLED ? DECLINES << more : PASS_MAX;
    }
}

/* How many parts a message is to be asked for in. */
static uint32_t parts_of(mca_pml_champion_peer_t *peer, size_t length,
                         bool possible)
{
    mca_pml_champion_peer_stripe_t *stripe =
        is_stripable(peer) ? mca_pml_champion_stripe_of(peer) : NULL;
    uint32_t parts, some;

    if (NULL == stripe) {
        return 1;
    }
    parts = wanted(peer, length);
    some = usable(stripe);
    /* One after the other: UCX may pair those that come together crosswise. */
    if (parts > 1 && parts > stripe->opened && some >= stripe->opened) {
        open_more(peer);
    }
    if (!possible || 1 == parts) {
        some = 1;
    }
    if (some > 1 && passes(stripe)) {
        some = 1;
    }
    stripe->unlike = stripe->unlike || !possible || some < parts;
    return some < parts ? some : parts;
}

/* Only busy periods of messages that may be striped tell something. */
static void on_period_end(mca_pml_champion_peer_t *peer, uint64_t least,
                          uint64_t bytes, uint64_t ns)
{
    mca_pml_champion_peer_stripe_t *stripe = peer->stripe;
    uint64_t *most = &mca_pml_champion.counters.stripes_flows;

    MCA_PML_CHAMPION_LOCKED();
    if (NULL == stripe || peer->local) {
        return;
    }
    if (!stripe->unlike && least >= STRIPES.min) {
        mca_pml_champion_flows_add(&stripe->rule, MOST, bytes, ns);
        if (stripe->rule.decided &&
            mca_pml_champion_flows(&stripe->rule) > *most) {
            *most = mca_pml_champion_flows(&stripe->rule);
        }
    }
    stripe->unlike = false;
}

/* ---- a message ---------------------------------------------------------- */

static bool ask(const stripe_t *stripe, uint32_t sequence)
{
    const mca_pml_champion_stripe_control_t control = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = MCA_PML_CHAMPION_STRIPE_ASK,
        .id = stripe->id,
        .sequence = sequence,
        .parts = stripe->parts,
    };

    return mca_pml_champion_stripe_tell(stripe->peer, &control,
                                        sizeof(control));
}

/* As mca_pml_champion_transfer_begin, in parts. False, with nothing changed, if
 * the message is to be fetched as a whole. */
static bool stripe_begin(mca_pml_champion_transfer_t *transfer,
                         const mca_pml_champion_source_t *source, void *buffer,
                         size_t count, const ucp_request_param_t *param)
{
    mca_pml_champion_peer_t *peer = source->peer;
    stripe_t *stripe;
    uint32_t parts;

    MCA_PML_CHAMPION_LOCKED();
    if (NULL == peer || mca_pml_champion.finalizing) {
        return false;
    }
    parts =
        parts_of(peer, source->length,
                 NULL != source->descriptor && count == source->length &&
                     0 == (param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE));
    stripe = 1 == parts ? NULL
                        : opal_size_pool_alloc(&mca_pml_champion.pool,
                                               sizeof(*stripe));
    if (NULL == stripe) {
        return false;
    }
    *stripe = (stripe_t){
        .next = stripes,
        .transfer = transfer,
        .peer = peer,
        .descriptor = source->descriptor,
        .buffer = buffer,
        .length = source->length,
        .id = ++last_id,
        .parts = parts,
        .missing = parts,
        .status = UCS_OK,
    };
    if (!ask(stripe, source->sequence)) {
        opal_size_pool_free(&mca_pml_champion.pool, stripe, sizeof(*stripe));
        peer->stripe->unlike = true;
        return false;
    }
    stripes = stripe;
    mca_pml_champion_fetch_begin();
    return true;
}

static stripe_t *stripe_find(const mca_pml_champion_peer_t *peer, uint32_t id)
{
    stripe_t *stripe = stripes;

    while (NULL != stripe && (id != stripe->id || peer != stripe->peer)) {
        stripe = stripe->next;
    }
    return stripe;
}

/* All of it is here. */
static void stripe_ends(stripe_t *stripe)
{
    mca_pml_champion_transfer_t *transfer = stripe->transfer;
    const ucs_status_t status = stripe->status;
    stripe_t **at = &stripes;

    while (stripe != *at) {
        at = &(*at)->next;
    }
    *at = stripe->next;
    if (NULL != stripe->descriptor) {
        ++mca_pml_champion.counters.stripes_received;
        stripe->peer->stripe->declined = 0;
        ucp_am_data_release(mca_pml_champion.worker, stripe->descriptor);
        mca_pml_champion_wake_tell(); /* UCX tells the sender */
    }
    opal_size_pool_free(&mca_pml_champion.pool, stripe, sizeof(*stripe));
    mca_pml_champion_fetch_end();
    mca_pml_champion_transfer_end(transfer, status);
}

static void part_here(stripe_t *stripe, ucs_status_t status)
{
    if (OPAL_UNLIKELY(UCS_OK != status)) {
        stripe->status = status;
    }
    if (0 == --stripe->missing) {
        stripe_ends(stripe);
    }
}

static void part_fetched(void *request, ucs_status_t status, size_t length,
                         void *stripe)
{
    (void) length;
    ucp_request_free(request);
    mca_pml_champion_fetch_end();
    part_here(stripe, status);
}

static void part_fetch(stripe_t *stripe, void *descriptor, size_t begin,
                       size_t length)
{
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                        UCP_OP_ATTR_FIELD_USER_DATA |
                        mca_pml_champion.memory_attr,
        .cb.recv_am = part_fetched,
        .user_data = stripe,
        .memory_type = UCS_MEMORY_TYPE_HOST,
    };
    ucs_status_ptr_t request =
        ucp_am_recv_data_nbx(mca_pml_champion.worker, descriptor,
                             stripe->buffer + begin, length, &param);

    if (UCS_PTR_IS_PTR(request)) {
        mca_pml_champion_fetch_begin();
        mca_pml_champion_wake_tell();
    } else {
        part_here(stripe, UCS_PTR_STATUS(request));
    }
}

mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_stripe_declined(
    mca_pml_champion_peer_t *peer,
    const mca_pml_champion_stripe_control_t *decline)
{
    stripe_t *stripe = stripe_find(peer, decline->id);
    void *descriptor;

    MCA_PML_CHAMPION_LOCKED();
    if (NULL == stripe || NULL == stripe->descriptor || 0 != stripe->arrived) {
        return MCA_PML_CHAMPION_CTRL_MSG_ABSENT;
    }
    if (decline->parts >= stripe->parts) {
        has_declined(peer->stripe);
    }
    /* It may have lost some of its endpoints. */
    peer->stripe->heard &= (1u << (decline->parts - 1)) - 1;
    peer->stripe->unlike = true;
    descriptor = stripe->descriptor;
    stripe->descriptor = NULL;
    stripe->missing = 1;
    part_fetch(stripe, descriptor, 0, stripe->length);
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

/* Where a part belongs. NULL, and why, if nowhere. */
static stripe_t *part_take(const mca_pml_champion_part_header_t *header,
                           size_t length,
                           mca_pml_champion_ctrl_msg_verdict_t *verdict)
{
    const opal_process_name_t name = {.jobid = mca_pml_champion.my_jobid,
                                      .vpid = header->vpid};
    stripe_t *stripe;

    *verdict = MCA_PML_CHAMPION_CTRL_MSG_SENDER;
    if (!mca_pml_champion_ctrl_msg_is_name(&name)) {
        return NULL;
    }
    stripe = stripe_find(mca_pml_champion_peer_find(&name), header->id);
    *verdict = MCA_PML_CHAMPION_CTRL_MSG_ABSENT;
    if (NULL == stripe || NULL == stripe->descriptor ||
        header->part >= stripe->parts ||
        0 != (stripe->arrived & 1u << header->part) ||
        length != mca_pml_champion_part_length(stripe->length, stripe->parts,
                                               header->part)) {
        return NULL;
    }
    stripe->arrived |= 1u << header->part;
    return stripe;
}

ucs_status_t mca_pml_champion_stripe_part(void *arg, const void *header,
                                          size_t header_length, void *data,
                                          size_t length,
                                          const ucp_am_recv_param_t *param)
{
    mca_pml_champion_ctrl_msg_verdict_t verdict =
        header_length < sizeof(mca_pml_champion_part_header_t)
            ? MCA_PML_CHAMPION_CTRL_MSG_SHORT
            : MCA_PML_CHAMPION_CTRL_MSG_LONG;
    mca_pml_champion_part_header_t part;
    stripe_t *stripe = NULL;
    size_t begin;

    MCA_PML_CHAMPION_LOCKED();
    (void) arg;
    if (OPAL_LIKELY(header_length == sizeof(part))) {
        memcpy(&part, header, sizeof(part));
        stripe = part_take(&part, length, &verdict);
    }
    if (OPAL_UNLIKELY(NULL == stripe)) {
        mca_pml_champion_ctrl_msg_refuse("PART", NULL, length, verdict);
        return UCS_OK;
    }
    begin =
        mca_pml_champion_part_begin(stripe->length, stripe->parts, part.part);
    if (OPAL_LIKELY(param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)) {
        part_fetch(stripe, data, begin, length);
        return UCS_INPROGRESS;
    }
    memcpy(stripe->buffer + begin, data, length);
    part_here(stripe, UCS_OK);
    return UCS_OK;
}

void mca_pml_champion_stripe_recv_open(void)
{
    stripes = NULL; /* of an earlier life: what they were made of is gone */
    mca_pml_champion_transfer_otherwise = STRIPES.on ? stripe_begin : NULL;
    mca_pml_champion_cost_model_period =
        MCA_PML_CHAMPION_FLOWS_AUTO == STRIPES.flows ? on_period_end : NULL;
}

void mca_pml_champion_stripe_recv_close(void)
{
    mca_pml_champion_transfer_otherwise = NULL;
    mca_pml_champion_cost_model_period = NULL;
}
