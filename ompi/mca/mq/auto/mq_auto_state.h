/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of a domain, and the guard of what serves it. See mq_auto.h.
 */

#ifndef OMPI_MCA_MQ_AUTO_STATE_H
#define OMPI_MCA_MQ_AUTO_STATE_H

#include <stdbool.h>

#include "opal/prefetch.h"

#include "mq_auto.h"

BEGIN_C_DECLS

/** Looks that make a window. */
#define MCA_MQ_AUTO_LOOKS 4

/** Entries that searches may compare from one check to the next. */
#define MCA_MQ_AUTO_LIMIT 4096

/** Entries that a search may compare in the mean: half of the searches find
 * what they look for at once, the others nothing; and one more for each of
 * these ns that the way is expected to be ahead of all others. That is somewhat
 * more than it was seen to take (about 6: sources shuffled, compared with
 * sources in order). */
#define MCA_MQ_AUTO_COMPARED 0.5
#define MCA_MQ_AUTO_NS_COMPARED 7.0

/** Less than this, ns per operation, is not worth a change. */
#define MCA_MQ_AUTO_MARGIN 1.0

/** What is known of a domain; it outlives the modules that serve it. */
typedef struct mca_mq_auto_state_t {
    unsigned users;               /**< modules that have it */
    mca_mq_base_domain_t *domain; /**< NULL: a module made by hand */
    mca_mq_auto_way_t way;        /**< that serves, or is being made */
    mca_mq_auto_params_t params;
    bool lanes_fit; /**< into the memory that lanes may take */
    uint64_t left;  /**< operations until the next look */
    uint64_t order; /**< order number at the last look; 0: none since the way
                         has been indexed. The domain's clock may be another
                         one, when it is observed */
    uint64_t random;
    mca_mq_base_look_t mean; /**< of this window */
    unsigned looks;          /**< in this window */
    double saves; /**< ns per operation that the way is expected to take less
                         than any other */
    mca_mq_auto_way_t vote; /**< of the last window */
    unsigned votes;         /**< of as many windows */
    unsigned moves;
    unsigned failed[MCA_MQ_AUTO_WAYS];
    uint64_t barred[MCA_MQ_AUTO_WAYS]; /**< windows for which it is not tried */
} mca_mq_auto_state_t;

/** What searches compared since the last check. */
typedef struct mca_mq_auto_guard_t {
    uint64_t searches;
    uint64_t traversed;
    uint64_t limit; /**< of traversed, for the next check */
    mca_mq_auto_state_t *state;
} mca_mq_auto_guard_t;

/** When to look next: at a random operation, with so many entries queued. */
void mca_mq_auto_wait_for_next(mca_mq_auto_state_t *state, uint64_t length);

/** For the module of `indexed`: an entry of this order number was hashed. The
 * first time, only the clock is read. Returns when to look next; 0 if the
 * domain has another module now. */
uint64_t mca_mq_auto_look_at_indexed(void *state, uint64_t order);

/** Begin with a new module. */
void mca_mq_auto_guard_init(mca_mq_auto_guard_t *guard,
                            mca_mq_auto_state_t *state);

/** A module that has this state is gone. */
void mca_mq_auto_release(void *state);

/** At the end of an operation: enough was compared for a check. Afterwards the
 * module may be gone. */
void mca_mq_auto_check(mca_mq_auto_guard_t *guard);

/** A search ended. */
static inline void mca_mq_auto_searched(mca_mq_auto_guard_t *guard,
                                        uint64_t traversed)
{
    guard->traversed += traversed;
    ++guard->searches;
}

/** An operation ends that may give the domain away. */
static inline void mca_mq_auto_ended(mca_mq_auto_guard_t *guard)
{
    if (OPAL_UNLIKELY(guard->traversed > guard->limit)) {
        mca_mq_auto_check(guard);
    }
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_AUTO_STATE_H */
