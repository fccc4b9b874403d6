/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process of which the clock, the clocks of others and the transfers are
 * simulated: for test_thread_clocks, test_thread_trigger and test_cost_model.
 */

#ifndef TEST_PML_THREAD_WORLD_H
#define TEST_PML_THREAD_WORLD_H

/* Included for what they have measured, which is forgotten between tests, and for
 * the numbers of what they do. */
#include "ompi/mca/pml/champion/large/thread_trigger.c"
#include "ompi/mca/pml/champion/large/standstill.h"

#include "ompi/mca/pml/champion/peer/cost_model.c"

#include "pml_world.h"

enum { JOB = 7, PEERS = 3, SENT_MAX = 256 };

#define LARGE MCA_PML_CHAMPION_THREAD_TRIGGER_FETCHED_BYTES

/* ---- the clock ---------------------------------------------------------- */

static inline uint64_t us_now(void)
{
    return pml_world.now / 1000;
}

static inline void us_set(uint64_t us)
{
    pml_world.now = us * 1000;
}

static inline void us_pass(uint64_t us)
{
    pml_world.now += us * 1000;
}

/* ---- what stands for the rest of the component, and UCX ----------------- */

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

static inline int begin(void **state)
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
    us_set((1ull << 32) - 500); /* it wraps soon */
    mca_pml_champion_thread_trigger_open();
    return 0;
}

static inline int end(void **state)
{
    for (int i = 0; i < PEERS; ++i) {
        free(peers[i].clock);
        free(peers[i].cost_model);
    }
    return 0;
}

static inline mca_pml_champion_ctrl_msg_verdict_t hear(int from, uint32_t what,
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
static inline void learn(int from, uint32_t ahead)
{
    assert_int_equal(0, mca_pml_champion_thread_trigger_stamp(&peers[from]));
    assert_int_equal(MCA_PML_CHAMPION_CLOCK_ASK, sent[num_sent - 1].what);
    hear(from, MCA_PML_CHAMPION_CLOCK_ANSWER, sent[num_sent - 1].asked,
         now_us() + ahead);
}

#define TEST(name) UNIT_TEST_WITH(name, begin, end)

#endif /* TEST_PML_THREAD_WORLD_H */
