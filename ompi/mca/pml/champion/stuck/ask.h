/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions between nodes. A process that is to report asks those of other nodes
 * for which it, or another one that it knows of, waits, unless it knows already of
 * one that keeps them waiting:
 *
 *     CARDS     what do the processes of your node show? Each comes in a CARD. If
 *               there is no answer, others of that host may be asked
 *     COUNTS    how many messages have you sent to that process, have come from it,
 *               and wait for a receive? A wait is said to never end only if all
 *               messages have come
 *
 * All are control messages. A process that computes does not answer; nobody waits
 * for that. Answers to old questions are dropped.
 */

#ifndef MCA_PML_CHAMPION_STUCK_ASK_H
#define MCA_PML_CHAMPION_STUCK_ASK_H

#include "ompi/mca/pml/champion/stuck/judge.h"

#pragma GCC visibility push(hidden)

/** What a STUCK message is. */
enum {
    MCA_PML_CHAMPION_STUCK_ASK_CARDS,
    MCA_PML_CHAMPION_STUCK_ASK_COUNTS,
    MCA_PML_CHAMPION_STUCK_CARD,
    MCA_PML_CHAMPION_STUCK_COUNTS,
    MCA_PML_CHAMPION_STUCK_KINDS
};

/** A STUCK message. A process follows a CARD. */
typedef struct mca_pml_champion_stuck_message_t {
    uint32_t vpid; /**< the sender of this message */
    uint32_t what;
    uint32_t number; /**< of the question; returned in answers */
    uint32_t with;   /**< of COUNTS: the process; of a CARD: the lowest vpid of
                          its node, by which that is known */
    uint32_t said; /**< of a CARD: the gravest verdict that the node has said */
    uint32_t sent, come, waiting; /**< of COUNTS; the first two wrap */
} mca_pml_champion_stuck_message_t;

/** Forget what others have answered. */
void mca_pml_champion_stuck_ask_anew(void);

/**
 * Ask on, for what is not known yet. Without the lock; it may connect to others.
 *
 * @param[in]     here   the processes of this node, by vpid
 * @param[in,out] count  how many; of those that are returned
 * @param[in]     now    by the monotonic clock, ms
 * @param[in]     least  for those that have waited so long others are asked, ms
 * @param[in]     assuming  also about those who may do more than wait, and for one
 *                          that does not answer others of its host
 *
 * @return all that are known, by vpid, to be freed by the caller; NULL: more
 *         answers are awaited, or there is no memory
 */
mca_pml_champion_stuck_process_t *mca_pml_champion_stuck_ask(
    const mca_pml_champion_stuck_process_t *here, size_t *count, uint64_t now,
    uint64_t least, bool assuming);

/** The gravest verdict that one of the nodes has said which were asked last. */
mca_pml_champion_stuck_verdict_t mca_pml_champion_stuck_others_said(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STUCK_ASK_H */
