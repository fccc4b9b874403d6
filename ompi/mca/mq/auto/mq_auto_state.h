/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * State of a domain, and the guard of the algorithm that serves it. See
 * mq_auto.h.
 */

#ifndef OMPI_MCA_MQ_AUTO_STATE_H
#define OMPI_MCA_MQ_AUTO_STATE_H

#include <stdbool.h>

#include "opal/prefetch.h"

#include "mq_auto.h"

BEGIN_C_DECLS

/** Looks per window. */
#define MCA_MQ_AUTO_LOOKS 4

/** Comparisons between two checks of the guard. */
#define MCA_MQ_AUTO_LIMIT 4096

/** Entries that a search may compare on average: half of the searches match at
 * once, the others find an empty queue; and one more for each NS_COMPARED of
 * the predicted advantage over all other algorithms. That is somewhat more than
 * the measured cost of a comparison (about 6 ns: sources shuffled, compared
 * with sources in order). */
#define MCA_MQ_AUTO_COMPARED 0.5
#define MCA_MQ_AUTO_NS_COMPARED 7.0

/** Smallest gain that is worth a change, ns per operation. */
#define MCA_MQ_AUTO_MARGIN 1.0

/** State of a domain; it outlives the modules that serve it. */
typedef struct mca_mq_auto_state_t {
    unsigned users;               /**< number of modules that use it */
    mca_mq_base_domain_t *domain; /**< NULL: a module made without a domain */
    mca_mq_auto_way_t way;        /**< present, or being made */
    mca_mq_auto_params_t params;
    bool lanes_fit; /**< whether lanes fit into the allowed memory */
    uint64_t left;  /**< operations until the next look */
    uint64_t order; /**< order number at the last look; 0: none since indexed
                         serves. Taken from entries, as an observed domain has
                         another counter */
    uint64_t random;
    mca_mq_base_look_t mean; /**< mean of this window */
    unsigned looks;          /**< looks in this window */
    double saves; /**< predicted advantage over all others, ns per operation */
    mca_mq_auto_way_t vote; /**< vote of the last window */
    unsigned votes;         /**< windows in a row with this vote */
    unsigned moves;
    unsigned failed[MCA_MQ_AUTO_WAYS];
    uint64_t barred[MCA_MQ_AUTO_WAYS]; /**< windows for which it is not tried
                                            again */
} mca_mq_auto_state_t;

/** Comparisons since the last check. */
typedef struct mca_mq_auto_guard_t {
    uint64_t searches;
    uint64_t traversed;
    uint64_t limit; /**< value of traversed at which to check */
    mca_mq_auto_state_t *state;
} mca_mq_auto_guard_t;

/** Schedule the next look, at a random operation; length is the number of
 * queued entries. */
void mca_mq_auto_wait_for_next(mca_mq_auto_state_t *state, uint64_t length);

/** Callback of `indexed`: an entry with this order number was hashed. The first
 * call only records that number. Returns the order number for the next look; 0
 * if the domain has a new module. */
uint64_t mca_mq_auto_look_at_indexed(void *state, uint64_t order);

/** Initialise the guard of a new module. */
void mca_mq_auto_guard_init(mca_mq_auto_guard_t *guard,
                            mca_mq_auto_state_t *state);

/** A module with this state was freed. */
void mca_mq_auto_release(void *state);

/** Check after enough comparisons, at the end of an operation. Afterwards the
 * module may be freed. */
void mca_mq_auto_check(mca_mq_auto_guard_t *guard);

/** Count a search. */
static inline void mca_mq_auto_searched(mca_mq_auto_guard_t *guard,
                                        uint64_t traversed)
{
    guard->traversed += traversed;
    ++guard->searches;
}

/** End of an operation that may migrate the domain. */
static inline void mca_mq_auto_ended(mca_mq_auto_guard_t *guard)
{
    if (OPAL_UNLIKELY(guard->traversed > guard->limit)) {
        mca_mq_auto_check(guard);
    }
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_AUTO_STATE_H */
