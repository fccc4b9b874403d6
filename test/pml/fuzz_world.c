/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "fuzz_input.h"
#include "fuzz_world.h"

#include "ompi/mca/pml/champion/match/disconnect.h"
#include "ompi/mca/pml/champion/match/flow_control.h"
#include "ompi/mca/pml/champion/match/arrival.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/test_delay.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/mpi/cancel.h"
#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/large/stripe.h"
#include "ompi/mca/pml/champion/shm/ring_out.h"
#include "ompi/mca/pml/champion/shm/ring_wireup.h"
#include "ompi/mca/pml/champion/large/thread_trigger.h"

#include "pml_random.h"

extern MCA_PML_CHAMPION_UNIT(asks);
extern MCA_PML_CHAMPION_UNIT(cancel);
extern MCA_PML_CHAMPION_UNIT(active_messages);

static pml_mq_t mqs[2];
static mca_pml_champion_comm_t comms[2];

fuzz_t fuzz;

static void sent(unsigned id, const void *bytes, size_t length)
{
    unsigned char copy[FUZZ_LONGEST];

    assert_in_range(id, 0, FUZZ_AM(COUNT) - 1);
    if (FUZZ_AM(STUCK) == id) { /* an answer, with a process or without */
        assert_in_range(length, fuzz_kinds[id].length, 4096);
        return;
    }
    assert_in_range(length, 1, FUZZ_LONGEST);
    memcpy(copy, bytes, length);
    if (FUZZ_AM(RECALL) == id) {
        assert_int_equal(sizeof(mca_pml_champion_recall_t), length);
        memcpy(&fuzz.last_token,
               copy + offsetof(mca_pml_champion_recall_t, token),
               sizeof(fuzz.last_token));
    }
}

static void elsewhere_deliver(mca_pml_champion_arrival_t *arrival,
                              mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_recv_complete(recv);
}

static mca_pml_champion_recv_t recvs[4];
static ompi_status_public_t statuses[4];
static char buffers[4][16];

/* Post a receive that is not posted. */
static void post(uint32_t i)
{
    mca_pml_champion_recv_t *recv = &recvs[i];
    const uint32_t which = pml_random_below(2);

    if (recv->posted) {
        return;
    }
    *recv = (mca_pml_champion_recv_t){
        .entry.envelope = {FUZZ_CONTEXT + which, MCA_MQ_ANY_SOURCE,
                           (int32_t) pml_random_below(3)},
        .data = buffers[i],
        .capacity = sizeof(buffers[i]),
        .contiguous = true,
        .posted = true,
        .status = &statuses[i],
    };
    pml_mq_append(&mqs[which], MCA_MQ_POSTED, &recv->entry);
}

static void comms_begin(void)
{
    for (uint32_t i = 0; i < 2; ++i) {
        pml_mq_init(&mqs[i], 0 == i ? 0 : MCA_MQ_ASSERT_ALLOW_OVERTAKING);
        pml_mq_enter(&mqs[i], &comms[i], FUZZ_CONTEXT + i);
    }
}

static void units_open(void)
{
    mca_pml_champion_rings.enabled = true;
    mca_pml_champion_rings.max = 65536;
    mca_pml_champion_rings.fragments = 16;
    mca_pml_champion.memory_attr = 1;
    mca_pml_champion_offload.mode = pml_random_once_in(2)
                                        ? MCA_PML_CHAMPION_OFFLOAD_ALWAYS
                                        : MCA_PML_CHAMPION_OFFLOAD_OFF;
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_offload_open());
    mca_pml_champion_rings_open();
    mca_pml_champion_flow.patience = 0;
    mca_pml_champion_flow_open();
    mca_pml_champion_closes = true;
    mca_pml_champion_disconnect_open();
    mca_pml_champion_thread_trigger_open();
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_unit_cancel.open());
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_unit_asks.open());
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_stripes_open());
    assert_int_equal(OMPI_SUCCESS,
                     mca_pml_champion_unit_active_messages.open());
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_stripes_listen());
}

void fuzz_peer_reachable(mca_pml_champion_peer_t *peer)
{
    if (!peer->self && NULL == peer->ep && NULL == peer->reply_ep) {
        peer->reply_ep = pml_world_ep;
    }
}

static void peers_begin(void)
{
    for (uint32_t vpid = 0; vpid < PML_WORLD_SIZE; ++vpid) {
        mca_pml_champion_peer_t *peer = pml_world_peer(vpid);

        peer->local = true;
        if (PML_WORLD_ME != vpid) {
            assert_int_equal(OMPI_SUCCESS, mca_pml_champion_peer_connect_to(
                                               peer, "an address", true));
        }
    }
}

/* Set up a process whose parameters differ from those of the last round. */
void fuzz_round_begin(void)
{
    mca_pml_champion_params_t *params = &mca_pml_champion.params;

    mca_pml_champion_hold_limit = 64;
    params->eager_limit = 8192;
    params->unexpected_limit = pml_random_once_in(2) ? 300000 : 0;
    params->test_delay = pml_random_once_in(8) ? 3 : 0;
    mca_pml_champion.slow_arrivals = 0 != params->test_delay;
    params->progress_thread =
        pml_random_once_in(2) ? MCA_PML_CHAMPION_AUTO : MCA_PML_CHAMPION_OFF;
    params->thread_late = 100;
    mca_pml_champion_payloads[MCA_PML_CHAMPION_RENDEZVOUS] =
        (mca_pml_champion_payload_ops_t){.deliver = elsewhere_deliver,
                                         .drop = mca_pml_champion_ucx_drop};
    mca_pml_champion_payloads[MCA_PML_CHAMPION_TAGGED].deliver =
        elsewhere_deliver;
    units_open();
    pml_world_open();
    peers_begin();
    comms_begin();
    mca_pml_champion.finalizing = pml_random_once_in(8);
}

static void peer_drop(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_messages_drop(&peer->reorder.first);
    peer->reorder.recalls = 0;
}

static void unexpected_drop(pml_mq_t *mq)
{
    mca_mq_entry_t *entry;

    while (NULL != (entry = pml_mq_pop(mq, MCA_MQ_UNEXPECTED))) {
        mca_pml_champion_message_drop((mca_pml_champion_message_t *) entry);
    }
}

/* All messages and requests must be gone. */
void fuzz_round_end(void)
{
    while (mca_pml_champion_chore_is_on(&mca_pml_champion_test_delay)) {
        (void) mca_pml_champion_test_delay.step();
    }
    mca_pml_champion.finalizing = true;
    mca_pml_champion_peers_each(fuzz_peer_reachable);
    unexpected_drop(&mqs[0]);
    unexpected_drop(&mqs[1]);
    mca_pml_champion_peers_each(peer_drop);
    mca_pml_champion_parked_drop();
    mca_pml_champion_unlock();
    mca_pml_champion_rings_close();
    mca_pml_champion_flow_close();
    mca_pml_champion_disconnect_fini();
    mca_pml_champion_offload_fini();
    mca_pml_champion_unit_cancel.close();
    mca_pml_champion_unit_asks.close();
    memset(fuzz.asked_token, 0, sizeof(fuzz.asked_token));
    memset(recvs, 0, sizeof(recvs));
    pml_world_close();
}

/* ---- what happens besides ----------------------------------------------- */

/* MPI_Cancel of a send. */
static void cancel(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_send_request_t *it = &fuzz.asked[peer->name.vpid];
    ompi_request_t *ompi = &it->super.super.req_ompi;

    if (peer->self || 0 != fuzz.asked_token[peer->name.vpid]) {
        return;
    }
    memset(it, 0, sizeof(*it));
    ompi->req_state = OMPI_REQUEST_ACTIVE;
    it->send.peer = peer;
    it->send.pending = FUZZ_MANY - 1;
    fuzz.last_token = 0;
    mca_pml_champion_unlock();
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_cancel_send(ompi, 1));
    mca_pml_champion_lock();
    assert_int_equal(it->send.recalled, 0 != fuzz.last_token);
    fuzz.asked_token[peer->name.vpid] = fuzz.last_token;
}

void fuzz_happen(void)
{
    const uint32_t vpid = pml_random_below(PML_WORLD_SIZE);

    if (mca_pml_champion_chore_is_on(&mca_pml_champion_peers_chore)) {
        (void) mca_pml_champion_peers_chore.step();
        mca_pml_champion_peers_each(fuzz_peer_reachable);
    }
    if (mca_pml_champion_chore_is_on(&mca_pml_champion_test_delay)) {
        (void) mca_pml_champion_test_delay.step();
    }
    cancel(pml_world_peer(vpid));
    post(pml_random_below(4));
}

int fuzz_begin(void **state)
{
    pml_world_begin();
    pml_world.sent = sent;
    pml_world.survives = true;
    return 0;
}
