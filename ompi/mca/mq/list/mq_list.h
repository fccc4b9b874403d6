/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * list: one ordered list per queue, as in MPICH and MVAPICH.
 *
 *     posted:      oldest -> ... -> newest      all sources, all wildcards
 *     unexpected:  oldest -> ... -> newest      all sources
 *
 * The first entry that matches is the oldest one, so wildcards need no special
 * treatment. This is the baseline of the literature on matching, and the last
 * resort of the framework, into which it is built.
 *
 *     search      O(entries in the queue)
 *     insertion   O(1)
 *     removal     O(1)
 *     memory      O(1): the two heads
 *
 * Wins when queues are short, as in most well-written programs: an arrival at
 * an empty queue reads one pointer, and one that matches the first receive
 * writes two. Loses when hundreds of entries are queued, above all when they
 * are not matched in the order in which they were queued: each traversed entry
 * is likely a cache miss.
 *
 * Source: the queues of MPICH and MVAPICH, the "linked list" to which
 * Ghazimirsaeed, Mirsadeghi and Afsahi, "Communication-aware message matching
 * in MPI" (2018), and the papers it cites compare themselves.
 */

#ifndef OMPI_MCA_MQ_LIST_H
#define OMPI_MCA_MQ_LIST_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/fifo.h"

BEGIN_C_DECLS

typedef struct mca_mq_list_module_t {
    mca_mq_base_module_t super;
    mca_mq_base_fifo_t posted;
    mca_mq_base_fifo_t unexpected;
} mca_mq_list_module_t;

OMPI_DECLSPEC extern const mca_mq_base_component_t mca_mq_list_component;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_list_create(const mca_mq_domain_info_t *info,
                       mca_mq_base_module_t **module);

END_C_DECLS

#endif /* OMPI_MCA_MQ_LIST_H */
