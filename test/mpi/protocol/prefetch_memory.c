/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory of prefetched messages: how much of it there is while rank 0 does
 * not receive what rank 1 sends, and that it is given back. All is received in
 * the end.
 *
 *     prefetch_memory idle      the pool is given back when nothing needs it
 *     prefetch_memory large     larger than half of the pool: memory of its own,
 *                               given back at once
 *     prefetch_memory flood --limit BYTES
 *                               large and small messages together keep to
 *                               pml_champion_unexpected_limit
 *
 * To be run with an eager limit of 8192 and a pool of 16 MiB, or with BYTES as
 * limit and the pool that follows.
 */
#include "mpi_test.h"

#define MIB (1 << 20)
#define LARGE (24 * MIB)
#define SMALL 8000
#define TAG_SENT 999

/* What else of a process may grow or shrink meanwhile: less than two messages. */
#define OTHERS (2 * MIB)

/* Under AddressSanitizer an eighth of what was in use stays as its shadow. */
#ifdef __SANITIZE_ADDRESS__
#define SHADOW (2 * LARGE / 8)
#else
#define SHADOW 0
#endif

/* Under AddressSanitizer memory that is freed is given back at once, too. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0";
}

static bool sends; /* this rank sends; otherwise it receives */

static uint64_t key_of(int index)
{
    return mt_key(index, 3, 1, 29);
}

static void receive(void *buffer, int size, int index)
{
    CHECK_RECV(buffer, size, mt_peer, index % 7, MPI_COMM_WORLD, key_of(index));
}

/* A send that is complete before there is a receive. */
static void send(void *buffer, int size, int index)
{
    mt_fill(buffer, size, key_of(index));
    mt_send(buffer, size, mt_peer, index % 7);
}

static void sent(void)
{
    mt_tell(mt_peer, TAG_SENT, MPI_COMM_WORLD);
}

static void wait_until_sent(void)
{
    mt_hear(mt_peer, TAG_SENT, MPI_COMM_WORLD);
}

/* The runner ends what waits for ever. */
static void wait_until_below(long long bytes)
{
    while (mt_memory("RssAnon:") > bytes) {
        for (int i = 0; i < 1000; ++i) {
            CHECK(!mt_is_there(mt_peer, TAG_SENT, MPI_COMM_WORLD));
        }
    }
}

static void idle(int round)
{
    enum { NUM = 12 };
    unsigned char *buffer = mt_alloc(MIB);

    MT_CASE("the pool is used, round %d", round);
    if (sends) {
        wait_until_sent();
        for (int i = 0; i < NUM; ++i) {
            send(buffer, MIB, i);
        }
        sent();
        wait_until_sent();
    } else {
        const long long before = mt_memory("RssAnon:");
        long long now;

        sent(); /* before that nothing is prefetched */
        wait_until_sent();
        for (int i = 0; i < NUM; ++i) {
            receive(buffer, MIB, i);
        }
        now = mt_memory("RssAnon:");
        if (now - before < NUM * MIB - OTHERS) {
            MT_FAIL("not prefetched: %lld bytes", now - before);
        }
        MT_CASE("the pool is given back, round %d", round);
        wait_until_below(now - (NUM * MIB - OTHERS));
        sent();
    }
    mt_free(buffer);
}

static void large(void)
{
    unsigned char *buffer = mt_alloc(LARGE);

    MT_CASE("a message larger than half of the pool");
    if (sends) {
        wait_until_sent();
        send(buffer, LARGE, 1);
        send(buffer, LARGE, 2);
        sent();
    } else {
        long long before;

        memset(buffer, 1, LARGE);
        before = mt_memory("RssAnon:");
        sent(); /* before that nothing is prefetched */
        wait_until_sent();
        CHECK(mt_memory("RssAnon:") - before >= 2 * LARGE - OTHERS);
        receive(buffer, LARGE, 2);
        CHECK(mt_memory("RssAnon:") - before < LARGE + 4 * MIB + SHADOW);
        receive(buffer, LARGE, 1);
        CHECK(mt_memory("RssAnon:") - before < 4 * MIB + SHADOW);
    }
    mt_free(buffer);
}

enum { SMALL_ONES = 3000, LARGE_ONES = 100 };

/* So few that their sender, whose sends block, is not throttled: what it had
 * sent before would still come. */
static void send_flood(void)
{
    unsigned char *data = mt_alloc(LARGE_ONES * MIB);
    MPI_Request requests[LARGE_ONES];

    for (int i = 0; i < SMALL_ONES; ++i) {
        send(data, SMALL, i);
    }
    for (int i = 0; i < LARGE_ONES; ++i) {
        unsigned char *at = data + (size_t) i * MIB;

        mt_fill(at, MIB, key_of(i));
        mt_isend(at, MIB, mt_peer, i % 7, &requests[i]);
    }
    sent();
    CHECK_OK(MPI_Waitall(LARGE_ONES, requests, MPI_STATUSES_IGNORE));
    mt_free(data);
}

static void receive_flood(long long limit)
{
    unsigned char *data = mt_alloc(MIB);
    long long before, grown;

    memset(data, 1, MIB);
    before = mt_memory("VmHWM:");
    wait_until_sent();
    for (int i = 0; i < SMALL_ONES; ++i) {
        receive(data, SMALL, i);
    }
    for (int i = 0; i < LARGE_ONES; ++i) {
        receive(data, MIB, i);
    }
    grown = mt_memory("VmHWM:") - before;
    if (grown > limit) {
        MT_FAIL("%lld bytes, the limit is %lld", grown, limit);
    }
    mt_free(data);
}

static void flood(long long limit)
{
    MT_CASE("large and small messages");
    if (sends) {
        send_flood();
    } else {
        receive_flood(limit);
    }
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv, 2);
    sends = 0 != mt_rank;
    CHECK(argc > 1);
    if (mt_rank > 1) {
        return mt_finalize(); /* two ranks it is about */
    }
    if (0 == strcmp(argv[1], "idle")) {
        idle(1);
        idle(2);
    } else if (0 == strcmp(argv[1], "large")) {
        large();
    } else {
        CHECK(0 == strcmp(argv[1], "flood"));
        flood(mt_option(argc, argv, "--limit", 64 * MIB));
    }
    return mt_finalize();
}
