/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations while one or both queues are hashed. The place of an envelope
 * is its hash.
 */

#include "ompi_config.h"

#include "mq_indexed.h"

static inline uint64_t large_locate(mca_mq_indexed_module_t *m,
                                    const mca_mq_envelope_t *envelope)
{
    return mca_mq_indexed_hash(&m->seed, envelope);
}

/* The slot of the oldest matching receive with a wildcard, if that is older
 * than the one in slot best. */
static mca_mq_indexed_slot_t *older_wildcard(mca_mq_indexed_module_t *m,
                                             mca_mq_indexed_slot_t *best,
                                             const mca_mq_envelope_t *envelope,
                                             uint64_t *traversed)
{
    mca_mq_indexed_side_t *side = &m->posted;
    mca_mq_indexed_slot_t *slot;
    mca_mq_envelope_t key;

    for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
        if (0 == side->of_class[kind] ||
            (envelope->tag < 0 && (kind & MCA_MQ_INDEXED_ANY_TAG))) {
            continue;
        }
        key = mca_mq_indexed_key(envelope, kind);
        slot = mca_mq_indexed_slot(&side->table, large_locate(m, &key), &key,
                                   MCA_MQ_INDEXED_EXACT, traversed);
        if (NULL != slot->head &&
            (NULL == best->head || slot->head->order < best->head->order)) {
            best = slot;
        }
    }
    return best;
}

/* Entries for which the table had no place may be older still. */
static mca_mq_entry_t *older_receive(const mca_mq_indexed_side_t *side,
                                     mca_mq_entry_t *best,
                                     const mca_mq_envelope_t *envelope,
                                     uint64_t *traversed)
{
    return mca_mq_base_fifo_older_match(&side->list, MCA_MQ_POSTED, envelope,
                                        best, traversed, MCA_MQ_INDEXED_LIST);
}

static mca_mq_entry_t *older_message(const mca_mq_indexed_side_t *side,
                                     mca_mq_entry_t *best,
                                     const mca_mq_envelope_t *envelope,
                                     uint64_t *traversed)
{
    return mca_mq_base_fifo_older_match(&side->list, MCA_MQ_UNEXPECTED,
                                        envelope, best, traversed,
                                        MCA_MQ_INDEXED_LIST);
}

/* Search the queue that is a list while the other one is hashed. */
static __attribute__((noinline)) mca_mq_entry_t *list_find_receive(
    mca_mq_indexed_module_t *m, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    mca_mq_entry_t *entry =
        mca_mq_indexed_list_find_receive(&m->posted, envelope, traversed);

    mca_mq_indexed_searched(m, MCA_MQ_POSTED, *traversed);
    return entry;
}

static __attribute__((noinline)) mca_mq_entry_t *list_find_message(
    mca_mq_indexed_module_t *m, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    mca_mq_entry_t *entry =
        mca_mq_indexed_list_find_unexpected(m, envelope, traversed);

    mca_mq_indexed_searched(m, MCA_MQ_UNEXPECTED, *traversed);
    return entry;
}

static inline mca_mq_entry_t *large_find_posted(
    mca_mq_indexed_module_t *m, uint64_t hash,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    mca_mq_indexed_side_t *side = &m->posted;
    mca_mq_indexed_slot_t *slot;

    if (!side->hashed) {
        return mca_mq_base_fifo_is_empty(&side->list)
                   ? NULL
                   : list_find_receive(m, envelope, traversed);
    }
    slot = mca_mq_indexed_slot(&side->table, hash, envelope,
                               MCA_MQ_INDEXED_EXACT, traversed);
    if (OPAL_UNLIKELY(0 != side->wildcards)) {
        slot = older_wildcard(m, slot, envelope, traversed);
    }
    side->table.hint = slot;
    if (OPAL_UNLIKELY(0 != side->unhashed)) {
        return older_receive(side, slot->head, envelope, traversed);
    }
    return slot->head;
}

static inline mca_mq_entry_t *large_find_unexpected(
    mca_mq_indexed_module_t *m, uint64_t hash,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    mca_mq_indexed_side_t *side = &m->unexpected;
    mca_mq_entry_t *entry;

    if (!side->hashed) {
        return 0 == m->slots.live ? NULL
                                  : list_find_message(m, envelope, traversed);
    }
    if (MCA_MQ_INDEXED_EXACT != mca_mq_indexed_class(envelope)) {
        if (NULL == m->wild &&
            mca_mq_indexed_length(m, side) <= MCA_MQ_INDEXED_READ) {
            return mca_mq_indexed_list_find_message(side, envelope, traversed);
        }
        return mca_mq_indexed_wild_find(m, hash, envelope, traversed);
    }
    entry = mca_mq_indexed_find(&side->table, hash, envelope,
                                MCA_MQ_INDEXED_EXACT, traversed);
    if (OPAL_UNLIKELY(0 != side->unhashed)) {
        return older_message(side, entry, envelope, traversed);
    }
    return entry;
}

/* An entry was hashed. */
static inline void watch(mca_mq_indexed_module_t *m,
                         const mca_mq_entry_t *entry)
{
    if (OPAL_UNLIKELY(entry->order >= m->look_at)) {
        mca_mq_indexed_look_due(m, entry->order);
    }
}

static inline void large_add_posted(mca_mq_indexed_module_t *m, uint64_t hash,
                                    mca_mq_entry_t *entry)
{
    mca_mq_indexed_side_t *side = &m->posted;

    if (!side->hashed) {
        mca_mq_indexed_list_add(m, side, entry);
        return;
    }
    --side->room;
    if (OPAL_UNLIKELY(!mca_mq_indexed_hash_entry(side, entry, hash))) {
        mca_mq_base_fifo_append(&side->list, entry, MCA_MQ_INDEXED_LIST);
    }
    watch(m, entry);
}

static inline void large_add_unexpected(mca_mq_indexed_module_t *m,
                                        uint64_t hash, mca_mq_entry_t *entry)
{
    mca_mq_indexed_side_t *side = &m->unexpected;

    if (!side->hashed) {
        mca_mq_indexed_slots_add(m, entry);
        return;
    }
    --side->room;
    mca_mq_indexed_hash_entry(side, entry, hash);
    if (mca_mq_indexed_is_listed(m, entry)) {
        mca_mq_base_fifo_append(&side->list, entry, MCA_MQ_INDEXED_LIST);
        if (OPAL_UNLIKELY(NULL != m->wild)) {
            mca_mq_indexed_wild_insert(m, entry);
        }
    }
    watch(m, entry);
}

static inline void uncount_wildcard(mca_mq_indexed_side_t *side,
                                    const mca_mq_entry_t *entry)
{
    int kind = mca_mq_indexed_class(&entry->envelope);

    if (MCA_MQ_INDEXED_EXACT != kind) {
        --side->wildcards;
        --side->of_class[kind];
    }
}

/* Account for a removal from a hashed queue. */
static inline void shorter(mca_mq_indexed_module_t *m,
                           mca_mq_indexed_side_t *side)
{
    if (OPAL_UNLIKELY(++side->room >= m->relax_at)) {
        mca_mq_indexed_relax(m, side);
    }
}

static inline void large_remove_posted(mca_mq_indexed_module_t *m,
                                       mca_mq_entry_t *entry)
{
    mca_mq_indexed_side_t *side = &m->posted;

    if (!side->hashed) {
        mca_mq_indexed_list_remove(side, entry);
        return;
    }
    if (OPAL_UNLIKELY(NULL == entry->link[1])) {
        --side->unhashed;
        mca_mq_base_fifo_remove(&side->list, entry, MCA_MQ_INDEXED_LIST);
    } else {
        mca_mq_indexed_take(&side->table, &m->seed, entry, NULL,
                            MCA_MQ_INDEXED_EXACT);
        uncount_wildcard(side, entry);
    }
    shorter(m, side);
}

static inline void large_remove_unexpected(mca_mq_indexed_module_t *m,
                                           mca_mq_entry_t *entry)
{
    mca_mq_indexed_side_t *side = &m->unexpected;

    if (!side->hashed) {
        mca_mq_indexed_slots_remove(m, entry);
        return;
    }
    if (mca_mq_indexed_is_listed(m, entry)) {
        if (OPAL_UNLIKELY(NULL != m->wild)) {
            mca_mq_indexed_wild_remove(m, entry);
        }
        mca_mq_base_fifo_remove(&side->list, entry, MCA_MQ_INDEXED_LIST);
    }
    if (OPAL_UNLIKELY(NULL == entry->link[1])) {
        --side->unhashed;
    } else {
        mca_mq_indexed_take(&side->table, &m->seed, entry, NULL,
                            MCA_MQ_INDEXED_EXACT);
    }
    shorter(m, side);
}

#define large_each mca_mq_indexed_each
#define large_footprint mca_mq_indexed_footprint
#define large_destroy mca_mq_indexed_destroy

#define MQ_NAME large
#define MQ_MODULE mca_mq_indexed_module_t
#define MQ_PLACE uint64_t
#include "ompi/mca/mq/base/kit/template.h"

void mca_mq_indexed_use_large(mca_mq_indexed_module_t *m)
{
    mca_mq_base_template_init(&m->super, m->super.mq_stats, m->watch.component);
}
