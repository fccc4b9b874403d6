/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests for sends that were complete when their call returned. Such a
 * request only has to be complete, and to identify its message in case the
 * program cancels it. Most small sends use one, so that taking it from a list
 * and returning it is a few instructions, and only envelope, sequence number
 * and peer are filled in.
 *
 * The last element of the list is shared by all sends while there is no other.
 * Its message is unknown; cancelling it has no effect, as MPI allows. The list
 * grows on slow paths, up to MAX elements, and further, up to LIMIT, after a
 * send with the shared element was cancelled: the program needs more.
 *
 * Threads. Elements are taken under the lock. With MPI_THREAD_MULTIPLE they are
 * returned without the lock: they are marked, and collected when the list is
 * empty.
 */

#ifndef MCA_PML_CHAMPION_MATCH_COMPLETED_SEND_H
#define MCA_PML_CHAMPION_MATCH_COMPLETED_SEND_H

#include <string.h>

#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

typedef struct mca_pml_champion_completed_send_t {
    ompi_request_t super;
    struct mca_pml_champion_completed_send_t *next; /**< next in the list */
    uint64_t first;                /**< first 8 bytes of its header: context,
                                        source */
    mca_pml_champion_peer_t *peer; /**< its receiver */
    uint64_t second; /**< next 8 bytes: tag, sequence. Not adjacent to first,
                          or the compiler packs both into a register at some
                          cost */
    uint32_t state;  /**< bits, after a cancel; atomic */
    bool unused;     /**< marked as free, see above; atomic */
} mca_pml_champion_completed_send_t;

/** The list. The shared element is at its end and points to itself. */
typedef struct mca_pml_champion_completed_sends_t {
    mca_pml_champion_completed_send_t *first;
    mca_pml_champion_completed_send_t shared;
} mca_pml_champion_completed_sends_t;

extern mca_pml_champion_completed_sends_t mca_pml_champion_completed_sends;

/** Initialize the shared element. cancel is called by MPI_Cancel. */
void mca_pml_champion_completed_sends_init(ompi_request_cancel_fn_t cancel);
void mca_pml_champion_completed_sends_fini(void);

/** Refill the list if it is empty. Lock held, or single-threaded. */
void mca_pml_champion_completed_sends_fill(void);

/** A send with the shared element was cancelled: allow more elements. Lock
 * held. */
void mca_pml_champion_completed_sends_extend(void);

/** Take an element for a complete send with this header. Lock held. */
static inline mca_pml_champion_completed_send_t *
mca_pml_champion_completed_send_take(mca_pml_champion_peer_t *peer,
                                     const mca_pml_champion_header_t *header,
                                     int tag, uint32_t sequence)
{
    mca_pml_champion_completed_send_t *sent =
        mca_pml_champion_completed_sends.first;

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(&mca_pml_champion_completed_sends.shared == sent)) {
        mca_pml_champion_completed_sends_fill();
        sent = mca_pml_champion_completed_sends.first;
    }
    mca_pml_champion_completed_sends.first = sent->next;
    sent->peer = peer;
    memcpy(&sent->first, header, sizeof(sent->first));
    sent->second = (uint64_t) sequence << 32 | (uint32_t) tag;
    return sent;
}

/** Return an element that is no longer used. */
void mca_pml_champion_completed_send_release(
    mca_pml_champion_completed_send_t *sent);

/* Cancelled sends, which are incomplete until the receiver has answered. */

/** Make a cancelled send incomplete. False if it was cancelled before. Lock
 * held. */
bool mca_pml_champion_completed_send_reopen(
    mca_pml_champion_completed_send_t *sent);

/** Complete a cancelled send, with the answer. Without the lock. */
void mca_pml_champion_completed_send_complete(
    mca_pml_champion_completed_send_t *sent, bool cancelled);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_COMPLETED_SEND_H */
