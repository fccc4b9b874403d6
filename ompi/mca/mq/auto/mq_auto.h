/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * auto: `indexed`, until the queues are seen to be such that bins or a list
 * per source would take less time; then those, and back.
 *
 *                    look, now and then: length, entries per source and per
 *                     |                  envelope, wildcards
 *                     v
 *     tree ---> way that would save most, how many ns per operation
 *                     |
 *                     v   two windows agree, and it repays the move
 *      indexed <----> bin <----> lanes (source_array)
 *         ^            |           |
 *         +--- guard: searches compare too many entries
 *
 * A domain starts as `indexed`, and short queues and queues that are searched
 * in order stay there without so much as a counter: a look is taken when an
 * entry is hashed whose order number, which each entry has anyway, has come to
 * where the next look is due. It visits the queue (mq_base_look.h). LOOKS of
 * them, at random operations, make a window of about `interval` operations.
 * A regression tree, made beforehand from measurements (mq_auto_judge.h), says
 * what each way would save; the window votes for the way that saves most.
 *
 * What a look cannot see is in which order entries will be asked for, nor
 * receives with wildcards that are never queued. Where that matters to a way,
 * a guard counts what its searches compare, and gives the domain back to
 * `indexed` when that eats up what the way was expected to save, as soon as
 * LIMIT entries were compared. The way is not tried again for 16 windows then;
 * the next time for 256, and so on. Each move after the second needs twice as
 * many votes as the one before, so moves become rare however a program
 * alternates.
 *
 *     search, insertion   those of the way that serves; the guard adds two
 *                         additions and a comparison to bins and lanes
 *     look                O(entries), at most one entry per 16 operations
 *     memory              160 bytes and what serves: lanes have 32 bytes per
 *                         rank, and are not considered above `memory` KiB
 *
 * Wins where queues are long and many sources have few entries each, or there
 * are tens to hundreds of exact receives in any order. Loses against the best
 * component for the first two windows, and one window when a phase ends.
 *
 * Source: ours; the selection by features is that of Moraru et al., "Exploiting
 * MPI-4 hints..." (2022), section V, which chooses offline, and of the papers
 * on clusters and partners in the same place.
 */

#ifndef OMPI_MCA_MQ_AUTO_H
#define OMPI_MCA_MQ_AUTO_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/base.h"

#include "mq_auto_judge.h"

BEGIN_C_DECLS

/** Looks that make a window. */
#define MCA_MQ_AUTO_LOOKS 4

/** Entries that searches may compare from one check to the next. */
#define MCA_MQ_AUTO_LIMIT 4096

/** Entries that a search may compare in the mean: half of the searches find
 * what they look for at once, the others nothing; and one more for each of
 * these ns that the way is expected to save. That is somewhat more than it was
 * seen to take (about 6: sources shuffled, compared with sources in order). */
#define MCA_MQ_AUTO_COMPARED 0.5
#define MCA_MQ_AUTO_NS_COMPARED 7.0

/** Bins of a queue: as many as were measured. */
#define MCA_MQ_AUTO_BINS 256

/** Less than this, ns per operation, is not worth a change. */
#define MCA_MQ_AUTO_MARGIN 1.0

/** The parameters mq_auto_*. */
typedef struct mca_mq_auto_params_t {
    unsigned interval;   /**< operations of a window */
    unsigned memory;     /**< KiB, of the lanes of a domain */
    unsigned test_moves; /**< not 0: move at each look, whatever is seen */
} mca_mq_auto_params_t;

/** What is known of a domain; it outlives the modules that serve it. */
typedef struct mca_mq_auto_state_t {
    unsigned users;               /**< modules that have it */
    mca_mq_base_domain_t *domain; /**< NULL: a module made by hand */
    mca_mq_auto_way_t way;        /**< that serves, or is being made */
    mca_mq_auto_params_t params;
    uint64_t left; /**< operations until the next look */
    uint64_t random;
    mca_mq_base_look_t mean; /**< of this window */
    unsigned looks;          /**< in this window */
    double saves; /**< ns per operation that the way is expected to save */
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

OMPI_DECLSPEC extern const mca_mq_base_component_t mca_mq_auto_component;

/** What new modules are made with. */
extern mca_mq_auto_params_t mca_mq_auto_params;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_auto_create(const mca_mq_domain_info_t *info,
                       mca_mq_base_module_t **module);

/** Make a module of bins, or lanes, with a guard for this state. */
int mca_mq_auto_bin_create(const mca_mq_domain_info_t *info,
                           mca_mq_auto_state_t *state,
                           mca_mq_base_module_t **module);
int mca_mq_auto_lanes_create(const mca_mq_domain_info_t *info,
                             mca_mq_auto_state_t *state,
                             mca_mq_base_module_t **module);

/** Bytes of such lanes. */
size_t mca_mq_auto_lanes_bytes(uint32_t size);

/** The guard of a module, if it is one of these; else NULL. */
const mca_mq_auto_guard_t *mca_mq_auto_bin_guard(
    const mca_mq_base_module_t *module);
const mca_mq_auto_guard_t *mca_mq_auto_lanes_guard(
    const mca_mq_base_module_t *module);

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

#endif /* OMPI_MCA_MQ_AUTO_H */
