/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * auto: begins with `indexed`, and changes to bins or to a list per source, and
 * back, when the queues are such that these take less time.
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
 * A domain starts with `indexed`. Short queues, and queues that are searched in
 * order, stay there at no cost, not even a counter: a look is taken when an
 * entry is hashed whose order number, which each entry has anyway, has reached
 * that of the next look. It visits the queue (base/kit/look.h). LOOKS of them,
 * at random operations, make a window of about `interval` operations. A
 * regression tree, trained on measurements (mq_auto_judge.h), predicts what
 * each algorithm would save; the window votes for the one that saves most.
 *
 * A look cannot see the order in which entries will be matched, nor receives
 * with wildcards that are never queued. Algorithms for which that matters have
 * a guard: it counts the comparisons of searches, and after LIMIT of them
 * returns the domain to `indexed` if they cost more than the predicted
 * advantage. Then the algorithm is not tried again for 16 windows; the next
 * time for 256, and so on. Each move after the second needs twice as many votes
 * as the previous one, so moves become rare even if a program alternates.
 *
 *     search, insertion   those of the algorithm; the guard adds two
 *                         additions and a comparison to bins and lanes
 *     look                O(entries), at most one entry per 8 operations
 *     memory              160 bytes and that of the algorithm: lanes take 32
 *                         bytes per rank, and are not considered above
 *                         `memory` KiB
 *
 * Wins where queues are long and many sources have few entries each, or with
 * tens to hundreds of exact receives in any order. Loses to the best component
 * during the first two windows, and for one window when a phase ends.
 *
 * Source: our own design. Choosing by features of the queues is an idea of
 * Moraru, Roussel, Taboada, Jaillet, Perache, Krajecki, "Performance
 * improvements of parallel applications thanks to MPI-4.0 Hints" (2022),
 * section V, where a model chooses between runs.
 */

#ifndef OMPI_MCA_MQ_AUTO_H
#define OMPI_MCA_MQ_AUTO_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/base.h"

#include "mq_auto_judge.h"

BEGIN_C_DECLS

/** Bins of a queue, as in the measurements. */
#define MCA_MQ_AUTO_BINS 256

/** The parameters mq_auto_*. */
typedef struct mca_mq_auto_params_t {
    unsigned interval;   /**< operations of a window */
    unsigned memory;     /**< limit for the lanes of a domain, KiB */
    unsigned test_moves; /**< not 0: move at each look, for tests */
} mca_mq_auto_params_t;

OMPI_DECLSPEC extern const mca_mq_base_component_t mca_mq_auto_component;

/** Parameters of new modules. */
extern mca_mq_auto_params_t mca_mq_auto_params;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_auto_create(const mca_mq_domain_info_t *info,
                       mca_mq_base_module_t **module);

END_C_DECLS

#endif /* OMPI_MCA_MQ_AUTO_H */
