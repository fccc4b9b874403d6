/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes of two jobs connect and disconnect repeatedly, in all the ways in
 * which a communicator can end. No message is lost or confused with one of
 * another connection, although connections close with the last communicator.
 *
 *     partings [--times N] [--unreceived]
 *     partings --clients N
 *
 * --unreceived  some messages are never received, but dropped with their
 *               communicator
 * --clients     each meeting is with a job that is started for it and ends, as
 *               a server has it: no more of UCX's shared memory is mapped after
 *               the last client than after the first ones, 60 s later at most
 *
 * Rank 0 of both jobs keep a communicator, over which all get a new one each
 * time. A process has no more open files and mapped memory after the last
 * meetings than after the first ones: a leak in each connection would show.
 */
#include <limits.h>

#include "mpi_test.h"

#define TAG 121
#define LARGE 200000
#define NUM_CHILDREN 2

static const int sizes[] = {0, 8, 9000, LARGE};

static bool child;
static int rank, remote;
static MPI_Request waiting = MPI_REQUEST_NULL;

static uint64_t key_of(bool from_child, int from, int size, int time)
{
    return mt_key(from_child, from, size, time);
}

static void send_all(MPI_Comm inter, int time, int size, MPI_Request *request,
                     unsigned char *out)
{
    mt_fill(out, size, key_of(child, rank, size, time));
    for (int i = 0; i < remote; ++i) {
        (i % 2 ? MPI_Isend : MPI_Issend)(out, size, MPI_BYTE, i, TAG, inter,
                                         &request[i]);
    }
}

static void receive_all(MPI_Comm inter, int time, int size)
{
    unsigned char *in = mt_alloc(size);

    for (int i = 0; i < remote; ++i) {
        CHECK_RECV(in, size, i, TAG, inter, key_of(!child, i, size, time));
    }
    mt_free(in);
}

/* The ranks that send, to all ranks of the other side. */
static void exchange(MPI_Comm inter, int time, bool parents, bool children)
{
    bool sends = child ? children : parents;
    bool receives = child ? parents : children;
    MPI_Request request[remote];

    for (size_t s = 0; s < MT_COUNT_OF(sizes); ++s) {
        unsigned char *out = mt_alloc(sizes[s]);

        if (sends) {
            send_all(inter, time, sizes[s], request, out);
        }
        if (receives) {
            receive_all(inter, time, sizes[s]);
        }
        if (sends) {
            MPI_Waitall(remote, request, MPI_STATUSES_IGNORE);
        }
        mt_free(out);
    }
}

static void both_ways(MPI_Comm inter, int time)
{
    exchange(inter, time, true, true);
    MPI_Comm_free(&inter);
}

static void one_way(MPI_Comm inter, int time)
{
    exchange(inter, time, 0 == time % 2, 1 == time % 2);
    MPI_Comm_free(&inter);
}

static void silent(MPI_Comm inter, int time)
{
    MPI_Comm_free(&inter);
}

/* The inter-communicator is freed first; communicators made from it remain. */
static void descendants(MPI_Comm inter, int time)
{
    MPI_Comm merged, copy;
    int sum = 0, one = 1, size;

    MPI_Comm_dup(inter, &copy);
    MPI_Intercomm_merge(inter, child, &merged);
    MPI_Comm_free(&inter);
    exchange(copy, time, true, true);
    MPI_Comm_free(&copy);
    MPI_Comm_size(merged, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, merged);
    CHECK_EQ(sum, size);
    MPI_Comm_free(&merged);
}

/* Messages that are never received are dropped with their communicator. */
static void unreceived(MPI_Comm inter, int time)
{
    unsigned char *out = mt_alloc(LARGE);
    MPI_Request request[remote];

    send_all(inter, time, LARGE, request, out);
    MPI_Comm_free(&inter);
    MPI_Waitall(remote, request, MPI_STATUSES_IGNORE);
    mt_free(out);
}

static void let_go(void)
{
    if (MPI_REQUEST_NULL != waiting) {
        MPI_Cancel(&waiting);
        MPI_Wait(&waiting, MPI_STATUS_IGNORE);
    }
}

/* A receive that waits keeps the communicator, on one side and into the next
 * meeting. */
static void kept(MPI_Comm inter, int time)
{
    static int buffer;

    exchange(inter, time, true, true);
    let_go();
    if (0 == (time / 2 + rank + child) % 2) {
        MPI_Irecv(&buffer, 1, MPI_INT, remote - 1, TAG, inter, &waiting);
    }
    MPI_Comm_free(&inter);
}

static void (*const ways[])(MPI_Comm inter, int time) = {
    both_ways, one_way, silent, kept, descendants, kept, unreceived,
};

/* A communicator of the ranks 0 of both jobs; MPI_COMM_NULL elsewhere. */
static MPI_Comm bridge_of(MPI_Comm inter)
{
    MPI_Comm merged, bridge;

    MPI_Intercomm_merge(inter, child, &merged);
    MPI_Comm_split(merged, 0 == rank ? 0 : MPI_UNDEFINED, 0, &bridge);
    MPI_Comm_free(&merged);
    return bridge;
}

/* What is mapped, by a word in its name. */
static long mapped(const char *word)
{
    FILE *file = fopen("/proc/self/maps", "r");
    char line[PATH_MAX];
    long n = 0;

    CHECK(NULL != file);
    while (NULL != fgets(line, sizeof(line), file)) {
        n += NULL != strstr(line, word);
    }
    fclose(file);
    return n;
}

/* From WARM meetings on nothing grows but by chance: pools, arenas of threads.
 * A leak of one for each time that a connection is closed is beyond this. */
enum { WARM = 20, GROWTH = 30 };

static void check_growth(int time)
{
    static long files, maps;
    long files_now = mt_entries("/proc/self/fd");
    long maps_now = mapped("");

    if (time <= WARM) {
        files = files_now;
        maps = maps_now;
    }
    CHECK(files_now - files <= GROWTH);
    CHECK(maps_now - maps <= GROWTH);
}

/* Of UCX, its own and those of others. What PMIx maps for each job stays,
 * whatever the PML. */
static long shared_segments(void)
{
    return mapped("/SYSV") + mapped("ucx_shm");
}

/* Servers map segments of each other, too: not for the first time later. */
static void meet_servers(void)
{
    for (int i = 0; i < mt_size; ++i) {
        int to = (rank + i) % mt_size, from = (rank + mt_size - i) % mt_size;

        CHECK_EQ(mt_swap_int(rank, to, from, TAG), from);
    }
}

/* The last clients may be on their way out. A segment for each client that has
 * been here is beyond FEW, whatever servers need for each other. */
static void wait_for_segments(long first)
{
    enum { FEW = 4, SECONDS = 60 };
    double until = MPI_Wtime() + SECONDS;

    while (shared_segments() - first > FEW && MPI_Wtime() < until) {
        mt_progress(MPI_COMM_WORLD, 10);
    }
    CHECK(shared_segments() - first <= FEW);
}

static int client(MPI_Comm server)
{
    child = true;
    MPI_Comm_remote_size(server, &remote);
    exchange(server, 0, true, true);
    MPI_Comm_disconnect(&server);
    return mt_finalize();
}

static int serve(char *program, int clients)
{
    enum { FIRST = 2 };
    char *arguments[] = {(char *) "--client", NULL};
    long segments = 0;
    MPI_Comm inter;

    meet_servers();
    for (int time = 0; time < clients; ++time) {
        MT_CASE("MPI_Comm_spawn");
        MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                       &inter, MPI_ERRCODES_IGNORE);
        MT_CASE("client %d", time);
        MPI_Comm_remote_size(inter, &remote);
        exchange(inter, 0, true, true);
        MPI_Comm_disconnect(&inter);
        if (time < FIRST) {
            segments = shared_segments();
        }
    }
    MT_CASE("all clients are gone");
    wait_for_segments(segments);
    return mt_finalize();
}

int main(int argc, char **argv)
{
    char number[16];
    char *arguments[] = {(char *) "--times", number, NULL, NULL};
    MPI_Comm parent, inter, bridge;
    size_t num_ways = MT_COUNT_OF(ways) - 1;
    int times;

    mt_init(&argc, &argv, 1);
    times = mt_option(argc, argv, "--times", 20);
    if (mt_flag(argc, argv, "--unreceived")) {
        num_ways = MT_COUNT_OF(ways);
        arguments[2] = (char *) "--unreceived";
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (mt_flag(argc, argv, "--client")) {
        return client(parent);
    }
    if (mt_option(argc, argv, "--clients", 0) > 0) {
        return serve(argv[0], mt_option(argc, argv, "--clients", 0));
    }
    child = MPI_COMM_NULL != parent;
    if (child) {
        inter = parent;
    } else {
        MT_CASE("MPI_Comm_spawn");
        snprintf(number, sizeof(number), "%d", times);
        MPI_Comm_spawn(argv[0], arguments, NUM_CHILDREN, MPI_INFO_NULL, 0,
                       MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    }
    MPI_Comm_remote_size(inter, &remote);
    bridge = bridge_of(inter);
    MPI_Comm_disconnect(&inter);
    for (int time = 0; time < times; ++time) {
        MT_CASE("meeting %d", time);
        MPI_Intercomm_create(MPI_COMM_WORLD, 0, bridge, child ? 0 : 1, TAG,
                             &inter);
        ways[(size_t) time % num_ways](inter, time);
        check_growth(time);
    }
    let_go();
    if (MPI_COMM_NULL != bridge) {
        MPI_Comm_free(&bridge);
    }
    return mt_finalize();
}
