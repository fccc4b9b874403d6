/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Flow control of several processes that send to each other and whose control
 * messages arrive in any order: no stop is for ever.
 */

#include "flow_world.h"

/* A sender receives control messages only when it makes progress. */
static bool by_looks;

/* Send a message; true if by rendezvous. */
static bool send_one(int to)
{
    mca_pml_champion_peer_t *peer = peer_of(to);
    pair_t *pair = &pairs[pml_me][to];

    if (pair->ring && !peer->flow.throttled && pair->word) {
        mca_pml_champion_throttle.on_stop(peer);
    }
    if (!pair->ring || peer->flow.throttled) {
        if (peer->flow.check) {
            mca_pml_champion_flow_check(peer);
            deliver_to(pml_me,
                       by_looks ? 0 : LATEST / 2); /* one progress call */
        }
        if ((int32_t) (++peer->send_sequence - peer->due_at) >= 0) {
            mca_pml_champion_flow_due(peer);
        }
    }
    return peer->flow.throttled;
}

/* The largest number of messages sent between a STOP and its arrival. */
static unsigned most_since_stop;

static void action_send(void)
{
    const int to =
        (pml_me + 1 + (int) pml_random_below(PROCESSES - 1)) % PROCESSES;
    pair_t *pair = &pairs[pml_me][to];

    for (uint32_t more = pml_random_below(BURST); more > 0; --more) {
        if (LATEST == pair->num_under_way) {
            return; /* UCX takes no more */
        }
        if (peer_of(to)->flow.throttled && pair->envelopes >= ENVELOPES) {
            deliver_to(pml_me, 0); /* the send waits */
            return;
        }
        if (send_one(to)) {
            ++pair->envelopes;
            pair->eager[pair->num_under_way++] = false;
        } else {
            assert_false(pair->ring && pair->word);
            pair->eager[pair->num_under_way++] = true;
            pair->since_stop += pair->word;
        }
        assert_true(pair->since_stop <=
                    MCA_PML_CHAMPION_FLOW_LOOK +
                        (by_looks ? 1 : BURST * LATEST / 2));
        most_since_stop = pair->since_stop > most_since_stop ? pair->since_stop
                                                             : most_since_stop;
    }
}

static void one_arrives(int from, bool eager)
{
    const unsigned length =
        pml_random_percent(50) ? LENGTH : pml_random_below(40000);

    if (eager && pml_random_percent(10)) {
        return; /* there is a receive for it */
    }
    comes(from, eager ? MCA_PML_CHAMPION_EAGER : MCA_PML_CHAMPION_RENDEZVOUS,
          length, pml_random_percent(95) ? 1 : -1, pml_random_percent(10));
}

static void action_arrive(void)
{
    const int from =
        (pml_me + 1 + (int) pml_random_below(PROCESSES - 1)) % PROCESSES;
    pair_t *pair = &pairs[from][pml_me];

    for (uint32_t more = pml_random_below(BURST);
         more > 0 && pair->num_under_way > 0 &&
         waiting_count[pml_me] < WAITING_MAX;
         --more) {
        one_arrives(from, pair->eager[0]);
        memmove(pair->eager, pair->eager + 1,
                --pair->num_under_way * sizeof(*pair->eager));
        chores();
    }
}

static void action_receive(void)
{
    for (uint32_t more = pml_random_below(BURST); more > 0 && num_waiting() > 0;
         --more) {
        receive(pml_random_below(num_waiting()));
    }
}

/* The state of the receiver must agree with what it has sent. */
static void check_books(void)
{
    unsigned stopped = 0, sum = 0;

    for (int i = 0; i < PROCESSES; ++i) {
        stopped += peer_of(i)->flow.stopped;
        sum += peer_of(i)->backlog.waiting;
        assert_int_equal(peer_of(i)->flow.stopped, pairs[i][pml_me].word);
        assert_int_equal(peer_of(i)->flow.throttled,
                         pairs[pml_me][i].ring_held);
        assert_false(peer_of(i)->flow.throttled &&
                     mca_pml_champion_peer_takes_packed(peer_of(i), 0));
    }
    assert_int_equal(stopped, mca_pml_champion_backlog.stopped);
    assert_int_equal(sum, waiting_count[pml_me]);
}

static void age_mail(void)
{
    for (unsigned i = num_mail; i > 0; --i) {
        if (++mail[i - 1].age > LATEST) {
            deliver(i - 1);
        }
    }
}

/* When no message is under way, both sides of each pair must agree. */
static void check_agreement(void)
{
    deliver_all();
    for (int from = 0; from < PROCESSES; ++from) {
        for (int to = 0; to < PROCESSES; ++to) {
            assert_int_equal(peers[to][from].flow.stopped,
                             peers[from][to].flow.throttled);
        }
    }
}

/* One process acts; it receives with this probability, in percent. */
static void act(uint32_t receives)
{
    take_place((int) pml_random_below(PROCESSES));
    if (pml_random_percent(receives)) {
        action_receive();
    } else if (pml_random_percent(50)) {
        action_send();
    } else {
        action_arrive();
    }
    chores();
    check_books();
    if (by_looks) {
        return;
    }
    if (num_mail > 0 && pml_random_percent(30)) {
        deliver(pml_random_below(num_mail));
    }
    age_mail();
}

static void settle(void)
{
    for (int i = 0; i < PROCESSES; ++i) {
        take_place(i);
        while (num_waiting() > 0) {
            receive(pml_random_below(num_waiting()));
        }
        chores();
        check_books();
        assert_int_equal(0, mca_pml_champion_backlog.stopped);
    }
    check_agreement();
}

static void open_at_random(void)
{
    open_all((size_t) LIMIT >> pml_random_below(4));
    for (int i = 0; i < PROCESSES; ++i) {
        footprints[i] = pml_random_below(3) * 100;
        for (int k = 0; k < PROCESSES; ++k) {
            pairs[i][k].ring = pml_random_percent(50);
            peers[i][k].flow.last_sent = peers[k][i].flow.last_received =
                0 - pml_random_below(4); /* numbers wrap */
        }
    }
}

/* Numbers of STOPs sent and received. */
static uint64_t stops, holds;

static void live_at_random(void)
{
    for (int phase = 0; phase < 10; ++phase) {
        const uint32_t receives = 5 + pml_random_below(50);

        for (int i = 0; i < 500; ++i) {
            act(receives);
        }
        check_agreement();
    }
    settle();
    for (int i = 0; i < PROCESSES; ++i) {
        take_place(i);
        stops += mca_pml_champion.counters.flow_stopped;
        holds += mca_pml_champion.counters.flow_held_up;
    }
}

/* Otherwise the test has checked nothing. */
static void rounds(void **state)
{
    stops = holds = most_since_stop = 0;
    for (int round = 0; round < 8; ++round) {
        end(state);
        open_at_random();
        live_at_random();
    }
    assert_true(stops > 100);
    assert_true(holds > 100);
    assert_true(most_since_stop > 0);
}

TEST(no_stop_is_for_ever)
{
    by_looks = false;
    rounds(unit_state);
}

TEST(nor_if_only_looks_find_it)
{
    by_looks = true;
    rounds(unit_state);
}

int main(void)
{
    pml_random_begin();
    mca_pml_champion_lock();
    return unit_run(NULL, NULL);
}
