/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Levels and the selection of partners (Algorithm 1 of the paper). Not on the
 * path of an ordinary message.
 */

#include "ompi_config.h"

#include <math.h>
#include <stdlib.h>

#include "opal/constants.h"
#include "mq_partner_dynamic.h"

typedef mca_mq_partner_dynamic_module_t pd_module_t;
typedef mca_mq_partner_dynamic_side_t pd_side_t;
typedef mca_mq_partner_dynamic_level_t pd_level_t;
typedef mca_mq_partner_dynamic_partner_t pd_partner_t;

typedef mca_mq_base_census_t pd_census_t;
typedef mca_mq_base_census_peer_t pd_peer_t;

/* A partner without insertions in this many bursts is idle. */
#define IDLE_BURSTS 16
/* Partners per rank above which those without entries are dropped. */
#define PER_RANK 4

/* Make a level, not yet in the chain; NULL if out of memory. */
static pd_level_t *level_new(pd_side_t *side)
{
    pd_level_t *level = &side->own;

    if (side->own_is_used) {
        level = malloc(sizeof(*level));
    } else {
        side->own_is_used = true;
    }
    return level;
}

static void level_free(pd_side_t *side, pd_level_t *level)
{
    if (level == &side->own) {
        side->own_is_used = false;
    } else {
        free(level);
    }
}

/* Append a level to the chain as the newest. */
static void level_link(pd_side_t *side, pd_level_t *level)
{
    pd_level_t *older = side->newest;

    mca_mq_partner_dynamic_list_init(&level->list,
                                     NULL == older ? 1 : older->list.level + 1);
    level->older = older;
    level->newer = NULL;
    if (NULL == older) {
        side->oldest = level;
    } else {
        older->newer = level;
    }
    side->newest = level;
    ++side->levels;
}

void mca_mq_partner_dynamic_retire(pd_side_t *side, pd_level_t *level)
{
    /* The newest level never retires. */
    level->newer->older = level->older;
    if (NULL == level->older) {
        side->oldest = level->newer;
    } else {
        level->older->newer = level->newer;
    }
    --side->levels;
    level_free(side, level);
}

void mca_mq_partner_dynamic_side_init(pd_side_t *side, unsigned threshold,
                                      uint32_t size)
{
    side->crowded = size;
    side->oldest = NULL;
    side->newest = NULL;
    side->trigger = threshold;
    side->level_ups = 0;
    side->levels = 0;
    side->partners = 0;
    side->bursts = 0;
    side->swept = 0;
    side->filled = false;
    side->own_is_used = false;
    level_link(side, level_new(side));
}

void mca_mq_partner_dynamic_side_fini(pd_side_t *side)
{
    pd_level_t *level;

    while (NULL != (level = side->oldest)) {
        side->oldest = level->newer;
        level_free(side, level);
    }
}

static void census_fini(pd_census_t *census)
{
    free(census->peers);
}

/* Count the entries of each peer. Returns false if out of memory. */
static bool census_count(pd_census_t *census, const pd_level_t *level)
{
    opal_flat_hash_t seen;
    mca_mq_entry_t *entry;
    pd_peer_t *peer;
    uint64_t key;
    bool good = true;

    opal_flat_hash_init(&seen);
    for (entry = mca_mq_base_fifo_first(&level->list.fifo);
         good && NULL != entry;
         entry = mca_mq_base_fifo_next(entry, MCA_MQ_BASE_PLANE_A)) {
        key = mca_mq_partner_dynamic_key(&entry->envelope);
        peer = opal_flat_hash_get(&seen, key);
        if (NULL == peer) {
            peer = &census->peers[census->count++];
            peer->key = key;
            peer->elements = 0;
            good = OPAL_SUCCESS == opal_flat_hash_put(&seen, key, peer);
        }
        ++peer->elements;
        ++census->elements;
    }
    opal_flat_hash_fini(&seen);
    return good;
}

static bool census_take(pd_census_t *census, const pd_module_t *m,
                        const pd_level_t *level)
{
    census->count = 0;
    census->elements = 0;
    census->peers = malloc(level->list.length * sizeof(*census->peers));
    if (NULL == census->peers) {
        return false;
    }
    if (!census_count(census, level)) {
        census_fini(census);
        return false;
    }
    mca_mq_base_census_sort(census);
    census->population = census->count;
    if (MCA_MQ_PARTNER_DYNAMIC_IDLE_COUNT == m->params.idle_peers &&
        census->population < m->size) {
        census->population = m->size;
    }
    return true;
}

/* Drop the partners of a queue with empty lists and no insertions in the last
 * bursts. Their entries in older levels are found like those of
 * non-partners. */
static void forget_idle(pd_module_t *m, mca_mq_queue_t queue, uint32_t bursts)
{
    pd_partner_t **at = &m->partners, *partner;
    pd_side_t *side = &m->side[queue];

    while (NULL != (partner = *at)) {
        if (0 != partner->last[queue] && 0 == partner->list[queue].length &&
            side->bursts - partner->used[queue] >= bursts) {
            partner->last[queue] = 0;
            --side->partners;
        }
        if (0 == partner->last[MCA_MQ_POSTED] &&
            0 == partner->last[MCA_MQ_UNEXPECTED]) {
            *at = partner->next;
            (void) opal_flat_hash_remove(&m->hash, partner->key);
            free(partner);
        } else {
            at = &partner->next;
        }
    }
}

/* Number of further partners that the cap allows. */
static uint64_t room_under_cap(pd_module_t *m, mca_mq_queue_t queue)
{
    double cap = ceil(m->params.cap.value * sqrt((double) m->size));
    pd_side_t *side = &m->side[queue];

    /* No partner becomes idle within a burst. */
    if (side->partners >= (uint64_t) cap && side->swept != side->bursts) {
        side->swept = side->bursts;
        forget_idle(m, queue, IDLE_BURSTS);
    }
    return (uint64_t) cap - side->partners;
}

/* Number of peers, out of wanted, that may become partners. */
static uint64_t make_room(pd_module_t *m, mca_mq_queue_t queue, uint64_t wanted)
{
    pd_side_t *side = &m->side[queue];
    uint64_t room;

    if (m->params.cap.value > 0.0) {
        room = room_under_cap(m, queue);
        return wanted < room ? wanted : room;
    }
    if (side->partners + wanted > side->crowded) {
        forget_idle(m, queue, IDLE_BURSTS);
        if (side->partners + wanted > (uint64_t) PER_RANK * m->size) {
            forget_idle(m, queue, 0);
        }
        /* Next attempt when there are twice as many. */
        side->crowded = 2 * (side->partners + wanted);
        if (side->crowded < m->size) {
            side->crowded = m->size;
        }
    }
    return wanted;
}

/* Get a peer's record, made if necessary; NULL if out of memory. */
static pd_partner_t *partner_get(pd_module_t *m, uint64_t key)
{
    pd_partner_t *partner = opal_flat_hash_get(&m->hash, key);

    if (NULL != partner) {
        return partner;
    }
    partner = malloc(sizeof(*partner));
    if (NULL == partner) {
        return NULL;
    }
    if (OPAL_SUCCESS != opal_flat_hash_put(&m->hash, key, partner)) {
        free(partner);
        return NULL;
    }
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_partner_dynamic_list_init(&partner->list[queue], 0);
        partner->last[queue] = 0;
    }
    partner->key = key;
    partner->next = m->partners;
    m->partners = partner;
    return partner;
}

/* Make the first peers of the census partners; returns their number. */
static uint64_t make_partners(pd_module_t *m, mca_mq_queue_t queue,
                              const pd_census_t *census, uint64_t count)
{
    pd_side_t *side = &m->side[queue];
    pd_partner_t *partner;
    uint64_t made;

    for (made = 0; made < count; ++made) {
        partner = partner_get(m, census->peers[made].key);
        if (NULL == partner) {
            break;
        }
        partner->last[queue] = side->newest->list.level;
        partner->used[queue] = side->bursts;
        ++side->partners;
    }
    return made;
}

static bool select_partners(pd_module_t *m, mca_mq_queue_t queue)
{
    pd_level_t *level = m->side[queue].newest;
    pd_census_t census;
    uint64_t count;

    if (!census_take(&census, m, level)) {
        return false;
    }
    count = mca_mq_base_census_above(&census, &m->params.edge);
    if (count > 0) {
        count = make_room(m, queue, count);
        count = make_partners(m, queue, &census, count);
    }
    census_fini(&census);
    return count > 0;
}

void mca_mq_partner_dynamic_level_up(pd_module_t *m, mca_mq_queue_t queue)
{
    pd_side_t *side = &m->side[queue];
    pd_level_t *level = level_new(side);

    side->filled = true;
    if (NULL != level && select_partners(m, queue)) {
        level_link(side, level);
        ++side->level_ups;
        side->trigger = m->params.threshold;
        return;
    }
    if (NULL != level) {
        level_free(side, level);
    }
    side->trigger = 2 * side->newest->list.length;
}
