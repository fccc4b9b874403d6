/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hash: one hash table per queue, for programs that promised to do without
 * wildcards.
 *
 *     posted      table: (context, source, tag) -> oldest <-> ... <-> newest
 *     unexpected  table: (context, source, tag) -> oldest <-> ... <-> newest
 *     the rest    oldest -> ... -> newest            one list per queue
 *
 * Without MPI_ANY_SOURCE and MPI_ANY_TAG a receive and a message match if their
 * envelopes are equal. So the match is the head of one ring in one table,
 * whatever else is queued, and order matters only within a ring. It serves
 * domains whose user gave both assertions (info keys mpi_assert_no_any_source
 * and mpi_assert_no_any_tag, or parameter mq_base_assert) and declines others.
 * The PML refuses a receive that breaks the promise; and the base will not move
 * a domain here while a wildcard that was posted before is queued.
 *
 * Open MPI's own receives, with negative tags, may be from any source in spite
 * of that: linear barriers have such. They are in the list of the
 * rest while they are posted, and a search for one of them among the unexpected
 * messages reads the whole table.
 *
 *     search      O(1): one look-up, one envelope compared
 *     insertion   O(1): one look-up, no allocation but when the table grows,
 *                 which is done a few slots at a time
 *     removal     O(1)
 *     memory      none before the first entry; 32 to 64 bytes per key while
 *                 queues are long. Of an empty queue: at most 1 MiB after a
 *                 burst, so that the next one needs no memory, and at most
 *                 16 KiB when no other came for a while
 *
 * Wins over lists when queues are long and matched in another order than they
 * were queued. Loses a few nanoseconds against a list whose first entry matches
 * always, as the paper found too (its "burst" benchmark). indexed, to which the
 * same was promised, takes the same time in tables of thousands and less in
 * smaller ones.
 *
 * Source: Moraru, Roussel, Taboada, Jaillet, Perache, Krajecki, "Performance
 * improvements of parallel applications thanks to MPI-4.0 hints" (2022),
 * section III, Algorithm 1. What it leaves open, or leaves to the library
 * uthash, and what is done here:
 *
 * - The table: base/kit/table.h, open addressing at most half full, instead of
 *   chains of separately allocated nodes (`new_list` for each new key). Nothing
 *   is allocated per key: the ring is in the entries.
 * - The hash: a folded product of all 96 bits of the key instead of Jenkins'.
 * - Resizing: a few slots per operation, up and down, instead of all at once.
 * - The hints are given per communicator, or for the program with
 *   mq_base_assert; the paper gives them to a session. A hint that comes while
 *   entries are queued migrates the domain, one that goes moves it back.
 * - An entry for which there is no memory goes to the list of the rest, too,
 *   which is searched until it has drained; order numbers decide.
 */

#ifndef OMPI_MCA_MQ_HASH_H
#define OMPI_MCA_MQ_HASH_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/fifo.h"
#include "ompi/mca/mq/base/kit/table.h"

BEGIN_C_DECLS

/** One queue. */
typedef struct mca_mq_hash_queue_t {
    mca_mq_base_table_t table;
    /** Internal receives from any source; entries without memory. */
    mca_mq_base_fifo_t rest;
} mca_mq_hash_queue_t;

typedef struct mca_mq_hash_module_t {
    mca_mq_base_module_t super;
    mca_mq_hash_queue_t queue[MCA_MQ_QUEUES];
} mca_mq_hash_module_t;

OMPI_DECLSPEC extern const mca_mq_base_component_t mca_mq_hash_component;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_hash_create(const mca_mq_domain_info_t *info,
                       mca_mq_base_module_t **module);

END_C_DECLS

#endif /* OMPI_MCA_MQ_HASH_H */
