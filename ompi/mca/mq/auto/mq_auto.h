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
 * where the next look is due. It visits the queue (base/kit/look.h). LOOKS of
 * them, at random operations, make a window of about `interval` operations.
 * A regression tree, made beforehand from measurements (mq_auto_judge.h), says
 * what each way would save; the window votes for the way that saves most.
 *
 * What a look cannot see is in which order entries will be asked for, nor
 * receives with wildcards that are never queued. Where that matters to a way,
 * a guard counts what its searches compare, and gives the domain back to
 * `indexed` when that eats up what it was expected to be ahead, as soon as
 * LIMIT entries were compared. The way is not tried again for 16 windows then;
 * the next time for 256, and so on. Each move after the second needs twice as
 * many votes as the one before, so moves become rare however a program
 * alternates.
 *
 *     search, insertion   those of the way that serves; the guard adds two
 *                         additions and a comparison to bins and lanes
 *     look                O(entries), at most one entry per 8 operations
 *     memory              160 bytes and what serves: lanes have 32 bytes per
 *                         rank, and are not considered above `memory` KiB
 *
 * Wins where queues are long and many sources have few entries each, or there
 * are tens to hundreds of exact receives in any order. Loses against the best
 * component for the first two windows, and one window when a phase ends.
 *
 * Source: ours. To choose by features of the queues is the idea of Moraru,
 * Roussel, Taboada, Jaillet, Perache, Krajecki, "Performance improvements of
 * parallel applications thanks to MPI-4.0 Hints" (2022), section V, where a
 * model chooses between runs.
 */

#ifndef OMPI_MCA_MQ_AUTO_H
#define OMPI_MCA_MQ_AUTO_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/base.h"

#include "mq_auto_judge.h"

BEGIN_C_DECLS

/** Bins of a queue: as many as were measured. */
#define MCA_MQ_AUTO_BINS 256

/** The parameters mq_auto_*. */
typedef struct mca_mq_auto_params_t {
    unsigned interval;   /**< operations of a window */
    unsigned memory;     /**< KiB, of the lanes of a domain */
    unsigned test_moves; /**< not 0: move at each look, whatever is seen */
} mca_mq_auto_params_t;

OMPI_DECLSPEC extern const mca_mq_base_component_t mca_mq_auto_component;

/** What new modules are made with. */
extern mca_mq_auto_params_t mca_mq_auto_params;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_auto_create(const mca_mq_domain_info_t *info,
                       mca_mq_base_module_t **module);

END_C_DECLS

#endif /* OMPI_MCA_MQ_AUTO_H */
