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

static int peer;
static bool sends; /* this rank sends; otherwise it receives */

/* Bytes, from the line of /proc/self/status that begins so. */
static long long memory(const char *what)
{
    const size_t length = strlen(what);
    char line[256];
    long long value = -1;
    FILE *file = fopen("/proc/self/status", "r");

    CHECK(NULL != file);
    while (value < 0 && NULL != fgets(line, sizeof(line), file)) {
        if (0 == strncmp(line, what, length)) {
            value = atoll(line + length) * 1024;
        }
    }
    fclose(file);
    CHECK(value >= 0);
    return value;
}

static uint64_t key_of(int index)
{
    return mt_key(index, 3, 1, 29);
}

static void receive(void *buffer, int size, int index)
{
    MPI_Status status;

    CHECK_OK(MPI_Recv(buffer, size, MPI_BYTE, peer, index % 7, MPI_COMM_WORLD,
                      &status));
    CHECK_STATUS(&status, peer, index % 7, MPI_BYTE, size);
    CHECK_PAYLOAD(buffer, size, key_of(index));
}

/* A send that is complete before there is a receive. */
static void send(void *buffer, int size, int index)
{
    mt_fill(buffer, size, key_of(index));
    CHECK_OK(MPI_Send(buffer, size, MPI_BYTE, peer, index % 7, MPI_COMM_WORLD));
}

static void sent(void)
{
    MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_SENT, MPI_COMM_WORLD);
}

static void wait_until_sent(void)
{
    MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_SENT, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

/* The runner ends what waits for ever. */
static void wait_until_below(long long bytes)
{
    int flag;

    while (memory("RssAnon:") > bytes) {
        for (int i = 0; i < 1000; ++i) {
            MPI_Iprobe(peer, TAG_SENT, MPI_COMM_WORLD, &flag,
                       MPI_STATUS_IGNORE);
            CHECK(!flag);
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
        const long long before = memory("RssAnon:");
        long long now;

        sent(); /* before that nothing is prefetched */
        wait_until_sent();
        for (int i = 0; i < NUM; ++i) {
            receive(buffer, MIB, i);
        }
        now = memory("RssAnon:");
        if (now - before < NUM * MIB - OTHERS) {
            mt_fail(__FILE__, __LINE__, "not prefetched: %lld bytes",
                    now - before);
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
        before = memory("RssAnon:");
        sent(); /* before that nothing is prefetched */
        wait_until_sent();
        CHECK(memory("RssAnon:") - before >= 2 * LARGE - OTHERS);
        receive(buffer, LARGE, 2);
        CHECK(memory("RssAnon:") - before < LARGE + 4 * MIB + SHADOW);
        receive(buffer, LARGE, 1);
        CHECK(memory("RssAnon:") - before < 4 * MIB + SHADOW);
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
        MPI_Isend(at, MIB, MPI_BYTE, peer, i % 7, MPI_COMM_WORLD, &requests[i]);
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
    before = memory("VmHWM:");
    wait_until_sent();
    for (int i = 0; i < SMALL_ONES; ++i) {
        receive(data, SMALL, i);
    }
    for (int i = 0; i < LARGE_ONES; ++i) {
        receive(data, MIB, i);
    }
    grown = memory("VmHWM:") - before;
    if (grown > limit) {
        mt_fail(__FILE__, __LINE__, "%lld bytes, the limit is %lld", grown,
                limit);
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
    peer = mt_rank ^ 1;
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
