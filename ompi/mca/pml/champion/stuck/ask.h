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
 *     TELL   the job has been judged: the nodes that were asked, and those that have
 *            asked, leave it at that for a while
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
    MCA_PML_CHAMPION_STUCK_TELL,
    MCA_PML_CHAMPION_STUCK_KINDS
};

/** A STUCK message. A process follows an ANSWER_CARD. */
typedef struct mca_pml_champion_stuck_message_t {
    uint32_t vpid; /**< the sender of this message */
    uint32_t what;
    uint32_t number; /**< of the question; returned in answers */
    uint32_t to;     /**< of SENT: the process to which; of TELL: the verdict */
    uint32_t sent;   /**< of an ANSWER_SENT: so many messages; wraps; of a
                        TELL, not 0: a report has been made */
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
 * @param[in]     all    ask on even if a process with a lower vpid has waited for
 *                       as long: it asks, too
 *
 * @return all that are known, by vpid, to be freed by the caller; NULL: more
 *         answers are awaited, or there is no memory
 */
mca_pml_champion_stuck_process_t *mca_pml_champion_stuck_ask(
    const mca_pml_champion_stuck_process_t *here, size_t *count, uint64_t now,
    uint64_t least, bool all);

/** Tell the others, after that, how the job was judged, and whether a report is
 * made. Without the lock. */
void mca_pml_champion_stuck_tell(mca_pml_champion_stuck_verdict_t verdict,
                                 bool said);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STUCK_ASK_H */
