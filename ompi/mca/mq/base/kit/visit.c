/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/kit/visit.h"

static void collect(mca_mq_entry_t *entry, void *arg)
{
    mca_mq_base_collection_t *collection = arg;

    if (NULL != collection->context &&
        *collection->context != entry->envelope.context) {
        return;
    }
    /* The first pass only counts. */
    if (NULL != collection->entries) {
        collection->entries[collection->count] = entry;
    }
    ++collection->count;
}

static int by_age(const void *left, const void *right)
{
    uint64_t l = (*(mca_mq_entry_t *const *) left)->order;
    uint64_t r = (*(mca_mq_entry_t *const *) right)->order;

    return (l > r) - (l < r);
}

int mca_mq_base_collect(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                        const uint32_t *context,
                        mca_mq_base_collection_t *collection)
{
    collection->context = context;
    collection->entries = NULL;
    collection->count = 0;
    module->mq_each(module, queue, collect, collection);
    if (0 == collection->count) {
        return OMPI_SUCCESS;
    }
    collection->entries =
        malloc(collection->count * sizeof(*collection->entries));
    if (NULL == collection->entries) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    collection->count = 0;
    module->mq_each(module, queue, collect, collection);
    qsort(collection->entries, collection->count, sizeof(*collection->entries),
          by_age);
    return OMPI_SUCCESS;
}

int mca_mq_base_visit(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                      const uint32_t *context, mca_mq_visit_fn_t visit,
                      void *arg)
{
    mca_mq_base_collection_t collection;
    int ret = mca_mq_base_collect(module, queue, context, &collection);

    if (OMPI_SUCCESS == ret) {
        for (size_t i = 0; i < collection.count; ++i) {
            visit(collection.entries[i], arg);
        }
        free(collection.entries);
    }
    return ret;
}

/* Search for the oldest entry, of one context or of all. */
typedef struct mq_oldest_t {
    const uint32_t *context;
    mca_mq_entry_t *entry;
} mq_oldest_t;

static void look_for_oldest(mca_mq_entry_t *entry, void *arg)
{
    mq_oldest_t *oldest = arg;

    if ((NULL == oldest->context ||
         *oldest->context == entry->envelope.context) &&
        (NULL == oldest->entry || entry->order < oldest->entry->order)) {
        oldest->entry = entry;
    }
}

/* The operation is read from the module each time, because it may change with
 * each call. */
static void withdraw(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                     mca_mq_entry_t *entry)
{
    if (MCA_MQ_POSTED == queue) {
        module->mq_withdraw_posted(module, entry);
    } else {
        module->mq_withdraw_unexpected(module, entry);
    }
}

/* Fallback without memory: one search per entry. */
static void purge_slowly(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                         const uint32_t *context, mca_mq_visit_fn_t dispose,
                         void *arg)
{
    mq_oldest_t oldest = {.context = context};

    for (;;) {
        oldest.entry = NULL;
        module->mq_each(module, queue, look_for_oldest, &oldest);
        if (NULL == oldest.entry) {
            return;
        }
        withdraw(module, queue, oldest.entry);
        dispose(oldest.entry, arg);
    }
}

void mca_mq_base_purge(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                       const uint32_t *context, mca_mq_visit_fn_t dispose,
                       void *arg)
{
    mca_mq_base_collection_t collection;

    if (OMPI_SUCCESS !=
        mca_mq_base_collect(module, queue, context, &collection)) {
        purge_slowly(module, queue, context, dispose, arg);
        return;
    }
    for (size_t i = 0; i < collection.count; ++i) {
        withdraw(module, queue, collection.entries[i]);
        dispose(collection.entries[i], arg);
    }
    free(collection.entries);
}
