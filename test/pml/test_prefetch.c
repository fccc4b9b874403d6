/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which messages are prefetched, and how prefetches end: with receives posted
 * before, during or after the fetch, messages that are never received, and
 * fetches that fail. The memory of the pool is that of unexpected messages.
 */

#include "prefetch_world.h"

/* ---- single messages ---------------------------------------------------- */

TEST(a_receive_after_the_fetch_copies)
{
    one_t *remote = arrives(0, 100000, false, false);

    assert_non_null(remote->transfer);
    assert_true(mca_pml_champion_prefetch_is_busy());
    fetch_ends(remote, UCS_OK);
    assert_false(mca_pml_champion_prefetch_is_busy());
    assert_int_equal(1, mca_pml_champion.counters.prefetch_useful);
    receive(remote);
    assert_int_equal(0, slots.buddy.used);
    assert_int_equal(1 << 17, mca_pml_champion_prefetch_pool_used_max());
    assert_int_equal(1, peers[0].prefetch.total);
    assert_int_equal(1, announced);
}

TEST(a_receive_during_the_fetch_waits_for_it)
{
    one_t *remote = arrives(0, 100000, true, false);

    receive(remote);
    assert_int_equal(1, mca_pml_champion.counters.prefetch_late);
    fetch_ends(remote, UCS_OK);
    assert_int_equal(0, mca_pml_champion.counters.prefetch_useful);
    assert_int_equal(0, slots.buddy.used);
}

TEST(a_receive_that_is_too_small_is_told)
{
    one_t *remote = arrives(0, 100000, false, false);

    receive_into(remote, 99999);
    fetch_ends(remote, UCS_OK);
    remote = arrives(0, 100000, false, false);
    fetch_ends(remote, UCS_OK);
    receive_into(remote, 1);
}

TEST(a_fetch_that_fails_fails_the_receive)
{
    one_t *remote = arrives(0, 100000, false, false);

    receive(remote);
    fetch_ends(remote, UCS_ERR_IO_ERROR);
    remote = arrives(0, 100000, false, false);
    fetch_ends(remote, UCS_ERR_IO_ERROR);
    assert_int_equal(0, slots.buddy.used);
    receive(remote);
    ends = FAILS_AT_ONCE;
    receive(arrives(0, 100000, true, false));
    drop(arrives(0, 100000, true, false));
    assert_int_equal(0, mca_pml_champion.counters.prefetch_useful);
}

TEST(a_dropped_message_gives_its_slot_back)
{
    one_t *remote = arrives(0, 100000, false, false);

    drop(remote);
    assert_true(remote->there); /* the fetch is still under way */
    fetch_ends(remote, UCS_OK);
    assert_int_equal(0, slots.buddy.used);
    ends = AT_ONCE;
    drop(arrives(0, 100000, false, false));
    assert_int_equal(0, slots.buddy.used);
    assert_int_equal(2, mca_pml_champion.counters.purged);
}

/* A synchronous send is acknowledged when it is matched. */
TEST(a_synchronous_send_hears_of_its_match)
{
    one_t *remote = arrives(0, 100000, false, true);

    assert_non_null(remote->transfer);
    fetch_ends(remote, UCS_OK);
    assert_int_equal(0, acks);
    receive(remote);
    assert_int_equal(1, acks);
    remote = arrives(0, 100000, true, true);
    assert_null(remote->transfer);
    receive(remote);
    assert_int_equal(1, acks);
}

/* ---- which ones --------------------------------------------------------- */

TEST(some_are_left_where_they_are)
{
    fetch_ends(arrives(0, LARGEST, false, false), UCS_OK);
    assert_null(arrives(0, OWN + 1, false, false)->transfer);
    peers[1].flow.stopped = true;
    assert_null(arrives(1, 1000, false, false)->transfer);
    assert_non_null(arrives(2, 1000, false, false)->transfer);
    assert_int_equal(2, mca_pml_champion.counters.prefetched);
    assert_int_equal(0, mca_pml_champion.counters.prefetch_declined);
}

TEST(the_first_one_may_be_too_large)
{
    assert_null(arrives(0, OWN + 1, false, false)->transfer);
    assert_null(arrives(0, LIMIT, false, false)->transfer);
    assert_int_equal(0, mca_pml_champion.counters.prefetch_full);
    assert_null(slots.memory);
}

TEST(off_is_off)
{
    end(unit_state);
    open_prefetch(MCA_PML_CHAMPION_OFF);
    assert_null(arrives(0, 1000, false, false)->transfer);
    assert_null(slots.memory);
}

TEST(by_itself_those_of_late_receivers)
{
    one_t *remote;

    end(unit_state);
    open_prefetch(MCA_PML_CHAMPION_AUTO);
    cost = 5000;
    for (int i = 0; i < 3; ++i) { /* receives are posted soon */
        remote = arrives(0, 1000, false, false);
        assert_null(remote->transfer);
        pml_world.now += 4999;
        receive(remote);
    }
    assert_int_equal(3, mca_pml_champion.counters.prefetch_unneeded);
    assert_int_equal(4999, peers[0].prefetch.wait);
    assert_null(slots.memory);
    remote = arrives(0, 1000, false, false);
    pml_world.now += 1000000;
    receive(remote);
    assert_non_null(arrives(0, 1000, false, false)->transfer);
    assert_null(arrives(1, 1000, false, false)->transfer);
}

/* On a shared core everything waits for its receive, and what is of this node
 * would be copied once more. */
TEST(messages_of_the_node_only_on_a_free_core)
{
    one_t *remote;

    end(unit_state);
    open_prefetch(MCA_PML_CHAMPION_AUTO);
    on_node = true;
    cost = 5000;
    remote = arrives(0, 1000, false, false);
    pml_world.now += 1000000;
    receive(remote);
    assert_null(arrives(0, 1000, false, false)->transfer);
    mca_pml_champion.core_free = true;
    assert_non_null(arrives(0, 1000, false, false)->transfer);
    mca_pml_champion.core_free = false;
    on_node = false;
    assert_non_null(arrives(0, 1000, false, false)->transfer);
}

/* Each of a row of messages is received as soon as the one before is there: the
 * last ones wait for the link. Later the program is away. */
TEST(a_row_of_messages_is_not_late)
{
    one_t *row[4];

    end(unit_state);
    open_prefetch(MCA_PML_CHAMPION_AUTO);
    cost = 5000;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 4; ++i) {
            row[i] = arrives(0, 1000, false, false);
            assert_null(row[i]->transfer);
        }
        for (int i = 0; i < 4; ++i) {
            receive(row[i]);
            pml_world.now += 5000;
            receiving += 5000;
        }
    }
    assert_true(peers[0].prefetch.wait <= 1);
    row[0] = arrives(0, 1000, false, false);
    pml_world.now += 1005000;
    receiving += 5000;
    receive(row[0]);
    assert_true(peers[0].prefetch.wait > cost);
    assert_non_null(arrives(0, 1000, false, false)->transfer);
}

/* A peer whose prefetches come too late is not prefetched from, except for
 * occasional trials. */
TEST(a_peer_without_gain_is_tried_now_and_then)
{
    unsigned fetched_ones = 0;

    for (int i = 0; i < WINDOW + 4 * WINDOW; ++i) {
        one_t *remote = arrives(0, 1000, false, false);

        if (NULL != remote->transfer) {
            ++fetched_ones;
            receive(remote); /* before the fetch has ended */
            fetch_ends(remote, UCS_OK);
        } else {
            receive(remote);
        }
    }
    assert_int_equal(WINDOW + 4, fetched_ones);
    assert_int_equal(4 * (WINDOW - 1),
                     mca_pml_champion.counters.prefetch_declined);
    /* Receives are posted later from now on: trials succeed, until prefetching
     * is on again. */
    ends = AT_ONCE;
    for (int i = 0; i < WINDOW / 2 * WINDOW; ++i) {
        receive(arrives(0, 1000, false, false));
    }
    fetched_ones = (unsigned) mca_pml_champion.counters.prefetched;
    for (int i = 0; i < 8; ++i) {
        receive(arrives(0, 1000, false, false));
    }
    assert_int_equal(fetched_ones + 8, mca_pml_champion.counters.prefetched);
}

/* ---- the pool ----------------------------------------------------------- */

TEST(a_message_without_a_slot_is_fetched_later)
{
    one_t *first[4], *late[3];

    for (int i = 0; i < 4; ++i) {
        first[i] = arrives(0, QUARTER, false, false);
        assert_non_null(first[i]->transfer);
    }
    for (int i = 0; i < 3; ++i) {
        late[i] = arrives(1, QUARTER, false, false);
        assert_null(late[i]->transfer);
    }
    assert_int_equal(3, mca_pml_champion.counters.prefetch_full);
    receive(late[1]); /* it does not wait any more */
    fetch_ends(first[2], UCS_OK);
    receive(first[2]);
    assert_non_null(late[0]->transfer);
    assert_null(late[2]->transfer);
    drop(first[0]);
    assert_null(late[2]->transfer);
    fetch_ends(first[0], UCS_OK);
    assert_non_null(late[2]->transfer);
    assert_int_equal(2, mca_pml_champion.counters.prefetch_served);
}

TEST(fetches_that_waited_may_end_at_once)
{
    one_t *first, *late[8];

    first = arrives(0, QUARTER, false, false);
    for (int i = 0; i < 3; ++i) {
        (void) arrives(0, QUARTER, false, false);
    }
    for (int i = 0; i < 8; ++i) {
        late[i] = arrives(1, QUARTER, 0 != i % 2, false);
    }
    ends = FAILS_AT_ONCE; /* each one frees its slot for the next */
    drop(first);
    fetch_ends(first, UCS_OK);
    for (int i = 0; i < 8; ++i) {
        assert_true(late[i]->lost);
    }
    assert_int_equal(8, mca_pml_champion.counters.prefetch_served);
    assert_null(prefetch.first);
}

TEST(at_the_end_nobody_is_served)
{
    one_t *first, *late;

    first = arrives(0, QUARTER, false, false);
    for (int i = 0; i < 3; ++i) {
        (void) arrives(0, QUARTER, false, false);
    }
    late = arrives(0, QUARTER, false, false);
    mca_pml_champion.ending = true;
    drop(first);
    fetch_ends(first, UCS_OK);
    assert_null(late->transfer);
    assert_ptr_equal(late->message, &prefetch.first->super);
}

TEST(a_pool_that_cannot_be_created_is_tried_once)
{
    map_status = UCS_ERR_NO_MEMORY;
    assert_null(arrives(0, 1000, false, false)->transfer);
    map_status = UCS_OK;
    assert_null(arrives(0, 1000, false, false)->transfer);
    assert_true(slots.refused);
    end(unit_state);
    begin(unit_state);
    mca_pml_champion.params.prefetch_pool = 1; /* less than a slot */
    assert_null(arrives(0, 1000, false, false)->transfer);
    assert_true(slots.refused);
}

TEST(by_itself_the_pool_is_a_share_of_the_node)
{
    mca_pml_champion.params.prefetch_pool = MCA_MQ_BASE_SIZE_AUTO;
    assert_non_null(arrives(0, 1000, false, false)->transfer);
    assert_true(slots.length <= POOL_MAX);
    assert_true(slots.length * POOL_SHARE <=
                (uint64_t) sysconf(_SC_PHYS_PAGES) *
                    (uint64_t) sysconf(_SC_PAGESIZE));
    assert_int_equal(slots.length / 2, slots.largest);
}

/* ---- memory ------------------------------------------------------------- */

TEST(large_ones_get_memory_of_their_own)
{
    const size_t page = (size_t) sysconf(_SC_PAGESIZE);
    one_t *large = arrives(0, LARGEST + 1, false, false);
    one_t *tagged = arrives(0, BIG, true, false);

    assert_null(slots.memory);
    assert_int_equal(LARGEST + page + BIG, mca_pml_champion_backlog.other);
    fetch_ends(large, UCS_OK);
    receive(large);
    assert_int_equal(BIG, mca_pml_champion_backlog.other);
    receive(tagged);
    assert_int_equal(BIG, mca_pml_champion_backlog.other);
    fetch_ends(tagged, UCS_OK);
    assert_int_equal(0, mca_pml_champion_backlog.other);
    assert_int_equal(LARGEST + page + BIG,
                     mca_pml_champion_prefetch_pool_used_max());
}

TEST(own_memory_has_a_limit)
{
    one_t *first = arrives(0, BIG, false, false);
    one_t *second = arrives(0, BIG, false, false);
    one_t *late = arrives(0, BIG, false, false);

    assert_int_equal(OWN, mca_pml_champion_backlog.other);
    assert_non_null(second->transfer);
    assert_null(late->transfer);
    assert_int_equal(1, mca_pml_champion.counters.prefetch_full);
    fetch_ends(first, UCS_OK);
    receive(first);
    assert_non_null(late->transfer);
    assert_int_equal(1, mca_pml_champion.counters.prefetch_served);
}

/* Memory of other unexpected messages. */
TEST(the_limit_is_for_all_unexpected_messages)
{
    one_t *remote;

    mca_pml_champion_backlog.other = LIMIT - POOL + 1 - 4096;
    mca_pml_champion_backlog.limit = LIMIT + 4096; /* those here, too */
    assert_null(arrives(0, 1000, false, false)->transfer);
    assert_null(slots.memory);
    assert_null(arrives(0, BIG, false, false)->transfer);
    assert_int_equal(2, mca_pml_champion.counters.prefetch_full);
    mca_pml_champion_backlog.other = 0;
    remote = arrives(0, 1000, false, false);
    assert_non_null(remote->transfer);
    assert_int_equal(POOL, mca_pml_champion_backlog.other);
}

TEST(the_pool_is_a_quarter_of_the_limit)
{
    mca_pml_champion_backlog.limit = POOL;
    assert_non_null(arrives(0, POOL / 8, false, false)->message);
    assert_int_equal(POOL / LIMIT_SHARE, slots.length);
    assert_int_equal(POOL / LIMIT_SHARE, mca_pml_champion_backlog.other);
}

TEST(a_limit_without_room_for_a_pool_has_none)
{
    mca_pml_champion_backlog.limit = 4 * OPAL_BUDDY_MIN - 1;
    assert_false(mca_pml_champion_prefetch_pool_fits(1000));
    mca_pml_champion_backlog.limit = LIMIT;
    assert_null(arrives(0, 1000, false, false)->transfer);
    assert_int_equal(0, mca_pml_champion.counters.prefetch_full);
}

TEST(an_idle_pool_is_given_back)
{
    one_t *remote = arrives(0, 1000, false, false);

    fetch_ends(remote, UCS_OK);
    pml_world.now += 2 * IDLE_NS;
    pml_world_look();
    assert_non_null(slots.memory); /* one waits for its receive */
    receive(remote);
    pml_world.now += IDLE_NS - 1;
    pml_world_look();
    assert_non_null(slots.memory);
    assert_int_equal(0, asked);
    mca_pml_champion_backlog.stopped = 1;
    pml_world.now += 1;
    pml_world_look();
    assert_null(slots.memory);
    assert_int_equal(0, maps);
    assert_int_equal(0, mca_pml_champion_backlog.other);
    assert_int_equal(1, asked);
    mca_pml_champion_backlog.stopped = 0;
    pml_world.now += IDLE_NS;
    pml_world_look();
    /* And made anew. */
    remote = arrives(0, 1000, false, false);
    assert_non_null(remote->transfer);
    assert_int_equal(1, maps);
    assert_int_equal(POOL, mca_pml_champion_backlog.other);
}

TEST(throttled_senders_hear_of_own_memory)
{
    one_t *remote = arrives(0, BIG, false, false);

    fetch_ends(remote, UCS_OK);
    mca_pml_champion_backlog.stopped = 1;
    drop(remote);
    assert_int_equal(1, asked);
    mca_pml_champion_backlog.stopped = 0;
}

int main(void)
{
    pml_random_begin();
    mca_pml_champion_lock();
    return unit_run(NULL, NULL);
}
