/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations of partner_dynamic. Most programs never fill the base level:
 * then there is one level and no partner, and the path is that of a list.
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_partner_dynamic.h"

typedef mca_mq_partner_dynamic_module_t pd_module_t;
typedef mca_mq_partner_dynamic_side_t pd_side_t;
typedef mca_mq_partner_dynamic_list_t pd_list_t;
typedef mca_mq_partner_dynamic_level_t pd_level_t;
typedef mca_mq_partner_dynamic_partner_t pd_partner_t;

#define PLANE MCA_MQ_BASE_PLANE_A

/* The partner that is the envelope's source, or NULL. */
static inline pd_partner_t *partner_dynamic_locate(
    pd_module_t *m, const mca_mq_envelope_t *envelope)
{
    if (OPAL_LIKELY(0 == m->hash.count) ||
        MCA_MQ_ANY_SOURCE == envelope->source) {
        return NULL;
    }
    return opal_flat_hash_get(&m->hash, mca_mq_partner_dynamic_key(envelope));
}

/* Is this a partner in this queue? */
static inline bool is_partner(const pd_partner_t *partner, mca_mq_queue_t queue)
{
    return NULL != partner && 0 != partner->last[queue];
}

static inline __attribute__((always_inline)) mca_mq_entry_t *find(
    const mca_mq_base_fifo_t *fifo, mca_mq_queue_t queue,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    return mca_mq_base_fifo_search(fifo, queue, envelope, MCA_MQ_BASE_ALL,
                                   traversed, PLANE);
}

/* Find the oldest match in the non-partner lists, up to a level, and in the
 * partner's list, which has the younger entries. */
static inline __attribute__((always_inline)) mca_mq_entry_t *find_in_chain(
    pd_side_t *side, mca_mq_queue_t queue, pd_partner_t *partner,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    bool has_list = is_partner(partner, queue);
    uint64_t last = has_list ? partner->last[queue] : UINT64_MAX;
    mca_mq_entry_t *entry;
    pd_level_t *level;

    for (level = side->oldest; NULL != level && level->list.level <= last;
         level = level->newer) {
        entry = find(&level->list.fifo, queue, envelope, traversed);
        if (NULL != entry) {
            return entry;
        }
    }
    return has_list
               ? find(&partner->list[queue].fifo, queue, envelope, traversed)
               : NULL;
}

/* Are all entries of a source that is not a partner in the newest level? The
 * path of programs with short queues. */
static inline bool is_one_list(const pd_module_t *m, mca_mq_queue_t queue,
                               const pd_partner_t *partner)
{
    return NULL == partner && m->side[queue].oldest == m->side[queue].newest;
}

static __attribute__((noinline)) mca_mq_entry_t *find_receive(
    pd_module_t *m, pd_partner_t *partner, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    mca_mq_entry_t *exact = find_in_chain(
        &m->side[MCA_MQ_POSTED], MCA_MQ_POSTED, partner, envelope, traversed);

    return mca_mq_base_fifo_older_match(&m->any.fifo, MCA_MQ_POSTED, envelope,
                                        exact, traversed, PLANE);
}

static inline mca_mq_entry_t *partner_dynamic_find_posted(
    pd_module_t *m, pd_partner_t *partner, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    if (OPAL_LIKELY(is_one_list(m, MCA_MQ_POSTED, partner) &&
                    mca_mq_base_fifo_is_empty(&m->any.fifo))) {
        return find(&m->side[MCA_MQ_POSTED].newest->list.fifo, MCA_MQ_POSTED,
                    envelope, traversed);
    }
    return find_receive(m, partner, envelope, traversed);
}

/* Find the oldest match in the partners' lists that is older than best. */
static mca_mq_entry_t *find_in_partners(pd_module_t *m,
                                        const mca_mq_envelope_t *envelope,
                                        mca_mq_entry_t *best,
                                        uint64_t *traversed)
{
    pd_partner_t *partner;

    for (partner = m->partners; NULL != partner; partner = partner->next) {
        best = mca_mq_base_fifo_older_match(
            &partner->list[MCA_MQ_UNEXPECTED].fifo, MCA_MQ_UNEXPECTED, envelope,
            best, traversed, PLANE);
    }
    return best;
}

static __attribute__((noinline)) mca_mq_entry_t *find_message(
    pd_module_t *m, pd_partner_t *partner, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    mca_mq_entry_t *entry;

    entry = find_in_chain(&m->side[MCA_MQ_UNEXPECTED], MCA_MQ_UNEXPECTED,
                          partner, envelope, traversed);
    return MCA_MQ_ANY_SOURCE == envelope->source
               ? find_in_partners(m, envelope, entry, traversed)
               : entry;
}

static inline mca_mq_entry_t *partner_dynamic_find_unexpected(
    pd_module_t *m, pd_partner_t *partner, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    if (OPAL_LIKELY(
            is_one_list(m, MCA_MQ_UNEXPECTED, partner) &&
            (NULL == m->partners || MCA_MQ_ANY_SOURCE != envelope->source))) {
        return find(&m->side[MCA_MQ_UNEXPECTED].newest->list.fifo,
                    MCA_MQ_UNEXPECTED, envelope, traversed);
    }
    return find_message(m, partner, envelope, traversed);
}

static inline void append(pd_list_t *list, mca_mq_entry_t *entry)
{
    mca_mq_base_fifo_append(&list->fifo, entry, PLANE);
    entry->link[2] = list;
    ++list->length;
}

static inline __attribute__((always_inline)) void add(pd_module_t *m,
                                                      mca_mq_queue_t queue,
                                                      pd_partner_t *partner,
                                                      mca_mq_entry_t *entry)
{
    pd_side_t *side = &m->side[queue];

    if (is_partner(partner, queue)) {
        partner->used[queue] = side->bursts;
        append(&partner->list[queue], entry);
        return;
    }
    append(&side->newest->list, entry);
    if (OPAL_UNLIKELY(side->newest->list.length >= side->trigger)) {
        mca_mq_partner_dynamic_level_up(m, queue);
    }
}

static inline void partner_dynamic_add_posted(pd_module_t *m,
                                              pd_partner_t *partner,
                                              mca_mq_entry_t *entry)
{
    if (MCA_MQ_ANY_SOURCE == entry->envelope.source) {
        append(&m->any, entry);
    } else {
        add(m, MCA_MQ_POSTED, partner, entry);
    }
}

static inline void partner_dynamic_add_unexpected(pd_module_t *m,
                                                  pd_partner_t *partner,
                                                  mca_mq_entry_t *entry)
{
    add(m, MCA_MQ_UNEXPECTED, partner, entry);
}

static inline void take_out(pd_module_t *m, mca_mq_queue_t queue,
                            mca_mq_entry_t *entry)
{
    pd_list_t *list = entry->link[2];
    pd_side_t *side = &m->side[queue];

    mca_mq_base_fifo_remove(&list->fifo, entry, PLANE);
    if (0 != --list->length) {
        return;
    }
    if (list == &side->newest->list) {
        side->trigger = m->params.threshold;
    } else if (0 != list->level) {
        mca_mq_partner_dynamic_retire(side, (pd_level_t *) list);
    }
    if (side->filled && 0 == side->newest->list.length) {
        side->filled = false;
        ++side->bursts;
    }
}

static inline void partner_dynamic_remove_posted(pd_module_t *m,
                                                 mca_mq_entry_t *entry)
{
    take_out(m, MCA_MQ_POSTED, entry);
}

static inline void partner_dynamic_remove_unexpected(pd_module_t *m,
                                                     mca_mq_entry_t *entry)
{
    take_out(m, MCA_MQ_UNEXPECTED, entry);
}

static void partner_dynamic_each(mca_mq_base_module_t *module,
                                 mca_mq_queue_t queue, mca_mq_visit_fn_t visit,
                                 void *arg)
{
    pd_module_t *m = (pd_module_t *) module;
    pd_partner_t *partner;
    pd_level_t *level;

    for (level = m->side[queue].oldest; NULL != level; level = level->newer) {
        mca_mq_base_fifo_each(&level->list.fifo, visit, arg, PLANE);
    }
    for (partner = m->partners; NULL != partner; partner = partner->next) {
        mca_mq_base_fifo_each(&partner->list[queue].fifo, visit, arg, PLANE);
    }
    if (MCA_MQ_POSTED == queue) {
        mca_mq_base_fifo_each(&m->any.fifo, visit, arg, PLANE);
    }
}

static size_t partner_dynamic_footprint(const mca_mq_base_module_t *module)
{
    const pd_module_t *m = (const pd_module_t *) module;
    size_t bytes = sizeof(*m) + opal_flat_hash_footprint(&m->hash) +
                   m->hash.count * sizeof(pd_partner_t);

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        bytes += (m->side[queue].levels - m->side[queue].own_is_used) *
                 sizeof(pd_level_t);
    }
    return bytes;
}

static void partner_dynamic_destroy(mca_mq_base_module_t *module)
{
    pd_module_t *m = (pd_module_t *) module;
    pd_partner_t *partner;

    while (NULL != (partner = m->partners)) {
        m->partners = partner->next;
        free(partner);
    }
    opal_flat_hash_fini(&m->hash);
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_partner_dynamic_side_fini(&m->side[queue]);
    }
    free(m);
}

#define MQ_NAME partner_dynamic
#define MQ_MODULE mca_mq_partner_dynamic_module_t
#define MQ_PLACE mca_mq_partner_dynamic_partner_t *
#include "ompi/mca/mq/base/kit/template.h"

int mca_mq_partner_dynamic_create(const mca_mq_domain_info_t *info,
                                  mca_mq_base_module_t **module)
{
    pd_module_t *m = malloc(sizeof(*m));

    *module = (mca_mq_base_module_t *) m;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->super, info->stats,
                              &mca_mq_partner_dynamic_component.super);
    opal_flat_hash_init(&m->hash);
    m->partners = NULL;
    mca_mq_partner_dynamic_list_init(&m->any, 0);
    m->params = mca_mq_partner_dynamic_params;
    m->size = info->size;
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_partner_dynamic_side_init(&m->side[queue], m->params.threshold,
                                         m->size);
    }
    return OMPI_SUCCESS;
}

void mca_mq_partner_dynamic_figures(const mca_mq_base_module_t *module,
                                    mca_mq_queue_t queue,
                                    mca_mq_partner_dynamic_figures_t *figures)
{
    const pd_side_t *side = &((const pd_module_t *) module)->side[queue];

    figures->level_ups = side->level_ups;
    figures->levels = side->levels;
    figures->partners = side->partners;
}
