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

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/uio.h>

#include <cmocka.h>

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

#include "ompi/mca/pml/champion/rndv/single_copy.c"

#define IT MCA_PML_CHAMPION_SINGLE_COPY_IT
#define BY_STREAM MCA_PML_CHAMPION_SINGLE_COPY_BY_STREAM
#define UNLESS_ROOM MCA_PML_CHAMPION_SINGLE_COPY_UNLESS_ROOM

enum {
    MIN = MCA_PML_CHAMPION_WAY_MIN,
    LIMIT = MCA_PML_CHAMPION_WAY_LIMIT,
    RING_MAX = 131072,
    BOTH_WAYS = 2 * MCA_PML_CHAMPION_WAY_TRIALS,
    LENGTH = 40000, /* of the second class */
    CHOICE = MCA_PML_CHAMPION_SINGLE_COPY_CHOICE << 1
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
    (void) state;
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
    (void) state;
    mca_pml_champion_unlock();
    return 0;
}

static unsigned wants(mca_pml_champion_send_t send)
{
    send.peer = &peer;
    return mca_pml_champion_single_copy_wants(&send, &peer);
}

static unsigned wants_blocking(size_t length)
{
    return wants(
        (mca_pml_champion_send_t){.length = length, .contiguous = true});
}

static unsigned wants_nonblocking(size_t length)
{
    return wants((mca_pml_champion_send_t){
        .length = length, .contiguous = true, .request = &request});
}

/* Send one, which is answered. */
static unsigned send_one(size_t length)
{
    const unsigned answer = wants_blocking(length);

    mca_pml_champion_single_copy_learn(&peer, answer);
    ++peer.recv_sequence;
    return answer;
}

static void try_both(size_t length)
{
    for (int i = 0; i < BOTH_WAYS; ++i) {
        (void) send_one(length);
    }
}

static void the_advice_decides_on_a_free_core(void **state)
{
    (void) state;
    for (int i = 0; i < BOTH_WAYS; ++i) {
        assert_int_equal(BY_STREAM | CHOICE | (i < BOTH_WAYS / 2 ? 0 : IT),
                         send_one(LENGTH));
    }
    assert_int_equal(BY_STREAM | CHOICE, send_one(LENGTH));
    advice = of_all(MCA_PML_CHAMPION_WAY_ADVICE_EXCHANGES);
    assert_int_equal(BY_STREAM | CHOICE | IT, send_one(LENGTH));
    --peer.recv_sequence; /* nothing has come since */
    assert_int_equal(BY_STREAM | CHOICE, wants_blocking(LENGTH));
    advice = of_all(MCA_PML_CHAMPION_WAY_ADVICE_FETCHED);
    assert_int_equal(BY_STREAM | CHOICE | IT, wants_blocking(LENGTH));
}

/* What it takes of the core decides there, and what one copy takes is known. */
static void limits_decide_on_a_shared_core(void **state)
{
    (void) state;
    try_both(LENGTH);
    try_both(LIMIT);
    mca_pml_champion.core_free = false;
    advice = of_all(MCA_PML_CHAMPION_WAY_ADVICE_FETCHED);
    assert_int_equal(BY_STREAM, send_one(LENGTH));
    assert_int_equal(BY_STREAM, send_one(LIMIT - 1));
    advice = of_all(MCA_PML_CHAMPION_WAY_ADVICE_FRAGMENTS);
    assert_int_equal(BY_STREAM | IT, send_one(LIMIT));
    --peer.recv_sequence;
    assert_int_equal(BY_STREAM, wants_blocking(LIMIT));
    assert_int_equal(BY_STREAM | IT, wants_blocking(LIMIT + 1));
}

/* What is sent while limits decide measures nothing: the trials are for later. */
static void trials_wait_until_there_is_something_to_measure(void **state)
{
    (void) state;
    mca_pml_champion.core_free = false;
    try_both(LENGTH);
    mca_pml_champion.core_free = true;
    for (int i = 0; i < BOTH_WAYS; ++i) {
        assert_int_equal(BY_STREAM | CHOICE | (i < BOTH_WAYS / 2 ? 0 : IT),
                         send_one(LENGTH));
    }
}

static void limits_decide_where_the_receiver_cannot_say(void **state)
{
    (void) state;
    advice = of_all(MCA_PML_CHAMPION_WAY_ADVICE_FETCHED);
    try_both(LENGTH);
    peer.ring.reads = false;
    assert_int_equal(BY_STREAM, send_one(LENGTH));
    peer.ring.reads = true;
    peer.single_copy.advice = NULL;
    assert_int_equal(BY_STREAM, send_one(LENGTH));
    assert_int_equal(BY_STREAM | IT, send_one(LIMIT));
}

static void a_message_too_long_for_the_ring_is_fetched(void **state)
{
    (void) state;
    assert_int_equal(IT, wants_blocking(RING_MAX + 1));
    peer.ring_max = -1;
    assert_int_equal(IT, wants_blocking(LIMIT));
    assert_int_equal(0, wants_blocking(LIMIT - 1));
}

/* Fragments that wait for room would need the sender again. */
static void a_large_nonblocking_send_does_not_wait_for_room(void **state)
{
    (void) state;
    assert_int_equal(BY_STREAM | CHOICE, wants_nonblocking(LENGTH));
    assert_int_equal(BY_STREAM | CHOICE << 1 | IT | UNLESS_ROOM,
                     wants_nonblocking(LIMIT));
    mca_pml_champion.core_free = false;
    assert_int_equal(BY_STREAM | IT, wants_nonblocking(LIMIT));
}

static void some_messages_are_never_fetched(void **state)
{
    (void) state;
    assert_int_equal(0, wants_blocking(MIN - 1));
    assert_int_equal(0, wants((mca_pml_champion_send_t){.length = LIMIT}));
    assert_int_equal(0, wants((mca_pml_champion_send_t){
                            .length = LIMIT,
                            .contiguous = true,
                            .sync = true,
                        }));
    mca_pml_champion.params.eager_limit = 1 << 20;
    assert_int_equal(0, wants_blocking(LIMIT));
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
static void the_kernel_is_asked_once_for_each_buffer(void **state)
{
    (void) state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_advice_decides_on_a_free_core,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(limits_decide_on_a_shared_core, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            trials_wait_until_there_is_something_to_measure, setup, teardown),
        cmocka_unit_test_setup_teardown(
            limits_decide_where_the_receiver_cannot_say, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_message_too_long_for_the_ring_is_fetched, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_large_nonblocking_send_does_not_wait_for_room, setup, teardown),
        cmocka_unit_test_setup_teardown(some_messages_are_never_fetched, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            the_kernel_is_asked_once_for_each_buffer, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
