/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prefetches at random, beside a model: slots never overlap, all are returned,
 * and so is the memory of the pool.
 */

#include "prefetch_world.h"

/* The history of a peer, in full. */
typedef struct model_t {
    bool useful[WINDOW]; /* the last ones, newest first */
    unsigned remembered, declined;
} model_t;

static model_t models[PEERS];
static uint64_t expect_soon, expect_declined;

static void model_learns(int peer, bool useful)
{
    model_t *model = &models[peer];

    memmove(model->useful + 1, model->useful,
            (WINDOW - 1) * sizeof(*model->useful));
    model->useful[0] = useful;
    model->remembered += model->remembered < WINDOW;
}

static bool model_promises(model_t *model)
{
    unsigned useful = 0;

    if (model->remembered < WINDOW) {
        return true;
    }
    for (unsigned i = 0; i < WINDOW; ++i) {
        useful += model->useful[i];
    }
    if (2 * useful >= WINDOW) {
        return true;
    }
    if (++model->declined < WINDOW) {
        return false;
    }
    model->declined = 0;
    return true;
}

/* Is a message that arrives now to be prefetched? */
static bool model_wants(int peer, size_t length, bool sync)
{
    if (sync || peers[peer].flow.stopped || length > OWN) {
        return false;
    }
    if (MCA_PML_CHAMPION_AUTO == mca_pml_champion.params.prefetch &&
        peers[peer].prefetch.wait <= cost) {
        ++expect_soon;
        return false;
    }
    if (!model_promises(&models[peer])) {
        ++expect_declined;
        return false;
    }
    return true;
}

static one_t *any_remote(bool (*is)(const one_t *remote))
{
    const uint32_t from = pml_random_below(MESSAGES);

    for (uint32_t i = 0; i < MESSAGES; ++i) {
        one_t *remote = &remotes[(from + i) % MESSAGES];

        if (remote->there && is(remote)) {
            return remote;
        }
    }
    return NULL;
}

static bool is_queued(const one_t *remote)
{
    return NULL != remote->message;
}

static bool is_under_way(const one_t *remote)
{
    return NULL != remote->transfer;
}

static bool has_slot(const one_t *remote)
{
    return NULL != remote->slot;
}

/* Slots do not overlap, and none is lost. */
static void check_slots(void)
{
    size_t used = 0, own = 0;

    for (const one_t *one = remotes; one < remotes + MESSAGES; ++one) {
        if (!one->there || !has_slot(one)) {
            continue;
        }
        if (one->length <= LARGEST) {
            used += opal_buddy_rounded(one->length);
        } else {
            own += own_length(one->length);
        }
        for (const one_t *other = remotes; other < one; ++other) {
            assert_true(
                !other->there || !has_slot(other) ||
                (char *) other->slot + other->length <= (char *) one->slot ||
                (char *) one->slot + one->length <= (char *) other->slot);
        }
    }
    assert_int_equal(used, slots.buddy.used);
    assert_int_equal(own, slots.own);
    assert_true(own <= OWN);
    assert_int_equal(own + (NULL == slots.memory ? 0 : POOL),
                     mca_pml_champion_backlog.other);
}

/* A message waits only if there is no room for it; checked after a slot was
 * returned. */
static void check_waiting(bool given_back)
{
    unsigned waiting = 0;

    for (mca_pml_champion_remote_message_t *late = prefetch.first; NULL != late;
         late = late->list.next) {
        assert_true(late->waits);
        ++waiting;
    }
    for (const one_t *one = remotes; one < remotes + MESSAGES; ++one) {
        waiting -= one->there && NULL != one->message &&
                   ((mca_pml_champion_remote_message_t *) one->message)->waits;
    }
    assert_int_equal(0, waiting);
    if (given_back && NULL != prefetch.first) {
        assert_null(
            mca_pml_champion_prefetch_pool_get(prefetch.first->super.length));
    }
}

static size_t any_length(void)
{
    return 1 + (pml_random_percent(20)
                    ? pml_random_below(BIG)
                    : pml_random_below(1 << (10 + pml_random_below(9))));
}

static void act_arrive(void)
{
    const int peer = (int) pml_random_below(PEERS);
    const size_t length = any_length();
    const bool tagged = pml_random_percent(40), sync = pml_random_percent(20);
    const uint64_t full = mca_pml_champion.counters.prefetch_full;
    one_t *remote;
    bool wanted;

    ends = pml_random_percent(80) ? LATER : AT_ONCE;
    ends = pml_random_percent(95) ? ends : FAILS_AT_ONCE;
    wanted = model_wants(peer, length, tagged && sync);
    remote = arrives(peer, length, tagged, sync);
    assert_int_equal(wanted,
                     remote->was_prefetched +
                         (mca_pml_champion.counters.prefetch_full - full));
    if (remote->was_prefetched && AT_ONCE == ends) {
        model_learns(peer, true);
    }
    ends = LATER;
}

static void act_end(one_t *remote)
{
    const ucs_status_t status =
        pml_random_percent(90) ? UCS_OK : UCS_ERR_IO_ERROR;

    if (UCS_OK == status && NULL != remote->message) {
        model_learns(remote->peer, true);
    }
    fetch_ends(remote, status);
}

static void act_receive(one_t *remote)
{
    if (is_under_way(remote)) {
        model_learns(remote->peer, false);
    }
    receive_into(remote, pml_random_percent(90)
                             ? remote->length + pml_random_below(100)
                             : 1 + pml_random_below((uint32_t) remote->length));
}

static unsigned room_left(void)
{
    unsigned room = 0;

    for (int i = 0; i < MESSAGES; ++i) {
        room += !remotes[i].there;
    }
    return room;
}

static void act(void)
{
    const size_t used = slots.buddy.used + slots.own;
    const uint64_t served = mca_pml_champion.counters.prefetch_served;
    const uint32_t what = pml_random_below(100);
    one_t *remote;

    pml_world.now += pml_random_below(2000);
    if (NULL != pml_world.look && pml_random_percent(1)) {
        pml_world.now += IDLE_NS;
        pml_world_look();
    }
    if (what < 40) {
        if (room_left() > 0) {
            act_arrive();
        }
    } else if (what < 65) {
        remote = any_remote(is_under_way);
        if (NULL != remote) {
            act_end(remote);
        }
    } else if (what < 95) {
        remote = any_remote(is_queued);
        if (NULL != remote && what < 90) {
            act_receive(remote);
        } else if (NULL != remote) {
            drop(remote);
        }
    } else {
        peers[pml_random_below(PEERS)].flow.stopped = pml_random_percent(20);
    }
    check_slots();
    check_waiting(slots.buddy.used + slots.own < used ||
                  mca_pml_champion.counters.prefetch_served != served);
}

static void check_peers(void)
{
    for (int i = 0; i < PEERS; ++i) {
        assert_int_equal(models[i].remembered, peers[i].prefetch.useful.known);
        for (unsigned k = 0; k < models[i].remembered; ++k) {
            assert_int_equal(models[i].useful[k],
                             peers[i].prefetch.useful.bits >> k & 1);
        }
    }
    assert_int_equal(expect_soon, mca_pml_champion.counters.prefetch_unneeded);
    assert_int_equal(expect_declined,
                     mca_pml_champion.counters.prefetch_declined);
}

TEST(no_slot_is_lost_whatever_happens)
{
    mca_pml_champion_counters_t sum;

    memset(&sum, 0, sizeof(sum));
    for (int round = 0; round < 60; ++round) {
        end(unit_state);
        open_prefetch(0 == round % 2 ? MCA_PML_CHAMPION_ON
                                     : MCA_PML_CHAMPION_AUTO);
        memset(models, 0, sizeof(models));
        expect_soon = expect_declined = 0;
        cost = pml_random_below(10000);
        for (int i = 0; i < 600; ++i) {
            act();
            check_peers();
        }
        sum.prefetched += mca_pml_champion.counters.prefetched;
        sum.prefetch_served += mca_pml_champion.counters.prefetch_served;
        sum.prefetch_declined += expect_declined;
        sum.prefetch_unneeded += expect_soon;
    }
    /* Otherwise the test has checked nothing. */
    assert_true(sum.prefetched > 1000);
    assert_true(sum.prefetch_served > 100);
    assert_true(sum.prefetch_declined > 100);
    assert_true(sum.prefetch_unneeded > 100);
}

int main(void)
{
    pml_random_begin();
    mca_pml_champion_lock();
    return unit_run(NULL, NULL);
}
