/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Link words for entries in more FIFOs than they have words for.
 *
 * An entry has four link words: two for the FIFO of its exact envelope and two
 * for the list of all entries. An unexpected message that a wildcard search has
 * passed over is in up to three more FIFOs; their links are in a node, whose
 * number the entry stores in `where` (0: none).
 *
 *     where 259 ---> chunk 2, node 2: | any tag | any source | both |
 *
 * Nodes are allocated in chunks, found by number through a directory. A chunk
 * without nodes in use is freed, except one that is kept in reserve.
 */

#ifndef OMPI_MCA_MQ_INDEXED_NODES_H
#define OMPI_MCA_MQ_INDEXED_NODES_H

#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

/** Nodes per chunk. */
#define MCA_MQ_INDEXED_CHUNK 128

/** Links of one entry in the wildcard FIFOs of kind 1 to 3: next and previous.
 * Previous is NULL where the entry is in no FIFO of that kind. */
typedef struct mca_mq_indexed_node_t {
    void *link[3][2];
} mca_mq_indexed_node_t;

typedef struct mca_mq_indexed_chunk_t {
    struct mca_mq_indexed_chunk_t *next; /**< next chunk with a free node */
    struct mca_mq_indexed_chunk_t *previous;
    uint32_t number; /**< index in the directory */
    uint32_t live;   /**< nodes in use */
    uint32_t fresh;  /**< first node that was never used */
    uint32_t free;   /**< chain of free nodes, 1 is the first; 0: none */
    mca_mq_indexed_node_t node[MCA_MQ_INDEXED_CHUNK];
} mca_mq_indexed_chunk_t;

/** All zero: no node. */
typedef struct mca_mq_indexed_nodes_t {
    mca_mq_indexed_chunk_t **chunk;  /**< the directory, by number */
    uint32_t capacity;               /**< entries of the directory */
    uint32_t used;                   /**< numbers ever used */
    uint32_t vacant;                 /**< chain of free numbers; 0: none */
    mca_mq_indexed_chunk_t *partial; /**< list of chunks with free nodes */
    uint32_t chunks;
    size_t live; /**< nodes in use */
} mca_mq_indexed_nodes_t;

/** Allocate a zeroed node. Returns its number, 0 if out of memory. */
uint32_t mca_mq_indexed_nodes_get(mca_mq_indexed_nodes_t *nodes);

/** Free a node. */
void mca_mq_indexed_nodes_put(mca_mq_indexed_nodes_t *nodes, uint32_t number);

/** Free everything. */
void mca_mq_indexed_nodes_fini(mca_mq_indexed_nodes_t *nodes);

/** Bytes allocated. */
size_t mca_mq_indexed_nodes_footprint(const mca_mq_indexed_nodes_t *nodes);

/** The node with this number, which is in use. */
static inline mca_mq_indexed_node_t *mca_mq_indexed_node(
    const mca_mq_indexed_nodes_t *nodes, uint32_t number)
{
    --number;
    return &nodes->chunk[number / MCA_MQ_INDEXED_CHUNK]
                ->node[number % MCA_MQ_INDEXED_CHUNK];
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_INDEXED_NODES_H */
