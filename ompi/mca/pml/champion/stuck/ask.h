/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions between nodes. A process that is to report asks those of other nodes
 * for which it, or another one that it knows of, waits:
 *
 *     CARDS  what do the processes of your node show? Each comes in a CARD. If
 *            there is no answer, others of that host are asked
 *     SENT   how many messages have you sent to that process? A wait is said
 *            to never end only if all of them have come
 *     SAID   the report has been made: those who were asked, and those who have
 *            asked, need not make one
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
    MCA_PML_CHAMPION_STUCK_ASK_SENT,
    MCA_PML_CHAMPION_STUCK_ANSWER_CARD,
    MCA_PML_CHAMPION_STUCK_ANSWER_SENT,
    MCA_PML_CHAMPION_STUCK_SAID,
    MCA_PML_CHAMPION_STUCK_KINDS
};

/** A STUCK message. A process follows an ANSWER_CARD. */
typedef struct mca_pml_champion_stuck_message_t {
    uint32_t vpid; /**< the sender of this message */
    uint32_t what;
    uint32_t number; /**< of the question; returned in answers */
    uint32_t to;     /**< of SENT: the process to which; of SAID: the verdict */
    uint32_t sent;   /**< of an ANSWER_SENT: so many messages; wraps */
    uint32_t unused;
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
 *
 * @return all that are known, by vpid, to be freed by the caller; NULL: more
 *         answers are awaited, or there is no memory
 */
mca_pml_champion_stuck_process_t *mca_pml_champion_stuck_ask(
    const mca_pml_champion_stuck_process_t *here, size_t *count, uint64_t now,
    uint64_t least);

/** Tell the others that a report is made. Without the lock. */
void mca_pml_champion_stuck_tell(mca_pml_champion_stuck_verdict_t verdict);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STUCK_ASK_H */
