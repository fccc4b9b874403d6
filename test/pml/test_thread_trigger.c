/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How a process finds that messages or schedules were delayed, and requests a
 * progress thread. test_overlap_rules tests the rules for these decisions.
 */

#include "thread_world.h"

/* ---- what is late ------------------------------------------------------- */

static void see(uint32_t sent_at, size_t bytes)
{
    const mca_pml_champion_named_header_t header = {
        .super.vpid = 1, .jobid = JOB, .sent = sent_at};

    mca_pml_champion_thread_trigger_on_header(&header, bytes);
}

static bool is_wanted(void)
{
    return 0 != mca_pml_champion.due;
}

TEST(late_messages_ask_for_a_thread)
{
    us_pass(1000);
    see(0, LARGE); /* without a timestamp */
    see(now_us() + 50, LARGE);
    assert_int_equal(0, mca_pml_champion.counters.thread_delayed);
    for (int i = 0; i < 8; ++i) {
        assert_false(is_wanted());
        see(now_us() - 100, LARGE); /* before the clock wrapped */
        us_pass(50);
    }
    assert_true(is_wanted());
    assert_true(mca_pml_champion.slow);
    assert_false(mca_pml_champion_thread_trigger.watching);
    assert_int_equal(8, mca_pml_champion.counters.thread_delayed);
    see(now_us() - 1000, LARGE); /* delays are not recorded any more */
    assert_int_equal(8, mca_pml_champion.counters.thread_delayed);
}

/* Much is 2 ms, and 1 % of the run. */
TEST(two_that_have_lost_much_are_enough)
{
    see(now_us() - 1500, LARGE);
    assert_false(is_wanted());
    see(now_us() - 1500, LARGE);
    assert_true(is_wanted());
}

TEST(much_is_a_part_of_the_run)
{
    us_pass(2000000); /* 2 s */
    for (int i = 0; i < 3; ++i) {
        see(now_us() - 6000, LARGE);
        assert_false(is_wanted());
    }
    see(now_us() - 6000, LARGE);
    assert_true(is_wanted());
}

TEST(receiving_and_sending_count_together)
{
    see(now_us() - 1500, LARGE);
    assert_false(is_wanted());
    hear(1, MCA_PML_CHAMPION_CLOCK_FETCHING, 10, now_us() - 1500);
    assert_false(is_wanted()); /* that transfer takes 10 us */
    hear(1, MCA_PML_CHAMPION_CLOCK_FETCHING, 1000, now_us() - 1500);
    assert_true(is_wanted());
}

TEST(a_long_transfer_may_be_delayed_longer)
{
    peers[1].cost_model = calloc(1, sizeof(*peers[1].cost_model));
    assert_non_null(peers[1].cost_model);
    for (int i = 0; i < MCA_PML_CHAMPION_COST_MODEL_FIRST; ++i) {
        mca_pml_champion_cost_model_add(peers[1].cost_model, LARGE, 8000000);
    }
    see(now_us() - 900, LARGE);
    assert_int_equal(0, mca_pml_champion.counters.thread_delayed);
    see(now_us() - 1100, LARGE);
    assert_int_equal(1, mca_pml_champion.counters.thread_delayed);
}

TEST(senders_that_compute_are_told_by_fetching)
{
    for (int i = 0; i < 8; ++i) {
        assert_false(is_wanted());
        assert_int_equal(
            MCA_PML_CHAMPION_CTRL_MSG_GOOD,
            hear(1, MCA_PML_CHAMPION_CLOCK_FETCHING, 10, now_us() - 200));
    }
    assert_true(is_wanted());
    assert_int_equal(8, mca_pml_champion_thread_trigger.lateness.late);
}

/* ---- transfers that stand still ------------------------------------------ */

/* A transfer of so many us, in which nobody looks for the last `gap` of them. */
static void stands_still(mca_pml_champion_peer_t *peer, unsigned us,
                         unsigned gap)
{
    mca_pml_champion_cost_model_begins(peer, LARGE);
    for (unsigned i = 0; i < us; ++i) {
        us_pass(1);
        if (mca_pml_champion_cost_models.watching) {
            (void) look();
        }
    }
    us_pass(gap);
    mca_pml_champion_cost_model_ends();
}

/* Its thread was of no use: the next one needs more. */
TEST(a_thread_may_be_wanted_again)
{
    see(now_us() - 60000, LARGE);
    see(now_us() - 60000, LARGE);
    assert_true(is_wanted());
    mca_pml_champion.due = 0;
    mca_pml_champion.slow = false;
    mca_pml_champion_thread_trigger_again(1);
    mca_pml_champion_cost_model_begins(&peers[1], LARGE);
    assert_int_equal(1, mca_pml_champion.chores);
    mca_pml_champion_cost_model_ends();
    for (int i = 0; i < 4; ++i) {
        assert_false(is_wanted());
        see(now_us() - 60000, LARGE);
    }
    assert_true(is_wanted());
    assert_true(mca_pml_champion.slow);
}

TEST(gaps_between_looks_are_late)
{
    stands_still(&peers[1], 100, 99);
    assert_int_equal(0, mca_pml_champion.counters.thread_delayed);
    stands_still(&peers[1], 100, 1500);
    assert_int_equal(1, mca_pml_champion.counters.thread_delayed);
    assert_false(is_wanted());
    assert_int_equal(0, mca_pml_champion.chores);
    stands_still(&peers[1], 100, 1500);
    assert_int_equal(2, mca_pml_champion.counters.thread_delayed);
    assert_true(is_wanted());
    /* Nothing is watched from now on. */
    mca_pml_champion_cost_model_begins(&peers[1], LARGE);
    assert_int_equal(0, mca_pml_champion.chores);
    mca_pml_champion_cost_model_ends();
}

TEST(waiting_in_a_call_is_not_late)
{
    mca_pml_champion_cost_model_begins(&peers[1], LARGE);
    assert_int_equal(1, mca_pml_champion.chores);
    us_pass(5000);
    mca_pml_champion_cost_model_waited();
    us_pass(99);
    mca_pml_champion_cost_model_ends();
    assert_int_equal(0, mca_pml_champion.counters.thread_delayed);
    assert_int_equal(0, mca_pml_champion.chores);
}

/* A thread is wanted in the midst of a transfer: it could not sleep while there
 * is a chore. */
TEST(a_thread_ends_watching)
{
    mca_pml_champion_cost_model_begins(&peers[1], LARGE);
    assert_int_equal(1, mca_pml_champion.chores);
    see(now_us() - 60000, LARGE);
    see(now_us() - 60000, LARGE);
    assert_true(is_wanted());
    assert_int_equal(0, mca_pml_champion.chores);
    mca_pml_champion_cost_model_ends();
    assert_int_equal(0, mca_pml_champion.chores);
}

TEST(other_transfers_are_not_watched)
{
    peers[1].local = true;
    mca_pml_champion_cost_model_begins(&peers[1], LARGE);
    assert_int_equal(0, mca_pml_champion.chores);
    /* A second one beside it is. */
    mca_pml_champion_cost_model_begins(&peers[2], LARGE);
    assert_int_equal(1, mca_pml_champion.chores);
    mca_pml_champion_cost_model_ends();
    assert_int_equal(1, mca_pml_champion.chores);
    mca_pml_champion_cost_model_ends();
    assert_int_equal(0, mca_pml_champion.chores);
    only_tcp = false;
    mca_pml_champion_cost_model_begins(&peers[2], LARGE);
    assert_int_equal(0, mca_pml_champion.chores);
    mca_pml_champion_cost_model_ends();
    only_tcp = true;
    mca_pml_champion.params.progress_thread = MCA_PML_CHAMPION_ON;
    mca_pml_champion_thread_trigger_open();
    mca_pml_champion_cost_model_begins(&peers[2], LARGE);
    assert_int_equal(0, mca_pml_champion.chores);
    mca_pml_champion_cost_model_ends();
}

/* A schedule that stands still for so many ms, and takes 10 more. */
static void schedule_stands_still(unsigned ms)
{
    mca_pml_champion_poll_delay_t delay;

    mca_pml_champion_standstill_begins(&delay,
                                       MCA_PML_CHAMPION_STANDSTILL_BYTES);
    if (mca_pml_champion_standstill_watching()) {
        us_pass(1000 * ms);
        mca_pml_champion_standstill_on_poll(true);
        for (int i = 0; i < 200; ++i) {
            us_pass(50);
            mca_pml_champion_standstill_on_poll(true);
        }
    }
    mca_pml_champion_standstill_ends(&delay);
}

TEST(schedules_that_stand_still_are_late)
{
    schedule_stands_still(0);
    assert_int_equal(0, mca_pml_champion.counters.coll_delayed);
    schedule_stands_still(5);
    assert_int_equal(1, mca_pml_champion.counters.coll_delayed);
    assert_false(is_wanted());
    schedule_stands_still(20);
    assert_int_equal(2, mca_pml_champion.counters.coll_delayed);
    assert_int_equal(15000000, mca_pml_champion.counters.thread_lost);
    assert_int_equal(0, mca_pml_champion.counters.thread_delayed);
    assert_true(is_wanted());
    /* Nothing is watched from now on. */
    schedule_stands_still(20);
    assert_int_equal(2, mca_pml_champion.counters.coll_delayed);
    assert_int_equal(0, mca_pml_champion.chores);
}

/* A message and a schedule are enough, too, and end the watch of others. */
TEST(a_thread_ends_watching_schedules)
{
    mca_pml_champion_poll_delay_t delay;

    mca_pml_champion_standstill_begins(&delay,
                                       MCA_PML_CHAMPION_STANDSTILL_BYTES);
    schedule_stands_still(20);
    assert_int_not_equal(0, mca_pml_champion.chores);
    see(now_us() - 60000, LARGE);
    assert_true(is_wanted());
    assert_int_equal(0, mca_pml_champion.chores);
    mca_pml_champion_standstill_ends(&delay);
    assert_int_equal(0, mca_pml_champion.chores);
    assert_int_equal(1, mca_pml_champion.counters.coll_delayed);
}

TEST(adapters_hold_nobody_up)
{
    only_tcp = false;
    for (int i = 0; i < 20; ++i) {
        hear(1, MCA_PML_CHAMPION_CLOCK_FETCHING, 10, now_us() - 200);
    }
    assert_int_equal(0, mca_pml_champion.counters.thread_delayed);
}

/* The sender is notified of the first fetches, then of one in REPORT_EVERY. */
TEST(a_sender_hears_of_fetches)
{
    unsigned before;

    mca_pml_champion_thread_trigger_fetching(&peers[1], LARGE);
    assert_int_equal(MCA_PML_CHAMPION_CLOCK_ASK, sent[0].what);
    /* The time of the peer's clock is not known yet. */
    assert_int_equal(1, num_sent);
    hear(1, MCA_PML_CHAMPION_CLOCK_ANSWER, sent[0].asked, now_us() + 5000);
    before = num_sent;
    for (unsigned i = 0; i < REPORT_FIRST; ++i) {
        mca_pml_champion_thread_trigger_fetching(&peers[1], LARGE);
    }
    assert_int_equal(before + REPORT_FIRST, num_sent);
    assert_int_equal(MCA_PML_CHAMPION_CLOCK_FETCHING, sent[num_sent - 1].what);
    assert_in_range(sent[num_sent - 1].answered - now_us(), 5000, 5002);
    assert_int_equal(0, sent[num_sent - 1].asked);
    before = num_sent;
    for (unsigned i = 0; i < 10 * REPORT_EVERY; ++i) {
        mca_pml_champion_thread_trigger_fetching(&peers[1], LARGE);
    }
    assert_int_equal(before + 10, num_sent);
}

/* Telling costs a tenth of a transfer that takes 100 us. */
TEST(a_sender_hears_less_of_short_fetches)
{
    unsigned before;

    peers[1].cost_model = calloc(1, sizeof(*peers[1].cost_model));
    assert_non_null(peers[1].cost_model);
    for (int i = 0; i < 64; ++i) {
        mca_pml_champion_cost_model_add(peers[1].cost_model, LARGE, 100000);
    }
    mca_pml_champion_thread_trigger_fetching(&peers[1], LARGE);
    hear(1, MCA_PML_CHAMPION_CLOCK_ANSWER, sent[0].asked, now_us() + 5000);
    before = num_sent;
    for (unsigned i = 0; i < 10 * REPORT_EVERY; ++i) {
        mca_pml_champion_thread_trigger_fetching(&peers[1], LARGE);
    }
    assert_int_equal(before + SHORT_FIRST + 9, num_sent);
    assert_in_range(sent[num_sent - 1].asked, 50, 200);
}

TEST(other_fetches_are_not_reported)
{
    mca_pml_champion_thread_trigger_fetching(&peers[1], LARGE - 1);
    only_tcp = false;
    mca_pml_champion_thread_trigger_fetching(&peers[1], LARGE);
    only_tcp = true;
    peers[1].local = true;
    mca_pml_champion_thread_trigger_fetching(&peers[1], LARGE);
    peers[1].local = false;
    mca_pml_champion_thread_trigger.on = false;
    mca_pml_champion_thread_trigger_fetching(&peers[1], LARGE);
    assert_int_equal(0, num_sent);
    mca_pml_champion_thread_trigger.on = true;
    mca_pml_champion.params.thread_within_node = peers[1].local = true;
    mca_pml_champion_thread_trigger_fetching(&peers[1], LARGE);
    assert_int_equal(1, num_sent);
}

TEST(with_a_thread_or_without_one_nothing_is_watched)
{
    static const int modes[] = {MCA_PML_CHAMPION_ON, MCA_PML_CHAMPION_OFF};

    for (int i = 0; i < 2; ++i) {
        mca_pml_champion.params.progress_thread = modes[i];
        mca_pml_champion_thread_trigger_open();
        see(now_us() - 90000, LARGE);
        see(now_us() - 90000, LARGE);
        hear(1, MCA_PML_CHAMPION_CLOCK_FETCHING, 10, now_us() - 90000);
        assert_int_equal(0, mca_pml_champion.counters.thread_delayed);
        assert_false(is_wanted());
    }
}

/* ---- the control variable ----------------------------------------------- */

static void set_mode_to(int mode)
{
    mca_pml_champion.due = 0;
    mca_pml_champion.slow = false;
    mca_pml_champion.params.progress_thread = mode;
}

TEST(the_next_large_message_heeds_the_variable)
{
    set_mode_to(MCA_PML_CHAMPION_ON);
    assert_false(is_wanted());
    see(0, LARGE);
    assert_true(is_wanted()); /* progress starts a thread */
    assert_true(mca_pml_champion.slow);
    mca_pml_champion_thread_trigger_runs();
    set_mode_to(MCA_PML_CHAMPION_OFF);
    assert_int_equal(0, mca_pml_champion_thread_trigger_stamp(&peers[1]));
    assert_true(is_wanted()); /* progress ends it */
    mca_pml_champion_thread_trigger_again(0);
    see(now_us() - 90000, LARGE);
    assert_int_equal(0, mca_pml_champion.counters.thread_delayed);
    set_mode_to(MCA_PML_CHAMPION_AUTO);
    mca_pml_champion_thread_trigger_fetching(&peers[1], LARGE);
    assert_false(is_wanted());
    see(now_us() - 90000, LARGE);
    see(now_us() - 90000, LARGE);
    assert_true(is_wanted());
}

/* auto keeps a thread that there is, and does not look for reasons. */
TEST(auto_keeps_the_thread)
{
    set_mode_to(MCA_PML_CHAMPION_ON);
    see(0, LARGE);
    mca_pml_champion_thread_trigger_runs();
    set_mode_to(MCA_PML_CHAMPION_AUTO);
    see(now_us() - 90000, LARGE);
    see(now_us() - 90000, LARGE);
    assert_false(is_wanted());
    assert_int_equal(0, mca_pml_champion.counters.thread_delayed);
    /* Messages carry timestamps for others. */
    (void) mca_pml_champion_thread_trigger_stamp(&peers[1]);
    assert_int_equal(1, num_sent);
}

int main(void)
{
    mca_pml_champion_lock();
    return unit_run(NULL, NULL);
}
