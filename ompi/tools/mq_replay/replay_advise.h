/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Advice from a profile: which component, with which parameters, would have
 * served the busiest process of a job best, and whether that is worth it.
 *
 *     profile --> busiest domain: length, sources, entries of each, share of
 *                 receives from any source and of unexpected messages
 *             --> the pattern mix with the same figures, in two orders
 *             --> every component on both
 *
 * A profile does not have the order in which messages come, so the advice is
 * for the mean of two: each source's messages in the order of their receives,
 * and shuffled.
 */

#ifndef MQ_REPLAY_ADVISE_H
#define MQ_REPLAY_ADVISE_H

#include "replay_pattern.h"

/** A domain of a profile, with what all its figures say together. */
typedef struct replay_advised_t {
    uint32_t job; /**< ranks of it; 0: any */
    uint32_t rank;
    uint32_t context;
    uint32_t size;
    char component[64];
    uint64_t added[MCA_MQ_QUEUES];
    uint64_t searches[MCA_MQ_QUEUES];
    uint64_t length_max[MCA_MQ_QUEUES];
    uint64_t any;     /**< receives from any source that were queued */
    uint32_t sources; /**< peers that had entries */
    unsigned k;       /**< clusters of them, by the elbow */
} replay_advised_t;

/** The domain with the most searches of all. Ends the program if the file is
 * no profile, or has no searches. */
void replay_advise_read(const char *path, replay_advised_t *advised);

/** Can components differ there? Prints what the profile says, and why not. */
bool replay_advise_is_long(const char *path, const replay_advised_t *advised);

/** The pattern that stands for it. */
void replay_advise_wish(const replay_advised_t *advised, replay_order_t order,
                        replay_wish_t *wish);

/** Measure both sequences and print the advice. The framework is open. */
void replay_advise(const replay_advised_t *advised,
                   replay_sequence_t *const sequences[2]);

#endif /* MQ_REPLAY_ADVISE_H */
