/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Advice from a profile: which component, with which parameters, would have
 * served the busiest process of a job best, and whether a change pays.
 *
 *     profile --> busiest domain: length, sources, entries of each, share of
 *                 receives from any source and of unexpected messages
 *             --> the pattern mix with these figures, in two orders
 *             --> every component on both
 *
 * A profile does not contain the order of messages, so the advice is based on
 * the mean of two: each source's messages in the order of their receives, and
 * shuffled.
 */

#ifndef MQ_REPLAY_ADVISE_H
#define MQ_REPLAY_ADVISE_H

#include "ompi/mca/mq/base/record/profile.h"
#include "sequence/replay_pattern.h"

/** Summary of a domain of a profile. */
typedef struct replay_advised_t {
    uint32_t rank;
    uint32_t context;
    uint32_t size;
    char component[32]; /**< empty: not known */
    mca_mq_base_profile_queue_t queue[MCA_MQ_QUEUES];
    uint64_t receives;
    uint64_t any_source, any_tag; /**< of them, these had a wildcard */
    uint32_t sources;             /**< peers that had entries */
    unsigned k;                   /**< number of their clusters, by the elbow */
} replay_advised_t;

/** Find the domain with the most searches. Ends the program if the file is not
 * a profile, or has no searches. */
void replay_advise_read(const char *path, replay_advised_t *advised);

/** Are the queues long enough for components to differ? Prints the summary, and
 * why not. */
bool replay_advise_is_long(const char *path, const replay_advised_t *advised);

/** Make a pattern that represents the domain. */
void replay_advise_wish(const replay_advised_t *advised, replay_order_t order,
                        replay_wish_t *wish);

/** Measure both sequences and print the advice. The framework must be open. */
void replay_advise(const replay_advised_t *advised,
                   replay_sequence_t *const sequences[2]);

#endif /* MQ_REPLAY_ADVISE_H */
