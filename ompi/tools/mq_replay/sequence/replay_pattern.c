/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "sequence/replay_pattern.h"

#include <stdio.h>
#include <string.h>

#include "sequence/replay_generator.h"

typedef replay_generator_t generator_t;
typedef replay_pattern_t pattern_t;

static const pattern_t *const all[] = {replay_applications, replay_made_up};

#define NUM_LISTS (sizeof(all) / sizeof(all[0]))

void replay_pattern_names(FILE *file, const char *separator)
{
    const char *before = "";

    for (size_t i = 0; i < NUM_LISTS; ++i) {
        for (const pattern_t *at = all[i]; NULL != at->name; ++at) {
            fprintf(file, "%s%s", before, at->name);
            before = separator;
        }
    }
}

static const pattern_t *find(const char *name)
{
    for (size_t i = 0; i < NUM_LISTS; ++i) {
        for (const pattern_t *at = all[i]; NULL != at->name; ++at) {
            if (0 == strcmp(name, at->name)) {
                return at;
            }
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
