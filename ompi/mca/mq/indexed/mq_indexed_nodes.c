/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>

#include "mq_indexed_nodes.h"

/* Node numbers are stored in `where` of an entry: 32 bits, 0 is none. */
#define CHUNKS_MAX (UINT32_MAX / MCA_MQ_INDEXED_CHUNK)

/* Double the directory; the chunks do not move. */
static bool grow_directory(mca_mq_indexed_nodes_t *nodes)
{
    uint32_t capacity = 0 == nodes->capacity ? 8 : 2 * nodes->capacity;
    mca_mq_indexed_chunk_t **chunk;

    if (capacity > CHUNKS_MAX) {
        return false;
    }
    chunk = calloc(capacity, sizeof(*chunk));
    if (NULL == chunk) {
        return false;
    }
    if (0 != nodes->capacity) {
        memcpy(chunk, nodes->chunk, nodes->capacity * sizeof(*chunk));
        free(nodes->chunk);
    }
    nodes->chunk = chunk;
    nodes->capacity = capacity;
    return true;
}

static void make_partial(mca_mq_indexed_nodes_t *nodes,
                         mca_mq_indexed_chunk_t *chunk)
{
    chunk->previous = NULL;
    chunk->next = nodes->partial;
    if (NULL != chunk->next) {
        chunk->next->previous = chunk;
    }
    nodes->partial = chunk;
}

static void no_longer_partial(mca_mq_indexed_nodes_t *nodes,
                              mca_mq_indexed_chunk_t *chunk)
{
    if (NULL == chunk->previous) {
        nodes->partial = chunk->next;
    } else {
        chunk->previous->next = chunk->next;
    }
    if (NULL != chunk->next) {
        chunk->next->previous = chunk->previous;
    }
}

/* A free entry of the directory is an odd number: twice the next free one,
 * counted from 1, plus 1. Chunks have even addresses. */
static bool is_chunk(const mca_mq_indexed_chunk_t *value)
{
    return 0 == ((uintptr_t) value & 1);
}

/* Get a number for a new chunk, from the chain of free ones or a new one. */
static uint32_t take_number(mca_mq_indexed_nodes_t *nodes)
{
    uint32_t number = nodes->vacant - 1;

    if (0 == nodes->vacant) {
        return nodes->used++;
    }
    nodes->vacant = (uint32_t) ((uintptr_t) nodes->chunk[number] >> 1);
    return number;
}

static void give_number_back(mca_mq_indexed_nodes_t *nodes, uint32_t number)
{
    nodes->chunk[number] =
        (mca_mq_indexed_chunk_t *) ((uintptr_t) nodes->vacant << 1 | 1);
    nodes->vacant = number + 1;
}

static bool add_chunk(mca_mq_indexed_nodes_t *nodes)
{
    mca_mq_indexed_chunk_t *chunk;

    if (nodes->chunks == nodes->capacity && !grow_directory(nodes)) {
        return false;
    }
    chunk = malloc(sizeof(*chunk));
    if (NULL == chunk) {
        return false;
    }
    chunk->number = take_number(nodes);
    chunk->live = 0;
    chunk->fresh = 0;
    chunk->free = 0;
    nodes->chunk[chunk->number] = chunk;
    ++nodes->chunks;
    make_partial(nodes, chunk);
    return true;
}

static void free_chunk(mca_mq_indexed_nodes_t *nodes,
                       mca_mq_indexed_chunk_t *chunk)
{
    no_longer_partial(nodes, chunk);
    give_number_back(nodes, chunk->number);
    --nodes->chunks;
    free(chunk);
}

/* While a node is free its first word is the next one's place in the chain. */
static uint32_t take(mca_mq_indexed_chunk_t *chunk)
{
    uint32_t at = chunk->free;

    ++chunk->live;
    if (0 == at) {
        return chunk->fresh++;
    }
    chunk->free = (uint32_t) (uintptr_t) chunk->node[at - 1].link[0][0];
    return at - 1;
}

uint32_t mca_mq_indexed_nodes_get(mca_mq_indexed_nodes_t *nodes)
{
    mca_mq_indexed_chunk_t *chunk;
    uint32_t at;

    if (NULL == nodes->partial && !add_chunk(nodes)) {
        return 0;
    }
    chunk = nodes->partial;
    at = take(chunk);
    if (MCA_MQ_INDEXED_CHUNK == chunk->live) {
        no_longer_partial(nodes, chunk);
    }
    ++nodes->live;
    memset(&chunk->node[at], 0, sizeof(chunk->node[at]));
    return chunk->number * MCA_MQ_INDEXED_CHUNK + at + 1;
}

void mca_mq_indexed_nodes_put(mca_mq_indexed_nodes_t *nodes, uint32_t number)
{
    uint32_t at = (number - 1) % MCA_MQ_INDEXED_CHUNK;
    mca_mq_indexed_chunk_t *chunk =
        nodes->chunk[(number - 1) / MCA_MQ_INDEXED_CHUNK];

    chunk->node[at].link[0][0] = (void *) (uintptr_t) chunk->free;
    chunk->free = at + 1;
    if (MCA_MQ_INDEXED_CHUNK == chunk->live--) {
        make_partial(nodes, chunk);
    }
    --nodes->live;
    if (0 == chunk->live && (nodes->partial != chunk || NULL != chunk->next)) {
        free_chunk(nodes, chunk);
    }
}

void mca_mq_indexed_nodes_fini(mca_mq_indexed_nodes_t *nodes)
{
    for (uint32_t i = 0; i < nodes->used; ++i) {
        if (is_chunk(nodes->chunk[i])) {
            free(nodes->chunk[i]);
        }
    }
    free(nodes->chunk);
    memset(nodes, 0, sizeof(*nodes));
}

size_t mca_mq_indexed_nodes_footprint(const mca_mq_indexed_nodes_t *nodes)
{
    return nodes->capacity * sizeof(*nodes->chunk) +
           nodes->chunks * sizeof(mca_mq_indexed_chunk_t);
}
