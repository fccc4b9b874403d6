/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The pool of nodes. A slab without nodes in use is freed, unless it is the
 * only one with free nodes: a queue that alternates between zero and one entry
 * must not allocate each time.
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "mq_newmad.h"

typedef mca_mq_newmad_pool_t pool_t;
typedef mca_mq_newmad_slab_t slab_t;
typedef mca_mq_newmad_node_t node_t;

static void ring_add_last(pool_t *pool, slab_t *slab)
{
    slab_t *first = pool->first;

    if (NULL == first) {
        slab->next = slab;
        slab->prev = slab;
        pool->first = slab;
        return;
    }
    slab->next = first;
    slab->prev = first->prev;
    slab->prev->next = slab;
    first->prev = slab;
}

static void ring_add_first(pool_t *pool, slab_t *slab)
{
    ring_add_last(pool, slab);
    pool->first = slab;
}

static void ring_remove(pool_t *pool, slab_t *slab)
{
    if (slab == pool->first) {
        pool->first = slab->next == slab ? NULL : slab->next;
    }
    slab->prev->next = slab->next;
    slab->next->prev = slab->prev;
}

static slab_t *slab_new(pool_t *pool)
{
    slab_t *slab = malloc(sizeof(*slab));

    if (NULL == slab) {
        return NULL;
    }
    slab->free = NULL;
    slab->used = 0;
    for (int i = MCA_MQ_NEWMAD_SLAB_NODES - 1; i >= 0; --i) {
        slab->node[i].slab = slab;
        slab->node[i].of.next = slab->free;
        slab->free = &slab->node[i];
    }
    ring_add_first(pool, slab);
    ++pool->slabs;
    return slab;
}

static void slab_delete(pool_t *pool, slab_t *slab)
{
    ring_remove(pool, slab);
    free(slab);
    --pool->slabs;
}

node_t *mca_mq_newmad_node_get(pool_t *pool)
{
    slab_t *slab = pool->first;
    node_t *node;

    if (OPAL_UNLIKELY(NULL == slab || NULL == slab->free)) {
        slab = slab_new(pool);
        if (NULL == slab) {
            return NULL;
        }
    }
    node = slab->free;
    slab->free = node->of.next;
    ++slab->used;
    if (NULL == slab->free) {
        /* Move the full slab to the end of the ring. */
        pool->first = slab->next;
    }
    return node;
}

/* Does a slab other than this one, which has some, have free nodes? */
static bool another_has_free(const pool_t *pool, const slab_t *slab)
{
    const slab_t *other = pool->first == slab ? slab->next : pool->first;

    return other != slab && NULL != other->free;
}

void mca_mq_newmad_node_put(pool_t *pool, node_t *node)
{
    slab_t *slab = node->slab;

    if (NULL == slab->free) {
        ring_remove(pool, slab);
        ring_add_first(pool, slab);
    }
    node->of.next = slab->free;
    slab->free = node;
    --slab->used;
    if (OPAL_UNLIKELY(0 == slab->used && another_has_free(pool, slab))) {
        slab_delete(pool, slab);
    }
}

void mca_mq_newmad_pool_fini(pool_t *pool)
{
    while (NULL != pool->first) {
        slab_delete(pool, pool->first);
    }
}
