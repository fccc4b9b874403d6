/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This process among those of its node: what it shows on its card, what it
 * knows of the others.
 */

#ifndef MCA_PML_CHAMPION_STUCK_NODE_H
#define MCA_PML_CHAMPION_STUCK_NODE_H

#include "ompi/mca/pml/champion/stuck/cards.h"

#pragma GCC visibility push(hidden)

/** This process's. Written with the lock held. */
extern mca_pml_champion_stuck_words_t mca_pml_champion_stuck_words;

/** Begin to note something; is it to be shown? */
void mca_pml_champion_stuck_node_start(bool shows);
/** This process has a card now: show it, if it is to be shown. */
void mca_pml_champion_stuck_node_show(void);

/** What this process has sent to that one of its job, and what has come. Lock
 * held. */
void mca_pml_champion_stuck_count_with(uint32_t vpid, uint32_t *sent,
                                       uint32_t *come);

/** Count the messages with those of the node that wait for this process. Lock
 * held. */
void mca_pml_champion_stuck_count_pairs(void);

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
