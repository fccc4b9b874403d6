/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <assert.h>
#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_source_array.h"

#define PLANE_SOURCE MCA_MQ_BASE_PLANE_A
#define PLANE_ALL MCA_MQ_BASE_PLANE_B

/* The lists of the source; NULL for any source. A source that is not a rank of
 * the domain is an error of the caller's that would write somewhere else. */
static inline mca_mq_source_array_source_t *source_array_locate(
    mca_mq_source_array_module_t *m, const mca_mq_envelope_t *envelope)
{
    if (MCA_MQ_ANY_SOURCE == envelope->source) {
        return NULL;
    }
    assert((uint32_t) envelope->source < m->size);
    return &m->source[envelope->source];
}

static inline mca_mq_entry_t *source_array_find_posted(
    mca_mq_source_array_module_t *m, mca_mq_source_array_source_t *place,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    mca_mq_entry_t *exact, *any;

    exact = mca_mq_base_fifo_find_receive(
        &place->posted, envelope, MCA_MQ_BASE_ALL, traversed, PLANE_SOURCE);
    if (OPAL_LIKELY(mca_mq_base_fifo_is_empty(&m->any_posted))) {
        return exact;
    }
    any = mca_mq_base_fifo_find_receive(
        &m->any_posted, envelope, NULL == exact ? UINT64_MAX : exact->order,
        traversed, PLANE_SOURCE);
    return NULL == any ? exact : any;
}

static inline mca_mq_entry_t *source_array_find_unexpected(
    mca_mq_source_array_module_t *m, mca_mq_source_array_source_t *place,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    if (NULL == place) {
        return mca_mq_base_fifo_find_message(&m->all_unexpected, envelope,
                                             MCA_MQ_BASE_ALL, traversed,
                                             PLANE_ALL);
    }
    return mca_mq_base_fifo_find_message(
        &place->unexpected, envelope, MCA_MQ_BASE_ALL, traversed, PLANE_SOURCE);
}

static inline void source_array_add_posted(mca_mq_source_array_module_t *m,
                                           mca_mq_source_array_source_t *place,
                                           mca_mq_entry_t *entry)
{
    if (NULL == place) {
        mca_mq_base_fifo_append(&m->any_posted, entry, PLANE_SOURCE);
    } else {
        mca_mq_base_fifo_ready(&place->posted);
        mca_mq_base_fifo_append(&place->posted, entry, PLANE_SOURCE);
    }
}

static inline void source_array_add_unexpected(
    mca_mq_source_array_module_t *m, mca_mq_source_array_source_t *place,
    mca_mq_entry_t *entry)
{
    mca_mq_base_fifo_ready(&place->unexpected);
    mca_mq_base_fifo_append(&place->unexpected, entry, PLANE_SOURCE);
    mca_mq_base_fifo_append(&m->all_unexpected, entry, PLANE_ALL);
}

static inline void source_array_remove_posted(mca_mq_source_array_module_t *m,
                                              mca_mq_entry_t *entry)
{
    mca_mq_source_array_source_t *place =
        source_array_locate(m, &entry->envelope);

    mca_mq_base_fifo_remove(NULL == place ? &m->any_posted : &place->posted,
                            entry, PLANE_SOURCE);
}

static inline void source_array_remove_unexpected(
    mca_mq_source_array_module_t *m, mca_mq_entry_t *entry)
{
    mca_mq_base_fifo_remove(&m->source[entry->envelope.source].unexpected,
                            entry, PLANE_SOURCE);
    mca_mq_base_fifo_remove(&m->all_unexpected, entry, PLANE_ALL);
}

static void source_array_each(mca_mq_base_module_t *module,
                              mca_mq_queue_t queue, mca_mq_visit_fn_t visit,
                              void *arg)
{
    mca_mq_source_array_module_t *m = (mca_mq_source_array_module_t *) module;

    if (MCA_MQ_UNEXPECTED == queue) {
        mca_mq_base_fifo_each(&m->all_unexpected, visit, arg, PLANE_ALL);
        return;
    }
    mca_mq_base_fifo_each(&m->any_posted, visit, arg, PLANE_SOURCE);
    for (uint32_t i = 0; i < m->size; ++i) {
        mca_mq_base_fifo_each(&m->source[i].posted, visit, arg, PLANE_SOURCE);
    }
}

static size_t bytes(uint32_t size)
{
    return sizeof(mca_mq_source_array_module_t) +
           size * sizeof(mca_mq_source_array_source_t);
}

static size_t source_array_footprint(const mca_mq_base_module_t *module)
{
    return bytes(((const mca_mq_source_array_module_t *) module)->size);
}

static void source_array_destroy(mca_mq_base_module_t *module)
{
    free(module);
}

#define MQ_NAME source_array
#define MQ_MODULE mca_mq_source_array_module_t
#define MQ_PLACE mca_mq_source_array_source_t *
#include "ompi/mca/mq/base/mq_base_template.h"

int mca_mq_source_array_create(const mca_mq_domain_info_t *info,
                               mca_mq_base_module_t **module)
{
    mca_mq_source_array_module_t *m = calloc(1, bytes(info->size));

    *module = (mca_mq_base_module_t *) m;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->super, info, &mca_mq_source_array_component);
    mca_mq_base_fifo_init(&m->any_posted);
    mca_mq_base_fifo_init(&m->all_unexpected);
    m->size = info->size;
    return OMPI_SUCCESS;
}
