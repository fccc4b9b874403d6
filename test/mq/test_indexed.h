/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of indexed share: a domain of its own for each test of a
 * single property. Each program includes it once.
 */

#ifndef TEST_INDEXED_H
#define TEST_INDEXED_H

#include "ompi_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/indexed/mq_indexed.h"
#include "mq_test.h"

/* mq_indexed_keep, which most tests want to do without. */
static const char *keep = "0";
/* mq_indexed_ordered, the same. */
static const char *ordered = "0";

static inline mca_mq_indexed_figures_t figures_of(
    const mca_mq_base_module_t *module, mca_mq_queue_t queue)
{
    const mca_mq_indexed_component_t *component =
        (const mca_mq_indexed_component_t *) module->mq_component;
    mca_mq_indexed_figures_t figures;

    component->figures(module, queue, &figures);
    return figures;
}

/* A domain of its own for tests of single properties. */
typedef struct indexed_fixture_t {
    mca_mq_base_domain_t domain;
    mca_mq_stats_t stats;
    mca_mq_entry_t *entry;
    size_t entries;
} indexed_fixture_t;

static inline indexed_fixture_t *fixture_new(const char *small, size_t entries,
                                             uint32_t size)
{
    indexed_fixture_t *f = calloc(1, sizeof(*f));
    mca_mq_domain_info_t info = {.size = size, .context = 0};

    assert_non_null(f);
    info.stats = &f->stats;
    f->entries = entries;
    f->entry = malloc(entries * sizeof(*f->entry));
    assert_non_null(f->entry);
    memset(f->entry, 0xa5, entries * sizeof(*f->entry));
    mq_test_parameter("mq_indexed_small", small);
    mq_test_parameter("mq_indexed_keep", keep);
    mq_test_parameter("mq_indexed_ordered", ordered);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("indexed"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&f->domain, &info));
    return f;
}

static inline void fixture_free(indexed_fixture_t *f)
{
    mca_mq_base_domain_fini(&f->domain);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_indexed_small", NULL);
    mq_test_parameter("mq_indexed_keep", NULL);
    mq_test_parameter("mq_indexed_ordered", NULL);
    free(f->entry);
    free(f);
}

static inline size_t footprint(const indexed_fixture_t *f)
{
    return f->domain.module->mq_footprint(f->domain.module);
}

static inline mca_mq_indexed_figures_t unexpected(const indexed_fixture_t *f)
{
    return figures_of(f->domain.module, MCA_MQ_UNEXPECTED);
}

static inline mca_mq_indexed_figures_t posted(const indexed_fixture_t *f)
{
    return figures_of(f->domain.module, MCA_MQ_POSTED);
}

static inline void insert(indexed_fixture_t *f, mca_mq_queue_t queue, size_t i,
                          int32_t source, int32_t tag)
{
    mca_mq_base_module_t *module = f->domain.module;
    mca_mq_entry_t *entry = &f->entry[i];

    entry->envelope = (mca_mq_envelope_t){0, source, tag};
    mca_mq_base_stamp(&f->domain, entry);
    if (queue == MCA_MQ_POSTED) {
        module->mq_insert_posted(module, entry);
    } else {
        module->mq_insert_unexpected(module, entry);
    }
}

static inline mca_mq_entry_t *match(indexed_fixture_t *f, mca_mq_queue_t queue,
                                    int32_t source, int32_t tag)
{
    mca_mq_base_module_t *module = f->domain.module;
    mca_mq_envelope_t envelope = {0, source, tag};

    return queue == MCA_MQ_POSTED
               ? module->mq_match_posted(module, &envelope)
               : module->mq_match_unexpected(module, &envelope);
}

#endif /* TEST_INDEXED_H */
