/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "mq_auto_judge.h"

enum { LENGTH, LANE, SAME, WILD, FEATURES };

/* A node of the tree; a leaf if low is 0: the root is node 0, so it is no
 * node's child. */
typedef struct node_t {
    int feature;
    double limit; /* values up to this go to `low`, others to `high` */
    int low;
    int high;
    double saves[MCA_MQ_AUTO_WAYS];
} node_t;

static const node_t tree[] = {
#include "mq_auto_tree.inc"
};

void mca_mq_auto_judge(const mca_mq_base_look_t *look,
                       double saves[MCA_MQ_AUTO_WAYS])
{
    const double features[FEATURES] = {
        [LENGTH] = look->length,
        [LANE] = look->lane,
        [SAME] = look->same,
        [WILD] = look->wild,
    };
    const node_t *node = tree;

    while (0 != node->low) {
        node = &tree[features[node->feature] <= node->limit ? node->low
                                                            : node->high];
    }
    for (int way = 0; way < MCA_MQ_AUTO_WAYS; ++way) {
        saves[way] = node->saves[way];
    }
}
