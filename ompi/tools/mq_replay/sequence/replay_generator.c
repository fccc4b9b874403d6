/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "sequence/replay_generator.h"

void replay_fresh_order(replay_generator_t *g, uint32_t *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        items[i] = i;
    }
    replay_shuffle(&g->random, items, count);
}

void replay_choose_peers(replay_generator_t *g, uint32_t count)
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
