/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations of fourd.
 */

#include "ompi_config.h"

#include <assert.h>
#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_fourd.h"

typedef mca_mq_fourd_module_t fourd_module_t;
typedef mca_mq_fourd_source_t fourd_source_t;

#define PLANE_SOURCE MCA_MQ_BASE_PLANE_A
#define PLANE_ALL MCA_MQ_BASE_PLANE_B

/* Values of `where`. A receive in the cubes stores the lists of its source in
 * link[2], since it is in one list only; those of a message are looked up again
 * when it is removed. */
enum { IN_LIST, IN_CUBES };

/* The lists of the source, if something was ever queued for it or a rank near
 * it; otherwise, and for any source, NULL. */
static inline fourd_source_t *fourd_locate(fourd_module_t *m,
                                           const mca_mq_envelope_t *envelope)
{
    uint32_t source = (uint32_t) envelope->source;
    fourd_source_t *line;
    void **array = m->space;

    if (MCA_MQ_ANY_SOURCE == envelope->source) {
        return NULL;
    }
    assert(source < m->size);
    for (int d = 0; d < MCA_MQ_FOURD_LAST; ++d) {
        if (NULL == array) {
            return NULL;
        }
        array = array[mca_mq_fourd_coordinate(m, d, source)];
    }
    line = (fourd_source_t *) array;
    return NULL == line
               ? NULL
               : &line[mca_mq_fourd_coordinate(m, MCA_MQ_FOURD_LAST, source)];
}

static inline mca_mq_entry_t *fourd_find_posted(
    fourd_module_t *m, fourd_source_t *place, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    mca_mq_entry_t *exact = NULL;

    if (NULL != place) {
        exact = mca_mq_base_fifo_find_receive(&place->posted, envelope,
                                              traversed, PLANE_SOURCE);
    }
    if (mca_mq_base_fifo_is_empty(&m->any_posted)) {
        return exact;
    }
    return mca_mq_base_fifo_older_match(&m->any_posted, MCA_MQ_POSTED, envelope,
                                        exact, traversed, PLANE_SOURCE);
}

static inline mca_mq_entry_t *fourd_find_unexpected(
    fourd_module_t *m, fourd_source_t *place, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    if (MCA_MQ_ANY_SOURCE == envelope->source || 0 != m->stray_messages) {
        return mca_mq_base_fifo_find_message(&m->all_unexpected, envelope,
                                             traversed, PLANE_ALL);
    }
    return NULL == place
               ? NULL
               : mca_mq_base_fifo_find_message(&place->unexpected, envelope,
                                               traversed, PLANE_SOURCE);
}

/* The lists in which to queue an entry with an exact source; NULL: in the
 * common list. */
static inline fourd_source_t *make_place(fourd_module_t *m,
                                         fourd_source_t *place,
                                         mca_mq_entry_t *entry)
{
    entry->where = IN_LIST;
    if (OPAL_UNLIKELY(NULL == place)) {
        if (m->is_list) {
            return NULL;
        }
        place = mca_mq_fourd_cubes_get(m, (uint32_t) entry->envelope.source);
        if (NULL == place) {
            ++m->figures.strays;
            return NULL;
        }
    }
    entry->where = IN_CUBES;
    ++m->queued;
    ++m->inserted;
    return place;
}

static inline void fourd_add_posted(fourd_module_t *m, fourd_source_t *place,
                                    mca_mq_entry_t *entry)
{
    if (MCA_MQ_ANY_SOURCE == entry->envelope.source) {
        entry->where = IN_LIST;
        place = NULL;
    } else {
        place = make_place(m, place, entry);
    }
    if (NULL == place) {
        mca_mq_base_fifo_append(&m->any_posted, entry, PLANE_SOURCE);
    } else {
        mca_mq_base_fifo_ready(&place->posted);
        mca_mq_base_fifo_append(&place->posted, entry, PLANE_SOURCE);
        entry->link[2] = place;
    }
}

static inline void fourd_add_unexpected(fourd_module_t *m,
                                        fourd_source_t *place,
                                        mca_mq_entry_t *entry)
{
    place = make_place(m, place, entry);
    if (NULL == place) {
        ++m->stray_messages;
    } else {
        mca_mq_base_fifo_ready(&place->unexpected);
        mca_mq_base_fifo_append(&place->unexpected, entry, PLANE_SOURCE);
    }
    mca_mq_base_fifo_append(&m->all_unexpected, entry, PLANE_ALL);
}

/* Account for the removal of an entry from the cubes. */
static inline void left_cubes(fourd_module_t *m)
{
    if (0 == --m->queued &&
        OPAL_UNLIKELY(m->figures.bytes > MCA_MQ_FOURD_KEEP &&
                      m->inserted >= m->reuse * m->figures.arrays)) {
        mca_mq_fourd_cubes_free(m);
        m->inserted = 0;
        ++m->figures.trims;
    }
}

static inline void fourd_remove_posted(fourd_module_t *m, mca_mq_entry_t *entry)
{
    fourd_source_t *place;

    if (IN_LIST == entry->where) {
        mca_mq_base_fifo_remove(&m->any_posted, entry, PLANE_SOURCE);
        return;
    }
    place = entry->link[2];
    mca_mq_base_fifo_remove(&place->posted, entry, PLANE_SOURCE);
    left_cubes(m);
}

static inline void fourd_remove_unexpected(fourd_module_t *m,
                                           mca_mq_entry_t *entry)
{
    mca_mq_base_fifo_remove(&m->all_unexpected, entry, PLANE_ALL);
    if (IN_LIST == entry->where) {
        --m->stray_messages;
        return;
    }
    mca_mq_base_fifo_remove(&fourd_locate(m, &entry->envelope)->unexpected,
                            entry, PLANE_SOURCE);
    left_cubes(m);
}

static void fourd_each(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                       mca_mq_visit_fn_t visit, void *arg)
{
    fourd_module_t *m = (fourd_module_t *) module;

    if (MCA_MQ_UNEXPECTED == queue) {
        mca_mq_base_fifo_each(&m->all_unexpected, visit, arg, PLANE_ALL);
        return;
    }
    mca_mq_base_fifo_each(&m->any_posted, visit, arg, PLANE_SOURCE);
    mca_mq_fourd_cubes_each_posted(m, visit, arg);
}

static size_t fourd_footprint(const mca_mq_base_module_t *module)
{
    const fourd_module_t *m = (const fourd_module_t *) module;

    return sizeof(*m) + m->figures.bytes;
}

static void fourd_destroy(mca_mq_base_module_t *module)
{
    mca_mq_fourd_cubes_free((fourd_module_t *) module);
    free(module);
}

#define MQ_NAME fourd
#define MQ_MODULE mca_mq_fourd_module_t
#define MQ_PLACE mca_mq_fourd_source_t *
#include "ompi/mca/mq/base/kit/template.h"

int mca_mq_fourd_create(const mca_mq_domain_info_t *info,
                        mca_mq_base_module_t **module)
{
    fourd_module_t *m = calloc(1, sizeof(*m));

    *module = (mca_mq_base_module_t *) m;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->super, info->stats,
                              &mca_mq_fourd_component.super);
    mca_mq_base_fifo_init(&m->any_posted);
    mca_mq_base_fifo_init(&m->all_unexpected);
    m->size = info->size;
    m->reuse = mca_mq_fourd_params.reuse;
    m->is_list = info->size < mca_mq_fourd_params.min_size;
    mca_mq_fourd_cubes_init(m);
    return OMPI_SUCCESS;
}

void mca_mq_fourd_figures(const mca_mq_base_module_t *module,
                          mca_mq_fourd_figures_t *figures)
{
    *figures = ((const fourd_module_t *) module)->figures;
}
