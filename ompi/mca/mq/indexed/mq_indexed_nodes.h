/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Link words for entries that are in more FIFOs than they have words for.
 *
 * An entry has four link words: two for the FIFO of its exact envelope and
 * two for the list of all. An unexpected message that a wildcard search has
 * passed over is in up to three more FIFOs; their links are in a node, whose
 * number the entry keeps in `where` (0: it has none).
 *
 *     where 259 ---> chunk 2, node 2: | any tag | any source | both |
 *
 * Nodes come in chunks, found by number through a directory. A chunk whose
 * last node is given back is freed, but for one that is kept for the next.
 */

#ifndef OMPI_MCA_MQ_INDEXED_NODES_H
#define OMPI_MCA_MQ_INDEXED_NODES_H

#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

/** Nodes of a chunk. */
#define MCA_MQ_INDEXED_CHUNK 128

/** Links of one entry in the wildcard FIFOs of kind 1 to 3: next and previous.
 * Previous is NULL where the entry is in no FIFO of that kind. */
typedef struct mca_mq_indexed_node_t {
    void *link[3][2];
} mca_mq_indexed_node_t;

typedef struct mca_mq_indexed_chunk_t {
    struct mca_mq_indexed_chunk_t *next; /**< that has a free node */
    struct mca_mq_indexed_chunk_t *previous;
    uint32_t number; /**< in the directory */
    uint32_t live;   /**< nodes in use */
    uint32_t fresh;  /**< nodes from here on were never used */
    uint32_t free;   /**< chain of free nodes, 1 is the first; 0: none */
    mca_mq_indexed_node_t node[MCA_MQ_INDEXED_CHUNK];
} mca_mq_indexed_chunk_t;

/** All zero: no node. */
typedef struct mca_mq_indexed_nodes_t {
    mca_mq_indexed_chunk_t **chunk;  /**< the directory, by number */
    uint32_t capacity;               /**< of the directory */
    uint32_t used;                   /**< numbers ever used */
    uint32_t vacant;                 /**< chain of free ones; 0: none */
    mca_mq_indexed_chunk_t *partial; /**< those with free nodes */
    uint32_t chunks;
    size_t live; /**< nodes in use */
} mca_mq_indexed_nodes_t;

/** Get a node, zeroed. Returns its number, 0 if memory ran out. */
uint32_t mca_mq_indexed_nodes_get(mca_mq_indexed_nodes_t *nodes);

/** Give a node back. */
void mca_mq_indexed_nodes_put(mca_mq_indexed_nodes_t *nodes, uint32_t number);

/** Free everything. */
void mca_mq_indexed_nodes_fini(mca_mq_indexed_nodes_t *nodes);

/** Bytes allocated. */
size_t mca_mq_indexed_nodes_footprint(const mca_mq_indexed_nodes_t *nodes);

/** The node of a number that is in use. */
static inline mca_mq_indexed_node_t *mca_mq_indexed_node(
    const mca_mq_indexed_nodes_t *nodes, uint32_t number)
{
    --number;
    return &nodes->chunk[number / MCA_MQ_INDEXED_CHUNK]
                ->node[number % MCA_MQ_INDEXED_CHUNK];
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_INDEXED_NODES_H */
