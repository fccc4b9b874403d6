/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hash: one hash table per queue, for programs that promised not to use
 * wildcards.
 *
 *     posted      table: (context, source, tag) -> oldest <-> ... <-> newest
 *     unexpected  table: (context, source, tag) -> oldest <-> ... <-> newest
 *     the rest    oldest -> ... -> newest            one list per queue
 *
 * Without MPI_ANY_SOURCE and MPI_ANY_TAG, a receive and a message match if
 * their envelopes are equal. So the match is the head of one ring in one table,
 * whatever else is queued, and order matters only within a ring. This component
 * serves domains whose user gave both assertions (info keys
 * mpi_assert_no_any_source and mpi_assert_no_any_tag, or parameter
 * mq_base_assert), and declines others. The PML rejects receives that break the
 * promise, and the base does not migrate a domain here while an earlier receive
 * with a wildcard is queued.
 *
 * Open MPI's own receives, with negative tags, may nevertheless be from any
 * source, as in linear barriers. While posted, they are in the list of the
 * rest, and their search among the unexpected messages reads the whole table.
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
 * Wins over lists when queues are long and not matched in the order in which
 * they were queued. Loses a few nanoseconds to a list whose first entry always
 * matches, as in the paper (its "burst" benchmark). indexed, given these
 * promises, takes equal time in tables of thousands of entries, and less in
 * smaller ones.
 *
 * Source: Moraru, Roussel, Taboada, Jaillet, Perache, Krajecki, "Performance
 * improvements of parallel applications thanks to MPI-4.0 hints" (2022),
 * section III, Algorithm 1. Choices that it leaves open, or leaves to the
 * library uthash:
 *
 * - The table: base/kit/table.h, open addressing at most half full, instead of
 *   chains of separately allocated nodes (`new_list` for each new key). Nothing
 *   is allocated per key, as the ring is in the entries.
 * - The hash: a folded product of all 96 bits of the key instead of Jenkins'.
 * - Resizing: a few slots per operation, up and down, instead of all at once.
 * - Hints are given per communicator, or for the program with mq_base_assert;
 *   the paper gives them to a session. A hint that is set while entries are
 *   queued migrates the domain, and one that is removed migrates it back.
 * - An entry for which there is no memory also goes to the list of the rest,
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
    /** Internal receives from any source, and entries for which there was no
     * memory. */
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
