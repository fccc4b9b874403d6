/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions between nodes: rank ME and rank 0 are on a node, 1 and 3 on another
 * one, 4 alone. The test answers for the others, or does not.
 */

#include "ompi_config.h"

#include <stdio.h>

#include "pml_random.h"
#include "pml_world.h"

#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/stuck/ask.h"
#include "ompi/mca/pml/champion/stuck/node.h"

#define ANY MCA_PML_CHAMPION_STUCK_ANY
#define KIND(name) MCA_PML_CHAMPION_STUCK_##name
#define VERDICT(name) MCA_PML_CHAMPION_CTRL_MSG_##name

enum { ME = PML_WORLD_ME, SIZE = PML_WORLD_SIZE, LEAST = 1000 };

typedef mca_pml_champion_stuck_process_t process_t;
typedef mca_pml_champion_stuck_message_t message_t;

extern MCA_PML_CHAMPION_UNIT(asks);

static ompi_proc_t procs[SIZE], *proc_pointers[SIZE];
static ompi_group_t group;
static const mca_pml_champion_ctrl_msg_kind_t *kind;
static process_t job[SIZE]; /* as each shows itself */
static const uint32_t node_of[SIZE] = {0, 1, 0, 1, 2};
static uint32_t sent[SIZE][SIZE]; /* messages, from and to */
static uint32_t come[SIZE][SIZE], unmatched[SIZE][SIZE]; /* at, from */
static bool answers[SIZE];
static uint64_t now;
static bool assuming;
static unsigned questions;
static mca_pml_champion_stuck_verdict_t said; /* on nodes 1 and 2 */

void mca_pml_champion_ctrl_msg_register(
    const mca_pml_champion_ctrl_msg_kind_t *registered)
{
    kind = registered;
}

/* What this process has sent, and not been answered yet. */
static struct {
    uint32_t vpid;
    message_t message;
    process_t process;
} out[200];
static size_t outs;

ucs_status_t mca_pml_champion_ctrl_msg_send(mca_pml_champion_peer_t *peer,
                                            unsigned id, const void *data,
                                            size_t length, uint32_t flags)
{
    (void) flags;
    MCA_PML_CHAMPION_LOCKED();
    assert_int_equal(MCA_PML_CHAMPION_AM_STUCK, id);
    assert_true(outs < sizeof(out) / sizeof(*out));
    assert_true(length == sizeof(message_t) ||
                length == sizeof(message_t) + sizeof(process_t));
    out[outs].vpid = peer->name.vpid;
    memcpy(&out[outs].message, data, sizeof(message_t));
    memcpy(&out[outs].process, (const char *) data + sizeof(message_t),
           length - sizeof(message_t));
    ++outs;
    return UCS_OK;
}

/* ---- the others ---- */

static mca_pml_champion_ctrl_msg_verdict_t give(const message_t *message,
                                                const process_t *process)
{
    const size_t length =
        sizeof(*message) + (NULL == process ? 0 : sizeof(*process));
    unsigned char *bytes = malloc(length);
    mca_pml_champion_ctrl_msg_verdict_t verdict;

    assert_non_null(bytes);
    memcpy(bytes, message, sizeof(*message));
    if (NULL != process) {
        memcpy(bytes + sizeof(*message), process, sizeof(*process));
    }
    mca_pml_champion_lock();
    verdict = kind->handler(pml_world_peer(message->vpid), bytes, length);
    mca_pml_champion_unlock();
    free(bytes);
    return verdict;
}

static void answer_cards(uint32_t vpid, const message_t *question)
{
    const message_t answer = {.vpid = vpid,
                              .what = KIND(CARD),
                              .number = question->number,
                              .with = 1 == node_of[vpid] ? 1 : vpid,
                              .said = said};

    for (uint32_t i = 0; i < SIZE; ++i) {
        if (node_of[i] == node_of[vpid]) {
            assert_int_equal(VERDICT(GOOD), give(&answer, &job[i]));
        }
    }
}

static void answer_all(void)
{
    for (size_t i = 0; i < outs; ++i) {
        const uint32_t vpid = out[i].vpid;
        const message_t *message = &out[i].message;

        assert_int_equal(ME, message->vpid);
        ++questions;
        if (!answers[vpid]) {
            continue;
        }
        if (KIND(ASK_CARDS) == message->what) {
            assert_int_not_equal(node_of[ME], node_of[vpid]);
            answer_cards(vpid, message);
        } else {
            assert_int_equal(KIND(ASK_COUNTS), message->what);
            assert_int_equal(
                VERDICT(GOOD),
                give(&(message_t){.vpid = vpid,
                                  .what = KIND(COUNTS),
                                  .number = message->number,
                                  .with = message->with,
                                  .sent = sent[vpid][message->with],
                                  .come = come[vpid][message->with],
                                  .waiting = unmatched[vpid][message->with]},
                     NULL));
        }
    }
    outs = 0;
}

/* ---- before, and in between ---- */

static char *host_of(const opal_proc_t *proc)
{
    return (char *) (2 == node_of[proc->proc_name.vpid] ? "alone" : "same");
}

/* Open MPI 5.0 has a function that says it. */
static void set_host(opal_proc_t *proc)
{
#if MCA_MQ_OMPI_MAJOR < 5
    proc->proc_hostname = host_of(proc);
#else
    (void) proc;
    opal_get_proc_hostname = host_of;
#endif
}

static int begin(void **state)
{
    (void) state;
    pml_world_begin();
    pml_world_open();
    memset(job, 0, sizeof(job));
    memset(sent, 0, sizeof(sent));
    said = MCA_PML_CHAMPION_STUCK_NOT;
    memset(come, 0, sizeof(come));
    memset(unmatched, 0, sizeof(unmatched));
    memset(procs, 0, sizeof(procs));
    outs = 0;
    questions = 0;
    now = 100000;
    assuming = true;
    for (uint32_t i = 0; i < SIZE; ++i) {
        mca_pml_champion_peer_t *peer = pml_world_peer(i);

        peer->self = ME == i;
        peer->ep = pml_world_ep;
        procs[i].super.proc_name =
            (opal_process_name_t){.jobid = PML_WORLD_JOB, .vpid = i};
        procs[i].proc_endpoints[OMPI_PROC_ENDPOINT_TAG_PML] = peer;
        if (node_of[i] == node_of[ME]) {
            procs[i].super.proc_flags |= OPAL_PROC_ON_NODE;
        }
        set_host(&procs[i].super);
        proc_pointers[i] = &procs[i];
        job[i].known = MCA_PML_CHAMPION_STUCK_RUNS;
        job[i].state.vpid = i;
        answers[i] = true;
    }
    group.grp_proc_pointers = proc_pointers;
    group.grp_proc_count = SIZE;
    ompi_mpi_comm_world.comm.c_remote_group = &group;
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_unit_asks.open());
    mca_pml_champion_unlock();
    mca_pml_champion_stuck_node_start(true);
    mca_pml_champion_stuck_ask_anew();
    return 0;
}

static int end(void **state)
{
    (void) state;
    ompi_mpi_comm_world.comm.c_remote_group = NULL;
    mca_pml_champion_unit_asks.close();
    mca_pml_champion_lock();
    for (uint32_t i = 0; i < SIZE; ++i) {
        pml_world_peer(i)->ep = NULL;
    }
    mca_pml_champion_unlock();
    pml_world_close();
    return 0;
}

static void waits_for(uint32_t vpid, uint32_t from, uint32_t messages)
{
    mca_pml_champion_stuck_state_t *state = &job[vpid].state;

    job[vpid].known = MCA_PML_CHAMPION_STUCK_TOLD;
    state->where = MCA_PML_CHAMPION_STUCK_WAITS;
    state->since = 5000;
    state->item[state->items++] = (mca_pml_champion_stuck_item_t){
        .kind = MCA_PML_CHAMPION_STUCK_RECEIVE,
        .vpid = from,
        .messages = messages,
        .count = 1,
    };
    ++state->items_all;
}

static process_t *known;
static size_t count;

/* One step; has it all? */
static bool step(void)
{
    process_t here[SIZE];
    size_t mine = 0;

    for (uint32_t i = 0; i < SIZE; ++i) {
        if (node_of[i] == node_of[ME]) {
            here[mine++] = job[i];
        }
    }
    free(known);
    count = mine;
    known = mca_pml_champion_stuck_ask(here, &count, now, LEAST, assuming);
    now += 200;
    return NULL != known;
}

/* Steps until it has all. */
static unsigned steps(void)
{
    unsigned taken = 0;

    while (!step()) {
        assert_true(++taken < 1000);
        answer_all();
    }
    return taken;
}

static const process_t *of(uint32_t vpid)
{
    for (size_t i = 0; i < count; ++i) {
        if (known[i].state.vpid == vpid) {
            return &known[i];
        }
    }
    return NULL;
}

static void forget(void)
{
    free(known);
    known = NULL;
}

/* ---- tests ---- */

#define TEST(name) UNIT_TEST_WITH(name, begin, end)

TEST(nobody_is_asked_within_a_node)
{
    waits_for(ME, 0, 0);
    assert_int_equal(0, steps());
    assert_int_equal(2, count);
    assert_int_equal(0, outs);
    forget();
}

TEST(those_awaited_are_asked_and_for_whom_they_wait)
{
    waits_for(ME, 1, 6);
    waits_for(1, ME, 9);
    waits_for(3, 4, 2);
    sent[1][ME] = 6;
    sent[4][3] = 2;
    waits_for(4, 0, 1);
    waits_for(0, ME, 0);
    sent[0][4] = 1;
    mca_pml_champion_lock();
    pml_world_peer(1)->send_sequence = 9;
    mca_pml_champion_unlock();
    (void) steps();
    assert_int_equal(SIZE, count);
    for (uint32_t i = 0; i + 1 < SIZE; ++i) {
        assert_true(known[i].state.vpid < known[i + 1].state.vpid);
    }
    assert_int_equal(of(1)->node, of(3)->node);
    assert_int_not_equal(of(1)->node, of(4)->node);
    assert_int_equal(of(0)->node, of(ME)->node);
    assert_false(of(ME)->state.item[0].away);
    assert_false(of(1)->state.item[0].away);
    assert_false(of(3)->state.item[0].away);
    assert_false(of(4)->state.item[0].away);
    forget();
}

TEST(a_message_that_has_not_come_is_seen)
{
    waits_for(ME, 1, 6);
    waits_for(1, ME, 9);
    sent[1][ME] = 7;
    mca_pml_champion_lock();
    pml_world_peer(1)->send_sequence = 10;
    mca_pml_champion_unlock();
    (void) steps();
    assert_true(of(ME)->state.item[0].away);
    assert_true(of(1)->state.item[0].away);
    forget();
}

TEST(any_source_is_everybody)
{
    for (uint32_t i = 0; i < SIZE; ++i) {
        waits_for(i, ME == i ? ANY : ME, 0);
        sent[i][ME] = 10 * i;
    }
    job[ME].state.item[0].messages = 10 * (0 + 1 + 3 + 4);
    (void) steps();
    assert_int_equal(SIZE, count);
    assert_false(of(ME)->state.item[0].away);
    mca_pml_champion_stuck_ask_anew();
    ++sent[4][ME];
    (void) steps();
    assert_true(of(ME)->state.item[0].away);
    forget();
}

/* Those beside it answer for it. */
TEST(neighbours_answer_for_one_that_computes)
{
    waits_for(ME, 1, 0);
    answers[1] = false;
    (void) steps();
    assert_int_equal(MCA_PML_CHAMPION_STUCK_RUNS, of(1)->known);
    assert_true(of(ME)->state.item[0].away);
    assert_true(now < 100000 + 3000);
    forget();
}

TEST(one_that_nobody_answers_for_is_silent)
{
    waits_for(ME, 4, 0);
    answers[4] = false;
    (void) steps();
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SILENT, of(4)->known);
    assert_true(of(ME)->state.item[0].away);
    assert_true(now > 100000 + 4000 && now < 100000 + 6000);
    forget();
}

/* By default only proofs are said. */
TEST(neighbours_are_asked_only_if_slowness_is_to_be_said)
{
    waits_for(ME, 1, 0);
    answers[1] = false;
    assuming = false;
    (void) steps();
    assert_int_equal(1, questions);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SILENT, of(1)->known);
    forget();
}

TEST(nobody_is_asked_about_those_who_may_do_more_than_wait)
{
    for (int i = 0; i < 3; ++i) {
        mca_pml_champion_stuck_ask_anew();
        memset(&job[ME].state, 0, sizeof(job[ME].state));
        job[ME].state.vpid = ME;
        waits_for(ME, 1, 0);
        job[ME].state.more = 0 == i;
        job[ME].state.transfers = 1 == i;
        if (2 == i) {
            job[ME].state.where = MCA_PML_CHAMPION_STUCK_POLLS;
        }
        assuming = false;
        assert_true(step());
        assert_int_equal(0, outs);
        assuming = true;
        assert_int_equal(1 == i, step());
        assert_int_equal(1 == i, 0 == outs);
        outs = 0;
        forget();
    }
}

/* A job that is only slow. */
TEST(nobody_is_asked_about_those_who_wait_for_one_that_computes)
{
    waits_for(ME, 1, 0);
    waits_for(1, 3, 0); /* computes */
    waits_for(0, ME, 0);
    assert_false(step());
    answer_all();
    assert_true(step());
    assert_int_equal(1, questions);
    assert_int_equal(0, outs);
    assert_int_equal(4, count);
    assert_true(of(ME)->state.item[0].away); /* it was not asked */
    assert_false(of(1)->state.item[0].away);
    forget();
}

TEST(a_send_is_proved_by_a_message_that_waits_there)
{
    for (int i = 0; i < 4; ++i) {
        mca_pml_champion_stuck_ask_anew();
        memset(job, 0, sizeof(job));
        for (uint32_t k = 0; k < SIZE; ++k) {
            job[k].state.vpid = k;
        }
        waits_for(ME, 1, 5);
        job[ME].state.item[0].kind = MCA_PML_CHAMPION_STUCK_SEND;
        waits_for(1, ME, 0);
        come[1][ME] = 5 - (uint32_t) i % 2;
        unmatched[1][ME] = (uint32_t) i / 2;
        (void) steps();
        assert_int_equal(2 != i, of(ME)->state.item[0].away);
        forget();
    }
}

/* One of this node that shows nothing is not asked. */
TEST(one_that_has_left_is_silent)
{
    waits_for(ME, 0, 0);
    known = mca_pml_champion_stuck_ask(&job[ME], (count = 1, &count), now,
                                       LEAST, assuming);
    assert_null(known);
    assert_int_equal(0, outs);
    known = mca_pml_champion_stuck_ask(&job[ME], (count = 1, &count), now,
                                       LEAST, assuming);
    assert_non_null(known);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SILENT, of(0)->known);
    forget();
}

TEST(old_answers_are_dropped)
{
    waits_for(ME, 1, 0);
    assert_false(step());
    assert_int_equal(1, outs);
    mca_pml_champion_stuck_ask_anew();
    answer_all();
    assert_false(step());
    assert_int_equal(1, outs);
    forget();
}

TEST(questions_are_answered)
{
    message_t message = {.vpid = 3, .what = KIND(ASK_CARDS), .number = 77};

    mca_pml_champion_lock();
    pml_world_peer(1)->send_sequence = 42;
    pml_world_peer(1)->recv_sequence = 43;
    pml_world_peer(1)->backlog.waiting = 44;
    mca_pml_champion_unlock();
    assert_int_equal(VERDICT(GOOD), give(&message, NULL));
    message = (message_t){
        .vpid = 4, .what = KIND(ASK_COUNTS), .number = 70, .with = 1};
    assert_int_equal(VERDICT(GOOD), give(&message, NULL));
    message.number = 78; /* again */
    assert_int_equal(VERDICT(GOOD), give(&message, NULL));
    assert_int_equal(0, outs); /* not in UCX's callback */
    mca_pml_champion_lock();
    assert_int_equal(1, mca_pml_champion_chores_step());
    assert_int_equal(1, outs); /* one at a time */
    assert_int_equal(1, mca_pml_champion_chores_step());
    assert_int_equal(0, mca_pml_champion_chores_step());
    pml_world_peer(1)->backlog.waiting = 0;
    mca_pml_champion_unlock();
    assert_int_equal(2, outs);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(ME, out[i].message.vpid);
        if (3 == out[i].vpid) {
            assert_int_equal(KIND(CARD), out[i].message.what);
            assert_int_equal(77, out[i].message.number);
            assert_int_equal(ME, out[i].message.with);
            assert_int_equal(ME, out[i].process.state.vpid);
        } else {
            assert_int_equal(4, out[i].vpid);
            assert_int_equal(KIND(COUNTS), out[i].message.what);
            assert_int_equal(78, out[i].message.number);
            assert_int_equal(1, out[i].message.with);
            assert_int_equal(42, out[i].message.sent);
            assert_int_equal(43, out[i].message.come);
            assert_int_equal(44, out[i].message.waiting);
        }
    }
    assert_int_not_equal(out[0].vpid, out[1].vpid);
}

/* What one node has said, others need not say. */
TEST(what_others_have_said_is_known)
{
    waits_for(ME, 1, 0);
    waits_for(1, ME, 0);
    (void) steps();
    assert_int_equal(MCA_PML_CHAMPION_STUCK_NOT,
                     mca_pml_champion_stuck_others_said());
    said = MCA_PML_CHAMPION_STUCK_HANGS;
    mca_pml_champion_stuck_ask_anew();
    (void) steps();
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS,
                     mca_pml_champion_stuck_others_said());
    forget();
    /* And others know what this one has said. */
    assert_int_equal(MCA_PML_CHAMPION_STUCK_NOT, mca_pml_champion_stuck_said());
    assert_true(mca_pml_champion_stuck_claim(MCA_PML_CHAMPION_STUCK_SEEMS));
    assert_false(mca_pml_champion_stuck_claim(MCA_PML_CHAMPION_STUCK_SEEMS));
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SEEMS,
                     mca_pml_champion_stuck_said());
}

TEST(bad_messages_are_refused)
{
    const message_t card = {.vpid = 1, .what = KIND(CARD)};
    process_t bad = job[1];

    assert_int_equal(VERDICT(KIND),
                     give(&(message_t){.vpid = 1, .what = KIND(KINDS)}, NULL));
    assert_int_equal(VERDICT(KIND), give(&card, NULL));
    assert_int_equal(
        VERDICT(KIND),
        give(&(message_t){.vpid = 1, .what = KIND(ASK_CARDS)}, &bad));
    assert_int_equal(
        VERDICT(KIND),
        give(&(message_t){.vpid = 1, .what = KIND(ASK_COUNTS), .with = SIZE},
             NULL));
    assert_int_equal(
        VERDICT(KIND),
        give(&(message_t){.vpid = 1,
                          .what = KIND(CARD),
                          .said = MCA_PML_CHAMPION_STUCK_HANGS + 1},
             &bad));
    assert_int_equal(
        VERDICT(KIND),
        give(&(message_t){.vpid = 1, .what = KIND(CARD), .with = SIZE}, &bad));
#define REFUSED(change)                                                        \
    (bad = job[1], change, assert_int_equal(VERDICT(KIND), give(&card, &bad)))
    REFUSED(bad.known = MCA_PML_CHAMPION_STUCK_SILENT + 1);
    REFUSED(bad.state.where = MCA_PML_CHAMPION_STUCK_ENDS + 1);
    REFUSED(bad.state.vpid = SIZE);
    REFUSED(bad.state.items = MCA_PML_CHAMPION_STUCK_ITEMS + 1);
    REFUSED(bad.state.nears = MCA_PML_CHAMPION_STUCK_NEAR + 1);
    REFUSED(memset(bad.host, 'x', sizeof(bad.host)));
    REFUSED(memset(bad.state.call, 'x', sizeof(bad.state.call)));
    REFUSED((bad.state.items = 2, memset(bad.state.item[1].comm, 'x',
                                         sizeof(bad.state.item[1].comm))));
}

/* Whoever answers what, and however late: it ends, and knows of each that is
 * awaited; and what is said to have come has. */
TEST(it_ends_whatever_is_answered)
{
    for (int round = 0; round < 200; ++round) {
        mca_pml_champion_stuck_ask_anew();
        memset(job, 0, sizeof(job));
        for (uint32_t i = 0; i < SIZE; ++i) {
            job[i].state.vpid = i;
            job[i].known = MCA_PML_CHAMPION_STUCK_SLEEPS;
            answers[i] = 0 != pml_random_below(4);
            for (uint32_t k = 0; k < SIZE; ++k) {
                sent[i][k] = pml_random_below(3);
            }
        }
        mca_pml_champion_lock();
        for (uint32_t i = 0; i < SIZE; ++i) {
            pml_world_peer(i)->send_sequence = sent[ME][i];
        }
        mca_pml_champion_unlock();
        for (uint32_t i = 0; i < SIZE; ++i) {
            const uint32_t from = pml_random_below(SIZE + 1);

            if (ME == i || 0 != pml_random_below(3)) {
                waits_for(i, SIZE == from ? ANY : from, pml_random_below(3));
            }
        }
        (void) steps();
        for (size_t i = 0; i < count; ++i) {
            const uint32_t vpid = known[i].state.vpid;
            const mca_pml_champion_stuck_item_t *item = &known[i].state.item[0];

            if (0 == known[i].state.items ||
                MCA_PML_CHAMPION_STUCK_TOLD != known[i].known) {
                continue;
            }
            assert_true(ANY == item->vpid || NULL != of(item->vpid));
            if (ANY != item->vpid && node_of[vpid] != node_of[item->vpid] &&
                !item->away) {
                assert_int_equal(sent[item->vpid][vpid], item->messages);
                assert_int_equal(MCA_PML_CHAMPION_STUCK_TOLD,
                                 of(item->vpid)->known);
            }
        }
        forget();
    }
}

int main(void)
{
    pml_random_begin();
    return unit_run(NULL, NULL);
}
