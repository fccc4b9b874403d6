/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Synthetic patterns: all paths, random operations, or as the user specifies.
 */

#include "sequence/replay_generator.h"

#include <string.h>

typedef replay_generator_t generator_t;

/* ---- paths ---- */

static void paths_prepare(generator_t *g)
{
    g->messages = (uint64_t) g->ranks * g->burst;
}

static mca_mq_envelope_t paths_envelope(generator_t *g)
{
    uint32_t sources = g->ranks < 501 ? g->ranks : 501;
    mca_mq_envelope_t envelope = {
        .context = replay_below(&g->random, 101),
        .source = (int32_t) replay_below(&g->random, sources),
        .tag = (int32_t) replay_below(&g->random, 101),
    };

    return envelope;
}

/* One kind of operation for all envelopes, then the other kind for them. */
static void paths_half(generator_t *g, mca_mq_base_operation_t first,
                       mca_mq_base_operation_t second)
{
    uint64_t random = g->random;
    mca_mq_envelope_t envelope;

    for (uint32_t i = 0; i < g->messages; ++i) {
        envelope = paths_envelope(g);
        replay_emit(g->sequence, 0, first, &envelope);
    }
    g->random = random; /* a duplicate */
    for (uint32_t i = 0; i < g->messages; ++i) {
        envelope = paths_envelope(g);
        replay_emit(g->sequence, 0, second, &envelope);
    }
}

static void paths_round(generator_t *g)
{
    paths_half(g, MCA_MQ_BASE_POST, MCA_MQ_BASE_ARRIVE);
    paths_half(g, MCA_MQ_BASE_ARRIVE, MCA_MQ_BASE_POST);
}

/* ---- random ---- */

/* Longest queue. */
#define RANDOM_DEPTH 1024

static void random_prepare(generator_t *g)
{
    replay_choose_peers(g, 32);
    g->messages = 1000 * g->burst;
}

static bool percent(generator_t *g, uint32_t chance)
{
    return replay_below(&g->random, 100) < chance;
}

static mca_mq_envelope_t random_message(generator_t *g)
{
    int32_t tag = (int32_t) replay_below(&g->random, 16);
    mca_mq_envelope_t envelope = {
        .context = replay_below(&g->random, 3),
        .source = (int32_t) g->peers[replay_below(&g->random, g->num_peers)],
        .tag = percent(g, 5) ? -2 - tag : tag,
    };

    return envelope;
}

static mca_mq_envelope_t random_receive(generator_t *g)
{
    mca_mq_envelope_t envelope = random_message(g);

    if (percent(g, 15)) {
        envelope.source = MCA_MQ_ANY_SOURCE;
    }
    if (percent(g, 15)) {
        envelope.tag = MCA_MQ_ANY_TAG;
    }
    return envelope;
}

static void random_withdraw(generator_t *g, mca_mq_queue_t queue)
{
    const replay_model_t *model = &g->sequence->domains[0].model;
    uint32_t length = model->queue[queue].length;

    if (0 != length) {
        replay_emit_withdraw(g->sequence, 0, queue,
                             replay_model_at(model, &g->sequence->pool, queue,
                                             replay_below(&g->random, length)));
    }
}

static void random_one(generator_t *g, mca_mq_base_operation_t kind)
{
    mca_mq_envelope_t envelope = mca_mq_base_effects[kind].receive
                                     ? random_receive(g)
                                     : random_message(g);

    replay_emit(g->sequence, 0, kind, &envelope);
}

static void random_round(generator_t *g)
{
    /* Frequencies in percent. */
    static const uint8_t chance[MCA_MQ_BASE_OPERATIONS] = {
        [MCA_MQ_BASE_ARRIVE] = 35,
        [MCA_MQ_BASE_POST] = 35,
        [MCA_MQ_BASE_MATCH_POSTED] = 3,
        [MCA_MQ_BASE_MATCH_UNEXPECTED] = 3,
        [MCA_MQ_BASE_PROBE] = 10,
        [MCA_MQ_BASE_INSERT_POSTED] = 2,
        [MCA_MQ_BASE_INSERT_UNEXPECTED] = 2,
        [MCA_MQ_BASE_WITHDRAW_POSTED] = 5,
        [MCA_MQ_BASE_WITHDRAW_UNEXPECTED] = 5,
    };
    const replay_model_queue_t *queue = g->sequence->domains[0].model.queue;

    for (uint32_t i = 0; i < g->messages; ++i) {
        uint32_t at = replay_below(&g->random, 100), kind = 0;

        while (at >= chance[kind]) {
            at -= chance[kind++];
        }
        if (queue[MCA_MQ_POSTED].length > RANDOM_DEPTH ||
            MCA_MQ_BASE_WITHDRAW_POSTED == kind) {
            random_withdraw(g, MCA_MQ_POSTED);
        } else if (queue[MCA_MQ_UNEXPECTED].length > RANDOM_DEPTH ||
                   MCA_MQ_BASE_WITHDRAW_UNEXPECTED == kind) {
            random_withdraw(g, MCA_MQ_UNEXPECTED);
        } else {
            random_one(g, kind);
        }
    }
}

/* ---- mix ---- */

static uint32_t mix_sources(const generator_t *g)
{
    uint32_t sources = g->wish->mix.sources;

    return 0 == sources || sources > g->ranks - 1 ? g->ranks - 1 : sources;
}

static void mix_prepare(generator_t *g)
{
    g->messages = (uint64_t) mix_sources(g) * g->burst;
}

/* Post the receives that come before the messages, or the others. */
static void mix_post(generator_t *g, bool unexpected)
{
    uint32_t sources = mix_sources(g);

    for (uint32_t i = 0; i < g->messages; ++i) {
        int32_t source = (int32_t) (1 + i % sources);
        int32_t tag = (int32_t) (i / sources);

        if (unexpected != (0 != (g->others[i] & 1))) {
            continue;
        }
        source = 0 != (g->others[i] & 2) ? MCA_MQ_ANY_SOURCE : source;
        tag = 0 != (g->others[i] & 4) ? MCA_MQ_ANY_TAG : tag;
        replay_add(g, MCA_MQ_BASE_POST, source, tag);
    }
}

/* A receive with a wildcard may match the message of another one. */
static void mix_withdraw(generator_t *g, mca_mq_queue_t queue)
{
    const replay_model_queue_t *q = &g->sequence->domains[0].model.queue[queue];

    while (0 != q->length) {
        replay_emit_withdraw(g->sequence, 0, queue, q->all.first);
    }
}

/* Replace each message by the first remaining one of its source. */
static void in_order_of_source(generator_t *g)
{
    uint32_t sources = mix_sources(g);
    uint32_t *next = g->items + g->messages;

    memset(next, 0, sources * sizeof(*next));
    for (uint32_t i = 0; i < g->messages; ++i) {
        uint32_t source = g->items[i] % sources;

        g->items[i] = source + sources * next[source]++;
    }
}

static void mix_order(generator_t *g)
{
    for (uint32_t i = 0; i < g->messages; ++i) {
        g->items[i] = REPLAY_REVERSE == g->wish->mix.order
                          ? (uint32_t) g->messages - 1 - i
                          : i;
    }
    if (g->wish->mix.order <= REPLAY_SOURCES) {
        replay_shuffle(&g->random, g->items, (uint32_t) g->messages);
    }
    if (REPLAY_SOURCES == g->wish->mix.order) {
        in_order_of_source(g);
    }
}

static void mix_round(generator_t *g)
{
    const replay_mix_t *mix = &g->wish->mix;
    uint32_t sources = mix_sources(g);

    for (uint32_t i = 0; i < g->messages; ++i) {
        g->others[i] = percent(g, mix->unexpected) |
                       percent(g, mix->any_source) << 1 |
                       percent(g, mix->any_tag) << 2;
    }
    mix_post(g, false);
    mix_order(g);
    for (uint32_t i = 0; i < g->messages; ++i) {
        replay_arrive(g, 1 + g->items[i] % sources, g->items[i] / sources);
    }
    mix_post(g, true);
    mix_withdraw(g, MCA_MQ_POSTED);
    mix_withdraw(g, MCA_MQ_UNEXPECTED);
}

const replay_pattern_t replay_made_up[] = {
    {"random", 50, 8, true, true, true, random_prepare, random_round},
    {"paths", 50, 8, false, false, true, paths_prepare, paths_round},
    {"mix", 50, 8, false, false, false, mix_prepare, mix_round},
    {.name = NULL},
};
