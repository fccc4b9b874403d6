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

#include "mq_fixture.h"

#include "ompi/mca/mq/indexed/mq_indexed.h"

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

static inline void set_parameters(const char *small, const char *keep_value,
                                  const char *ordered_value)
{
    mq_test_parameter("mq_indexed_small", small);
    mq_test_parameter("mq_indexed_keep", keep_value);
    mq_test_parameter("mq_indexed_ordered", ordered_value);
}

static inline mq_fixture_t *fixture_new(const char *small, size_t entries,
                                        uint32_t size)
{
    mq_fixture_t *f;

    set_parameters(small, keep, ordered);
    f = mq_fixture_new("indexed", size, entries);
    set_parameters(NULL, NULL, NULL);
    return f;
}

/* With mq_indexed_ordered as users have it. */
static inline mq_fixture_t *fixture_ordered(size_t entries, uint32_t size)
{
    mq_fixture_t *f;

    ordered = NULL;
    f = fixture_new(NULL, entries, size);
    ordered = "0";
    return f;
}

static inline mca_mq_indexed_figures_t unexpected(const mq_fixture_t *f)
{
    return figures_of(f->domain.module, MCA_MQ_UNEXPECTED);
}

static inline mca_mq_indexed_figures_t posted(const mq_fixture_t *f)
{
    return figures_of(f->domain.module, MCA_MQ_POSTED);
}

static inline void insert(mq_fixture_t *f, mca_mq_queue_t queue, size_t i,
                          int32_t source, int32_t tag)
{
    mq_fixture_insert(f, queue, i, source, tag);
}

static inline mca_mq_entry_t *match(mq_fixture_t *f, mca_mq_queue_t queue,
                                    int32_t source, int32_t tag)
{
    return mq_fixture_match(f, queue, source, tag);
}

/* Entries 0 to count - 1 of that source; the tag is the number. */
static inline void insert_all(mq_fixture_t *f, mca_mq_queue_t queue,
                              int32_t source, int count)
{
    for (int i = 0; i < count; ++i) {
        insert(f, queue, (size_t) i, source, i);
    }
}

/* All of them, in their order. */
static inline void match_all(mq_fixture_t *f, mca_mq_queue_t queue,
                             int32_t source, int count)
{
    for (int i = 0; i < count; ++i) {
        assert_ptr_equal(&f->entry[i], match(f, queue, source, i));
    }
}

#endif /* TEST_INDEXED_H */
