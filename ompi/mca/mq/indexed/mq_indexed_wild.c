/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Wildcard receives in a long unexpected queue; see mq_indexed.h.
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "mq_indexed.h"

/* A kind is unused if it was not searched during this many insertions, plus the
 * number of messages queued at its last search. */
#define UNUSED 4096
/* Messages indexed by an insertion when the cursor is far behind. */
#define CATCH_UP 2

static inline mca_mq_entry_t *next_of(const mca_mq_entry_t *entry)
{
    return mca_mq_base_fifo_next(entry, MCA_MQ_INDEXED_LIST);
}

static bool has_node(mca_mq_indexed_module_t *m, mca_mq_entry_t *entry)
{
    if (0 == entry->where) {
        entry->where = mca_mq_indexed_nodes_get(&m->wild->nodes);
    }
    return 0 != entry->where;
}

/* Is an entry in the index of a kind? It has a node. */
static bool is_indexed(mca_mq_indexed_module_t *m, int kind,
                       mca_mq_entry_t *entry)
{
    return NULL != mca_mq_indexed_links(&m->wild->nodes, entry, kind)[1];
}

/* Free the node of an entry that is in no index. */
static void put_idle_node(mca_mq_indexed_module_t *m, mca_mq_entry_t *entry)
{
    for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
        if (is_indexed(m, kind, entry)) {
            return;
        }
    }
    mca_mq_indexed_nodes_put(&m->wild->nodes, entry->where);
    entry->where = 0;
}

/* Enter a message in the index of a kind, unless its tag is internal. False if
 * out of memory. */
static bool index_entry(mca_mq_indexed_module_t *m, int kind,
                        mca_mq_entry_t *entry)
{
    mca_mq_indexed_kind_t *index = &m->wild->kind[kind];
    mca_mq_envelope_t key = mca_mq_indexed_key(&entry->envelope, kind);

    if (entry->envelope.tag < 0 && (kind & MCA_MQ_INDEXED_ANY_TAG)) {
        return true;
    }
    if (!mca_mq_indexed_table_ready(&index->table) || !has_node(m, entry)) {
        return false;
    }
    if (!mca_mq_indexed_put(&index->table, mca_mq_indexed_hash(&m->seed, &key),
                            &key, entry, &m->wild->nodes, kind)) {
        put_idle_node(m, entry);
        return false;
    }
    ++index->indexed;
    ++m->passed[kind];
    return true;
}

/* Read on from the cursor. Without memory, the cursor stays. */
static mca_mq_entry_t *read_on(mca_mq_indexed_module_t *m, int kind,
                               const mca_mq_envelope_t *envelope,
                               uint64_t *traversed)
{
    mca_mq_indexed_kind_t *index = &m->wild->kind[kind];
    mca_mq_entry_t *entry = index->cursor;
    bool indexing = true;

    for (; NULL != entry; entry = next_of(entry)) {
        ++*traversed;
        if (mca_mq_matches(envelope, &entry->envelope)) {
            break;
        }
        indexing = indexing && index_entry(m, kind, entry);
        if (indexing) {
            index->cursor = next_of(entry);
        }
    }
    return entry;
}

/* Prepare the index of a kind. False if out of memory. */
static bool start(mca_mq_indexed_module_t *m, int kind)
{
    mca_mq_indexed_kind_t *index;

    if (NULL == m->wild) {
        m->wild = calloc(1, sizeof(*m->wild));
        if (NULL == m->wild) {
            return false;
        }
    }
    index = &m->wild->kind[kind];
    if (!index->started) {
        index->started = true;
        index->cursor = mca_mq_base_fifo_first(&m->unexpected.list);
    }
    index->recent = UNUSED + mca_mq_indexed_length(m, &m->unexpected);
    return true;
}

mca_mq_entry_t *mca_mq_indexed_wild_find(mca_mq_indexed_module_t *m,
                                         uint64_t hash,
                                         const mca_mq_envelope_t *envelope,
                                         uint64_t *traversed)
{
    int kind = mca_mq_indexed_class(envelope);
    mca_mq_indexed_kind_t *index;
    mca_mq_indexed_slot_t *slot;

    if (OPAL_UNLIKELY(!start(m, kind))) {
        return mca_mq_indexed_list_find_message(&m->unexpected, envelope,
                                                traversed);
    }
    index = &m->wild->kind[kind];
    if (0 != index->indexed) {
        slot =
            mca_mq_indexed_slot(&index->table, hash, envelope, kind, traversed);
        if (NULL != slot->head) {
            index->table.hint = slot;
            return slot->head;
        }
    }
    return read_on(m, kind, envelope, traversed);
}

/* A kind is unused and its index is empty: stop it. */
static void stop(mca_mq_indexed_module_t *m, mca_mq_indexed_kind_t *index)
{
    index->started = false;
    index->cursor = NULL;
    for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
        if (m->wild->kind[kind].started) {
            return;
        }
    }
    mca_mq_indexed_wild_drop(m);
}

static void catch_up(mca_mq_indexed_module_t *m, int kind)
{
    mca_mq_indexed_kind_t *index = &m->wild->kind[kind];

    for (int i = 0; i < CATCH_UP && NULL != index->cursor; ++i) {
        if (!index_entry(m, kind, index->cursor)) {
            return;
        }
        index->cursor = next_of(index->cursor);
    }
}

void mca_mq_indexed_wild_insert(mca_mq_indexed_module_t *m,
                                mca_mq_entry_t *entry)
{
    uint64_t length = mca_mq_indexed_length(m, &m->unexpected);
    mca_mq_indexed_kind_t *index;

    for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS && NULL != m->wild; ++kind) {
        index = &m->wild->kind[kind];
        if (!index->started) {
            continue;
        }
        if (NULL == index->cursor) {
            index->cursor = entry;
        }
        if (0 != index->recent) {
            --index->recent;
            if (length - index->indexed > MCA_MQ_INDEXED_LAG) {
                catch_up(m, kind);
            }
        } else if (0 == index->indexed) {
            stop(m, index);
        }
    }
}

/* Remove an entry from the FIFOs of all kinds. */
static void unindex(mca_mq_indexed_module_t *m, mca_mq_entry_t *entry)
{
    mca_mq_indexed_nodes_t *nodes = &m->wild->nodes;
    mca_mq_indexed_kind_t *index;

    for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
        index = &m->wild->kind[kind];
        if (!is_indexed(m, kind, entry)) {
            continue;
        }
        mca_mq_indexed_take(&index->table, &m->seed, entry, nodes, kind);
        if (0 == --index->indexed) {
            mca_mq_indexed_table_reset(&index->table);
        }
    }
    mca_mq_indexed_nodes_put(nodes, entry->where);
}

void mca_mq_indexed_wild_remove(mca_mq_indexed_module_t *m,
                                mca_mq_entry_t *entry)
{
    for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
        if (entry == m->wild->kind[kind].cursor) {
            m->wild->kind[kind].cursor = next_of(entry);
        }
    }
    if (0 != entry->where) {
        unindex(m, entry);
    }
}

void mca_mq_indexed_wild_drop(mca_mq_indexed_module_t *m)
{
    if (NULL == m->wild) {
        return;
    }
    for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
        mca_mq_indexed_table_fini(&m->wild->kind[kind].table);
    }
    mca_mq_indexed_nodes_fini(&m->wild->nodes);
    free(m->wild);
    m->wild = NULL;
    ++m->dropped;
}

size_t mca_mq_indexed_wild_footprint(const mca_mq_indexed_module_t *m)
{
    size_t bytes = sizeof(*m->wild);

    for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
        bytes += mca_mq_indexed_table_footprint(&m->wild->kind[kind].table);
    }
    return bytes + mca_mq_indexed_nodes_footprint(&m->wild->nodes);
}
