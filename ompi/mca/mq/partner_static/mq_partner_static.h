/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * partner_static: separate lists for the sources that filled the queues in an
 * earlier run.
 *
 *     source --- perfect hash ---> key of a partner?
 *                                    | yes           | no
 *                                    v               v
 *                             partner's lane     lane 0, of all others
 *
 * The lanes, and receives from any source, are those of base/kit/lanes.h. The
 * partners are chosen when the domain is made, and do not change.
 *
 *     search      one look-up, which is two reads and a comparison; then
 *                 O(entries of the partner), or O(entries of non-partners), +
 *                 receives from any source; from any source: O(unexpected
 *                 messages)
 *     insertion   O(1)
 *     removal     O(1)
 *     memory      36 bytes per partner; 4 bytes for each row of the hash
 *                 function's matrix, of which there are sqrt(size) or twice
 *                 that, and for each column of the flat table, see
 *                 mq_partner_static_hash.h
 *     creation    O(p log p) for p peers in the profile, and the search for
 *                 the hash function
 *
 * Wins over a list where queues are long and the run is like the profiled one,
 * and unlike partner_dynamic from the first message on. Loses to indexed where
 * a single source has a long queue, and with many receives from any source.
 *
 * Source: Ghazimirsaeed, Mirsadeghi, Afsahi, "Communication-aware message
 * matching in MPI" (2018), sections 4.1 and 4.2, Algorithms 1 and 2. Choices
 * that it leaves open:
 *
 * - "The number of elements each process sends to the queue": a source is a
 *   partner if it lies above the edge point of the posted receives or above
 *   that of the unexpected messages. It then has a list in both queues, so that
 *   one look-up serves both.
 * - Edge point: see base/kit/census.h. All ranks of the communicator count,
 *   including those without entries (Num-of-QE 0..P).
 * - Key (Equation 1): every domain has its own table, so the key is the rank.
 *   In a domain of many contexts, sources of equal rank share a list.
 * - Receives from any source search a list of all messages (the paper: all
 *   partners' queues).
 */

#ifndef OMPI_MCA_MQ_PARTNER_STATIC_H
#define OMPI_MCA_MQ_PARTNER_STATIC_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/census.h"
#include "ompi/mca/mq/base/kit/lanes.h"
#include "ompi/mca/mq/base/record/profile.h"
#include "mq_partner_static_hash.h"

BEGIN_C_DECLS

/** The parameters mq_partner_static_*. */
typedef struct mca_mq_partner_static_params_t {
    mca_mq_base_edge_t edge;
    mca_mq_base_profile_slot_t slot;
} mca_mq_partner_static_params_t;

extern mca_mq_partner_static_params_t mca_mq_partner_static_params;

typedef struct mca_mq_partner_static_module_t {
    mca_mq_base_module_t super;
    mca_mq_base_lanes_t lanes; /**< lane 0 for non-partners, then one per
                                    partner */
    mca_mq_partner_static_hash_t hash;
} mca_mq_partner_static_module_t;

OMPI_DECLSPEC extern const mca_mq_base_component_t
    mca_mq_partner_static_component;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_partner_static_create(const mca_mq_domain_info_t *info,
                                 mca_mq_base_module_t **module);

/* mq_partner_static_select.c */

/**
 * Select the partners (Algorithm 1).
 *
 * @param[in] domain  of the profile; NULL if there is none
 * @param[in]  size     ranks of the communicator
 * @param[out] sources  partners in ascending order, to be freed by the caller
 * @param[out] count    how many
 *
 * @return OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE
 */
int mca_mq_partner_static_select(const mca_mq_base_profile_domain_t *domain,
                                 uint32_t size, const mca_mq_base_edge_t *edge,
                                 uint32_t **sources, uint32_t *count);

END_C_DECLS

#endif /* OMPI_MCA_MQ_PARTNER_STATIC_H */
