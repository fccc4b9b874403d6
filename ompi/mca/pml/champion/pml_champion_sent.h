/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends that were complete when their call returned, as MPI sees them: a
 * request that says nothing but that it is complete, and, in case the program
 * cancels it, which message that was. Most sends of small messages get one, so
 * they are taken from a list and put back with a few instructions, and nothing
 * has to be filled in but the envelope, the number and the peer.
 *
 * At the end of the list is one that all sends share while there are no others.
 * Its message is not known; who cancels it is told that the send went through,
 * as MPI allows. The list grows where there is time for it: on the slow path,
 * up to SENTS_MAX, and once a send without one of its own was cancelled, which
 * shows that the program needs more.
 *
 * Threads. Elements are taken under the lock. With MPI_THREAD_MULTIPLE they are
 * not put back into the list, which would want the lock, too: they are marked,
 * and gathered when the list is empty.
 */

#ifndef OMPI_PML_CHAMPION_SENT_H
#define OMPI_PML_CHAMPION_SENT_H

#include <string.h>

#include "ompi/mca/pml/champion/pml_champion_peer.h"

#pragma GCC visibility push(hidden)

typedef struct mca_pml_champion_sent_t {
    ompi_request_t super;
    struct mca_pml_champion_sent_t *next; /**< in the list */
    uint64_t first;                       /**< 8 bytes of its header: where */
    mca_pml_champion_peer_t *peer;        /**< whom it was sent to */
    uint64_t second; /**< the next 8: tag, sequence. Not beside the first, or
                         the compiler packs both into a register at some cost */
    uint32_t state;  /**< bits, once it was cancelled; atomic */
    bool unused;     /**< marked as described above; atomic */
} mca_pml_champion_sent_t;

/** The list, and the element at its end, which has itself behind it. */
typedef struct mca_pml_champion_sents_t {
    mca_pml_champion_sent_t *first;
    mca_pml_champion_sent_t shared;
} mca_pml_champion_sents_t;

extern mca_pml_champion_sents_t mca_pml_champion_sents;

/** Make the shared element. cancel is what MPI_Cancel calls. */
void mca_pml_champion_sents_init(ompi_request_cancel_fn_t cancel);
void mca_pml_champion_sents_fini(void);

/** If the list is empty, fill it as far as that is possible. Lock held, or
 * there is one thread. */
void mca_pml_champion_sents_fill(void);

/** A send that shares its element was cancelled: have more from now on. Lock
 * held. */
void mca_pml_champion_sents_extend(void);

/** A message with a header like this is sent, and complete. Lock held. */
static inline mca_pml_champion_sent_t *mca_pml_champion_sent_take(
    mca_pml_champion_peer_t *peer, const mca_pml_champion_header_t *header,
    int tag, uint32_t sequence)
{
    mca_pml_champion_sent_t *sent = mca_pml_champion_sents.first;

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(&mca_pml_champion_sents.shared == sent)) {
        mca_pml_champion_sents_fill();
        sent = mca_pml_champion_sents.first;
    }
    mca_pml_champion_sents.first = sent->next;
    sent->peer = peer;
    memcpy(&sent->first, header, sizeof(sent->first));
    sent->second = (uint64_t) sequence << 32 | (uint32_t) tag;
    return sent;
}

/** Nobody uses it any more. */
void mca_pml_champion_sent_release(mca_pml_champion_sent_t *sent);

/* Cancelled ones, which look complete no more until the receiver has answered.
 */

/** From now on it is not complete. Lock held. False if it was cancelled before.
 */
bool mca_pml_champion_sent_reopen(mca_pml_champion_sent_t *sent);

/** It is complete: cancelled, or not. Without the lock. */
void mca_pml_champion_sent_complete(mca_pml_champion_sent_t *sent,
                                    bool cancelled);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_SENT_H */
