/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Flow control: which senders are stopped, and that each of them goes on again.
 * Tested with the accounting of unexpected messages below it.
 */

#include "flow_world.h"

/* ---- tests of single rules ---------------------------------------------- */

static void fill(int from)
{
    while (!peer_of(from)->flow.stopped) {
        comes(from, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
        chores();
        assert_true(mca_pml_champion_backlog_bytes() <
                    LIMIT + 2 * OPAL_SIZE_POOL_SLAB);
    }
    assert_true(mca_pml_champion_backlog_bytes() > LIMIT);
}

TEST(a_sender_that_fills_the_memory_is_stopped_once)
{
    fill(1);
    assert_int_equal(1, num_mail);
    assert_int_equal(MCA_PML_CHAMPION_FLOW_STOP, mail[0].control.what);
    assert_int_equal(1, mail[0].to);
    comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
    assert_int_equal(1, num_mail);
    assert_true(pairs[1][0].word);
    comes(2, MCA_PML_CHAMPION_RENDEZVOUS, LENGTH, 1, false);
    assert_int_equal(2, num_mail);
    assert_int_equal(2, mca_pml_champion_backlog.stopped);
    assert_int_equal(2, mca_pml_champion.counters.flow_stopped);
    assert_false(peer_of(3)->flow.stopped);
}

TEST(below_half_of_the_limit_all_go_on)
{
    fill(1);
    comes(2, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
    /* One message of each sender stays, so that GO is sent because of the
     * memory. */
    while (0 != mca_pml_champion_backlog.stopped) {
        assert_true(waiting_count[0] > 2);
        receive(waiting_count[0] - 2);
    }
    assert_true(mca_pml_champion_backlog_bytes() < mca_pml_champion_flow.go_on);
    assert_int_equal(LIMIT / 2, mca_pml_champion_flow.go_on);
    assert_false(peer_of(1)->flow.stopped);
    assert_false(peer_of(2)->flow.stopped);
    assert_false(pairs[1][0].word);
    assert_int_equal(4, num_mail);
}

TEST(a_sender_without_waiting_messages_goes_on)
{
    fill(1);
    comes(2, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
    comes(2, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
    receive(waiting_count[0] - 1);
    assert_true(peer_of(2)->flow.stopped);
    receive(waiting_count[0] - 1);
    assert_false(peer_of(2)->flow.stopped);
    assert_true(peer_of(1)->flow.stopped);
    assert_int_equal(1, mca_pml_champion_backlog.stopped);
}

/* The slabs of the pool alone exceed such a limit. */
TEST(a_tiny_limit_does_not_stop_for_ever)
{
    end(unit_state);
    open_all(1);
    comes(1, MCA_PML_CHAMPION_EAGER, 8, 1, false);
    comes(2, MCA_PML_CHAMPION_EAGER, 8, 1, false);
    assert_int_equal(2, mca_pml_champion_backlog.stopped);
    receive_all();
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    assert_true(mca_pml_champion_backlog_bytes() > 1);
}

TEST(messages_of_mpi_itself_stop_nobody)
{
    for (int i = 0; i < 2 * LIMIT / LENGTH; ++i) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, -17, false);
        chores();
    }
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    assert_int_equal(0, num_mail);
    comes(1, MCA_PML_CHAMPION_EAGER, 1, 0, false);
    assert_int_equal(1, mca_pml_champion_backlog.stopped);
}

TEST(buffers_of_ucx_that_are_kept_count)
{
    mca_pml_champion_hold_limit = 1000;
    comes(2, MCA_PML_CHAMPION_EAGER, LIMIT + 1, 1, true);
    assert_true(peer_of(2)->flow.stopped);
    assert_int_equal(1, mca_pml_champion.counters.held);
    assert_true(mca_pml_champion_backlog_bytes_max() > LIMIT);
    comes(2, MCA_PML_CHAMPION_EAGER, 999, 1, true);
    assert_int_equal(1, mca_pml_champion.counters.held);
    receive(0);
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
}

TEST(without_a_limit_nobody_stops_nor_looks)
{
    end(unit_state);
    open_all(0);
    for (int i = 0; i < 2 * LIMIT / LENGTH; ++i) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
    }
    assert_int_equal(0, num_mail);
    assert_int_equal(0, mca_pml_champion.chores);
    mca_pml_champion_flow_due(peer_of(1));
    assert_false(peer_of(1)->flow.check);
    assert_int_equal(MCA_PML_CHAMPION_PACKED_MAX, peer_of(1)->packed_max);
    assert_int_equal(MCA_PML_CHAMPION_FLOW_LOOK, peer_of(1)->due_at);
}

TEST(by_itself_the_limit_is_a_share_of_the_memory)
{
    const size_t page = (size_t) sysconf(_SC_PAGESIZE);
    const size_t pages = (size_t) sysconf(_SC_PHYS_PAGES);

    opal_process_info.num_local_peers = 2;
    end(unit_state);
    open_all(MCA_PML_CHAMPION_UNEXPECTED_AUTO);
    assert_in_range(mca_pml_champion_backlog.limit, (pages / 12 - 1) * page,
                    pages / 12 * page);
    opal_process_info.num_local_peers = 0;
}

TEST(bad_parameters_are_told)
{
    for (bad_parameters = 0; bad_parameters < 4; ++bad_parameters) {
        assert_int_equal(0 == bad_parameters, mca_pml_champion_flow_register());
    }
    assert_int_equal(10, mca_pml_champion_flow.patience);
}

TEST(a_peer_without_an_endpoint_is_not_stopped)
{
    for (int i = 0; i < 2 * LIMIT / LENGTH; ++i) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, -1, false);
        chores();
    }
    peer_of(1)->ep = NULL;
    /* There is no endpoint back. */
    comes(1, MCA_PML_CHAMPION_EAGER, 1, 1, false);
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    mca_pml_champion_backlog_waits(peer_of(0), 1); /* this process */
    mca_pml_champion_backlog_gone(peer_of(0));
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    peer_of(1)->reply_ep = (ucp_ep_h) &ends[1]; /* HELLO */
    comes(1, MCA_PML_CHAMPION_EAGER, 1, 1, false);
    assert_int_equal(1, mca_pml_champion_backlog.stopped);
    assert_int_equal(1, num_mail);
    mca_pml_champion.finalizing = true;
    comes(2, MCA_PML_CHAMPION_EAGER, 1, 1, false);
    receive_all();
    assert_int_equal(1, num_mail);
}

/* UCX cannot send for lack of memory: the control messages are retried. */
TEST(control_messages_that_fail_are_sent_later)
{
    send_status = UCS_ERR_NO_MEMORY;
    for (int i = 0; i < 2 * LIMIT / LENGTH; ++i) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, -1, false);
        chores();
    }
    comes(2, MCA_PML_CHAMPION_EAGER, LENGTH, -1, false);
    mca_pml_champion_backlog_waits(peer_of(1), 1);
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    send_status = UCS_OK;
    mca_pml_champion_backlog_waits(peer_of(1), 1);
    assert_int_equal(1, num_mail);
    assert_int_equal(1, mca_pml_champion_backlog.stopped);
    send_status = UCS_ERR_NO_MEMORY;
    for (int i = 0; i < 2 * LIMIT / LENGTH + 2; ++i) {
        mca_pml_champion_backlog_gone(peer_of(1)); /* received */
    }
    assert_int_equal(1, mca_pml_champion_backlog.stopped);
    assert_int_equal(1, mca_pml_champion.chores);
    (void) mca_pml_champion_chores_step();
    assert_int_equal(1, mca_pml_champion.chores);
    send_status = UCS_OK;
    (void) mca_pml_champion_chores_step();
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    assert_int_equal(0, mca_pml_champion.chores);
    assert_int_equal(2, num_mail);
    assert_int_equal(MCA_PML_CHAMPION_FLOW_GO, mail[1].control.what);
    /* They are still queued. */
    peer_of(1)->backlog.waiting = 2 * LIMIT / LENGTH;
}

/* Only the message with the highest number counts; numbers wrap. */
TEST(outdated_control_messages_are_ignored)
{
    mca_pml_champion_peer_t *peer = peer_of(1);

    peer->flow.last_received = UINT32_MAX - 1;
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 0);
    assert_false(peer->flow.throttled);
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, UINT32_MAX);
    assert_false(peer->flow.throttled);
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    assert_true(peer->flow.throttled);
    assert_int_equal(-1, peer->packed_max);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 1); /* a duplicate */
    hears(1, MCA_PML_CHAMPION_FLOW_HELLO, 2);
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 5);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 4);
    assert_true(peer->flow.throttled);
    assert_int_equal(1, mca_pml_champion.counters.flow_held_up);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 6);
    assert_false(peer->flow.throttled);
    assert_int_equal(MCA_PML_CHAMPION_PACKED_MAX, peer->packed_max);
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_KIND,
                     hears(1, MCA_PML_CHAMPION_FLOW_GO + 1, 7));
    assert_int_equal(6, peer->flow.last_received);
}

/* If a HELLO with a higher number made the GO invalid, the sender would never
 * go on. */
TEST(a_hello_that_overtakes_a_go_does_not_cancel_it)
{
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    hears(1, MCA_PML_CHAMPION_FLOW_HELLO, 3);
    assert_true(peer_of(1)->flow.throttled);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 2);
    assert_false(peer_of(1)->flow.throttled);
}

TEST(senders_look_at_times_and_greet_once)
{
    mca_pml_champion_peer_t *peer = peer_of(1);

    peer->send_sequence = 7;
    mca_pml_champion_flow_due(peer);
    assert_true(peer->flow.check);
    assert_int_equal(-1, peer->packed_max);
    assert_int_equal(7 + MCA_PML_CHAMPION_FLOW_LOOK, peer->due_at);
    mca_pml_champion_flow_check(peer);
    assert_false(peer->flow.check);
    assert_int_equal(MCA_PML_CHAMPION_PACKED_MAX, peer->packed_max);
    assert_int_equal(1, num_mail);
    assert_int_equal(MCA_PML_CHAMPION_FLOW_HELLO, mail[0].control.what);
    mca_pml_champion_flow_due(peer);
    /* A throttled sender stays throttled. */
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    mca_pml_champion_flow_check(peer);
    assert_int_equal(-1, peer->packed_max);
    assert_int_equal(1, num_mail);
}

TEST(a_disconnect_resets_flow_control)
{
    fill(1);
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    mca_pml_champion_flow_reset(peer_of(1));
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    assert_false(peer_of(1)->flow.throttled);
    mca_pml_champion_flow_reset(peer_of(1));
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    pairs[1][0].word = pairs[0][1].ring_held = false;
}

/* ---- the user is told who holds up -------------------------------------- */

static void seconds_pass(time_t seconds)
{
    pml_world.now += (uint64_t) seconds * 1000000000;
    pml_world_look();
}

TEST(a_long_stop_is_told_once)
{
    mca_pml_champion_flow.patience = 5;
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    hears(2, MCA_PML_CHAMPION_FLOW_STOP, 1);
    seconds_pass(4);
    assert_int_equal(0, complaints);
    seconds_pass(1);
    assert_int_equal(1, complaints);
    assert_int_equal(1, complained_of);
    seconds_pass(50);
    hears(3, MCA_PML_CHAMPION_FLOW_STOP, 1);
    seconds_pass(50);
    assert_int_equal(1, complaints);
}

TEST(patience_begins_anew_with_another_stop)
{
    mca_pml_champion_flow.patience = 5;
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    seconds_pass(3);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 2);
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 3);
    hears(2, MCA_PML_CHAMPION_FLOW_STOP, 1);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 4);
    seconds_pass(3); /* the time of the other one counts from here on */
    assert_int_equal(0, complaints);
    seconds_pass(5);
    assert_int_equal(1, complaints);
    assert_int_equal(2, complained_of);
}

TEST(stops_that_have_ended_are_not_reported)
{
    mca_pml_champion_flow.patience = 5;
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 2);
    seconds_pass(6);
    seconds_pass(6);
    assert_int_equal(0, complaints);
    mca_pml_champion_flow.patience = 0;
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 3);
    seconds_pass(60);
    assert_int_equal(0, complaints);
}

/* ---- the question to mq ------------------------------------------------- */

TEST(memory_of_matching_counts_once_it_was_queried)
{
    footprints[0] = 1 << 14;
    questions = 0;
    while (0 == mca_pml_champion.chores) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
    }
    assert_int_equal(0, questions);
    chores();
    assert_int_equal(1, questions);
    assert_true(mca_pml_champion_backlog.other > 0);
    while (!peer_of(1)->flow.stopped) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
        chores();
    }
    assert_true(mca_pml_champion.pool.mapped < LIMIT / 2);
    /* Matching is queried while messages are received; otherwise the senders
     * would wait for the last one. */
    while (0 != mca_pml_champion_backlog.stopped) {
        receive(waiting_count[0] - 1);
    }
    assert_true(waiting_count[0] > 0);
    assert_true(mca_pml_champion_backlog.other < LIMIT / 2);
}

/* No sender is stopped because of memory that matching needed before. */
TEST(before_a_stop_matching_is_asked_if_it_may_need_less)
{
    footprints[0] = 1 << 14;
    for (int i = 0; i < LIMIT / LENGTH; ++i) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, -1, false);
        chores();
    }
    assert_true(mca_pml_champion_backlog_bytes() > LIMIT);
    receive_all(); /* no sender is stopped, so there is no query */
    assert_true(mca_pml_champion_backlog_bytes() > LIMIT);
    for (int i = 0; 0 == mca_pml_champion.chores; ++i) {
        assert_true(i < 10);
        comes(2, MCA_PML_CHAMPION_EAGER, 8, 1, false);
    }
    chores();
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    assert_true(mca_pml_champion_backlog_bytes() < LIMIT);
}

int main(void)
{
    pml_random_begin();
    mca_pml_champion_lock();
    return unit_run(NULL, NULL);
}
