/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * adaptive: a list until searches become long, then another component.
 *
 *     list  --- mean traversals per search > threshold --->  bin
 *                                                            source_array
 *
 * A module of this component is a `list` that sums up the entries that its
 * searches traverse. When the sum within a window of searches exceeds threshold
 * * window, so that the mean of the window is above the threshold whatever
 * follows in it, the domain migrates to the target with all queued entries, at
 * the end of the operation. From then on the target serves, and nothing of this
 * component remains in its path. There is no way back.
 *
 *     search      that of list, and two additions and two comparisons; then
 *                 that of the target
 *     insertion   O(1)
 *     removal     O(1)
 *     switch      O(n log n) once, for n queued entries
 *     memory      that of list and four numbers; then that of the target
 *
 * Wins where it is not known whether queues will be long: programs with short
 * ones pay next to nothing for the accounting and allocate nothing; those with
 * long ones pay for the traversals until the switch, at most threshold * window
 * plus one search. Loses where the target loses to the list although searches
 * are long, above all with wildcards, and where one burst of long queues is
 * followed only by short ones. (indexed returns to a list whenever a queue
 * drains.)
 *
 * Source: Bayatpour, Subramoni, Chakraborty, Panda, "Adaptive and dynamic
 * design for MPI tag matching" (2016), as described by Ghazimirsaeed and Afsahi
 * (2017, 2018), too. Choices that they leave open:
 *
 * - The paper measures per process; here each domain (communicator) is observed
 *   and migrates separately, so that one with long queues does not burden the
 *   others.
 * - Searches of both queues count, and so do probes, as their traversals cost
 *   the same. A search of an empty queue is a search without traversals.
 * - The threshold: its value is not in the public texts. 4 by default. With
 *   receives matched in random order, bin was measured to be faster than list
 *   from a mean of about 1 on (4 receives posted) and three times as fast at a
 *   mean of 4 (16 posted); programs that match in order stay below 1, however
 *   many they post. The window is 1000 searches: fewer than 4000 traversals,
 *   some ten microseconds, are not worth a migration.
 * - The switch does not wait for the end of the window when the sum is above
 *   threshold * window already: in a queue of 100000 the first search is
 * enough.
 * - The target is bin, or source_array (the paper's rank-based design) if the
 *   user chooses it (mq_adaptive_target).
 * - If the target declines or is excluded, or there is no domain to migrate (a
 *   module made without one), it remains a list and does not try again. If
 *   memory was short, it tries again after twice as many searches.
 * - Only match, post and arrive switch, as the contract requires; a probe
 *   counts, and leaves the switch to the next of them.
 * - When the user changes the promises for the domain, its component is chosen
 *   again, and a preferred `adaptive` begins again as a list.
 */

#ifndef OMPI_MCA_MQ_ADAPTIVE_H
#define OMPI_MCA_MQ_ADAPTIVE_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/base.h"
#include "ompi/mca/mq/list/mq_list.h"

BEGIN_C_DECLS

/** The target. */
enum { MCA_MQ_ADAPTIVE_BIN = 1, MCA_MQ_ADAPTIVE_SOURCE_ARRAY };

/** The parameters mq_adaptive_*. */
typedef struct mca_mq_adaptive_params_t {
    unsigned threshold; /**< mean traversals per search, at least 1 */
    unsigned window;    /**< searches, at least 1 */
    int target;
} mca_mq_adaptive_params_t;

typedef struct mca_mq_adaptive_module_t {
    mca_mq_list_module_t list; /**< first */
    uint64_t traversed;        /**< entries traversed in this window */
    uint64_t searches;         /**< searches in this window */
    uint64_t limit;            /**< of traversed; UINT64_MAX: remain a list */
    uint64_t window;
    mca_mq_base_domain_t *domain; /**< the domain that is served, or NULL */
    const char *target;           /**< name of the component */
} mca_mq_adaptive_module_t;

OMPI_DECLSPEC extern const mca_mq_base_component_t mca_mq_adaptive_component;

/** Parameters of new modules. */
extern mca_mq_adaptive_params_t mca_mq_adaptive_params;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_adaptive_create(const mca_mq_domain_info_t *info,
                           mca_mq_base_module_t **module);

END_C_DECLS

#endif /* OMPI_MCA_MQ_ADAPTIVE_H */
