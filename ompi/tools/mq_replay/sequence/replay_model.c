/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "sequence/replay_model.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/replay_util.h"

static const replay_list_t empty_list = {REPLAY_NONE, REPLAY_NONE};

/* The link of a slot that a list uses. */
static replay_link_t *link_of(const replay_pool_t *pool, uint32_t slot,
                              size_t which)
{
    return (replay_link_t *) ((char *) &pool->slots[slot] + which);
}

#define ALL offsetof(replay_slot_t, all)
#define CHAIN offsetof(replay_slot_t, chain)

static void append(replay_list_t *list, const replay_pool_t *pool,
                   uint32_t slot, size_t which)
{
    replay_link_t *link = link_of(pool, slot, which);

    link->next = REPLAY_NONE;
    link->previous = list->last;
    if (REPLAY_NONE == list->last) {
        list->first = slot;
    } else {
        link_of(pool, list->last, which)->next = slot;
    }
    list->last = slot;
}

static void take(replay_list_t *list, const replay_pool_t *pool, uint32_t slot,
                 size_t which)
{
    const replay_link_t *link = link_of(pool, slot, which);

    if (REPLAY_NONE == link->previous) {
        list->first = link->next;
    } else {
        link_of(pool, link->previous, which)->next = link->next;
    }
    if (REPLAY_NONE == link->next) {
        list->last = link->previous;
    } else {
        link_of(pool, link->next, which)->previous = link->previous;
    }
}

void replay_pool_init(replay_pool_t *pool)
{
    *pool = (replay_pool_t){.spare = REPLAY_NONE};
}

void replay_pool_fini(replay_pool_t *pool)
{
    free(pool->slots);
    replay_pool_init(pool);
}

void replay_pool_reset(replay_pool_t *pool)
{
    pool->used = 0;
    pool->spare = REPLAY_NONE;
    pool->clock = 0;
}

static uint32_t pool_take(replay_pool_t *pool)
{
    uint32_t slot = pool->spare;

    if (REPLAY_NONE != slot) {
        pool->spare = pool->slots[slot].all.next;
        return slot;
    }
    if (pool->used == pool->size) {
        if (REPLAY_SLOTS_MAX == pool->size) {
            replay_die("more than %u entries are queued", REPLAY_SLOTS_MAX);
        }
        pool->size = 0 == pool->size ? 1024 : 2 * pool->size;
        pool->slots =
            replay_realloc(pool->slots, pool->size, sizeof(*pool->slots));
    }
    return pool->used++;
}

static void pool_give(replay_pool_t *pool, uint32_t slot)
{
    pool->slots[slot].all.next = pool->spare;
    pool->spare = slot;
}

void replay_model_init(replay_model_t *model)
{
    memset(model, 0, sizeof(*model));
    for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
        model->queue[i].all = empty_list;
        model->queue[i].wild = empty_list;
    }
}

void replay_model_fini(replay_model_t *model, replay_pool_t *pool)
{
    for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
        while (0 != model->queue[i].length) {
            replay_model_remove(model, pool, i, model->queue[i].all.first);
        }
        free(model->queue[i].chains);
    }
    replay_model_init(model);
}

static bool is_wild(const mca_mq_envelope_t *envelope)
{
    return -1 == envelope->source || -1 == envelope->tag;
}

static bool matches(const mca_mq_envelope_t *receive,
                    const mca_mq_envelope_t *message)
{
    if (receive->context != message->context) {
        return false;
    }
    if (-1 != receive->source && receive->source != message->source) {
        return false;
    }
    return -1 == receive->tag ? message->tag >= 0
                              : receive->tag == message->tag;
}

static replay_list_t *chain_of(const replay_model_queue_t *q,
                               const mca_mq_envelope_t *envelope)
{
    uint64_t hash = envelope->context;

    hash = hash * UINT64_C(0x9e3779b97f4a7c15) + (uint32_t) envelope->source;
    hash = hash * UINT64_C(0x9e3779b97f4a7c15) + (uint32_t) envelope->tag;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return &q->chains[(hash >> 32) & (q->num_chains - 1)];
}

/* The list besides `all` to which an entry belongs. */
static replay_list_t *place_of(replay_model_queue_t *q,
                               const mca_mq_envelope_t *envelope)
{
    return is_wild(envelope) ? &q->wild : chain_of(q, envelope);
}

static void grow(replay_model_queue_t *q, const replay_pool_t *pool)
{
    q->num_chains = 0 == q->num_chains ? 64 : 2 * q->num_chains;
    q->chains = replay_realloc(q->chains, q->num_chains, sizeof(*q->chains));
    for (uint32_t i = 0; i < q->num_chains; ++i) {
        q->chains[i] = empty_list;
    }
    q->wild = empty_list;
    for (uint32_t slot = q->all.first; REPLAY_NONE != slot;
         slot = pool->slots[slot].all.next) {
        append(place_of(q, &pool->slots[slot].envelope), pool, slot, CHAIN);
    }
}

/* Find the first match in a list; receive says whether the list holds
 * receives. */
static uint32_t first_match(const replay_list_t *list,
                            const replay_pool_t *pool, size_t which,
                            mca_mq_queue_t queue,
                            const mca_mq_envelope_t *envelope)
{
    uint32_t slot = list->first;

    while (REPLAY_NONE != slot) {
        const mca_mq_envelope_t *queued = &pool->slots[slot].envelope;

        if (MCA_MQ_POSTED == queue ? matches(queued, envelope)
                                   : matches(envelope, queued)) {
            break;
        }
        slot = link_of(pool, slot, which)->next;
    }
    return slot;
}

uint32_t replay_model_find(const replay_model_t *model,
                           const replay_pool_t *pool, mca_mq_queue_t queue,
                           const mca_mq_envelope_t *envelope)
{
    const replay_model_queue_t *q = &model->queue[queue];
    uint32_t exact, wild;

    if (0 == q->length) {
        return REPLAY_NONE;
    }
    if (is_wild(envelope)) {
        return first_match(&q->all, pool, ALL, queue, envelope);
    }
    exact = first_match(chain_of(q, envelope), pool, CHAIN, queue, envelope);
    wild = first_match(&q->wild, pool, CHAIN, queue, envelope);
    if (REPLAY_NONE == exact || REPLAY_NONE == wild) {
        return REPLAY_NONE == exact ? wild : exact;
    }
    return pool->slots[exact].age < pool->slots[wild].age ? exact : wild;
}

uint32_t replay_model_insert(replay_model_t *model, replay_pool_t *pool,
                             mca_mq_queue_t queue,
                             const mca_mq_envelope_t *envelope)
{
    replay_model_queue_t *q = &model->queue[queue];
    uint32_t slot = pool_take(pool);

    if (q->length == q->num_chains) {
        grow(q, pool);
    }
    pool->slots[slot].envelope = *envelope;
    pool->slots[slot].age = pool->clock++;
    append(&q->all, pool, slot, ALL);
    append(place_of(q, envelope), pool, slot, CHAIN);
    ++q->length;
    return slot;
}

void replay_model_remove(replay_model_t *model, replay_pool_t *pool,
                         mca_mq_queue_t queue, uint32_t slot)
{
    replay_model_queue_t *q = &model->queue[queue];

    take(&q->all, pool, slot, ALL);
    take(place_of(q, &pool->slots[slot].envelope), pool, slot, CHAIN);
    --q->length;
    pool_give(pool, slot);
}

uint32_t replay_model_at(const replay_model_t *model, const replay_pool_t *pool,
                         mca_mq_queue_t queue, uint32_t place)
{
    uint32_t slot = model->queue[queue].all.first;

    while (0 != place--) {
        slot = pool->slots[slot].all.next;
    }
    return slot;
}
