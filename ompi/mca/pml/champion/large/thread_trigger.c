/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/large/thread_trigger.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"

/* Maximum number of questions in a row to a peer that is slow to answer,
 * because it computes. */
#define IN_A_ROW 3

/* Late messages, of the last 64, that start the thread. */
#define AFTER 8

/* A peer is notified of its first REPORT_FIRST fetched messages, then of one in
 * REPORT_EVERY; of the first SHORT_FIRST if they take less than SHORT_NS: what
 * is told costs a tenth of such a transfer. */
#define REPORT_FIRST 64
#define REPORT_EVERY 16
#define SHORT_FIRST 8
#define SHORT_NS 250000

/* What is known of a peer's clock. */
typedef struct mca_pml_champion_peer_clock_t {
    mca_pml_champion_remote_clock_t remote;
    bool asked;       /* a question is out */
    uint8_t in_row;   /* questions since the last timestamped message */
    uint32_t fetched; /* large messages fetched from it */
} peer_clock_t;

mca_pml_champion_thread_trigger_t mca_pml_champion_thread_trigger;
void (*mca_pml_champion_thread_trigger_unwatched)(void);

static void on_gap(const mca_pml_champion_peer_t *peer, uint64_t bytes,
                   uint64_t gap);

static uint32_t now_us(void)
{
    return (uint32_t) (mca_pml_champion_now() / 1000);
}

/* Failure to send is harmless: the clock remains unknown. */
static void clock_send(mca_pml_champion_peer_t *peer, uint32_t what,
                       uint32_t asked, uint32_t answered)
{
    const mca_pml_champion_clock_t message = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = what,
        .asked = asked,
        .answered = answered,
    };

    (void) mca_pml_champion_ctrl_msg_send(
        peer, MCA_PML_CHAMPION_AM_CLOCK, &message, sizeof(message),
        UCP_AM_SEND_FLAG_EAGER |
            (MCA_PML_CHAMPION_CLOCK_ASK == what ? UCP_AM_SEND_FLAG_REPLY : 0));
}

static void clock_ask(mca_pml_champion_peer_t *peer)
{
    peer_clock_t *clock = peer->clock;

    if (clock->asked || clock->in_row >= IN_A_ROW) {
        return;
    }
    clock->asked = true;
    ++clock->in_row;
    clock_send(peer, MCA_PML_CHAMPION_CLOCK_ASK, now_us(), 0);
}

/* Are timestamps evaluated? */
static void set_watching(bool watching)
{
    mca_pml_champion_thread_trigger.watching = watching;
    if (watching) {
        mca_pml_champion_cost_models.gaps = true;
        mca_pml_champion_cost_models.on = true;
    } else {
        mca_pml_champion_cost_model_unwatch();
        if (NULL != mca_pml_champion_thread_trigger_unwatched) {
            mca_pml_champion_thread_trigger_unwatched();
        }
    }
}

/* Do what the mode asks for. */
static void set_mode(void)
{
    mca_pml_champion_thread_trigger.on =
        MCA_PML_CHAMPION_AUTO == mca_pml_champion_thread_trigger.mode;
    set_watching(mca_pml_champion_thread_trigger.on &&
                 !mca_pml_champion_thread_trigger.running);
}

/* The program has written the control variable. */
static __attribute__((cold, noinline)) void change_mode(int mode)
{
    mca_pml_champion_thread_trigger.mode = mode;
    mca_pml_champion_thread_trigger.lateness =
        (mca_pml_champion_lateness_t){.late = 0};
    set_mode();
    if (!mca_pml_champion_thread_trigger.on) {
        mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
    }
}

/* Called for each large message. */
static inline void follow_mode(void)
{
    const int mode = mca_pml_champion_thread_mode();

    if (OPAL_UNLIKELY(mode != mca_pml_champion_thread_trigger.mode)) {
        change_mode(mode);
    }
}

/* The rule is in favour of a thread. */
static void request_thread(void)
{
    set_watching(false);
    mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
}

void mca_pml_champion_thread_trigger_runs(void)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_thread_trigger.running = true;
    set_watching(false);
}

void mca_pml_champion_thread_trigger_again(unsigned doubt)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_thread_trigger.lateness =
        (mca_pml_champion_lateness_t){.late = 0};
    mca_pml_champion_thread_trigger.doubt = doubt;
    mca_pml_champion_thread_trigger.running = false;
    set_mode();
}

/* Returns NULL if out of memory. */
static peer_clock_t *clock_of(mca_pml_champion_peer_t *peer)
{
    if (NULL == peer->clock) {
        peer->clock = calloc(1, sizeof(*peer->clock));
    }
    return peer->clock;
}

/* The first message to a peer, of whatever size, follows: ask at once, so that
 * the first large one can be timestamped. */
static void connected(mca_pml_champion_peer_t *peer)
{
    if (mca_pml_champion_thread_trigger.on && !peer->local && !peer->self &&
        peer->name.jobid == mca_pml_champion.my_jobid &&
        NULL != clock_of(peer)) {
        clock_ask(peer);
    }
}

static bool thread_trigger_register(void)
{
    mca_pml_champion_params_t *params = &mca_pml_champion.params;
    bool good;

    params->thread_late = 500;
    params->thread_within_node = false;
    good = mca_pml_champion_param_uint(
        "thread_late",
        "With pml_champion_progress_thread=auto, a large message counts as "
        "late if it waited at least this long, in microseconds, and at least "
        "1/8 of its estimated transfer time, before it was noticed. The "
        "thread starts when 8 of the last 64 large messages are late, or when "
        "at least two of them have lost 1 % of the time since MPI_Init "
        "together (2 ms to 0.1 s). 0: the first large message that is "
        "watched starts the thread",
        OPAL_INFO_LVL_9, 0, 10000000, &params->thread_late);
    good &= mca_pml_champion_param_bool(
        "thread_local",
        "Count late messages from processes of the same node as well",
        OPAL_INFO_LVL_9, &params->thread_within_node);
    return good;
}

int mca_pml_champion_thread_trigger_open(void)
{
    static mca_pml_champion_peer_hooks_t hooks = {.connected = connected};
    static const mca_pml_champion_ctrl_msg_kind_t kind = {
        .id = MCA_PML_CHAMPION_AM_CLOCK,
        .name = "CLOCK",
        .least = sizeof(mca_pml_champion_clock_t),
        .most = sizeof(mca_pml_champion_clock_t),
        .by = MCA_PML_CHAMPION_CTRL_MSG_BY_VPID,
        .handler = mca_pml_champion_thread_trigger_received,
    };
    mca_pml_champion_thread_trigger = (mca_pml_champion_thread_trigger_t){
        .mode = mca_pml_champion_thread_mode(),
        .since = mca_pml_champion_now(),
    };
    /* Nothing is watched so far, and what ends it wants the lock. */
    mca_pml_champion_cost_models.gaps = mca_pml_champion_cost_models.on = false;
    if (MCA_PML_CHAMPION_AUTO == mca_pml_champion_thread_trigger.mode) {
        set_mode();
    }
    mca_pml_champion_cost_model_gap = on_gap;
    mca_pml_champion_ctrl_msg_register(&kind);
    mca_pml_champion_peer_hooks_add(&hooks);
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(thread_trigger) = {
    .name = "thread trigger",
    .registers = thread_trigger_register,
    .open = mca_pml_champion_thread_trigger_open,
};

uint32_t mca_pml_champion_thread_trigger_stamp(mca_pml_champion_peer_t *peer)
{
    uint32_t now, stamp;
    peer_clock_t *clock;

    MCA_PML_CHAMPION_LOCKED();
    follow_mode();
    if (!mca_pml_champion_thread_trigger.on) {
        return 0;
    }
    now = stamp = now_us();
    if (peer->name.jobid != mca_pml_champion.my_jobid) {
        return 0;
    }
    if (peer->local && !mca_pml_champion.params.thread_within_node) {
        return 0;
    }
    if (peer->local) {
        return now + (0 == now);
    }
    clock = clock_of(peer);
    if (NULL == clock) {
        return 0;
    }
    clock->in_row = 0;
    if (mca_pml_champion_clock_is_poor(&clock->remote, now)) {
        clock_ask(peer);
    }
    if (!clock->remote.known) {
        return 0;
    }
    /* Round up: an early timestamp would report a delay that did not exist. */
    stamp += clock->remote.offset +
             mca_pml_champion_clock_error(&clock->remote, now);
    return stamp + (0 == stamp);
}

/* Estimated time of a transfer, ns; 0 if unknown. */
static uint64_t known_cost(const mca_pml_champion_peer_t *peer, size_t bytes)
{
    return NULL != peer->cost_model &&
                   mca_pml_champion_cost_model_is_known(peer->cost_model)
               ? mca_pml_champion_transfer_cost(peer, bytes)
               : 0;
}

void mca_pml_champion_thread_trigger_fetching(mca_pml_champion_peer_t *peer,
                                              size_t bytes)
{
    peer_clock_t *clock;
    uint32_t stamp, first;
    uint64_t cost;

    MCA_PML_CHAMPION_LOCKED();
    follow_mode();
    if (bytes < MCA_PML_CHAMPION_THREAD_TRIGGER_FETCHED_BYTES ||
        !mca_pml_champion_thread_trigger.on ||
        (peer->local && !mca_pml_champion.params.thread_within_node) ||
        !mca_pml_champion_peer_has_only_tcp(peer)) {
        return;
    }
    stamp = mca_pml_champion_thread_trigger_stamp(peer);
    if (0 == stamp) {
        return;
    }
    clock = clock_of(peer);
    if (NULL == clock) {
        return;
    }
    cost = known_cost(peer, bytes);
    first = 0 != cost && cost < SHORT_NS ? SHORT_FIRST : REPORT_FIRST;
    if (clock->fetched < first || 0 == clock->fetched % REPORT_EVERY) {
        clock_send(peer, MCA_PML_CHAMPION_CLOCK_FETCHING,
                   (uint32_t) (cost / 1000), stamp);
    }
    ++clock->fetched;
}

static uint64_t loss_threshold(void)
{
    return mca_pml_champion_loss_threshold(
        mca_pml_champion_now() - mca_pml_champion_thread_trigger.since);
}

/* Time since a timestamp, ns. */
static uint64_t waited_since(uint32_t stamp)
{
    const int32_t waited = (int32_t) (now_us() - stamp);

    return waited > 0 ? (uint64_t) waited * 1000 : 0;
}

/* Record what a transfer or a schedule lost, ns; `delayed` counts those that
 * lost something. */
static void record(uint64_t lost, uint64_t *delayed)
{
    mca_pml_champion_lateness_t *lateness =
        &mca_pml_champion_thread_trigger.lateness;

    *delayed += 0 != lost;
    mca_pml_champion.counters.thread_lost += lost;
    mca_pml_champion_lateness_add(lateness, lost);
    if (mca_pml_champion_lateness_is_enough(
            lateness, 0 == mca_pml_champion.params.thread_late ? 1 : AFTER,
            loss_threshold(), mca_pml_champion_thread_trigger.doubt)) {
        request_thread();
    }
}

/* Record how long a message waited for software, ns; cost is the time of its
 * transfer, or 0. */
static void judge(uint64_t waited, uint64_t cost)
{
    const uint64_t min = (uint64_t) mca_pml_champion.params.thread_late * 1000;

    record(mca_pml_champion_thread_trigger_loss(waited, cost, min),
           &mca_pml_champion.counters.thread_delayed);
}

bool mca_pml_champion_thread_trigger_counts_schedules(void)
{
    MCA_PML_CHAMPION_LOCKED();
    follow_mode();
    return mca_pml_champion_thread_trigger.watching;
}

void mca_pml_champion_thread_trigger_on_schedule_end(uint64_t lost)
{
    MCA_PML_CHAMPION_LOCKED();
    record(lost, &mca_pml_champion.counters.coll_delayed);
}

/* Transfers stood still, because the program did not look at UCX. */
static void on_gap(const mca_pml_champion_peer_t *peer, uint64_t bytes,
                   uint64_t gap)
{
    const uint64_t min = (uint64_t) mca_pml_champion.params.thread_late * 1000;

    /* With a minimum of 0 each message counts, but each once. */
    if (mca_pml_champion_thread_trigger.watching && gap >= min && 0 != min) {
        judge(gap, known_cost(peer, bytes));
    }
}

/* A peer reports that it has been waiting for this process to send. */
static void on_fetch_report(mca_pml_champion_peer_t *peer,
                            const mca_pml_champion_clock_t *message)
{
    if (mca_pml_champion_thread_trigger.watching &&
        mca_pml_champion_peer_has_only_tcp(peer)) {
        judge(waited_since(message->answered),
              (uint64_t) message->asked * 1000);
    }
}

/* An answer has arrived: the peer's clock at the time of the question. */
static void on_answer(mca_pml_champion_peer_t *peer,
                      const mca_pml_champion_clock_t *message)
{
    uint32_t now = now_us();

    if (NULL == peer->clock) {
        return;
    }
    peer->clock->asked = false;
    mca_pml_champion_clock_answer(&peer->clock->remote, message->asked,
                                  message->answered, now);
    /* The peer may have computed when it was asked, and answer faster now. */
    if (mca_pml_champion_clock_is_poor(&peer->clock->remote, now)) {
        clock_ask(peer);
    }
}

mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_thread_trigger_received(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length)
{
    mca_pml_champion_clock_t message;

    MCA_PML_CHAMPION_LOCKED();
    (void) length;
    memcpy(&message, bytes, sizeof(message));
    switch (message.what) {
    case MCA_PML_CHAMPION_CLOCK_ASK:
        if (NULL != peer->ep || NULL != peer->reply_ep) {
            clock_send(peer, MCA_PML_CHAMPION_CLOCK_ANSWER, message.asked,
                       now_us());
        }
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
    case MCA_PML_CHAMPION_CLOCK_ANSWER:
        on_answer(peer, &message);
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
    case MCA_PML_CHAMPION_CLOCK_FETCHING:
        on_fetch_report(peer, &message);
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
    default:
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
}

void mca_pml_champion_thread_trigger_on_header(
    const mca_pml_champion_named_header_t *header, size_t bytes)
{
    const mca_pml_champion_peer_t *peer;

    MCA_PML_CHAMPION_LOCKED();
    follow_mode();
    if (!mca_pml_champion_thread_trigger.watching || 0 == header->sent) {
        return;
    }
    peer = mca_pml_champion_peer_of(&header->super, header->jobid);
    if (OPAL_UNLIKELY(NULL == peer)) {
        return;
    }
    judge(waited_since(header->sent), known_cost(peer, bytes));
}
