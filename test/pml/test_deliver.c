/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Delivery of messages for each kind of payload, and the memory accounting of
 * messages that wait.
 */

#include "reorder_world.h"

#include "ompi/mca/mq/mq_ompi_compat.h"

/* Fault tolerance, whatever Open MPI has; and what is known of the sender. */
static bool tolerant, failed;
static ompi_proc_t sender;
#undef MCA_MQ_OMPI_FT_ENABLED
#define MCA_MQ_OMPI_FT_ENABLED tolerant
#undef MCA_MQ_OMPI_PROC_HAS_FAILED
#define MCA_MQ_OMPI_PROC_HAS_FAILED(proc) (&sender == (proc) && failed)
#define ompi_proc_find(name) (&sender)

#include "ompi/mca/pml/champion/match/deliver.c"

static const mca_mq_envelope_t envelope = {REORDER_ORDERED, 0, 1};

static mca_pml_champion_recv_t recv_of(void *data, size_t capacity,
                                       ompi_status_public_t *status)
{
    memset(status, 0, sizeof(*status));
    return (mca_pml_champion_recv_t){.data = data,
                                     .capacity = capacity,
                                     .contiguous = true,
                                     .posted = true,
                                     .status = status};
}

/* Memory of matching is still counted when all messages are gone. */
static int end(void **state)
{
    tolerant = failed = false;
    for (uint32_t i = 0; i < 2; ++i) {
        mca_pml_champion_context_leave(&world.comms[i]);
    }
    mca_pml_champion_backlog_ask();
    (void) mca_pml_champion_chores_step();
    return reorder_end(state);
}

#define ROW(name) UNIT_TEST_WITH(name, reorder_begin, end)

/* ---- fragments ---------------------------------------------------------- */

ROW(pieces_are_put_together)
{
    char data[9] = "--------";
    ompi_status_public_t status;
    mca_pml_champion_recv_t recv = recv_of(data, 8, &status);

    mca_pml_champion_fragments_begin(&recv, &envelope, 6);
    mca_pml_champion_fragments_add(&recv, 0, "abc", 3);
    assert_int_equal(0, recv.done);
    mca_pml_champion_fragments_add(&recv, 3, "def", 3);
    mca_pml_champion_fragments_end(&recv);
    assert_int_equal(1, recv.done);
    assert_string_equal("abcdef--", data);
    assert_int_equal(6, status._ucount);
    assert_int_equal(1, status.MPI_TAG);
    assert_int_equal(MPI_SUCCESS, status.MPI_ERROR);
}

ROW(pieces_that_do_not_fit_are_cut)
{
    char data[9] = "--------";
    ompi_status_public_t status;
    mca_pml_champion_recv_t recv = recv_of(data, 4, &status);

    mca_pml_champion_fragments_begin(&recv, &envelope, 9);
    mca_pml_champion_fragments_add(&recv, 0, "abc", 3);
    mca_pml_champion_fragments_add(&recv, 3, "def", 3);
    mca_pml_champion_fragments_add(&recv, 6, "ghi", 3);
    mca_pml_champion_fragments_end(&recv);
    assert_string_equal("abcd----", data);
    assert_int_equal(MPI_ERR_TRUNCATE, status.MPI_ERROR);
}

/* ---- elsewhere ---------------------------------------------------------- */

static uint32_t num_delivered, num_dropped, num_queued, num_taken;
static bool keep;

static void note_deliver(mca_pml_champion_arrival_t *arrival,
                         mca_pml_champion_recv_t *recv)
{
    ++num_delivered;
    arrival->kept = keep;
    mca_pml_champion_recv_complete(recv);
}

static void note_drop(mca_pml_champion_arrival_t *arrival)
{
    ++num_dropped;
}

static void note_queued(mca_pml_champion_remote_message_t *message)
{
    assert_true(message->super.remote);
    ++num_queued;
}

static void note_taken(mca_pml_champion_remote_message_t *message)
{
    assert_true(message->super.remote);
    ++num_taken;
}

static void match_remote(uint32_t index)
{
    mca_pml_champion_arrival_t arrival = {
        .length = SIZE_MAX,
        .envelope = envelope,
        .sequence = REORDER_FIRST + index,
        .peer = world.peers[0],
        .kind = MCA_PML_CHAMPION_RENDEZVOUS,
    };

    mca_pml_champion_reorder_arrive(&arrival);
    assert_true(arrival.kept);
}

ROW(data_at_their_sender_are_looked_after_by_who_fetches_them)
{
    reorder_receive_t it;

    mca_pml_champion_payloads[MCA_PML_CHAMPION_RENDEZVOUS] =
        (mca_pml_champion_payload_ops_t){note_deliver, note_drop, note_queued,
                                         note_taken};
    num_delivered = num_dropped = num_queued = num_taken = 0;
    match_remote(1); /* it is out of order, not unexpected */
    assert_int_equal(0, num_queued);
    match_remote(0);
    assert_int_equal(2, num_queued);
    assert_int_equal(0, num_taken);
    for (uint32_t i = 1; i <= 2; ++i) {
        keep = 2 == i;
        reorder_receive(&it, REORDER_ORDERED, false);
        assert_true(it.super.done);
        assert_int_equal(i, num_taken);
        assert_int_equal(i, num_delivered);
        assert_int_equal(1, num_dropped);
    }
}

ROW(a_failed_fetch_is_an_error)
{
    ompi_status_public_t status;
    mca_pml_champion_recv_t recv = recv_of(NULL, 0, &status);
    mca_pml_champion_arrival_t arrival = {.envelope = envelope,
                                          .kind = MCA_PML_CHAMPION_LOST,
                                          .peer = world.peers[0]};

    mca_pml_champion_deliver(&arrival, &recv);
    assert_int_equal(1, recv.done);
    assert_int_equal(MPI_ERR_OTHER, status.MPI_ERROR);
}

/* A send to self that finds no receive. */
static void send_to_self(mca_pml_champion_send_t *send, uint32_t index)
{
    mca_pml_champion_arrival_t arrival = {
        .length = send->length,
        .envelope = envelope,
        .sequence = REORDER_FIRST + index,
        .peer = world.peers[0],
        .payload = send,
        .kind = MCA_PML_CHAMPION_SELF,
    };

    send->pending = 1;
    mca_pml_champion_reorder_arrive(&arrival);
}

ROW(small_sends_to_self_are_copied_and_others_wait)
{
    reorder_id_t small = {5, 6};
    mca_pml_champion_send_t eager = {
        .data = &small, .length = sizeof(small), .contiguous = true};
    mca_pml_champion_send_t large = {
        .length = MCA_PML_CHAMPION_SELF_EAGER_LIMIT + 1, .contiguous = true};
    reorder_receive_t it;

    mca_pml_champion_payloads[MCA_PML_CHAMPION_SELF] =
        (mca_pml_champion_payload_ops_t){.deliver = note_deliver};
    keep = false;
    num_delivered = 0;
    send_to_self(&eager, 0);
    assert_int_equal(1, eager.done);
    send_to_self(&large, 1);
    assert_int_equal(0, large.done);
    small.peer = 0; /* the user may change the request */
    reorder_receive(&it, REORDER_ORDERED, false);
    assert_int_equal(5, it.buffer.id.peer);
    assert_int_equal(0, num_delivered);
    reorder_receive(&it, REORDER_ORDERED, false);
    assert_int_equal(1, num_delivered);
}

/* A message is matched, and its sender, to which there is no endpoint, cannot be
 * told. */
static unsigned aborts_without_an_ack(void)
{
    unsigned aborts;

    pml_world.survives = true;
    world.peers[0]->ep = NULL;
    reorder_arrive(&(reorder_message_t){
        .id = {0, 0}, .context = REORDER_NOT_YET, .token = 3});
    assert_int_equal(0, pml_world.num_aborts);
    mca_pml_champion_parked_drop();
    aborts = pml_world.num_aborts;
    pml_world.num_aborts = 0;
    return aborts;
}

ROW(who_cannot_be_told_that_its_message_was_matched_ends_the_job)
{
    assert_int_equal(1, aborts_without_an_ack());
    assert_non_null(strstr(pml_world.line, "cannot be acknowledged"));
}

ROW(with_fault_tolerance_it_is_said)
{
    tolerant = true;
    pml_world.line[0] = '\0';
    assert_int_equal(0, aborts_without_an_ack());
    assert_non_null(strstr(pml_world.line, "cannot be acknowledged"));
}

ROW(a_failed_sender_is_not_told)
{
    tolerant = failed = true;
    assert_int_equal(0, aborts_without_an_ack());
}

/* ---- memory ------------------------------------------------------------- */

static uint32_t num_exceeded, num_room;
static const mca_pml_champion_peer_t *who;

static void exceeded(mca_pml_champion_peer_t *peer)
{
    ++num_exceeded;
    who = peer;
}

static void room(mca_pml_champion_peer_t *peer)
{
    ++num_room;
    who = peer;
}

ROW(exceeding_the_limit_and_room_are_reported)
{
    reorder_receive_t it;

    num_exceeded = num_room = 0;
    mca_pml_champion_backlog_open(1, exceeded, room);
    reorder_arrive(&(reorder_message_t){
        .id = {1, 0}, .context = REORDER_ORDERED, .tag = REORDER_INTERNAL});
    assert_int_equal(0, num_exceeded); /* MPI's own messages must be taken */
    reorder_arrive(
        &(reorder_message_t){.id = {0, 0}, .context = REORDER_ORDERED});
    assert_int_equal(1, num_exceeded);
    assert_ptr_equal(world.peers[0], who);
    assert_int_equal(1, world.peers[0]->backlog.waiting);
    reorder_receive(&it, REORDER_ORDERED, true);
    assert_int_equal(0, num_room); /* no sender was stopped */
    mca_pml_champion_backlog.stopped = 1;
    reorder_receive(&it, REORDER_ORDERED, false);
    assert_int_equal(1, num_room);
    assert_ptr_equal(world.peers[0], who);
    assert_int_equal(1, mca_pml_champion.chores);
    (void) mca_pml_champion_chores_step();
    assert_int_equal(2, num_room);
    assert_null(who);
    assert_int_equal(0, mca_pml_champion.chores);
    mca_pml_champion_backlog.stopped = 0;
}

/* 4096 bytes for each communicator: see PML_MQ_FOOTPRINT. */
ROW(memory_of_matching_is_counted)
{
    mca_pml_champion_backlog_ask();
    mca_pml_champion_backlog_ask();
    assert_int_equal(1, mca_pml_champion.chores);
    (void) mca_pml_champion_chores_step();
    assert_int_equal(2 * 4096, mca_pml_champion_backlog.other);
    assert_int_equal(2 * 4096 + mca_pml_champion.pool.mapped,
                     mca_pml_champion_backlog_bytes());
    mca_pml_champion_context_leave(&world.comms[0]);
    mca_pml_champion_backlog_ask();
    (void) mca_pml_champion_chores_step();
    assert_int_equal(4096, mca_pml_champion_backlog.other);
}

UNIT_MAIN(NULL, NULL)
