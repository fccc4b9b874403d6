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
 *     all_unexpected   oldest -> ... -> newest     every message, again
 *
 * A message looks into its source's list of receives and into any_posted; the
 * smaller order number wins, and any_posted is read no further than that. A
 * receive from one source looks into that source's list; one from any source
 * into all_unexpected, where the oldest match comes first.
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
 * Loses memory on large communicators with few partners, and time where one
 * source has many entries: its list is an ordinary list. In a domain of many
 * contexts the sources of all of them share the lists.
 *
 * Source: pml/ob1; "Open MPI message queue" in Ghazimirsaeed, Mirsadeghi,
 * Afsahi, "Communication-aware message matching in MPI" (2018). Left open
 * there, chosen here: ob1 finds a message for an any-source receive by looking
 * at every source's list; here every unexpected message is in a second list
 * too, in order of arrival. That costs two more words written per unexpected
 * message, and an any-source receive does not cost O(size).
 */

#ifndef OMPI_MCA_MQ_SOURCE_ARRAY_H
#define OMPI_MCA_MQ_SOURCE_ARRAY_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/lanes.h"

BEGIN_C_DECLS

typedef struct mca_mq_source_array_module_t {
    mca_mq_base_module_t super;
    mca_mq_base_lanes_t lanes;   /**< one per rank */
    mca_mq_base_lane_t source[]; /**< they */
} mca_mq_source_array_module_t;

OMPI_DECLSPEC extern const mca_mq_base_component_t
    mca_mq_source_array_component;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_source_array_create(const mca_mq_domain_info_t *info,
                               mca_mq_base_module_t **module);

END_C_DECLS

#endif /* OMPI_MCA_MQ_SOURCE_ARRAY_H */
