/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Disconnecting two processes of different jobs: each joins and leaves
 * communicators, sends and makes progress at any time, control messages arrive
 * late, and one process may fail. In the end both have closed their endpoints,
 * or both are connected.
 */

#include "disconnect_world.h"

#include "pml_random.h"

static unsigned joined[SIDES];

/* Actions of the program. */
static void program_acts(void)
{
    switch (pml_random_below(8)) {
    case 0:
        if (joined[pml_me] < COMMS) {
            join((int) joined[pml_me]++);
        }
        break;
    case 1:
    case 2:
        if (joined[pml_me] > 0) {
            leave((int) --joined[pml_me]);
        }
        break;
    case 3:
    case 4:
        if (joined[pml_me] > 0) {
            (void) send_one();
        }
        break;
    default:
        if (mine()->ending > 0) {
            end_one();
        }
    }
}

/* Actions of UCX, and progress. */
static void progress_acts(void)
{
    switch (pml_random_below(5)) {
    case 0:
        if (theirs()->num_sent > 0) {
            message_comes();
        }
        break;
    case 1:
    case 2:
        if (theirs()->num_said > 0) {
            (void) piece_comes();
        }
        break;
    case 3:
        if (mine()->flushes && pml_random_percent(50)) {
            flush_ends(UCS_OK);
        }
        break;
    default:
        step();
    }
}

static void check_side(void)
{
    const mca_pml_champion_peer_t *peer = &mine()->peer;

    assert_int_equal(joined[pml_me], peer->link.comms);
    assert_int_equal(mine()->ending, peer->link.active);
    assert_int_equal(peer->link.due, mca_pml_champion.chores);
    assert_int_equal(NULL != peer->ep,
                     mine()->num_endpoints > 0 &&
                         mine()->endpoints[mine()->num_endpoints - 1].open);
    if (MCA_PML_CHAMPION_CONNECTED != peer->link.stage) {
        assert_non_null(peer->ep);
        assert_int_equal(0, peer->link.active);
    }
}

static void act(uint32_t program)
{
    take_place((int) pml_random_below(SIDES));
    if (mine()->dead) {
        return;
    }
    flush_at_once = pml_random_percent(30);
    if (pml_random_percent(program)) {
        program_acts();
    } else {
        progress_acts();
    }
    check_side();
}

/* Deliver all messages, in any order, until nothing changes. */
static void settle(void)
{
    for (int i = 0; i < 500; ++i) {
        act(0);
    }
    for (int i = 0; i < SIDES; ++i) {
        take_place(i);
        while (mine()->ending > 0) {
            end_one();
        }
    }
    for (int i = 0; i < 500; ++i) {
        act(0);
    }
}

static void check_settled(void)
{
    for (int i = 0; i < SIDES; ++i) {
        take_place(i);
        if (mine()->dead) {
            continue;
        }
        assert_int_equal(0, mca_pml_champion.chores);
        assert_int_equal(MCA_PML_CHAMPION_CONNECTED, mine()->peer.link.stage);
        assert_int_equal(0, mine()->num_said);
        assert_int_equal(0, mine()->num_sent);
        assert_false(mine()->flushes);
    }
}

static void leave_all(void)
{
    for (int i = 0; i < SIDES; ++i) {
        take_place(i);
        while (joined[i] > 0 && !mine()->dead) {
            leave((int) --joined[i]);
        }
    }
}

static void begin_round(void **state)
{
    end(state);
    begin(state);
    memset(joined, 0, sizeof(joined));
    for (int i = 0; i < SIDES; ++i) { /* sequence numbers wrap soon */
        sides[i].peer.send_sequence = sides[1 - i].peer.recv_sequence =
            0 - pml_random_below(30);
    }
}

TEST(in_the_end_both_have_closed)
{
    unsigned parted = 0, declined = 0;

    for (int round = 0; round < 300; ++round) {
        const uint32_t program = 10 + pml_random_below(60);

        begin_round(unit_state);
        for (int i = 0; i < 600; ++i) {
            act(program);
        }
        settle();
        check_settled();
        leave_all();
        settle();
        check_settled();
        assert_true(both_are_closed());
        assert_int_equal(sides[LEADER].num_endpoints,
                         sides[FOLLOWER].num_endpoints);
        assert_int_equal(sides[LEADER].parted, sides[FOLLOWER].parted);
        parted += sides[LEADER].parted;
        declined += count_of[MCA_PML_CHAMPION_DISCONNECT_DECLINE];
    }
    /* Otherwise the test has checked nothing. */
    assert_true(parted > 400);
    assert_true(declined > 100);
}

/* A process ends without disconnecting; UCX reports it at some time. */
static void die(int i)
{
    take_place(1 - i);
    failing = true;
    mine()->num_said = mine()->num_sent = 0;
    theirs()->num_said = pml_random_below(theirs()->num_said + 1);
    theirs()->num_sent = pml_random_below(theirs()->num_sent + 1);
    theirs()->dead = true;
}

static void notice(void)
{
    if (mine()->flushes) {
        flush_ends(UCS_ERR_ENDPOINT_TIMEOUT);
    }
    if (NULL != mine()->peer.ep) {
        lose();
    }
}

TEST(a_side_whose_peer_has_failed_closes)
{
    for (int round = 0; round < 300; ++round) {
        const int survivor = (int) pml_random_below(SIDES);

        begin_round(unit_state);
        for (int i = 0; i < (int) pml_random_below(300); ++i) {
            act(50);
        }
        die(1 - survivor);
        for (int i = 0; i < 30; ++i) {
            act(50);
        }
        at(survivor, notice);
        settle();
        leave_all();
        settle();
        at(survivor, notice); /* for what it has connected since */
        settle();
        take_place(survivor);
        assert_null(mine()->peer.ep);
        assert_int_equal(0, mca_pml_champion.chores);
        assert_int_equal(MCA_PML_CHAMPION_CONNECTED, mine()->peer.link.stage);
    }
}

int main(void)
{
    pml_random_begin();
    mca_pml_champion_lock();
    return unit_run(NULL, NULL);
}
