/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "replay_pattern.h"

#include <stdio.h>
#include <string.h>

#include "replay_util.h"

typedef struct pattern_t pattern_t;

/* A pattern that is being generated. */
typedef struct generator_t {
    const pattern_t *pattern;
    const replay_wish_t *wish;
    replay_sequence_t *sequence;
    uint32_t ranks;
    uint32_t burst;
    uint32_t round;
    uint64_t random;
    uint64_t messages; /* of a round */
    /* For messages, or twice as many halves of them. */
    uint32_t *items;
    uint32_t *others;
    /* Peers, where there are few. */
    uint32_t num_peers;
    uint32_t peers[32];
    uint32_t counts[32]; /* messages of each */
} generator_t;

struct pattern_t {
    const char *name;
    uint32_t rounds; /* by default */
    uint32_t burst;  /* by default */
    bool any_source;
    bool any_tag;
    bool many_contexts;
    /* Set messages, and what else does not change. */
    void (*prepare)(generator_t *generator);
    void (*round)(generator_t *generator);
};

static void emit(generator_t *g, mca_mq_base_operation_t kind, int32_t source,
                 int32_t tag)
{
    mca_mq_envelope_t envelope = {0, source, tag};

    replay_emit(g->sequence, 0, kind, &envelope);
}

static void arrive(generator_t *g, uint32_t source, uint32_t tag)
{
    emit(g, MCA_MQ_BASE_ARRIVE, (int32_t) source, (int32_t) tag);
}

static void post(generator_t *g, uint32_t source, uint32_t tag)
{
    emit(g, MCA_MQ_BASE_POST, (int32_t) source, (int32_t) tag);
}

/* 0, 1, ... in a fresh random order. */
static void fresh_order(generator_t *g, uint32_t *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        items[i] = i;
    }
    replay_shuffle(&g->random, items, count);
}

/* Different ranks, at random. */
static void choose_peers(generator_t *g, uint32_t count)
{
    g->num_peers = 0;
    while (g->num_peers < count && g->num_peers < g->ranks - 1) {
        uint32_t peer = 1 + replay_below(&g->random, g->ranks - 1);
        bool known = false;

        for (uint32_t i = 0; i < g->num_peers; ++i) {
            known |= peer == g->peers[i];
        }
        if (!known) {
            g->peers[g->num_peers++] = peer;
        }
    }
}

/* ---- fds ---- */

static void fds_prepare(generator_t *g)
{
    g->messages = (uint64_t) (g->ranks - 1) * g->burst;
}

static void fds_round(generator_t *g)
{
    fresh_order(g, g->items, g->ranks - 1);
    for (uint32_t i = 0; i < g->ranks - 1; ++i) {
        for (uint32_t tag = 0; tag < g->burst; ++tag) {
            arrive(g, 1 + g->items[i], tag);
        }
    }
    for (uint32_t rank = 1; rank < g->ranks; ++rank) {
        for (uint32_t tag = 0; tag < g->burst; ++tag) {
            post(g, rank, tag);
        }
    }
}

/* ---- stencil ---- */

/* The largest divisor that is not above the bound. */
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

/* Sides of a box as near to a cube as can be. */
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
    fresh_order(g, g->items, g->messages);
    for (uint32_t i = 0; i < g->messages; ++i) {
        post(g, g->peers[i % g->num_peers], i);
    }
    for (uint32_t i = 0; i < g->messages; ++i) {
        arrive(g, g->peers[g->items[i] % g->num_peers], g->items[i]);
    }
}

/* ---- amg ---- */

static void amg_prepare(generator_t *g)
{
    choose_peers(g, 26);
    for (uint32_t i = 0; i < g->num_peers; ++i) {
        g->counts[i] = (26 * g->burst + i) / (i + 1);
        g->messages += g->counts[i];
    }
}

/* All messages of a round are numbered, peer by peer. Whose is this one? */
static uint32_t amg_peer_of(const generator_t *g, uint32_t message)
{
    uint32_t peer = 0;

    while (message >= g->counts[peer]) {
        message -= g->counts[peer++];
    }
    return peer;
}

/* The receives that are posted first, or the others. */
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
                post(g, g->peers[peer], tag);
            }
        }
    }
}

static void amg_round(generator_t *g)
{
    uint32_t next[32] = {0}, peer_order[32];

    fresh_order(g, peer_order, g->num_peers);
    for (uint32_t i = 0; i < g->messages; ++i) {
        g->others[i] = replay_below(&g->random, 2); /* is it posted first? */
    }
    amg_post(g, peer_order, true);
    /* A random order of peers; the messages of each in the order sent. */
    fresh_order(g, g->items, g->messages);
    for (uint32_t i = 0; i < g->messages; ++i) {
        uint32_t peer = amg_peer_of(g, g->items[i]);

        arrive(g, g->peers[peer], next[peer]++);
    }
    amg_post(g, peer_order, false);
}

/* ---- alltoall ---- */

static void alltoall_round(generator_t *g)
{
    uint32_t others = g->ranks - 1;

    for (uint32_t i = 0; i < g->messages; ++i) {
        post(g, 1 + i % others, i / others);
    }
    fresh_order(g, g->items, g->messages);
    for (uint32_t i = 0; i < g->messages; ++i) {
        arrive(g, 1 + g->items[i] % others, g->items[i] / others);
    }
}

/* ---- cholesky ---- */

static void cholesky_prepare(generator_t *g)
{
    choose_peers(g, 8);
    g->messages = (uint64_t) g->num_peers * 64 * g->burst;
}

static void cholesky_round(generator_t *g)
{
    /* Even numbers are receives, odd ones messages. */
    fresh_order(g, g->items, 2 * g->messages);
    for (uint32_t i = 0; i < 2 * g->messages; ++i) {
        uint32_t message = g->items[i] / 2;
        uint32_t peer = g->peers[message % g->num_peers];
        uint32_t tag = message / g->num_peers;

        if (0 == g->items[i] % 2) {
            post(g, peer, tag);
        } else {
            arrive(g, peer, tag);
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
        emit(g, MCA_MQ_BASE_POST, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG);
    }
}

static void master_worker_round(generator_t *g)
{
    uint32_t workers = g->ranks - 1;
    uint32_t early = g->burst < workers ? g->burst : workers;

    post_any(g, early);
    fresh_order(g, g->items, workers);
    for (uint32_t i = 0; i < workers; ++i) {
        arrive(g, 1 + g->items[i], replay_below(&g->random, 10));
    }
    post_any(g, workers - early);
    fresh_order(g, g->items, workers);
    for (uint32_t i = 0; i < workers; ++i) {
        post(g, 1 + g->items[i], 100);
    }
    fresh_order(g, g->items, workers);
    for (uint32_t i = 0; i < workers; ++i) {
        arrive(g, 1 + g->items[i], 100);
    }
}

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

/* One kind of operation for all, then the other for the same. */
static void paths_half(generator_t *g, mca_mq_base_operation_t first,
                       mca_mq_base_operation_t second)
{
    uint64_t random = g->random;
    mca_mq_envelope_t envelope;

    for (uint32_t i = 0; i < g->messages; ++i) {
        envelope = paths_envelope(g);
        replay_emit(g->sequence, 0, first, &envelope);
    }
    g->random = random; /* the same once more */
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

/* No queue grows longer. */
#define RANDOM_DEPTH 1024

static void random_prepare(generator_t *g)
{
    choose_peers(g, 32);
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
    bool by_message = MCA_MQ_BASE_ARRIVE == kind ||
                      MCA_MQ_BASE_MATCH_POSTED == kind ||
                      MCA_MQ_BASE_INSERT_UNEXPECTED == kind;
    mca_mq_envelope_t envelope =
        by_message ? random_message(g) : random_receive(g);

    replay_emit(g->sequence, 0, kind, &envelope);
}

static void random_round(generator_t *g)
{
    /* How often of a hundred. */
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

/* Those receives that come before the messages, or the others. */
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
        emit(g, MCA_MQ_BASE_POST, source, tag);
    }
}

/* A wildcard may take what another receive was meant for. */
static void mix_withdraw(generator_t *g, mca_mq_queue_t queue)
{
    const replay_model_queue_t *q = &g->sequence->domains[0].model.queue[queue];

    while (0 != q->length) {
        replay_emit_withdraw(g->sequence, 0, queue, q->all.first);
    }
}

/* Whatever message of a source comes next, let it be its first that is left. */
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
        arrive(g, 1 + g->items[i] % sources, g->items[i] / sources);
    }
    mix_post(g, true);
    mix_withdraw(g, MCA_MQ_POSTED);
    mix_withdraw(g, MCA_MQ_UNEXPECTED);
}

/* ---- all of them ---- */

static const pattern_t patterns[] = {
    {"fds", 50, 8, false, false, false, fds_prepare, fds_round},
    {"stencil", 50, 8, false, false, false, stencil_prepare, stencil_round},
    {"amg", 50, 8, false, false, false, amg_prepare, amg_round},
    {"alltoall", 50, 1, false, false, false, fds_prepare, alltoall_round},
    {"cholesky", 50, 8, false, false, false, cholesky_prepare, cholesky_round},
    {"master_worker", 50, 8, true, true, false, master_worker_prepare,
     master_worker_round},
    {"random", 50, 8, true, true, true, random_prepare, random_round},
    {"paths", 50, 8, false, false, true, paths_prepare, paths_round},
    {"mix", 50, 8, false, false, false, mix_prepare, mix_round},
};

#define NUM_PATTERNS (sizeof(patterns) / sizeof(patterns[0]))

void replay_pattern_names(FILE *file, const char *separator)
{
    for (size_t i = 0; i < NUM_PATTERNS; ++i) {
        fprintf(file, "%s%s", 0 == i ? "" : separator, patterns[i].name);
    }
}

static const pattern_t *find(const char *name)
{
    for (size_t i = 0; i < NUM_PATTERNS; ++i) {
        if (0 == strcmp(name, patterns[i].name)) {
            return &patterns[i];
        }
    }
    fprintf(stderr, "mq_replay: unknown pattern '%s'; there are: ", name);
    replay_pattern_names(stderr, ", ");
    fputc('\n', stderr);
    exit(REPLAY_EXIT_BAD);
}

static void pattern_rewind(replay_sequence_t *sequence)
{
    generator_t *g = sequence->state;

    g->random = g->wish->seed;
    g->round = 0;
    g->num_peers = 0;
    g->messages = 0;
    g->pattern->prepare(g);
}

static bool pattern_extend(replay_sequence_t *sequence)
{
    generator_t *g = sequence->state;

    if (g->round == g->wish->rounds) {
        return false;
    }
    if (0 == g->round++) {
        replay_domain_begin(sequence, 0);
    }
    g->pattern->round(g);
    return true;
}

void replay_pattern_open(replay_sequence_t *sequence, replay_wish_t *wish)
{
    const pattern_t *pattern = find(wish->pattern);
    generator_t *g = replay_realloc(NULL, 1, sizeof(*g));

    wish->rounds = 0 == wish->rounds ? pattern->rounds : wish->rounds;
    wish->burst = 0 == wish->burst ? pattern->burst : wish->burst;
    *g = (generator_t){
        .pattern = pattern,
        .wish = wish,
        .sequence = sequence,
        .ranks = wish->ranks,
        .burst = wish->burst,
    };
    replay_sequence_init(sequence);
    sequence->name = pattern->name;
    sequence->ranks = wish->ranks;
    sequence->has_any_source = pattern->any_source || 0 != wish->mix.any_source;
    sequence->has_any_tag = pattern->any_tag || 0 != wish->mix.any_tag;
    sequence->rewind = pattern_rewind;
    sequence->extend = pattern_extend;
    sequence->state = g;
    replay_domain_add(sequence,
                      pattern->many_contexts ? MCA_MQ_MANY_CONTEXTS : 0,
                      wish->ranks, 0);
    pattern_rewind(sequence);
    if (g->messages > REPLAY_MESSAGES_MAX) {
        replay_die("'%s' with --ranks %u and --burst %u is too much: at most "
                   "%u messages a round",
                   pattern->name, g->ranks, g->burst, REPLAY_MESSAGES_MAX);
    }
    g->items = replay_realloc(NULL, 2 * g->messages, sizeof(*g->items));
    g->others = replay_realloc(NULL, g->messages, sizeof(*g->others));
    sequence->length = 2 * g->messages * wish->rounds;
}

void replay_pattern_close(replay_sequence_t *sequence)
{
    generator_t *g = sequence->state;

    free(g->items);
    free(g->others);
    free(g);
    replay_sequence_fini(sequence);
}
