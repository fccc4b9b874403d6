/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How a process learns the clocks of others, and timestamps its messages.
 */

#include "pml_random.h"
#include "thread_world.h"

TEST(the_first_stamp_asks_and_later_ones_know)
{
    uint32_t stamp;

    learn(1, 5000);
    assert_true(0 != (last_flags & UCP_AM_SEND_FLAG_REPLY));
    stamp = mca_pml_champion_thread_trigger_stamp(&peers[1]);
    assert_in_range(stamp - now_us(), 5000, 5002);
    assert_int_equal(1, num_sent);
    us_pass(1000); /* it wraps */
    assert_true(now_us() < 1000);
    stamp = mca_pml_champion_thread_trigger_stamp(&peers[1]);
    assert_in_range(stamp - now_us(), 5000, 5002);
    us_pass(100000000); /* clocks may have drifted apart by now */
    (void) mca_pml_champion_thread_trigger_stamp(&peers[1]);
    assert_int_equal(2, num_sent);
}

/* Asked with the first message of any size, which connects: the first large one
 * has its timestamp. */
TEST(a_new_peer_is_asked_at_once)
{
    hooks->connected(&peers[1]);
    assert_int_equal(1, num_sent);
    assert_int_equal(MCA_PML_CHAMPION_CLOCK_ASK, sent[0].what);
    hear(1, MCA_PML_CHAMPION_CLOCK_ANSWER, sent[0].asked, now_us() + 5000);
    assert_in_range(mca_pml_champion_thread_trigger_stamp(&peers[1]) - now_us(),
                    5000, 5002);
    assert_int_equal(1, num_sent);
}

TEST(only_those_whose_messages_count_are_asked)
{
    peers[0].self = true;
    hooks->connected(&peers[0]);
    peers[1].local = true;
    hooks->connected(&peers[1]);
    peers[2].name.jobid = JOB + 1;
    hooks->connected(&peers[2]);
    peers[2].name.jobid = JOB;
    mca_pml_champion_thread_trigger.on = false;
    hooks->connected(&peers[2]);
    assert_int_equal(0, num_sent);
}

/* 0 says that it is not known. */
TEST(no_stamp_is_0_that_is_known)
{
    learn(1, 0);
    for (int i = 0; i < 1000; ++i) {
        us_pass(1);
        assert_int_not_equal(0,
                             mca_pml_champion_thread_trigger_stamp(&peers[1]));
    }
    peers[2].local = true;
    assert_int_equal(0, mca_pml_champion_thread_trigger_stamp(&peers[2]));
    mca_pml_champion.params.thread_within_node = true;
    us_set(1ull << 32);
    assert_int_equal(1, mca_pml_champion_thread_trigger_stamp(&peers[2]));
    us_pass(1);
    assert_int_equal(1, mca_pml_champion_thread_trigger_stamp(&peers[2]));
    peers[2].name.jobid = JOB + 1;
    assert_int_equal(0, mca_pml_champion_thread_trigger_stamp(&peers[2]));
}

/* The peer computes: it is asked three times after a message to it, not more
 * often. */
TEST(a_peer_that_answers_late_is_not_asked_forever)
{
    (void) mca_pml_champion_thread_trigger_stamp(&peers[1]);
    (void) mca_pml_champion_thread_trigger_stamp(&peers[1]);
    assert_int_equal(1, num_sent); /* one at a time */
    for (int i = 0; i < 10; ++i) {
        const uint32_t asked = sent[num_sent - 1].asked;

        us_pass(3000);
        hear(1, MCA_PML_CHAMPION_CLOCK_ANSWER, asked, now_us());
    }
    assert_int_equal(1 + IN_A_ROW, num_sent);
    assert_true(0 != mca_pml_champion_thread_trigger_stamp(&peers[1]));
    assert_int_equal(2 + IN_A_ROW, num_sent);
}

TEST(questions_are_answered_if_there_is_a_way)
{
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_GOOD,
                     hear(1, MCA_PML_CHAMPION_CLOCK_ASK, 77, 0));
    assert_int_equal(1, num_sent);
    assert_int_equal(MCA_PML_CHAMPION_CLOCK_ANSWER, sent[0].what);
    assert_int_equal(77, sent[0].asked);
    assert_int_equal(now_us(), sent[0].answered);
    assert_int_equal(0, last_flags & UCP_AM_SEND_FLAG_REPLY);
    peers[1].ep = NULL;
    hear(1, MCA_PML_CHAMPION_CLOCK_ASK, 77, 0);
    assert_int_equal(1, num_sent);
    peers[1].reply_ep = (ucp_ep_h) &peers[1];
    hear(1, MCA_PML_CHAMPION_CLOCK_ASK, 77, 0);
    assert_int_equal(2, num_sent);
    /* An answer without a question, and an unknown kind. */
    hear(2, MCA_PML_CHAMPION_CLOCK_ANSWER, 1, 2);
    assert_null(peers[2].clock);
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_KIND,
                     hear(2, MCA_PML_CHAMPION_CLOCK_FETCHING + 1, 1, 2));
}

/* Clocks that are apart by anything and drift, messages that take their time: a
 * stamp is never too early, nor later than what is not known of the clock. */
TEST(stamps_are_never_too_early)
{
    unsigned stamps = 0;

    for (int round = 0; round < 200; ++round) {
        uint64_t begun_at, answer_at = 0;
        uint32_t ahead = pml_random_below(UINT32_MAX), answered = 0, asked = 0;
        const int drift = (int) pml_random_below(3) - 1; /* 1 us in 20000 */

        end(unit_state);
        begin(unit_state);
        us_set(pml_random_below(UINT32_MAX));
        begun_at = us_now();
        for (int i = 0; i < 200; ++i) {
            uint32_t theirs, stamp;
            unsigned before = num_sent = 0;

            us_pass(pml_random_below(20000));
            theirs = now_us() + ahead +
                     (uint32_t) (drift * (int) ((us_now() - begun_at) / 20000));
            stamp = mca_pml_champion_thread_trigger_stamp(&peers[1]);
            if (0 != stamp) {
                ++stamps;
                assert_in_range(stamp - theirs + 1, 0,
                                2 * (mca_pml_champion_clock_error(
                                         &peers[1].clock->remote, now_us()) +
                                     2));
            }
            if (num_sent > before && 0 == answer_at) {
                asked = sent[0].asked;
                answered = theirs;
                answer_at = us_now() + pml_random_below(300);
            }
            if (0 != answer_at) {
                uint64_t late = pml_random_below(300);

                us_set(answer_at + late);
                answer_at = 0;
                hear(1, MCA_PML_CHAMPION_CLOCK_ANSWER, asked, answered);
            }
        }
    }
    assert_true(stamps > 1000);
}

int main(void)
{
    pml_random_begin();
    mca_pml_champion_lock();
    return unit_run(NULL, NULL);
}
