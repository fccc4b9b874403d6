/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the processes of this node show on their cards, and what the kernel
 * knows of those that show nothing.
 */

#ifndef MCA_PML_CHAMPION_STUCK_NODE_H
#define MCA_PML_CHAMPION_STUCK_NODE_H

#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/stuck/judge.h"

#pragma GCC visibility push(hidden)

/** On the card: with times that mean something on this node. */
typedef struct mca_pml_champion_stuck_words_t {
    uint64_t began, beat; /**< ms, by the monotonic clock */
    uint64_t pids;        /**< the namespace of its number; 0: unknown */
    mca_pml_champion_stuck_state_t state;
} mca_pml_champion_stuck_words_t;
_Static_assert(sizeof(mca_pml_champion_stuck_words_t) <=
                   MCA_PML_CHAMPION_CARD_SAID,
               "it has room on a card");

/** This process's. Written with the lock held. */
extern mca_pml_champion_stuck_words_t mca_pml_champion_stuck_words;

/** The monotonic clock, ms. */
uint64_t mca_pml_champion_stuck_now(void);

/** Begin to show something. */
void mca_pml_champion_stuck_node_start(void);

/** All processes of the node, by vpid; this process alone if it has no board. The
 * caller frees them. NULL if there is no memory. */
mca_pml_champion_stuck_process_t *mca_pml_champion_stuck_node(uint64_t now,
                                                              size_t *count);

/** The gravest verdict that a process of the node has said. */
mca_pml_champion_stuck_verdict_t mca_pml_champion_stuck_said(void);

/** Is this process the first of its node to say so? */
bool mca_pml_champion_stuck_claim(mca_pml_champion_stuck_verdict_t verdict);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STUCK_NODE_H */
