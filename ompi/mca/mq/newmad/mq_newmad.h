/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * newmad: four hash tables per queue, one for each kind of receive, as in
 * NewMadeleine. Constant time even with wildcards.
 *
 *     kind          key in the table          posted         unexpected
 *     exact         context, source, tag      in the one     in all four
 *     any tag       context, source, *        of its kind    in all four
 *     any source    context, *, tag                          in all four
 *     any           context, *, *                            in all four
 *
 * A posted receive is in the one table of its kind. An arriving message
 * searches those of the four that have receives, and takes the oldest of the
 * heads by order number. An unexpected message is in all four, so that a
 * receive of any kind searches only one table and takes the head there. (A
 * receive's envelope, including wildcards, is its key; a message's keys are its
 * envelope with none, either or both of source and tag replaced by the
 * wildcard.)
 *
 *     search      O(1): posted receive: one look-up; arriving message: one for
 *                 each kind of receive that is posted
 *     insertion   O(1): receive: one table; message: four
 *     removal     O(1): receive: one table; message: four
 *     memory      none before the first entry; 32 to 64 bytes per key and table
 *                 while queues are long, and 88 bytes per unexpected message;
 *                 given back when they have drained, but for at most 1 MiB per
 *                 table, and 16 KiB when no other burst came for a while
 *
 * Wins when queues are long and wildcards are used, above all receives from any
 * source that search many unexpected messages. Loses to hash and source_array
 * with many unexpected messages and no wildcards: then three of the four
 * insertions are useless.
 *
 * Source: Denis, "Scalability of the NewMadeleine communication library for
 * large numbers of MPI point-to-point requests" (2019); described by Moraru et
 * al. (2022), section II. Choices that they leave open:
 *
 * - The tables: base/kit/table.h, a ring of entries per key. The fourth
 *   structure is a single list in the paper; one domain may serve several
 *   contexts here, so it is a table with one key per context.
 * - An entry has four link words, but an unexpected message is in four rings.
 *   The first is in the entry, the other three in a node. Nodes are allocated
 *   and freed in slabs of 46, not one per message.
 * - Internal messages (negative tags) are not in the tables of the two kinds
 *   with any tag, which must not match them.
 * - Unexpected messages for which a node or a slot cannot be allocated, and
 *   receives without a slot, go to a list, which is searched, too, until it has
 *   drained.
 */

#ifndef OMPI_MCA_MQ_NEWMAD_H
#define OMPI_MCA_MQ_NEWMAD_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/fifo.h"
#include "ompi/mca/mq/base/kit/table.h"

BEGIN_C_DECLS

/** Kinds of receives: a set of two bits. */
enum {
    MCA_MQ_NEWMAD_ANY_SOURCE = 1,
    MCA_MQ_NEWMAD_ANY_TAG = 2,
    MCA_MQ_NEWMAD_KINDS = 4
};

/** An unexpected message's items in the tables with wildcards. */
typedef struct mca_mq_newmad_node_t {
    /** Item of kind + 1; that for exact receives is in the entry. */
    void *item[MCA_MQ_NEWMAD_KINDS - 1][MCA_MQ_BASE_TABLE_LINKS];
    /** The entry that uses the node, or the next free node. */
    union {
        mca_mq_entry_t *entry;
        struct mca_mq_newmad_node_t *next;
    } of;
    struct mca_mq_newmad_slab_t *slab;
} mca_mq_newmad_node_t;

#define MCA_MQ_NEWMAD_SLAB_NODES 46

/** Nodes that are allocated together. */
typedef struct mca_mq_newmad_slab_t {
    struct mca_mq_newmad_slab_t *next, *prev; /**< in the pool's ring */
    mca_mq_newmad_node_t *free;               /**< NULL: none */
    unsigned used;                            /**< nodes in use */
    mca_mq_newmad_node_t node[MCA_MQ_NEWMAD_SLAB_NODES];
} mca_mq_newmad_slab_t;

/** All zero: an empty pool. One slab is kept when all nodes are free. */
typedef struct mca_mq_newmad_pool_t {
    /** A ring of all slabs, those with free nodes first. */
    mca_mq_newmad_slab_t *first;
    size_t slabs; /**< number of slabs */
} mca_mq_newmad_pool_t;

/** One queue. */
typedef struct mca_mq_newmad_queue_t {
    mca_mq_base_table_t table[MCA_MQ_NEWMAD_KINDS];
    mca_mq_base_fifo_t rest; /**< entries for which there was no memory */
} mca_mq_newmad_queue_t;

typedef struct mca_mq_newmad_module_t {
    mca_mq_base_module_t super;
    mca_mq_newmad_queue_t queue[MCA_MQ_QUEUES];
    mca_mq_newmad_pool_t pool;
} mca_mq_newmad_module_t;

OMPI_DECLSPEC extern const mca_mq_base_component_t mca_mq_newmad_component;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_newmad_create(const mca_mq_domain_info_t *info,
                         mca_mq_base_module_t **module);

/** Allocate a node; NULL if out of memory. */
mca_mq_newmad_node_t *mca_mq_newmad_node_get(mca_mq_newmad_pool_t *pool);

/** Free a node. */
void mca_mq_newmad_node_put(mca_mq_newmad_pool_t *pool,
                            mca_mq_newmad_node_t *node);

/** Free all slabs, even if nodes are in use. */
void mca_mq_newmad_pool_fini(mca_mq_newmad_pool_t *pool);

END_C_DECLS

#endif /* OMPI_MCA_MQ_NEWMAD_H */
