/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Patterns of applications.
 */

#include "sequence/replay_generator.h"

typedef replay_generator_t generator_t;

/* ---- fds ---- */

static void fds_prepare(generator_t *g)
{
    g->messages = (uint64_t) (g->ranks - 1) * g->burst;
}

static void fds_round(generator_t *g)
{
    replay_fresh_order(g, g->items, g->ranks - 1);
    for (uint32_t i = 0; i < g->ranks - 1; ++i) {
        for (uint32_t tag = 0; tag < g->burst; ++tag) {
            replay_arrive(g, 1 + g->items[i], tag);
        }
    }
    for (uint32_t rank = 1; rank < g->ranks; ++rank) {
        for (uint32_t tag = 0; tag < g->burst; ++tag) {
            replay_post(g, rank, tag);
        }
    }
}

/* ---- stencil ---- */

/* The largest divisor that does not exceed the bound. */
static uint32_t divisor(uint32_t number, double bound)
{
    uint32_t best = 1;

    for (uint32_t i = 1; i <= number && (double) i <= bound; ++i) {
        if (0 == number % i) {
            best = i;
        }
    }
    return best;
}

/* Sides of a box that is as cubic as possible. */
static void sides(uint32_t ranks, uint32_t side[3])
{
    double root = 1;

    while ((root + 1) * (root + 1) * (root + 1) <= ranks) {
        ++root;
    }
    side[0] = divisor(ranks, root);
    root = 1;
    while ((root + 1) * (root + 1) <= ranks / side[0]) {
        ++root;
    }
    side[1] = divisor(ranks / side[0], root);
    side[2] = ranks / side[0] / side[1];
}

static void stencil_prepare(generator_t *g)
{
    uint32_t side[3];

    sides(g->ranks, side);
    for (uint32_t cell = 0; cell < 27; ++cell) {
        uint32_t x = (cell % 3 + side[0] - 1) % side[0];
        uint32_t y = (cell / 3 % 3 + side[1] - 1) % side[1];
        uint32_t z = (cell / 9 + side[2] - 1) % side[2];

        if (13 != cell) { /* itself */
            g->peers[g->num_peers++] = x + side[0] * (y + side[1] * z);
        }
    }
    g->messages = g->num_peers * g->burst;
}

static void stencil_round(generator_t *g)
{
    replay_fresh_order(g, g->items, g->messages);
    for (uint32_t i = 0; i < g->messages; ++i) {
        replay_post(g, g->peers[i % g->num_peers], i);
    }
    for (uint32_t i = 0; i < g->messages; ++i) {
        replay_arrive(g, g->peers[g->items[i] % g->num_peers], g->items[i]);
    }
}

/* ---- amg ---- */

static void amg_prepare(generator_t *g)
{
    replay_choose_peers(g, 26);
    for (uint32_t i = 0; i < g->num_peers; ++i) {
        g->counts[i] = (26 * g->burst + i) / (i + 1);
        g->messages += g->counts[i];
    }
}

/* The peer of a message; the messages of a round are numbered peer by peer. */
static uint32_t amg_peer_of(const generator_t *g, uint32_t message)
{
    uint32_t peer = 0;

    while (message >= g->counts[peer]) {
        message -= g->counts[peer++];
    }
    return peer;
}

/* Post the receives that come first, or the others. */
static void amg_post(generator_t *g, const uint32_t *peer_order, bool first)
{
    uint32_t begin[33] = {0};

    for (uint32_t i = 0; i < g->num_peers; ++i) {
        begin[i + 1] = begin[i] + g->counts[i];
    }
    for (uint32_t i = 0; i < g->num_peers; ++i) {
        uint32_t peer = peer_order[i];

        for (uint32_t tag = 0; tag < g->counts[peer]; ++tag) {
            if (first == (0 != g->others[begin[peer] + tag])) {
                replay_post(g, g->peers[peer], tag);
            }
        }
    }
}

static void amg_round(generator_t *g)
{
    uint32_t next[32] = {0}, peer_order[32];

    replay_fresh_order(g, peer_order, g->num_peers);
    for (uint32_t i = 0; i < g->messages; ++i) {
        g->others[i] = replay_below(&g->random, 2); /* is it posted first? */
    }
    amg_post(g, peer_order, true);
    /* A random order of peers; the messages of each in the order sent. */
    replay_fresh_order(g, g->items, g->messages);
    for (uint32_t i = 0; i < g->messages; ++i) {
        uint32_t peer = amg_peer_of(g, g->items[i]);

        replay_arrive(g, g->peers[peer], next[peer]++);
    }
    amg_post(g, peer_order, false);
}

/* ---- alltoall ---- */

static void alltoall_round(generator_t *g)
{
    uint32_t others = g->ranks - 1;

    for (uint32_t i = 0; i < g->messages; ++i) {
        replay_post(g, 1 + i % others, i / others);
    }
    replay_fresh_order(g, g->items, g->messages);
    for (uint32_t i = 0; i < g->messages; ++i) {
        replay_arrive(g, 1 + g->items[i] % others, g->items[i] / others);
    }
}

/* ---- cholesky ---- */

static void cholesky_prepare(generator_t *g)
{
    replay_choose_peers(g, 8);
    g->messages = (uint64_t) g->num_peers * 64 * g->burst;
}

static void cholesky_round(generator_t *g)
{
    /* Even items are receives, odd ones messages. */
    replay_fresh_order(g, g->items, 2 * g->messages);
    for (uint32_t i = 0; i < 2 * g->messages; ++i) {
        uint32_t message = g->items[i] / 2;
        uint32_t peer = g->peers[message % g->num_peers];
        uint32_t tag = message / g->num_peers;

        if (0 == g->items[i] % 2) {
            replay_post(g, peer, tag);
        } else {
            replay_arrive(g, peer, tag);
        }
    }
}

/* ---- master_worker ---- */

static void master_worker_prepare(generator_t *g)
{
    g->messages = 2 * (uint64_t) (g->ranks - 1);
}

static void post_any(generator_t *g, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        replay_add(g, MCA_MQ_BASE_POST, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG);
    }
}

static void master_worker_round(generator_t *g)
{
    uint32_t workers = g->ranks - 1;
    uint32_t early = g->burst < workers ? g->burst : workers;

    post_any(g, early);
    replay_fresh_order(g, g->items, workers);
    for (uint32_t i = 0; i < workers; ++i) {
        replay_arrive(g, 1 + g->items[i], replay_below(&g->random, 10));
    }
    post_any(g, workers - early);
    replay_fresh_order(g, g->items, workers);
    for (uint32_t i = 0; i < workers; ++i) {
        replay_post(g, 1 + g->items[i], 100);
    }
    replay_fresh_order(g, g->items, workers);
    for (uint32_t i = 0; i < workers; ++i) {
        replay_arrive(g, 1 + g->items[i], 100);
    }
}

const replay_pattern_t replay_applications[] = {
    {"fds", 50, 8, false, false, false, fds_prepare, fds_round},
    {"stencil", 50, 8, false, false, false, stencil_prepare, stencil_round},
    {"amg", 50, 8, false, false, false, amg_prepare, amg_round},
    {"alltoall", 50, 1, false, false, false, fds_prepare, alltoall_round},
    {"cholesky", 50, 8, false, false, false, cholesky_prepare, cholesky_round},
    {"master_worker", 50, 8, true, true, false, master_worker_prepare,
     master_worker_round},
    {.name = NULL},
};
