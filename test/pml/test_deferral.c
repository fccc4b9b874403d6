/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When the fetch of a rendezvous message begins: at once, after the next large
 * send to its sender, or at the next progress call; and how this choice adapts
 * to the program.
 */

#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/offload/outstanding.h"
#include "ompi/mca/pml/champion/offload/transfer.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"
#include "ompi/mca/pml/champion/large/rendezvous.h"
#include "ompi/mca/pml/champion/large/thread_trigger.h"

#include "pml_world.h"

/* ---- what stands for the rest of the component -------------------------- */

mca_pml_champion_outstanding_t mca_pml_champion_outstanding;

enum { BEGUN_MAX = 8 };

static const mca_pml_champion_transfer_t *begun[BEGUN_MAX];
static unsigned num_begun;

void *mca_pml_champion_transfer_begin(mca_pml_champion_transfer_t *transfer,
                                      const mca_pml_champion_source_t *source,
                                      void *buffer, size_t count,
                                      ucp_request_param_t *param)
{
    const mca_pml_champion_recv_t *recv = mca_pml_champion_recv_of(transfer);

    assert_true(num_begun < BEGUN_MAX);
    assert_non_null(source->peer);
    assert_non_null(source->descriptor);
    assert_ptr_equal(recv->data, buffer);
    assert_int_equal(source->length, count);
    begun[num_begun++] = transfer;
    return transfer;
}

void mca_pml_champion_thread_trigger_fetching(mca_pml_champion_peer_t *peer,
                                              size_t bytes)
{
}

uint64_t mca_pml_champion_transfer_cost(const mca_pml_champion_peer_t *peer,
                                        size_t bytes)
{
    return bytes;
}

/* ---- messages, and their receives --------------------------------------- */

enum { LENGTH = 1 << 20, MESSAGES = 5 };

static mca_pml_champion_peer_t here, there; /* on this node, or by network */
static mca_pml_champion_recv_t recvs[MESSAGES];
static mca_pml_champion_request_t request;
static mca_pml_champion_message_t waited;
static ompi_status_public_t status;
static char data[1];

static int begin(void **state)
{
    memset(&mca_pml_champion, 0, sizeof(mca_pml_champion));
    memset(&mca_pml_champion_rendezvous, 0,
           sizeof(mca_pml_champion_rendezvous));
    memset(&here, 0, sizeof(here));
    memset(&there, 0, sizeof(there));
    here.local = true;
    there.tcp = MCA_PML_CHAMPION_NOT_ONLY_TCP;
    memset(&status, 0, sizeof(status));
    num_begun = 0;
    for (int i = 0; i < MESSAGES; ++i) {
        memset(&recvs[i], 0, sizeof(recvs[i]));
        recvs[i].contiguous = true;
        recvs[i].data = data;
        recvs[i].capacity = LENGTH;
        recvs[i].request = &request;
        recvs[i].status = &status;
    }
    mca_pml_champion_rendezvous_open();
    return 0;
}

/* Give message i to its receive; `waited` says whether it was queued before.
 * True if the payload is still in use. */
static bool deliver(int i, mca_pml_champion_peer_t *peer, bool has_waited)
{
    mca_pml_champion_arrival_t arrival = {
        .peer = peer,
        .payload = data,
        .length = LENGTH,
        .kind = MCA_PML_CHAMPION_RENDEZVOUS,
        .message = has_waited ? &waited : NULL,
    };

    mca_pml_champion_payloads[arrival.kind].deliver(&arrival, &recvs[i]);
    return arrival.kept;
}

static void progress(void)
{
    if (mca_pml_champion_rendezvous.due) {
        assert_int_equal(1, mca_pml_champion.chores);
        (void) mca_pml_champion_chores_step();
    }
    assert_int_equal(0, mca_pml_champion.chores);
    assert_null(mca_pml_champion_rendezvous.first);
}

#define TEST(name) UNIT_TEST_WITH(name, begin, NULL)

TEST(a_large_send_begins_the_fetch)
{
    assert_true(deliver(0, &here, true));
    assert_int_equal(0, num_begun);
    assert_int_equal(1, mca_pml_champion.counters.deferred);
    mca_pml_champion_rendezvous_sent(&here);
    assert_int_equal(1, num_begun);
    assert_ptr_equal(&recvs[0].transfer, begun[0]);
    progress();
    assert_int_equal(1, num_begun);
    /* The program sends after it receives, so the next fetch is deferred. */
    assert_true(deliver(1, &here, true));
    assert_int_equal(1, num_begun);
}

TEST(without_a_send_progress_does_and_the_next_begins_at_once)
{
    assert_true(deliver(0, &here, true));
    progress();
    assert_int_equal(1, num_begun);
    assert_true(deliver(1, &here, true));
    assert_int_equal(2, num_begun);
    progress();
    assert_true(deliver(2, &here, true));
    assert_int_equal(3, num_begun);
    /* A large send followed the deferred fetch: deferring pays from now on. */
    mca_pml_champion_rendezvous_sent(&here);
    progress();
    assert_true(deliver(3, &here, true));
    assert_int_equal(3, num_begun);
    assert_int_equal(2, mca_pml_champion.counters.deferred);
}

TEST(a_send_to_another_peer_begins_nothing)
{
    there.tcp = MCA_PML_CHAMPION_ONLY_TCP;
    assert_true(deliver(0, &here, true));
    assert_true(deliver(1, &there, true));
    assert_true(deliver(2, &here, true));
    assert_true(deliver(3, &there, true));
    mca_pml_champion_rendezvous_sent(&there);
    assert_int_equal(2, num_begun);
    assert_ptr_equal(&recvs[1].transfer, begun[0]);
    assert_ptr_equal(&recvs[3].transfer, begun[1]);
    /* The list is intact: in order, and more can be appended. */
    assert_true(deliver(4, &here, true));
    mca_pml_champion_rendezvous_sent(&here);
    assert_int_equal(5, num_begun);
    assert_ptr_equal(&recvs[0].transfer, begun[2]);
    assert_ptr_equal(&recvs[2].transfer, begun[3]);
    assert_ptr_equal(&recvs[4].transfer, begun[4]);
    progress();
    assert_int_equal(5, num_begun);
}

/* In UCX's callback: the next one may find the answer to our own request, and
 * what is sent then would precede the answer to this one. */
TEST(a_message_that_finds_its_receive_is_fetched_at_once)
{
    assert_true(deliver(0, &here, false));
    assert_int_equal(1, num_begun);
    assert_int_equal(0, mca_pml_champion.chores);
    assert_int_equal(0, mca_pml_champion.counters.deferred);
}

TEST(a_blocking_receive_waits_for_nothing_else)
{
    recvs[0].request = NULL;
    assert_true(deliver(0, &here, true));
    assert_int_equal(1, num_begun);
    assert_int_equal(0, mca_pml_champion.chores);
}

TEST(adapters_read_by_themselves)
{
    assert_true(deliver(0, &there, true));
    assert_int_equal(1, num_begun);
    there.tcp = MCA_PML_CHAMPION_ONLY_TCP;
    assert_true(deliver(1, &there, true));
    assert_int_equal(1, num_begun);
    progress();
    assert_int_equal(2, num_begun);
}

TEST(data_that_do_not_fit_are_not_fetched)
{
    recvs[0].capacity = LENGTH - 1;
    recvs[0].request = NULL;
    assert_false(deliver(0, &here, true));
    assert_int_equal(0, num_begun);
    assert_int_equal(MPI_ERR_TRUNCATE, status.MPI_ERROR);
    assert_int_equal(1, recvs[0].done);
    assert_int_equal(0, mca_pml_champion.chores);
}

int main(void)
{
    mca_pml_champion_lock();
    return unit_run(NULL, NULL);
}
