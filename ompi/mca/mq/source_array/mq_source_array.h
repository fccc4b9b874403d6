/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * source_array: a list per source, as in Open MPI's pml/ob1.
 *
 *     source         0        1        2    ...   size-1
 *     posted       list     list     list         list        exact source
 *     unexpected   list     list     list         list
 *
 *     any_posted   oldest -> ... -> newest     receives from any source
 *     all_unexpected   oldest -> ... -> newest     every message as well
 *
 * A message searches its source's list of receives, and any_posted up to the
 * order number found there; the smaller order number wins. A receive from one
 * source searches that source's list, and one from any source all_unexpected,
 * where the oldest match comes first.
 *
 *     search      O(entries of the source + receives from any source);
 *                 from any source: O(unexpected messages)
 *     insertion   O(1)
 *     removal     O(1)
 *     memory      32 bytes per rank and domain, however few of them send: 32
 *                 MiB for a communicator of a million ranks. They come zeroed
 *                 from the system and are touched per source only when used.
 *
 * Wins when many sources each have a few entries queued, whatever the order.
 * Wastes memory on large communicators with few partners, and loses where one
 * source has many entries, as its list is an ordinary list. In a domain of many
 * contexts, all contexts share the lists.
 *
 * Source: pml/ob1; "Open MPI message queue" in Ghazimirsaeed, Mirsadeghi,
 * Afsahi, "Communication-aware message matching in MPI" (2018). Differences:
 * ob1 finds a message for an any-source receive by searching every source's
 * list; here every unexpected message is also in a second list, in order of
 * arrival. That costs two more words written per unexpected message, but spares
 * any-source receives the O(size).
 */

#ifndef OMPI_MCA_MQ_SOURCE_ARRAY_H
#define OMPI_MCA_MQ_SOURCE_ARRAY_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/lanes.h"

BEGIN_C_DECLS

typedef struct mca_mq_source_array_module_t {
    mca_mq_base_module_t super;
    mca_mq_base_lanes_t lanes;   /**< one per rank */
    mca_mq_base_lane_t source[]; /**< the lanes */
} mca_mq_source_array_module_t;

OMPI_DECLSPEC extern const mca_mq_base_component_t
    mca_mq_source_array_component;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_source_array_create(const mca_mq_domain_info_t *info,
                               mca_mq_base_module_t **module);

END_C_DECLS

#endif /* OMPI_MCA_MQ_SOURCE_ARRAY_H */
