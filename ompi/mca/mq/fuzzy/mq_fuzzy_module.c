/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_fuzzy.h"

typedef mca_mq_fuzzy_module_t fuzzy_module_t;
typedef mca_mq_fuzzy_queue_t fuzzy_queue_t;
typedef mca_mq_fuzzy_block_t fuzzy_block_t;
typedef mca_mq_fuzzy_key_t fuzzy_key_t;

/* Plane, and `where`, of entries in the list of those without a block. */
#define PLANE MCA_MQ_BASE_PLANE_A
#define IN_REST UINT32_MAX

/* The fields of a key. */
#define INTERNAL UINT32_C(0x80000000)
#define TAG UINT32_C(0x7fff0000)
#define SOURCE UINT32_C(0x0000ffff)

/* A hash with good upper bits: two products, folded in between so that equal
 * distances between numbers are not preserved. */
static inline uint32_t spread(uint32_t number)
{
    number *= UINT32_C(0x9e3779b1);
    number ^= number >> 15;
    return number * UINT32_C(0x85ebca77);
}

static inline fuzzy_key_t fuzzy_locate(fuzzy_module_t *m,
                                       const mca_mq_envelope_t *envelope)
{
    uint32_t context = envelope->context * UINT32_C(0xc2b2ae3d);
    uint32_t source = spread((uint32_t) envelope->source ^ context);
    uint32_t tag = spread((uint32_t) envelope->tag ^ context);
    uint32_t internal = envelope->tag < MCA_MQ_ANY_TAG ? INTERNAL : 0;

    (void) m;
    return (fuzzy_key_t){
        .key = internal | (tag >> 1 & TAG) | source >> 16,
        .mask = UINT32_MAX ^
                (MCA_MQ_ANY_SOURCE == envelope->source ? SOURCE : 0) ^
                (MCA_MQ_ANY_TAG == envelope->tag ? TAG : 0),
    };
}

static inline mca_mq_entry_t *fuzzy_find_posted(
    fuzzy_module_t *m, fuzzy_key_t key, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    const fuzzy_queue_t *queue = &m->queue[MCA_MQ_POSTED];
    mca_mq_entry_t *found =
        m->width.find_receive(queue, key, envelope, traversed);

    if (OPAL_LIKELY(mca_mq_base_fifo_is_empty(&queue->rest))) {
        return found;
    }
    return mca_mq_base_fifo_older_match(&queue->rest, MCA_MQ_POSTED, envelope,
                                        found, traversed, PLANE);
}

static inline mca_mq_entry_t *fuzzy_find_unexpected(
    fuzzy_module_t *m, fuzzy_key_t key, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    const fuzzy_queue_t *queue = &m->queue[MCA_MQ_UNEXPECTED];
    mca_mq_entry_t *found =
        m->width.find_message(queue, key, envelope, traversed);

    if (OPAL_LIKELY(mca_mq_base_fifo_is_empty(&queue->rest))) {
        return found;
    }
    return mca_mq_base_fifo_older_match(&queue->rest, MCA_MQ_UNEXPECTED,
                                        envelope, found, traversed, PLANE);
}

static inline void add(fuzzy_queue_t *queue, fuzzy_key_t key,
                       mca_mq_entry_t *entry)
{
    fuzzy_block_t *block = queue->newest;

    if (OPAL_UNLIKELY(NULL == block || MCA_MQ_FUZZY_BLOCK == block->used)) {
        block = mca_mq_fuzzy_make_room(queue);
        if (NULL == block) {
            entry->where = IN_REST;
            mca_mq_base_fifo_append(&queue->rest, entry, PLANE);
            return;
        }
    }
    mca_mq_fuzzy_put(block, key, entry);
}

static inline void fuzzy_add_posted(fuzzy_module_t *m, fuzzy_key_t key,
                                    mca_mq_entry_t *entry)
{
    add(&m->queue[MCA_MQ_POSTED], key, entry);
}

static inline void fuzzy_add_unexpected(fuzzy_module_t *m, fuzzy_key_t key,
                                        mca_mq_entry_t *entry)
{
    add(&m->queue[MCA_MQ_UNEXPECTED], key, entry);
}

static inline void take_out(fuzzy_queue_t *queue, mca_mq_entry_t *entry)
{
    fuzzy_block_t *block = entry->link[0];

    if (OPAL_UNLIKELY(IN_REST == entry->where)) {
        mca_mq_base_fifo_remove(&queue->rest, entry, PLANE);
        return;
    }
    block->live &= ~(UINT64_C(1) << entry->where);
    --block->count;
    if (entry->where + 1 == block->used && 0 != block->live) {
        block->used = MCA_MQ_FUZZY_BLOCK - __builtin_clzll(block->live);
    }
    if (block->count <= MCA_MQ_FUZZY_FEW) {
        mca_mq_fuzzy_tidy(queue, block);
    }
}

static inline void fuzzy_remove_posted(fuzzy_module_t *m, mca_mq_entry_t *entry)
{
    take_out(&m->queue[MCA_MQ_POSTED], entry);
}

static inline void fuzzy_remove_unexpected(fuzzy_module_t *m,
                                           mca_mq_entry_t *entry)
{
    take_out(&m->queue[MCA_MQ_UNEXPECTED], entry);
}

static void fuzzy_each(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                       mca_mq_visit_fn_t visit, void *arg)
{
    const fuzzy_queue_t *q = &((fuzzy_module_t *) module)->queue[queue];
    const fuzzy_block_t *block;

    for (block = q->oldest; NULL != block; block = block->newer) {
        for (uint64_t live = block->live; 0 != live; live &= live - 1) {
            visit(block->entry[__builtin_ctzll(live)], arg);
        }
    }
    mca_mq_base_fifo_each(&q->rest, visit, arg, PLANE);
}

static size_t fuzzy_footprint(const mca_mq_base_module_t *module)
{
    const fuzzy_module_t *m = (const fuzzy_module_t *) module;

    return sizeof(*m) + (m->queue[MCA_MQ_POSTED].blocks +
                         m->queue[MCA_MQ_UNEXPECTED].blocks) *
                            sizeof(fuzzy_block_t);
}

static void fuzzy_destroy(mca_mq_base_module_t *module)
{
    fuzzy_module_t *m = (fuzzy_module_t *) module;

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_fuzzy_queue_fini(&m->queue[queue]);
    }
    free(m);
}

#define MQ_NAME fuzzy
#define MQ_MODULE mca_mq_fuzzy_module_t
#define MQ_PLACE mca_mq_fuzzy_key_t
#include "ompi/mca/mq/base/kit/template.h"

int mca_mq_fuzzy_create(const mca_mq_domain_info_t *info,
                        mca_mq_base_module_t **module)
{
    const mca_mq_fuzzy_width_t *width = mca_mq_fuzzy_search();
    fuzzy_module_t *m;

    *module = NULL;
    if (NULL == width) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    m = calloc(1, sizeof(*m));
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->super, info->stats, &mca_mq_fuzzy_component);
    m->width = *width;
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_base_fifo_init(&m->queue[queue].rest);
    }
    *module = &m->super;
    return OMPI_SUCCESS;
}
