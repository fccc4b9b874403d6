/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How a process learns the clocks of others, timestamps its messages, finds
 * that messages were delayed and requests a progress thread; and how it
 * measures transfers. test_overlap_rules tests the rules for these decisions.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static int simulated_clock(clockid_t clock, struct timespec *time);
#define clock_gettime simulated_clock

#include "ompi/mca/pml/champion/core/chores.c"
#include "ompi/mca/pml/champion/core/unit.c"
#include "ompi/mca/pml/champion/large/thread_trigger.c"

#include "ompi/mca/pml/champion/large/standstill.h"

#include "ompi/mca/pml/champion/peer/cost_model.c"

#include "ompi/mca/pml/champion/large/standstill.c"

#undef clock_gettime

#include "pml_random.h"

enum { JOB = 7, PEERS = 3, SENT_MAX = 256 };

#define LARGE MCA_PML_CHAMPION_THREAD_TRIGGER_FETCHED_BYTES

/* ---- what stands for the rest of the component, and UCX ----------------- */

mca_pml_champion_t mca_pml_champion;
#if !defined(NDEBUG)
_Thread_local bool mca_pml_champion_lock_mine = true;
#endif

/* There is one thread. */
void mca_pml_champion_lock_slow(void)
{
    fail();
}

static uint64_t clock_says; /* us, of this process */
static mca_pml_champion_peer_t peers[PEERS];
static mca_pml_champion_clock_t sent[SENT_MAX];
static unsigned num_sent;
static uint32_t last_flags;
static bool only_tcp;
static mca_pml_champion_ctrl_msg_handler_t handler;

static mca_pml_champion_peer_hooks_t *hooks;

void mca_pml_champion_peer_hooks_add(mca_pml_champion_peer_hooks_t *added)
{
    hooks = added;
}

static int simulated_clock(clockid_t clock, struct timespec *time)
{
    assert_int_equal(CLOCK_MONOTONIC, clock);
    *time = (struct timespec){.tv_sec = (time_t) (clock_says / 1000000),
                              .tv_nsec = (long) (clock_says % 1000000) * 1000};
    return 0;
}

void mca_pml_champion_ctrl_msg_register(
    const mca_pml_champion_ctrl_msg_kind_t *kind)
{
    assert_int_equal(MCA_PML_CHAMPION_AM_CLOCK, kind->id);
    handler = kind->handler;
}

ucs_status_t mca_pml_champion_ctrl_msg_send(mca_pml_champion_peer_t *peer,
                                            unsigned id, const void *data,
                                            size_t length, uint32_t flags)
{
    assert_non_null(peer);
    assert_int_equal(MCA_PML_CHAMPION_AM_CLOCK, id);
    assert_int_equal(sizeof(*sent), length);
    assert_true(num_sent < SENT_MAX);
    memcpy(&sent[num_sent++], data, length);
    last_flags = flags;
    return UCS_OK;
}

bool mca_pml_champion_peer_has_only_tcp(mca_pml_champion_peer_t *peer)
{
    assert_non_null(peer);
    return only_tcp;
}

mca_pml_champion_peer_t *mca_pml_champion_peer_find(
    const opal_process_name_t *name)
{
    return name->vpid < PEERS ? &peers[name->vpid] : NULL;
}

/* ---- before and after each test ----------------------------------------- */

static int begin(void **state)
{
    memset(&mca_pml_champion, 0, sizeof(mca_pml_champion));
    memset(peers, 0, sizeof(peers));
    memset(&all, 0, sizeof(all));
    memset(&busy, 0, sizeof(busy));
    memset(&mca_pml_champion_cost_models, 0,
           sizeof(mca_pml_champion_cost_models));
    mca_pml_champion_standstill_open();
    mca_pml_champion.my_jobid = JOB;
    mca_pml_champion.params.progress_thread = MCA_PML_CHAMPION_AUTO;
    mca_pml_champion.params.thread_late = 100;
    for (int i = 0; i < PEERS; ++i) {
        peers[i].name = (opal_process_name_t){.jobid = JOB};
        peers[i].name.vpid = (opal_vpid_t) i;
        peers[i].ep = (ucp_ep_h) &peers[i];
    }
    num_sent = 0;
    only_tcp = true;
    clock_says = (1ull << 32) - 500; /* it wraps soon */
    mca_pml_champion_thread_trigger_open();
    return 0;
}

static int end(void **state)
{
    for (int i = 0; i < PEERS; ++i) {
        free(peers[i].clock);
        free(peers[i].cost_model);
    }
    return 0;
}

static mca_pml_champion_ctrl_msg_verdict_t hear(int from, uint32_t what,
                                                uint32_t asked,
                                                uint32_t answered)
{
    const mca_pml_champion_clock_t message = {.vpid = (uint32_t) from,
                                              .what = what,
                                              .asked = asked,
                                              .answered = answered};

    return handler(&peers[from], &message, sizeof(message));
}

/* Let the peer's clock be ahead by that many us; its answer takes no time. */
static void learn(int from, uint32_t ahead)
{
    assert_int_equal(0, mca_pml_champion_thread_trigger_stamp(&peers[from]));
    assert_int_equal(MCA_PML_CHAMPION_CLOCK_ASK, sent[num_sent - 1].what);
    hear(from, MCA_PML_CHAMPION_CLOCK_ANSWER, sent[num_sent - 1].asked,
         now_us() + ahead);
}

/* ---- stamps ------------------------------------------------------------- */

static void the_first_stamp_asks_and_later_ones_know(void **state)
{
    uint32_t stamp;

    learn(1, 5000);
    assert_true(0 != (last_flags & UCP_AM_SEND_FLAG_REPLY));
    stamp = mca_pml_champion_thread_trigger_stamp(&peers[1]);
    assert_in_range(stamp - now_us(), 5000, 5002);
    assert_int_equal(1, num_sent);
    clock_says += 1000; /* it wraps */
    assert_true(now_us() < 1000);
    stamp = mca_pml_champion_thread_trigger_stamp(&peers[1]);
    assert_in_range(stamp - now_us(), 5000, 5002);
    clock_says += 100000000; /* clocks may have drifted apart by now */
    (void) mca_pml_champion_thread_trigger_stamp(&peers[1]);
    assert_int_equal(2, num_sent);
}

/* Asked with the first message of any size, which connects: the first large one
 * has its timestamp. */
static void a_new_peer_is_asked_at_once(void **state)
{
    hooks->connected(&peers[1]);
    assert_int_equal(1, num_sent);
    assert_int_equal(MCA_PML_CHAMPION_CLOCK_ASK, sent[0].what);
    hear(1, MCA_PML_CHAMPION_CLOCK_ANSWER, sent[0].asked, now_us() + 5000);
    assert_in_range(mca_pml_champion_thread_trigger_stamp(&peers[1]) - now_us(),
                    5000, 5002);
    assert_int_equal(1, num_sent);
}

static void only_those_whose_messages_count_are_asked(void **state)
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
static void no_stamp_is_0_that_is_known(void **state)
{
    learn(1, 0);
    for (int i = 0; i < 1000; ++i) {
        ++clock_says;
        assert_int_not_equal(0,
                             mca_pml_champion_thread_trigger_stamp(&peers[1]));
    }
    peers[2].local = true;
    assert_int_equal(0, mca_pml_champion_thread_trigger_stamp(&peers[2]));
    mca_pml_champion.params.thread_within_node = true;
    clock_says = 1ull << 32;
    assert_int_equal(1, mca_pml_champion_thread_trigger_stamp(&peers[2]));
    ++clock_says;
    assert_int_equal(1, mca_pml_champion_thread_trigger_stamp(&peers[2]));
    peers[2].name.jobid = JOB + 1;
    assert_int_equal(0, mca_pml_champion_thread_trigger_stamp(&peers[2]));
}

/* The peer computes: it is asked three times after a message to it, not more
 * often. */
static void a_peer_that_answers_late_is_not_asked_forever(void **state)
{
    (void) mca_pml_champion_thread_trigger_stamp(&peers[1]);
    (void) mca_pml_champion_thread_trigger_stamp(&peers[1]);
    assert_int_equal(1, num_sent); /* one at a time */
    for (int i = 0; i < 10; ++i) {
        const uint32_t asked = sent[num_sent - 1].asked;

        clock_says += 3000;
        hear(1, MCA_PML_CHAMPION_CLOCK_ANSWER, asked, now_us());
    }
    assert_int_equal(1 + IN_A_ROW, num_sent);
    assert_true(0 != mca_pml_champion_thread_trigger_stamp(&peers[1]));
    assert_int_equal(2 + IN_A_ROW, num_sent);
}

static void questions_are_answered_if_there_is_a_way(void **state)
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
static void stamps_are_never_too_early(void **state)
{
    unsigned stamps = 0;

    for (int round = 0; round < 200; ++round) {
        uint64_t begun_at, answer_at = 0;
        uint32_t ahead = pml_random_below(UINT32_MAX), answered = 0, asked = 0;
        const int drift = (int) pml_random_below(3) - 1; /* 1 us in 20000 */

        end(state);
        begin(state);
        clock_says = pml_random_below(UINT32_MAX);
        begun_at = clock_says;
        for (int i = 0; i < 200; ++i) {
            uint32_t theirs, stamp;
            unsigned before = num_sent = 0;

            clock_says += pml_random_below(20000);
            theirs =
                now_us() + ahead +
                (uint32_t) (drift * (int) ((clock_says - begun_at) / 20000));
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
                answer_at = clock_says + pml_random_below(300);
            }
            if (0 != answer_at) {
                uint64_t late = pml_random_below(300);

                clock_says = answer_at + late;
                answer_at = 0;
                hear(1, MCA_PML_CHAMPION_CLOCK_ANSWER, asked, answered);
            }
        }
    }
    assert_true(stamps > 1000);
}

/* ---- what is late ------------------------------------------------------- */

static void see(uint32_t sent_at, size_t bytes)
{
    const mca_pml_champion_named_header_t header = {
        .super.vpid = 1, .jobid = JOB, .sent = sent_at};

    mca_pml_champion_thread_trigger_seen(&header, bytes);
}

static bool is_wanted(void)
{
    return 0 != mca_pml_champion.due;
}

static void late_messages_ask_for_a_thread(void **state)
{
    clock_says += 1000;
    see(0, LARGE); /* without a timestamp */
    see(now_us() + 50, LARGE);
    assert_int_equal(0, mca_pml_champion.counters.thread_delayed);
    for (int i = 0; i < 8; ++i) {
        assert_false(is_wanted());
        see(now_us() - 100, LARGE); /* before the clock wrapped */
        clock_says += 50;
    }
    assert_true(is_wanted());
    assert_true(mca_pml_champion.slow);
    assert_false(mca_pml_champion_thread_trigger.watching);
    assert_int_equal(8, mca_pml_champion.counters.thread_delayed);
    see(now_us() - 1000, LARGE); /* delays are not recorded any more */
    assert_int_equal(8, mca_pml_champion.counters.thread_delayed);
}

/* Much is 2 ms, and 1 % of the run. */
static void two_that_have_lost_much_are_enough(void **state)
{
    see(now_us() - 1500, LARGE);
    assert_false(is_wanted());
    see(now_us() - 1500, LARGE);
    assert_true(is_wanted());
}

static void much_is_a_part_of_the_run(void **state)
{
    clock_says += 2000000; /* 2 s */
    for (int i = 0; i < 3; ++i) {
        see(now_us() - 6000, LARGE);
        assert_false(is_wanted());
    }
    see(now_us() - 6000, LARGE);
    assert_true(is_wanted());
}

static void receiving_and_sending_count_together(void **state)
{
    see(now_us() - 1500, LARGE);
    assert_false(is_wanted());
    hear(1, MCA_PML_CHAMPION_CLOCK_FETCHING, 10, now_us() - 1500);
    assert_false(is_wanted()); /* that transfer takes 10 us */
    hear(1, MCA_PML_CHAMPION_CLOCK_FETCHING, 1000, now_us() - 1500);
    assert_true(is_wanted());
}

static void a_long_transfer_may_be_delayed_longer(void **state)
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

static void senders_that_compute_are_told_by_fetching(void **state)
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
        ++clock_says;
        if (mca_pml_champion_cost_models.watching) {
            (void) look();
        }
    }
    clock_says += gap;
    mca_pml_champion_cost_model_ends();
}

/* Its thread was of no use: the next one needs more. */
static void a_thread_may_be_wanted_again(void **state)
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

static void gaps_between_looks_are_late(void **state)
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

static void waiting_in_a_call_is_not_late(void **state)
{
    mca_pml_champion_cost_model_begins(&peers[1], LARGE);
    assert_int_equal(1, mca_pml_champion.chores);
    clock_says += 5000;
    mca_pml_champion_cost_model_waited();
    clock_says += 99;
    mca_pml_champion_cost_model_ends();
    assert_int_equal(0, mca_pml_champion.counters.thread_delayed);
    assert_int_equal(0, mca_pml_champion.chores);
}

/* A thread is wanted in the midst of a transfer: it could not sleep while there
 * is a chore. */
static void a_thread_ends_watching(void **state)
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

static void other_transfers_are_not_watched(void **state)
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
    mca_pml_champion_stand_t stand;

    mca_pml_champion_standstill_begins(&stand,
                                       MCA_PML_CHAMPION_STANDSTILL_BYTES);
    if (mca_pml_champion_standstill_watching()) {
        clock_says += 1000 * ms;
        mca_pml_champion_standstill_look(true);
        for (int i = 0; i < 200; ++i) {
            clock_says += 50;
            mca_pml_champion_standstill_look(true);
        }
    }
    mca_pml_champion_standstill_ends(&stand);
}

static void schedules_that_stand_still_are_late(void **state)
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
static void a_thread_ends_watching_schedules(void **state)
{
    mca_pml_champion_stand_t stand;

    mca_pml_champion_standstill_begins(&stand,
                                       MCA_PML_CHAMPION_STANDSTILL_BYTES);
    schedule_stands_still(20);
    assert_int_not_equal(0, mca_pml_champion.chores);
    see(now_us() - 60000, LARGE);
    assert_true(is_wanted());
    assert_int_equal(0, mca_pml_champion.chores);
    mca_pml_champion_standstill_ends(&stand);
    assert_int_equal(0, mca_pml_champion.chores);
    assert_int_equal(1, mca_pml_champion.counters.coll_delayed);
}

static void adapters_hold_nobody_up(void **state)
{
    only_tcp = false;
    for (int i = 0; i < 20; ++i) {
        hear(1, MCA_PML_CHAMPION_CLOCK_FETCHING, 10, now_us() - 200);
    }
    assert_int_equal(0, mca_pml_champion.counters.thread_delayed);
}

/* The sender is notified of the first fetches, then of one in REPORT_EVERY. */
static void a_sender_hears_of_fetches(void **state)
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
static void a_sender_hears_less_of_short_fetches(void **state)
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

static void other_fetches_are_not_reported(void **state)
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

static void with_a_thread_or_without_one_nothing_is_watched(void **state)
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

static void the_next_large_message_heeds_the_variable(void **state)
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
static void auto_keeps_the_thread(void **state)
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

/* ---- what is measured of transfers -------------------------------------- */

/* A transfer of so many us. */
static void transfer(mca_pml_champion_peer_t *peer, size_t bytes, unsigned us)
{
    mca_pml_champion_cost_model_begins(peer, bytes);
    clock_says += us;
    mca_pml_champion_cost_model_ends();
}

static void a_peer_is_known_by_all_until_it_is_by_its_own(void **state)
{
    double alpha, beta;

    mca_pml_champion_cost_model_of(&peers[1], &alpha, &beta);
    assert_float_equal(FIRST_ALPHA, alpha, 1e-9);
    assert_float_equal(FIRST_BETA, beta, 1e-9);
    for (unsigned i = 0; i < FEW; ++i) {
        transfer(&peers[2], 1000000, 1000); /* 1 ns per byte */
    }
    mca_pml_champion_cost_model_of(&peers[1], &alpha, &beta);
    assert_float_equal(1, alpha, 0.01);
    for (unsigned i = 0; i < MCA_PML_CHAMPION_COST_MODEL_FIRST; ++i) {
        mca_pml_champion_cost_model_of(&peers[1], &alpha, &beta);
        assert_float_equal(all.alpha, alpha, 1e-9);
        transfer(&peers[1], 1000000, 8000);
    }
    assert_in_range(mca_pml_champion_transfer_cost(&peers[1], 1000000), 7900000,
                    8100000);
}

/* Beside each other they share the network. */
static void transfers_side_by_side_are_one(void **state)
{
    mca_pml_champion_cost_model_begins(&peers[1], 500000);
    clock_says += 100;
    mca_pml_champion_cost_model_begins(&peers[1], 500000);
    clock_says += 800;
    mca_pml_champion_cost_model_ends();
    clock_says += 100;
    mca_pml_champion_cost_model_ends();
    assert_int_equal(1, all.samples);
    assert_float_equal(1, all.alpha, 0.01);
    assert_int_equal(1, peers[1].cost_model->samples);
    mca_pml_champion_cost_model_begins(&peers[1], 500000);
    mca_pml_champion_cost_model_begins(&peers[2], 500000);
    clock_says += 1000;
    mca_pml_champion_cost_model_ends();
    mca_pml_champion_cost_model_ends();
    assert_int_equal(2, all.samples);
    assert_int_equal(1, peers[1].cost_model->samples);
    assert_null(peers[2].cost_model);
    transfer(&peers[2], 0, 10);
    assert_int_equal(2, all.samples);
}

static uint64_t received_so_far(void)
{
    return mca_pml_champion_cost_model_receiving(mca_pml_champion_now());
}

/* How long only data of messages with receives were on their way. */
static void the_time_of_receiving_is_without_prefetches(void **state)
{
    uint64_t before;

    mca_pml_champion_cost_models.on = true;
    before = received_so_far();
    clock_says += 50;
    assert_int_equal(before, received_so_far());
    mca_pml_champion_cost_model_begins(&peers[1], LARGE);
    clock_says += 100;
    assert_int_equal(before + 100000, received_so_far());
    mca_pml_champion_cost_model_begins(&peers[2], LARGE);
    clock_says += 100;
    mca_pml_champion_cost_model_ends();
    assert_int_equal(before + 200000, received_so_far());
    /* A prefetch joins, and ends first. */
    mca_pml_champion_cost_model_prefetches();
    mca_pml_champion_cost_model_begins(&peers[2], LARGE);
    clock_says += 100;
    mca_pml_champion_cost_model_ends();
    clock_says += 100;
    mca_pml_champion_cost_model_ends();
    assert_int_equal(before + 200000, received_so_far());
    /* A prefetch is the first. */
    mca_pml_champion_cost_model_prefetches();
    mca_pml_champion_cost_model_begins(&peers[1], LARGE);
    mca_pml_champion_cost_model_begins(&peers[1], LARGE);
    clock_says += 100;
    mca_pml_champion_cost_model_ends();
    mca_pml_champion_cost_model_ends();
    transfer(&peers[1], LARGE, 10);
    assert_int_equal(before + 210000, received_so_far());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_stamp_asks_and_later_ones_know),
        TEST(a_new_peer_is_asked_at_once),
        TEST(only_those_whose_messages_count_are_asked),
        TEST(no_stamp_is_0_that_is_known),
        TEST(a_peer_that_answers_late_is_not_asked_forever),
        TEST(questions_are_answered_if_there_is_a_way),
        TEST(stamps_are_never_too_early),
        TEST(late_messages_ask_for_a_thread),
        TEST(two_that_have_lost_much_are_enough),
        TEST(much_is_a_part_of_the_run),
        TEST(receiving_and_sending_count_together),
        TEST(a_long_transfer_may_be_delayed_longer),
        TEST(senders_that_compute_are_told_by_fetching),
        TEST(a_thread_may_be_wanted_again),
        TEST(gaps_between_looks_are_late),
        TEST(waiting_in_a_call_is_not_late),
        TEST(a_thread_ends_watching),
        TEST(other_transfers_are_not_watched),
        TEST(schedules_that_stand_still_are_late),
        TEST(a_thread_ends_watching_schedules),
        TEST(adapters_hold_nobody_up),
        TEST(a_sender_hears_of_fetches),
        TEST(a_sender_hears_less_of_short_fetches),
        TEST(other_fetches_are_not_reported),
        TEST(with_a_thread_or_without_one_nothing_is_watched),
        TEST(the_next_large_message_heeds_the_variable),
        TEST(auto_keeps_the_thread),
        TEST(a_peer_is_known_by_all_until_it_is_by_its_own),
        TEST(transfers_side_by_side_are_one),
        TEST(the_time_of_receiving_is_without_prefetches),
    };

    pml_random_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
