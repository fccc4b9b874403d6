/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages that come in parts: a sender that declines is left alone for a while;
 * a receiver that has never sent learns how to ask; the progress thread does not
 * sleep on when parts are under way; what cannot be declined ends the job with
 * the reason; connections are asked for one by one, and made when UCX has returned.
 */

/* Included for its messages under way, and how many parts one has. */
#include "ompi/mca/pml/champion/large/stripe_recv.c"

#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/large/stripe_send.h"

#include "pml_world.h"

typedef mca_pml_champion_stripe_control_t control_t;

enum { MINE = 7, PARTS = 4, LENGTH = 1 << 20 };

/* ---- what stands for UCX and the rest of the component ------------------ */

mca_pml_champion_stripes_t mca_pml_champion_stripes;
bool (*mca_pml_champion_transfer_otherwise)(
    mca_pml_champion_transfer_t *transfer,
    const mca_pml_champion_source_t *source, void *buffer, size_t count,
    const ucp_request_param_t *param);

static mca_pml_champion_peer_stripe_t peer_stripe;
static mca_pml_champion_peer_t peer;
static mca_pml_champion_peer_t *job[] = {NULL, &peer};
static char pending; /* a request that UCX does not complete */

#define ADDRESS "of a worker"
static char worker_address[] = ADDRESS;

static control_t told[64];
static unsigned num_told, released, wakes, created;
static bool told_fails;

static struct {
    unsigned times;
    size_t begin, length;
} fetched;
static unsigned sent;

mca_pml_champion_peer_stripe_t *mca_pml_champion_stripe_of(
    mca_pml_champion_peer_t *of)
{
    return of->stripe;
}

bool mca_pml_champion_stripe_tell(mca_pml_champion_peer_t *to,
                                  const control_t *control, size_t length)
{
    assert_ptr_equal(&peer, to);
    assert_true(length >= sizeof(*control));
    if (told_fails) {
        return false;
    }
    told[num_told++ % 64] = *control;
    return true;
}

void mca_pml_champion_transfer_end(mca_pml_champion_transfer_t *transfer,
                                   ucs_status_t status)
{
    assert_int_equal(UCS_OK, status);
}

void mca_pml_champion_wake(void)
{
    mca_pml_champion.thread_asleep = false;
    ++wakes;
}

ucs_status_ptr_t ucp_am_send_nbx(ucp_ep_h ep, unsigned id, const void *header,
                                 size_t header_length, const void *buffer,
                                 size_t count, const ucp_request_param_t *param)
{
    sent += MCA_PML_CHAMPION_AM_PART == id;
    return &pending;
}

ucs_status_ptr_t ucp_am_recv_data_nbx(ucp_worker_h worker, void *descriptor,
                                      void *buffer, size_t count,
                                      const ucp_request_param_t *param)
{
    ++fetched.times;
    fetched.length = count;
    return &pending;
}

void ucp_am_data_release(ucp_worker_h worker, void *data)
{
    ++released;
}

ucs_status_t ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params,
                           ucp_ep_h *ep)
{
    assert_memory_equal(ADDRESS, params->address, sizeof(ADDRESS));
    *ep = (ucp_ep_h) &pending;
    ++created;
    return UCS_OK;
}

ucs_status_t ucp_worker_query(ucp_worker_h worker, ucp_worker_attr_t *attr)
{
    attr->address = (ucp_address_t *) worker_address;
    attr->address_length = sizeof(worker_address);
    return UCS_OK;
}

/* ---- a process that has a peer with four connections -------------------- */

static char data[LENGTH];

static int begin(void **unused)
{
    memset(&mca_pml_champion, 0, sizeof(mca_pml_champion));
    memset(&peer, 0, sizeof(peer));
    memset(&peer_stripe, 0, sizeof(peer_stripe));
    memset(&fetched, 0, sizeof(fetched));
    opal_size_pool_init(&mca_pml_champion.pool);
    mca_pml_champion.my_jobid = 1;
    mca_pml_champion.job_size = 2;
    mca_pml_champion.job_peers = job;
    OPAL_PROC_MY_NAME = (opal_process_name_t){.jobid = 1, .vpid = MINE};
    mca_pml_champion_stripes = (mca_pml_champion_stripes_t){
        .on = true, .flows = PARTS, .min = 1 << 16, .left = 100};
    peer.name = (opal_process_name_t){.jobid = 1, .vpid = 1};
    peer.tcp = MCA_PML_CHAMPION_ONLY_TCP;
    peer.stripe = &peer_stripe;
    peer_stripe.opened = PARTS;
    peer_stripe.heard = 7;
    peer_stripe.good = peer_stripe.made = PARTS - 1;
    num_told = released = wakes = sent = created = 0;
    told_fails = false;
    mca_pml_champion_stripe_send_open();
    mca_pml_champion_stripe_recv_open();
    return 0;
}

static int end(void **unused)
{
    opal_size_pool_fini(&mca_pml_champion.pool);
    return 0;
}

/* A message arrives. Was it asked for in parts? */
static bool arrives(void)
{
    static mca_pml_champion_transfer_t transfer;
    const mca_pml_champion_source_t source = {
        .peer = &peer, .descriptor = data, .length = LENGTH, .sequence = 3};
    const ucp_request_param_t param = {.op_attr_mask = 0};
    const unsigned before = num_told;
    const bool striped = mca_pml_champion_transfer_otherwise(
        &transfer, &source, data, LENGTH, &param);

    assert_int_equal(striped, num_told - before);
    if (striped) {
        assert_int_equal(MCA_PML_CHAMPION_STRIPE_ASK, told[before % 64].what);
        assert_int_equal(PARTS, told[before % 64].parts);
    }
    return striped;
}

static void is_declined(uint32_t id)
{
    const control_t decline = {.vpid = 1,
                               .what = MCA_PML_CHAMPION_STRIPE_DECLINE,
                               .id = id,
                               .parts = PARTS};
    stripe_t *stripe = stripe_find(&peer, id);

    assert_non_null(stripe);
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_GOOD,
                     mca_pml_champion_stripe_declined(&peer, &decline));
    part_fetched(&pending, UCS_OK, LENGTH, stripe);
}

static ucs_status_t part_comes(uint32_t id, uint32_t number, uint64_t how)
{
    const ucp_am_recv_param_t param = {.recv_attr = how};
    const mca_pml_champion_part_header_t header = {
        .vpid = 1, .id = id, .part = number};

    return mca_pml_champion_stripe_part(
        NULL, &header, sizeof(header), data,
        mca_pml_champion_part_length(LENGTH, PARTS, number), &param);
}

static void comes_in_parts(uint32_t id)
{
    stripe_t *stripe = stripe_find(&peer, id);

    for (uint32_t i = 0; i < PARTS; ++i) {
        assert_int_equal(UCS_INPROGRESS,
                         part_comes(id, i, UCP_AM_RECV_ATTR_FLAG_RNDV));
        part_fetched(&pending, UCS_OK, 0, stripe);
    }
}

static mca_pml_champion_send_t send_of(uint32_t sequence)
{
    return (mca_pml_champion_send_t){
        .peer = &peer,
        .data = data,
        .length = LENGTH,
        .pending = 1,
        .header.super.super.sequence = sequence,
    };
}

/* ---- the receiver ------------------------------------------------------- */

/* How many of some messages, all of which are declined, are asked for. */
static unsigned asked_of(unsigned messages)
{
    unsigned asked = 0;

    for (unsigned i = 0; i < messages; ++i) {
        if (arrives()) {
            ++asked;
            is_declined(last_id);
        }
    }
    return asked;
}

#define TEST(name) UNIT_TEST_WITH(name, begin, end)

TEST(who_declines_is_asked_ever_less)
{
    assert_int_equal(4, asked_of(4));
    assert_int_equal(0, asked_of(4));
    assert_int_equal(1, asked_of(1 + 8));
    assert_int_equal(1, asked_of(1 + 16));
    assert_true(asked_of(10000) < 10000 / 256 + 6);
}

TEST(who_sends_in_parts_again_is_asked_again)
{
    assert_int_equal(4, asked_of(4 + 4));
    assert_true(arrives());
    comes_in_parts(last_id);
    assert_int_equal(1, mca_pml_champion.counters.stripes_received);
    for (int i = 0; i < 20; ++i) { /* now and then one is declined */
        assert_int_equal(3, asked_of(3));
        assert_true(arrives());
        comes_in_parts(last_id);
    }
}

/* They were asked for before the first one was declined. */
TEST(messages_that_are_declined_together_count_once)
{
    const uint32_t first = last_id + 1;

    for (int i = 0; i < 40; ++i) {
        assert_true(arrives());
    }
    for (uint32_t i = 0; i < 40; ++i) {
        is_declined(first + i);
    }
    assert_int_equal(1, asked_of(4 + 1));
}

TEST(lost_connections_are_no_reason_to_wait)
{
    for (int i = 0; i < 20; ++i) {
        const control_t decline = {.what = MCA_PML_CHAMPION_STRIPE_DECLINE,
                                   .id = last_id + 1,
                                   .parts = 1};
        stripe_t *stripe;

        peer_stripe.heard = 7; /* they are there again */
        assert_true(arrives());
        stripe = stripe_find(&peer, last_id);
        assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_GOOD,
                         mca_pml_champion_stripe_declined(&peer, &decline));
        assert_int_equal(0, peer_stripe.heard);
        part_fetched(&pending, UCS_OK, LENGTH, stripe);
    }
}

TEST(what_is_fetched_wakes_the_progress_thread)
{
    assert_true(arrives());
    mca_pml_champion.thread_asleep = true;
    assert_int_equal(UCS_INPROGRESS,
                     part_comes(last_id, 0, UCP_AM_RECV_ATTR_FLAG_RNDV));
    assert_int_equal(1, wakes);
    part_fetched(&pending, UCS_OK, 0, stripe_find(&peer, last_id));
    for (uint32_t i = 1; i < PARTS; ++i) {
        mca_pml_champion.thread_asleep = true;
        assert_int_equal(UCS_OK, part_comes(last_id, i, 0)); /* it is here */
    }
    assert_int_equal(1, released);
    assert_int_equal(2, wakes); /* UCX tells the sender that it is released */
}

TEST(connections_are_asked_for_one_by_one)
{
    control_t hello = {.vpid = 1, .what = MCA_PML_CHAMPION_STRIPE_HELLO};

    peer_stripe.opened = peer_stripe.heard = 0;
    for (uint32_t parts = 2; parts <= PARTS; ++parts) {
        assert_int_equal(parts - 1, parts_of(&peer, LENGTH, true));
        assert_int_equal(parts - 1, parts_of(&peer, LENGTH, true));
        assert_int_equal(parts - 1, num_told);
        assert_int_equal(MCA_PML_CHAMPION_STRIPE_OPEN, told[parts - 2].what);
        assert_int_equal(parts, told[parts - 2].parts);
        assert_int_equal(sizeof(worker_address), told[parts - 2].id);
        hello.parts = parts - 1;
        assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_GOOD,
                         mca_pml_champion_stripe_greeted(&peer, &hello));
    }
    assert_int_equal(PARTS, parts_of(&peer, LENGTH, true));
    assert_int_equal(PARTS - 1, num_told);
    assert_int_equal(100 - (PARTS - 1), mca_pml_champion_stripes.left);
}

/* ---- the sender --------------------------------------------------------- */

static void opens(uint32_t parts)
{
    const control_t open = {.vpid = 1,
                            .what = MCA_PML_CHAMPION_STRIPE_OPEN,
                            .id = sizeof(worker_address),
                            .parts = parts};

    assert_int_equal(
        MCA_PML_CHAMPION_CTRL_MSG_GOOD,
        mca_pml_champion_stripe_opens(&peer, &open, worker_address));
}

/* In UCX's callbacks UCX is not to make connections. */
TEST(connections_are_made_when_ucx_has_returned)
{
    peer_stripe.good = peer_stripe.made = 0;
    opens(2);
    opens(3);
    assert_int_equal(0, created);
    assert_int_equal(1, mca_pml_champion.chores);
    (void) mca_pml_champion_chores_step();
    assert_int_equal(2, created);
    assert_int_equal(2, peer_stripe.good);
    assert_int_equal(0, mca_pml_champion.chores);
    opens(PARTS);
    mca_pml_champion.finalizing = true;
    opens(PARTS);
    (void) mca_pml_champion_chores_step();
    assert_int_equal(2, created); /* the peer may be gone */
    mca_pml_champion.finalizing = false;
    opens(PARTS);
    mca_pml_champion_stripe_send_close();
    assert_int_equal(2, created);
    assert_int_equal(0, mca_pml_champion.chores);
    assert_null(mca_pml_champion_stripes.openings);
}

TEST(a_receiver_that_never_sent_learns_how_to_ask)
{
    mca_pml_champion_send_t sends[3] = {send_of(0), send_of(1), send_of(2)};

    mca_pml_champion_stripe_enter(&sends[0]);
    assert_int_equal(1, num_told);
    assert_int_equal(MCA_PML_CHAMPION_STRIPE_HERE, told[0].what);
    assert_int_equal(MINE, told[0].vpid);
    mca_pml_champion_stripe_enter(&sends[1]);
    assert_int_equal(1, num_told);
    peer_stripe.here = false;
    peer.recv_sequence = 1; /* it can reach this process */
    mca_pml_champion_stripe_enter(&sends[2]);
    assert_int_equal(1, num_told);
}

TEST(parts_that_are_sent_wake_the_progress_thread)
{
    const control_t ask = {.vpid = 1,
                           .what = MCA_PML_CHAMPION_STRIPE_ASK,
                           .sequence = 5,
                           .parts = PARTS};
    mca_pml_champion_send_t send = send_of(5);

    mca_pml_champion_stripe_enter(&send);
    mca_pml_champion.thread_asleep = true;
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_GOOD,
                     mca_pml_champion_stripe_asked(&peer, &ask));
    assert_int_equal(PARTS, sent);
    assert_int_equal(1, wakes);
}

TEST(what_cannot_be_declined_is_no_lack_of_memory)
{
    const control_t ask = {.vpid = 1,
                           .what = MCA_PML_CHAMPION_STRIPE_ASK,
                           .sequence = 5,
                           .parts = PARTS};

    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_GOOD,
                     mca_pml_champion_stripe_asked(&peer, &ask));
    assert_int_equal(MCA_PML_CHAMPION_STRIPE_DECLINE, told[0].what);
    told_fails = true;
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_UNANSWERED,
                     mca_pml_champion_stripe_asked(&peer, &ask));
}

int main(void)
{
    mca_pml_champion_lock();
    return unit_run(NULL, NULL);
}
