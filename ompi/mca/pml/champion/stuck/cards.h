/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the processes of this node show on their cards of the board, and what the
 * kernel knows of those that show nothing. Whoever has mapped the board may look:
 * a process of the job, and mq_who.
 */

#ifndef MCA_PML_CHAMPION_STUCK_CARDS_H
#define MCA_PML_CHAMPION_STUCK_CARDS_H

#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/stuck/judge.h"

#pragma GCC visibility push(hidden)

/** What a process has sent to another one, and what has come from it. */
typedef struct mca_pml_champion_stuck_pair_t {
    uint32_t vpid; /**< of the other one */
    uint32_t sent, come;
} mca_pml_champion_stuck_pair_t;

/** Processes that wait for one of which it counts the messages. */
enum { MCA_PML_CHAMPION_STUCK_PAIRS = 8 };

/** On the card: with times that mean something on this node. mq_who reads it: a
 * change of it, or of the state, is a new MCA_PML_CHAMPION_WIRE_VERSION. */
typedef struct mca_pml_champion_stuck_words_t {
    uint64_t began, beat; /**< ms, by the monotonic clock */
    uint64_t pids;        /**< the namespace of its number; 0: unknown */
    uint32_t size;        /**< of the job */
    uint32_t pairs;       /**< listed below */
    mca_pml_champion_stuck_pair_t pair[MCA_PML_CHAMPION_STUCK_PAIRS];
    mca_pml_champion_stuck_state_t state;
} mca_pml_champion_stuck_words_t;
_Static_assert(sizeof(mca_pml_champion_stuck_words_t) <=
                   MCA_PML_CHAMPION_CARD_SAID,
               "it has room on a card");

/** The monotonic clock, ms. */
uint64_t mca_pml_champion_stuck_now(void);

/** The PID namespace of this process; 0: unknown. */
uint64_t mca_pml_champion_stuck_pids(void);

/** What /proc/PID/stat tells behind the name: "S 1 ...", the state, the parent and
 * so on, which are fields 3, 4 ... of proc(5); NULL if it cannot be read. It is in
 * `line`, which has room for `size` bytes. */
const char *mca_pml_champion_stuck_stat(int32_t pid, char *line, size_t size);

/** A field of that, a small number, by its place in proc(5), from 4 on; -1: there
 * is none. */
int mca_pml_champion_stuck_stat_field(const char *stat, int number);

/** Are the numbers of a state within their bounds, and have its names an end? It
 * comes from another process. */
bool mca_pml_champion_stuck_is_sound(
    const mca_pml_champion_stuck_state_t *state);

/** What a process has said, if that is no older than a beat may be; else false,
 * and how long ago that was. */
bool mca_pml_champion_stuck_hear(const mca_pml_champion_stuck_words_t *words,
                                 uint64_t now,
                                 mca_pml_champion_stuck_process_t *process);

/** Compare what the process counts with what the other one has sent it, and what
 * has come there from it. */
void mca_pml_champion_stuck_compare(mca_pml_champion_stuck_item_t *item,
                                    uint32_t sent, uint32_t come);

/** All that have a place on the board, by vpid; for one in that PID namespace.
 * What they wait for is compared with what the others have counted. `node` and
 * `host` are 0. The caller frees them. NULL if there is no memory. */
mca_pml_champion_stuck_process_t *mca_pml_champion_stuck_cards(uint64_t now,
                                                               uint64_t pids,
                                                               size_t *count);

/** Those that were heard from just now may have ended since: they are known to be
 * gone then. */
void mca_pml_champion_stuck_bury(mca_pml_champion_stuck_process_t *process,
                                 size_t count, uint64_t pids);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STUCK_CARDS_H */
