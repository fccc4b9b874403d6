/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * By what a sender decides which way a message within a node goes: by what its
 * receiver has measured, or by a limit. The measure has its own test
 * (test_way.c). And of which buffers the kernel is asked whether others can
 * read them.
 */

#define _GNU_SOURCE 1

#include "ompi_config.h"

#include <sys/uio.h>

#include "pml_test.h"

#include "ompi/mca/pml/champion/core/ucx_compat.h"

/* The kernel, which counts, and a UCX that reads other processes' memory. */
static unsigned asked;
static ssize_t read_of(size_t bytes)
{
    ++asked;
    return (ssize_t) bytes;
}
#define process_vm_readv(pid, local, count, remote, places, flags)             \
    (((void) (remote)), read_of((local)->iov_len))
#define mca_pml_champion_ucx_reads_memory(context) true

#include "ompi/mca/pml/champion/large/single_copy.c"

#define FRAGMENTS MCA_PML_CHAMPION_WAY_FRAGMENTS
#define FETCHED MCA_PML_CHAMPION_WAY_FETCHED
#define IF_ROOM MCA_PML_CHAMPION_WAY_IF_ROOM

enum {
    MIN = MCA_PML_CHAMPION_WAY_MIN,
    LARGE = MCA_PML_CHAMPION_WAY_LARGE,
    RING_MAX = 131072,
    BOTH_WAYS = 2 * MCA_PML_CHAMPION_WAY_TRIALS,
    LENGTH = 40000 /* of the second class */
};

static mca_pml_champion_peer_t peer;
static mca_pml_champion_request_t request;
static uint32_t advice;

static uint32_t of_all(mca_pml_champion_way_advice_t said)
{
    return (uint32_t) said * 0x55;
}

/* A peer with a ring, which has measured nothing; something has come from it. */
static int setup(void **state)
{
    peer = (mca_pml_champion_peer_t){
        .ring_max = RING_MAX,
        .recv_sequence = 1,
        .ring.reads = true,
        .single_copy = {.min = MIN, .advice = &advice},
    };
    advice = 0;
    mca_pml_champion.core_free = true;
    mca_pml_champion.params.eager_limit = MCA_PML_CHAMPION_EAGER_AUTO;
    mca_pml_champion_lock();
    return 0;
}

static int teardown(void **state)
{
    mca_pml_champion_unlock();
    return 0;
}

static mca_pml_champion_way_t way_of(mca_pml_champion_send_t send)
{
    return mca_pml_champion_single_copy_way(&send, &peer);
}

static mca_pml_champion_way_t send_blocking(size_t length)
{
    return way_of(
        (mca_pml_champion_send_t){.length = length, .contiguous = true});
}

static mca_pml_champion_way_t send_nonblocking(size_t length)
{
    return way_of((mca_pml_champion_send_t){
        .length = length, .contiguous = true, .request = &request});
}

/* Send one, which is answered. */
static mca_pml_champion_way_t exchange(size_t length)
{
    const mca_pml_champion_way_t way = send_blocking(length);

    ++peer.recv_sequence;
    return way;
}

static void both_are_tried(size_t length)
{
    for (int i = 0; i < BOTH_WAYS; ++i) {
        assert_int_equal(i < BOTH_WAYS / 2 ? FRAGMENTS : FETCHED,
                         exchange(length));
    }
}

UNIT_TEST_WITH(the_advice_decides_on_a_free_core, setup, teardown)
{
    both_are_tried(LENGTH);
    assert_int_equal(FRAGMENTS, exchange(LENGTH));
    assert_int_equal(BOTH_WAYS + 1, peer.single_copy.sent[1]);
    advice = of_all(MCA_PML_CHAMPION_WAY_ADVICE_EXCHANGES);
    assert_int_equal(FETCHED, send_blocking(LENGTH));
    assert_int_equal(FRAGMENTS, send_blocking(LENGTH)); /* nothing has come */
    advice = of_all(MCA_PML_CHAMPION_WAY_ADVICE_FETCHED);
    assert_int_equal(FETCHED, send_blocking(LENGTH));
}

/* What it takes of the core decides there, and what one copy takes is known.
 * What is sent meanwhile measures nothing: trials are for later. */
UNIT_TEST_WITH(limits_decide_on_a_shared_core, setup, teardown)
{
    both_are_tried(LARGE);
    mca_pml_champion.core_free = false;
    advice = of_all(MCA_PML_CHAMPION_WAY_ADVICE_FETCHED);
    for (int i = 0; i < BOTH_WAYS; ++i) {
        assert_int_equal(FRAGMENTS, exchange(LENGTH));
    }
    assert_int_equal(FRAGMENTS, exchange(LARGE - 1));
    advice = of_all(MCA_PML_CHAMPION_WAY_ADVICE_FRAGMENTS);
    assert_int_equal(FETCHED, send_blocking(LARGE));
    assert_int_equal(FRAGMENTS, send_blocking(LARGE)); /* nothing has come */
    assert_int_equal(FETCHED, send_blocking(LARGE + 1));
    mca_pml_champion.core_free = true;
    both_are_tried(LENGTH);
}

UNIT_TEST_WITH(limits_decide_where_the_receiver_cannot_say, setup, teardown)
{
    advice = of_all(MCA_PML_CHAMPION_WAY_ADVICE_FETCHED);
    both_are_tried(LENGTH);
    peer.ring.reads = false;
    assert_int_equal(FRAGMENTS, exchange(LENGTH));
    peer.ring.reads = true;
    peer.single_copy.advice = NULL;
    assert_int_equal(FRAGMENTS, exchange(LENGTH));
    assert_int_equal(FETCHED, exchange(LARGE));
}

UNIT_TEST_WITH(a_message_too_long_for_the_ring_is_fetched, setup, teardown)
{
    assert_int_equal(FETCHED, send_blocking(RING_MAX + 1));
    peer.ring_max = -1;
    assert_int_equal(FETCHED, send_blocking(LARGE));
    assert_int_equal(FRAGMENTS, send_blocking(LARGE - 1));
}

/* Fragments that wait for room would need the sender again. */
UNIT_TEST_WITH(a_large_nonblocking_send_does_not_wait_for_room, setup, teardown)
{
    assert_int_equal(FRAGMENTS, send_nonblocking(LENGTH));
    assert_int_equal(IF_ROOM, send_nonblocking(LARGE));
    mca_pml_champion.core_free = false;
    assert_int_equal(FETCHED, send_nonblocking(LARGE));
}

UNIT_TEST_WITH(some_messages_are_never_fetched, setup, teardown)
{
    advice = of_all(MCA_PML_CHAMPION_WAY_ADVICE_FETCHED);
    both_are_tried(MIN);
    both_are_tried(LARGE);
    assert_int_equal(FRAGMENTS, exchange(MIN - 1));
    assert_int_equal(FRAGMENTS,
                     way_of((mca_pml_champion_send_t){.length = LARGE}));
    assert_int_equal(FRAGMENTS, way_of((mca_pml_champion_send_t){
                                    .length = LARGE,
                                    .contiguous = true,
                                    .sync = true,
                                }));
    mca_pml_champion.params.eager_limit = 1 << 20;
    assert_int_equal(FRAGMENTS, exchange(LARGE));
    assert_int_equal(BOTH_WAYS, peer.single_copy.sent[0]);
    assert_int_equal(BOTH_WAYS, peer.single_copy.sent[2]);
}

static unsigned asked_for(size_t count, size_t length, size_t distance)
{
    const uintptr_t first = UINT64_C(0x7f5534a01010);

    asked = 0;
    for (size_t i = 0; i < count; ++i) {
        assert_false(mca_pml_champion_single_copy_is_private(
            (const void *) (first + i * distance), length));
    }
    return asked;
}

/* At whatever distance the buffers of a window are. */
UNIT_TEST_WITH(the_kernel_is_asked_once_for_each_buffer, setup, teardown)
{
    for (size_t length = 4096; length <= (size_t) 1 << 24; length *= 2) {
        mca_pml_champion_single_copy_failed();
        assert_int_equal(64, asked_for(64, length, length));
        assert_int_equal(0, asked_for(64, length, length));
        assert_int_equal(0, asked_for(64, length - 1, length));
        mca_pml_champion_single_copy_failed();
        assert_int_equal(256, asked_for(256, length, length + 4096));
        assert_in_range(asked_for(256, length, length + 4096), 0, 32);
    }
}

UNIT_MAIN(NULL, NULL)
