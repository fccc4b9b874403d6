/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of peers in a job of up to 2^20 processes: what it costs a process
 * depends on the peers that it knows, not on the size of the job.
 *
 *   test_peers                 the tests
 *   test_peers RANKS PATTERN   one line of JSON: what the peers of a pattern
 *                              cost rank 0, in bytes. Patterns: none, halo (26
 *                              neighbours in a torus), tree (2^k ranks away,
 *                              both ways), all
 */

#include "ompi_config.h"

#include <malloc.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pml_test.h"

#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/shm/fifo.h"
#include "ompi/mca/pml/champion/shm/rings.h"

#include "pml_world.h"

enum { MILLION = 1 << 20, FEW = 26 };

static unsigned visited;
static uint32_t order[FEW];

static void note(mca_pml_champion_peer_t *peer)
{
    if (visited < FEW) {
        order[visited] = peer->name.vpid;
    }
    ++visited;
}

static mca_pml_champion_peer_t *meet(uint32_t vpid)
{
    const opal_process_name_t name = {.jobid = PML_WORLD_JOB, .vpid = vpid};

    return mca_pml_champion_peer_find(&name);
}

static void begin(int ranks)
{
    pml_world_begin();
    OPAL_PROC_MY_NAME.vpid = 0;
    pml_world.ranks = ranks;
    if (OMPI_SUCCESS != mca_pml_champion_peers_init()) {
        fprintf(stderr, "test_peers: no memory for %d ranks\n", ranks);
        exit(EXIT_FAILURE);
    }
    visited = 0;
}

/* Bytes of the table that are in memory, from one of its pages on. Its pages
 * are zero, and in no memory, until they are read or written. */
static size_t resident(size_t skip)
{
    const uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
    const uintptr_t table = (uintptr_t) mca_pml_champion.job_peers;
    const uintptr_t first = (table + page - 1) / page * page + skip * page;
    const uintptr_t end =
        (table + mca_pml_champion.job_size * sizeof(void *)) / page * page;
    size_t pages = first < end ? (end - first) / page : 0, count = 0;
    unsigned char *in = malloc(pages + 1);

    if (NULL == in || 0 != mincore((void *) first, end - first, in)) {
        pages = 0;
    }
    for (size_t i = 0; i < pages; ++i) {
        count += in[i] & 1;
    }
    free(in);
    return count * page;
}

UNIT_TEST(a_walk_visits_each_peer_once_oldest_first)
{
    const uint32_t vpids[] = {77, 3, MILLION - 1, 500000};

    begin(MILLION);
    for (int i = 0; i < 4; ++i) {
        assert_non_null(meet(vpids[i]));
        assert_ptr_equal(meet(vpids[i]), mca_pml_champion.job_peers[vpids[i]]);
    }
    assert_null(meet(MILLION));
    mca_pml_champion_peers_each(note);
    assert_int_equal(visited, 5);
    assert_int_equal(order[0], 0); /* this process */
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(order[1 + i], vpids[i]);
    }
    mca_pml_champion_peers_fini();
}

UNIT_TEST(peers_of_other_jobs_are_visited_too)
{
    const opal_process_name_t name = {.jobid = PML_WORLD_JOB + 1, .vpid = 9};

    begin(4);
    assert_non_null(mca_pml_champion_peer_find(&name));
    assert_non_null(meet(2));
    mca_pml_champion_peers_each(note);
    assert_int_equal(visited, 3);
    assert_int_equal(order[1], 9);
    mca_pml_champion_peers_fini();
}

UNIT_TEST(after_the_end_the_table_can_be_made_again)
{
    for (int round = 0; round < 3; ++round) {
        a_walk_visits_each_peer_once_oldest_first(unit_state);
    }
}

/* Half of the table away from all peers, so that a large page does not bring it
 * into memory. */
UNIT_TEST(a_walk_does_not_read_the_places_of_unknown_peers)
{
    const size_t half =
        MILLION / 2 * sizeof(void *) / (size_t) sysconf(_SC_PAGESIZE);

    begin(MILLION);
    for (uint32_t i = 1; i < FEW; ++i) {
        assert_non_null(meet(i));
    }
    assert_int_equal(resident(half), 0);
    mca_pml_champion_peers_each(note);
    assert_int_equal(visited, FEW);
    assert_int_equal(resident(half), 0);
    /* It would be seen. */
    assert_null(((mca_pml_champion_peer_t *volatile *)
                     mca_pml_champion.job_peers)[MILLION / 4 * 3]);
    assert_int_not_equal(resident(half), 0);
    mca_pml_champion_peers_fini();
}

/* ---- figures ------------------------------------------------------------ */

/* In a torus whose sides are powers of two, as equal as possible. */
static void meet_halo(uint32_t ranks)
{
    uint32_t bits = 0, side[3];

    while (2u << bits <= ranks) {
        ++bits;
    }
    for (uint32_t i = 0; i < 3; ++i) {
        side[i] = 1u << ((bits + i) / 3);
    }
    for (uint32_t i = 0; i < 27; ++i) {
        (void) meet((i % 3 + side[0] - 1) % side[0] +
                    side[0] * ((i / 3 % 3 + side[1] - 1) % side[1] +
                               side[1] * ((i / 9 + side[2] - 1) % side[2])));
    }
}

static void meet_none(uint32_t ranks)
{
}

static void meet_tree(uint32_t ranks)
{
    for (uint32_t away = 1; away < ranks; away *= 2) {
        (void) meet(away);
        (void) meet(ranks - away);
    }
}

static void meet_all(uint32_t ranks)
{
    for (uint32_t i = 1; i < ranks; ++i) {
        (void) meet(i);
    }
}

static const struct {
    const char *name;
    void (*meet)(uint32_t ranks);
} patterns[] = {
    {"none", meet_none},
    {"halo", meet_halo},
    {"tree", meet_tree},
    {"all", meet_all},
};

static int print(const char *size, const char *pattern)
{
    const unsigned long ranks = strtoul(size, NULL, 10);
    size_t before, peers;
    unsigned i = 0;

    while (i < 4 && 0 != strcmp(pattern, patterns[i].name)) {
        ++i;
    }
    if (ranks < 8 || ranks > MILLION || 0 != (ranks & (ranks - 1)) || 4 == i) {
        fprintf(stderr, "usage: test_peers 8..1048576, a power of two "
                        "none|halo|tree|all\n");
        return EXIT_FAILURE;
    }
    begin((int) ranks);
    before = mallinfo2().uordblks;
    patterns[i].meet((uint32_t) ranks);
    peers = mallinfo2().uordblks - before;
    mca_pml_champion_peers_each(note);
    printf("{\"peers\": %u, \"peers_bytes\": %zu, \"table_bytes\": %zu, "
           "\"table_resident\": %zu, \"comm\": %zu, \"ring\": %zu, "
           "\"ring_out\": %zu, \"fifo_least\": %zu, \"fifo_most\": %zu}\n",
           visited - 1, peers, ranks * sizeof(void *), resident(0),
           sizeof(mca_pml_champion_comm_t), sizeof(mca_pml_champion_ring_t),
           sizeof(mca_pml_champion_ring_out_t),
           mca_pml_champion_fifo_size(MCA_PML_CHAMPION_FIFO_SLOTS_MIN),
           mca_pml_champion_fifo_size(MCA_PML_CHAMPION_FIFO_SLOTS_MAX));
    mca_pml_champion_peers_fini();
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    /* Or glibc gives freed memory, which it has to clear, the next time. */
    (void) mallopt(M_MMAP_THRESHOLD, 1 << 17);
    if (argc > 1) {
        return print(argv[1], argc > 2 ? argv[2] : "");
    }
    return unit_run(NULL, NULL);
}
