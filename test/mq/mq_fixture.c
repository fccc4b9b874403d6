/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_fixture.h"

mq_fixture_t *mq_fixture_new(const char *component, uint32_t size,
                             size_t entries)
{
    mca_mq_domain_info_t info = {.size = size, .context = MQ_FIXTURE_CONTEXT};
    mq_fixture_t *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->entry = malloc(entries * sizeof(*f->entry));
    assert_non_null(f->entry);
    memset(f->entry, 0xa5, entries * sizeof(*f->entry));
    f->capacity = entries;
    info.stats = &f->stats;
    assert_int_equal(OMPI_SUCCESS, mq_test_open(component));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&f->domain, &info));
    return f;
}

void mq_fixture_free(mq_fixture_t *f)
{
    mca_mq_base_domain_fini(&f->domain);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    free(f->entry);
    free(f);
}

static mca_mq_envelope_t envelope_of(int32_t source, int32_t tag)
{
    return (mca_mq_envelope_t){MQ_FIXTURE_CONTEXT, source, tag};
}

static mca_mq_entry_t *new_entry(mq_fixture_t *f)
{
    mca_mq_entry_t *entry = &f->entry[f->used++];

    assert_true(f->used <= f->capacity);
    memset(entry, 0xa5, sizeof(*entry));
    entry->envelope = f->making;
    return entry;
}

mca_mq_entry_t *mq_fixture_post(mq_fixture_t *f, int32_t source, int32_t tag)
{
    mca_mq_entry_t *entry;

    f->making = envelope_of(source, tag);
    entry = new_entry(f);
    assert_null(mca_mq_base_post(&f->domain, entry));
    return entry;
}

static mca_mq_entry_t *make(void *arg)
{
    mq_fixture_t *f = arg;
    mca_mq_entry_t *entry = new_entry(f);

    mca_mq_base_stamp(&f->domain, entry);
    return entry;
}

mca_mq_entry_t *mq_fixture_arrive(mq_fixture_t *f, int32_t source, int32_t tag)
{
    f->making = envelope_of(source, tag);
    assert_null(mca_mq_base_arrive(&f->domain, &f->making, make, f));
    return &f->entry[f->used - 1];
}

void mq_fixture_insert(mq_fixture_t *f, mca_mq_queue_t queue, size_t i,
                       int32_t source, int32_t tag)
{
    mca_mq_base_module_t *module = f->domain.module;
    mca_mq_entry_t *entry = &f->entry[i];

    entry->envelope = envelope_of(source, tag);
    mca_mq_base_stamp(&f->domain, entry);
    if (queue == MCA_MQ_POSTED) {
        module->mq_insert_posted(module, entry);
    } else {
        module->mq_insert_unexpected(module, entry);
    }
}

mca_mq_entry_t *mq_fixture_match(mq_fixture_t *f, mca_mq_queue_t queue,
                                 int32_t source, int32_t tag)
{
    mca_mq_base_module_t *module = f->domain.module;
    mca_mq_envelope_t envelope = envelope_of(source, tag);

    return queue == MCA_MQ_POSTED
               ? module->mq_match_posted(module, &envelope)
               : module->mq_match_unexpected(module, &envelope);
}

mca_mq_entry_t *mq_fixture_probe(mq_fixture_t *f, int32_t source, int32_t tag)
{
    mca_mq_envelope_t envelope = envelope_of(source, tag);

    return f->domain.module->mq_probe(f->domain.module, &envelope);
}

size_t mq_fixture_bytes(const mq_fixture_t *f)
{
    return f->domain.module->mq_footprint(f->domain.module);
}
