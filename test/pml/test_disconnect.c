/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Disconnecting two processes of different jobs, step by step.
 */

#include "disconnect_world.h"

#include <sys/wait.h>

TEST(the_last_to_leave_begins_and_both_close)
{
    for (int last = 0; last < SIDES; ++last) {
        end(unit_state);
        begin(unit_state);
        meet();
        leaves(1 - last);
        leaves(last);
        for (int i = 0; i < 6; ++i) {
            take_place(i % SIDES);
            while (theirs()->num_said > 0) {
                word_comes();
            }
            step();
            if (mine()->flushes) {
                flush_ends(UCS_OK);
                step();
            }
        }
        assert_true(both_are_closed());
        assert_int_equal(1, sides[LEADER].parted);
        assert_int_equal(1, sides[FOLLOWER].parted);
        assert_int_equal(0, flush_requests);
    }
}

TEST(a_leader_that_is_not_idle_declines)
{
    meet();
    leaves(FOLLOWER);
    assert_int_equal(MCA_PML_CHAMPION_DISCONNECT_OFFERED,
                     sides[FOLLOWER].peer.link.stage);
    at(FOLLOWER, join_first);
    assert_null(find_peer()); /* its sends wait */
    hears(LEADER);
    hears(FOLLOWER);
    assert_true(is_connected(LEADER));
    assert_true(is_connected(FOLLOWER));
    assert_true(send_one());
    assert_int_equal(1, count_of[MCA_PML_CHAMPION_DISCONNECT_DECLINE]);
}

TEST(no_side_closes_before_the_last_message)
{
    meet();
    take_place(FOLLOWER);
    assert_true(send_one());
    end_one();
    leave(0);
    step();
    at(LEADER, leave_first);
    word_comes(); /* OFFER overtakes the message */
    for (int i = 0; i < 3; ++i) {
        step();
        assert_int_equal(1, mca_pml_champion.chores);
        assert_non_null(mine()->peer.ep);
    }
    flush_at_once = true;
    message_comes();
    step();
    assert_null(mine()->peer.ep);
    at(FOLLOWER, step);
    while (theirs()->num_said > 0) {
        word_comes();
    }
    step();
    assert_true(is_closed(FOLLOWER));
}

/* The side that closes has no endpoint; it connects by the address that the
 * request to close contains. */
TEST(a_process_that_never_sent_connects_to_close)
{
    flush_at_once = true;
    at(FOLLOWER, join_first);
    at(LEADER, join_first);
    assert_true(send_one());
    end_one();
    at(FOLLOWER, message_comes);
    leave(0);
    step(); /* the message cannot be sent */
    assert_null(mine()->peer.ep);
    leaves(LEADER);
    hears(FOLLOWER);
    assert_non_null(mine()->peer.ep);
    hears(LEADER);
    hears(FOLLOWER);
    assert_true(both_are_closed());
    assert_int_equal(1, sides[FOLLOWER].num_endpoints);
}

/* The leader agrees, and UCX has flushed. */
static void agree_to_close(void)
{
    meet();
    leaves(FOLLOWER);
    at(LEADER, leave_first);
    word_comes();
    step();
}

static void meet_again(int side)
{
    at(side, join_first);
    assert_true(send_one());
    end_one();
}

/* Sequence numbers continue: the last one before was that of the previous
 * connection. */
TEST(messages_of_the_next_connection_keep_nobody_waiting)
{
    flush_at_once = true;
    agree_to_close();
    meet_again(LEADER);
    at(FOLLOWER, word_comes); /* AGREE */
    message_comes();
    step();
    assert_true(is_closed(FOLLOWER));
    assert_int_equal(1, mine()->parted);
}

TEST(a_question_of_the_next_connection_is_answered)
{
    flush_at_once = true;
    agree_to_close();
    meet_again(LEADER);
    leave(0);
    step(); /* ASK */
    at(FOLLOWER, word_comes);
    word_comes();
    message_comes();
    step();
    step();
    hears(LEADER);
    hears(FOLLOWER);
    assert_true(both_are_closed());
    assert_int_equal(2, sides[LEADER].parted);
    assert_int_equal(2, sides[FOLLOWER].parted);
}

TEST(an_offer_of_the_next_connection_is_answered)
{
    agree_to_close();
    hears(FOLLOWER);
    meet_again(FOLLOWER);
    leave(0);
    step(); /* OFFER, before the leader has closed */
    at(LEADER, message_comes);
    word_comes();
    step();
    flush_ends(UCS_OK);
    flush_at_once = true;
    step();
    step();
    hears(FOLLOWER);
    assert_true(both_are_closed());
    assert_int_equal(2, sides[LEADER].parted);
}

TEST(a_flush_that_fails_closes_as_well)
{
    agree_to_close();
    assert_true(mine()->flushes);
    failing = true;
    flush_ends(UCS_ERR_ENDPOINT_TIMEOUT);
    step();
    assert_null(mine()->peer.ep);
    assert_int_equal(MCA_PML_CHAMPION_CONNECTED, mine()->peer.link.stage);
}

TEST(a_control_message_that_fails_changes_nothing)
{
    meet();
    no_address = true;
    leaves(FOLLOWER);
    assert_true(is_connected(FOLLOWER));
    leaves(LEADER);
    assert_true(is_connected(LEADER));
    assert_int_equal(0, sides[LEADER].num_said);
}

/* UCX refuses the message: the other side has gone. */
TEST(a_peer_that_cannot_be_sent_to_is_lost)
{
    for (int i = 0; i < SIDES; ++i) {
        end(unit_state);
        begin(unit_state);
        meet();
        failing = true;
        say_status = UCS_ERR_CONNECTION_RESET;
        at(i, leave_first);
        for (int k = 0; k < 3; ++k) {
            step();
        }
        assert_true(is_closed(i));
    }
}

TEST(a_lost_peer_is_closed_when_idle)
{
    meet();
    failing = true;
    at(LEADER, lose);
    step();
    assert_true(is_connected(LEADER));
    leave(0);
    step();
    assert_true(is_closed(LEADER));
    /* UCX reports an endpoint that is closed. */
    join(0);
    assert_true(send_one());
    mca_pml_champion_peer_on_lost(&mine()->peer,
                                  (ucp_ep_h) &mine()->endpoints[0],
                                  UCS_ERR_ENDPOINT_TIMEOUT);
    step();
    assert_true(is_connected(LEADER));
    assert_int_equal(0, mine()->peer.link.events);
}

/* Invalid messages: they are rejected and change nothing. */
TEST(invalid_control_messages_are_refused)
{
    static const struct {
        uint32_t what;
        size_t address;
        mca_pml_champion_ctrl_msg_verdict_t verdict;
    } cases[] = {
        {MCA_PML_CHAMPION_DISCONNECT_KINDS, 0, MCA_PML_CHAMPION_CTRL_MSG_KIND},
        {UINT32_MAX, 0, MCA_PML_CHAMPION_CTRL_MSG_KIND},
        {MCA_PML_CHAMPION_DISCONNECT_ASK, 8, MCA_PML_CHAMPION_CTRL_MSG_LONG},
        {MCA_PML_CHAMPION_DISCONNECT_OFFER, 8, MCA_PML_CHAMPION_CTRL_MSG_LONG},
        {MCA_PML_CHAMPION_DISCONNECT_ADDRESS, 0,
         MCA_PML_CHAMPION_CTRL_MSG_SHORT},
        {MCA_PML_CHAMPION_DISCONNECT_AGREE, 8, MCA_PML_CHAMPION_CTRL_MSG_LONG},
        {MCA_PML_CHAMPION_DISCONNECT_DECLINE, 8,
         MCA_PML_CHAMPION_CTRL_MSG_LONG},
    };
    unsigned char bytes[sizeof(mca_pml_champion_disconnect_t) + 8];
    mca_pml_champion_disconnect_t told = {.jobid = 2};

    memset(bytes, 0, sizeof(bytes));
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
        told.what = cases[i].what;
        memcpy(bytes, &told, sizeof(told));
        assert_int_equal(
            cases[i].verdict,
            handler(&mine()->peer, bytes, sizeof(told) + cases[i].address));
    }
    mine()->peer.name.jobid = mca_pml_champion.my_jobid;
    told.what = MCA_PML_CHAMPION_DISCONNECT_AGREE;
    memcpy(bytes, &told, sizeof(told));
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_SENDER,
                     handler(&mine()->peer, bytes, sizeof(told)));
    assert_int_equal(0, mca_pml_champion.chores);
}

/* Pieces of an address that are not what was said: none is kept. */
TEST(wrong_pieces_make_no_address)
{
    static const struct {
        uint32_t at, length;
        size_t piece;
    } cases[] = {{8, 16, 8},          {0, 4, 8},  {0, 1 << 24, 8},
                 {0, 16, 8},          {9, 16, 8}, {0, 16, 8},
                 {8, UINT32_MAX, 16}, {0, 0, 8},  {0, UINT32_MAX, 8}};
    unsigned char bytes[sizeof(mca_pml_champion_disconnect_t) + 16];
    mca_pml_champion_disconnect_t told = {
        .jobid = 2, .what = MCA_PML_CHAMPION_DISCONNECT_ADDRESS};

    memset(bytes, 0, sizeof(bytes));
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
        told.sequence = cases[i].at;
        told.length = cases[i].length;
        memcpy(bytes, &told, sizeof(told));
        assert_int_equal(
            MCA_PML_CHAMPION_CTRL_MSG_GOOD,
            handler(&mine()->peer, bytes, sizeof(told) + cases[i].piece));
        assert_true(NULL == mine()->peer.link.coming ||
                    mine()->peer.link.coming->came <
                        mine()->peer.link.coming->length);
    }
}

/* A process that has sent, asks to disconnect and ends. */
TEST(nobody_connects_to_a_peer_that_has_ended)
{
    const pid_t pid = fork();
    mca_pml_champion_disconnect_t told = {
        .jobid = 2,
        .what = MCA_PML_CHAMPION_DISCONNECT_ADDRESS,
        .length = 8,
        .place = place,
        .pid = pid,
    };
    unsigned char bytes[sizeof(told) + 8];

    if (0 == pid) {
        _exit(0);
    }
    assert_true(pid > 0);
    assert_int_not_equal(0, place);
    assert_int_equal(pid, waitpid(pid, NULL, 0));
    memset(bytes, 0, sizeof(bytes));
    memcpy(bytes, &told, sizeof(told));
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_GOOD,
                     handler(&mine()->peer, bytes, sizeof(bytes)));
    told.what = MCA_PML_CHAMPION_DISCONNECT_OFFER;
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_GOOD,
                     handler(&mine()->peer, &told, sizeof(told)));
    step();
    assert_null(mine()->peer.ep);
    assert_int_equal(0, mine()->num_endpoints);
    assert_int_equal(0, mca_pml_champion.chores);
}

/* Peers of this job are never disconnected. */
TEST(others_come_by_an_intercommunicator_first)
{
    bool others = true;

    mine()->comms[0].c_flags = 0;
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_disconnect_join(
                                       &mine()->comms[0], &others));
    assert_false(others);
    join(1);
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_disconnect_join(
                                       &mine()->comms[0], &others));
    assert_true(others);
    assert_int_equal(2, mine()->peer.link.comms);
    /* A peer of this job is in the communicator. */
    mine()->other.super.proc_name.jobid = mca_pml_champion.my_jobid;
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_disconnect_join(
                                       &mine()->comms[0], &others));
    assert_false(others);
    leave(0);
    assert_int_equal(2, mine()->peer.link.comms);
    /* There is no memory for one. */
    mine()->other.super.proc_name.jobid = 77;
    assert_int_equal(OMPI_ERR_OUT_OF_RESOURCE, mca_pml_champion_disconnect_join(
                                                   &mine()->comms[1], &others));
    assert_int_equal(2, mine()->peer.link.comms);
}

TEST(nothing_is_left_at_the_end)
{
    meet();
    at(LEADER, leave_first);
    assert_int_equal(1, mca_pml_champion.chores);
    mca_pml_champion_disconnect_fini();
    assert_int_equal(0, mca_pml_champion.chores);
    assert_null(mca_pml_champion_peers_due);
    assert_null(mca_pml_champion_peer_on_lost);
    mca_pml_champion_disconnect_fini();
    assert_int_equal(0, mca_pml_champion.chores);
    mca_pml_champion_closes = false;
    mca_pml_champion_disconnect_open();
    assert_null(mca_pml_champion_peer_on_lost);
}

int main(void)
{
    mca_pml_champion_lock();
    return unit_run(NULL, NULL);
}
