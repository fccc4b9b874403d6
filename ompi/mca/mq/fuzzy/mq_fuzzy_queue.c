/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The blocks of a queue.
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>

#include "mq_fuzzy.h"

typedef mca_mq_fuzzy_queue_t queue_t;
typedef mca_mq_fuzzy_block_t block_t;

static block_t *block_get(queue_t *queue)
{
    block_t *block = queue->spare;

    queue->spare = NULL;
    if (NULL == block) {
        block = aligned_alloc(_Alignof(block_t), sizeof(*block));
        if (NULL == block) {
            return NULL;
        }
        /* Unused places are compared, too, and then ignored. */
        memset(block, 0, sizeof(*block));
        ++queue->blocks;
    }
    block->live = 0;
    block->count = 0;
    block->used = 0;
    return block;
}

static void block_put(queue_t *queue, block_t *block)
{
    if (NULL == queue->spare) {
        queue->spare = block;
    } else {
        free(block);
        --queue->blocks;
    }
}

static void unlink_block(queue_t *queue, block_t *block)
{
    if (NULL == block->older) {
        queue->oldest = block->newer;
    } else {
        block->older->newer = block->newer;
    }
    if (NULL == block->newer) {
        queue->newest = block->older;
    } else {
        block->newer->older = block->older;
    }
}

/* Move entries to the end of a block, which may be their own. */
static void move_entries(block_t *from, uint64_t live, block_t *to)
{
    for (; 0 != live; live &= live - 1) {
        int i = __builtin_ctzll(live);

        mca_mq_fuzzy_put(to, (mca_mq_fuzzy_key_t){from->key[i], from->mask[i]},
                         from->entry[i]);
    }
}

/* Compact a block. */
static void compact(queue_t *queue, block_t *block)
{
    uint64_t live = block->live;

    block->live = 0;
    block->count = 0;
    block->used = 0;
    move_entries(block, live, block);
    ++queue->squeezed;
}

/* Merge two neighbours. */
static void merge(queue_t *queue, block_t *older, block_t *newer)
{
    compact(queue, older);
    move_entries(newer, newer->live, older);
    unlink_block(queue, newer);
    block_put(queue, newer);
    ++queue->joined;
}

static block_t *append_block(queue_t *queue)
{
    block_t *block = block_get(queue);

    if (NULL == block) {
        return NULL;
    }
    block->newer = NULL;
    block->older = queue->newest;
    if (NULL == queue->newest) {
        queue->oldest = block;
    } else {
        queue->newest->newer = block;
    }
    queue->newest = block;
    return block;
}

block_t *mca_mq_fuzzy_make_room(queue_t *queue)
{
    block_t *block = queue->newest;

    if (NULL != block && block->count <= MCA_MQ_FUZZY_BLOCK / 2) {
        compact(queue, block);
        return block;
    }
    return append_block(queue);
}

static bool can_merge(const block_t *one, const block_t *other)
{
    return NULL != other && one->count + other->count <= MCA_MQ_FUZZY_ENOUGH;
}

void mca_mq_fuzzy_tidy(queue_t *queue, block_t *block)
{
    if (0 == block->count) {
        block->used = 0;
        if (block != queue->newest || NULL != block->older) {
            unlink_block(queue, block);
            block_put(queue, block);
        }
    } else if (block->count > MCA_MQ_FUZZY_FEW) {
        return;
    } else if (can_merge(block, block->newer)) {
        merge(queue, block, block->newer);
    } else if (can_merge(block, block->older)) {
        merge(queue, block->older, block);
    }
}

void mca_mq_fuzzy_queue_fini(queue_t *queue)
{
    block_t *block;

    while (NULL != (block = queue->oldest)) {
        queue->oldest = block->newer;
        free(block);
    }
    free(queue->spare);
}
