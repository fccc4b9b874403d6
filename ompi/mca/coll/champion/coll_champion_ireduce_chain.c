/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Reduce along a chain: each process receives a segment, reduces its own
 * data into it, and passes it on, while the next ones come.
 *
 *     place size - 1 ---> ... ---> 2 ---> 1 ---> 0, the root
 *
 * Each link carries the data once, in one direction; it takes as long as that,
 * and a segment more for each further process.
 *
 * Source: the pipeline of Pjesivac-Grbic et al., Performance analysis of MPI
 * collective operations (2007).
 */

#include "coll_champion_plan.h"

typedef mca_coll_champion_plan_t plan_t;

typedef struct chain_t {
    plan_t *plan;
    const char *mine; /* the root's equals all: in place */
    char *all;        /* the root's result */
    char *theirs;     /* segments on their way */
    int next, previous;
    bool is_root;
    const mca_coll_champion_cut_t *cut;
    mca_coll_champion_window_t segments;
} chain_t;

/* The first process of the chain has nothing to wait for. */
static void begin_segment(chain_t *chain, size_t segment)
{
    const mca_coll_champion_part_t part =
        mca_coll_champion_part(chain->cut, 0, segment);
    const uint32_t sent =
        mca_coll_champion_send(chain->plan, chain->next, (int) segment,
                               chain->mine + part.offset, part.bytes);

    mca_coll_champion_window_add(chain->plan, &chain->segments, sent, sent);
}

/* Receive what the processes before have of a segment, reduce it with mine, and
 * pass it on. */
static void pass_segment(chain_t *chain, size_t segment)
{
    const mca_coll_champion_part_t part =
        mca_coll_champion_part(chain->cut, 0, segment);
    const bool in_place = chain->mine == chain->all;
    char *at = NULL == chain->all ? NULL : chain->all + part.offset;
    const char *mine = chain->mine + part.offset;
    char *to =
        chain->is_root && !in_place
            ? at
            : chain->theirs + mca_coll_champion_window_place(&chain->segments) *
                                  chain->cut->segment;
    uint32_t received, last;

    received = mca_coll_champion_recv(chain->plan, chain->previous,
                                      (int) segment, to, part.bytes);
    last = chain->is_root && in_place
               ? mca_coll_champion_reduction(chain->plan, to, at, part.bytes)
               : mca_coll_champion_reduction(chain->plan, mine, to, part.bytes);
    mca_coll_champion_after(chain->plan, last, received);
    if (!chain->is_root) {
        const uint32_t reduced = last;

        last = mca_coll_champion_send(chain->plan, chain->next, (int) segment,
                                      to, part.bytes);
        mca_coll_champion_after(chain->plan, last, reduced);
    }
    mca_coll_champion_window_add(chain->plan, &chain->segments, received, last);
}

void mca_coll_champion_plan_chain(plan_t *plan, const void *mine, void *all,
                                  const mca_coll_champion_cut_t *cut, int rank,
                                  int root, int size)
{
    const int place = (rank - root + size) % size;
    chain_t chain = {
        .plan = plan,
        .mine = mine,
        .all = 0 == place ? all : NULL,
        .next = (rank + size - 1) % size,
        .previous = (rank + 1) % size,
        .is_root = 0 == place,
        .cut = cut,
        .segments = mca_coll_champion_window(MCA_COLL_CHAMPION_WINDOW_REDUCE),
    };

    if (place < size - 1 && (0 != place || mine == all)) {
        chain.theirs = mca_coll_champion_scratch(
            plan, cut->segment * MCA_COLL_CHAMPION_WINDOW_REDUCE);
    }
    if (plan->failed) {
        return;
    }
    for (size_t segment = 0; segment < cut->segments; ++segment) {
        if (size - 1 == place) {
            begin_segment(&chain, segment);
        } else {
            pass_segment(&chain, segment);
        }
    }
}
