/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * indexed when memory runs out, at every allocation it makes: by mq_failing.h.
 */

#include "mq_failing.h"

#include "ompi/mca/mq/indexed/mq_indexed.h"

#define ENTRIES 3000
#define SOURCES 37

static mca_mq_entry_t entries[ENTRIES];

/* What the user promised for the modules to come. */
static uint32_t promised;

static mca_mq_base_module_t *new_module(unsigned allocations)
{
    mca_mq_domain_info_t info = {
        .size = 100, .context = 0, .assertions = promised};
    mca_mq_base_module_t *module;

    mq_test_allocations_left = allocations;
    if (OMPI_SUCCESS != mca_mq_indexed_create(&info, &module)) {
        assert_null(module);
    }
    return module;
}

/* Envelopes repeat, and there are receives of all classes that may be. */
static mca_mq_envelope_t envelope_of(int i, bool wildcards)
{
    mca_mq_envelope_t envelope = {0, i % SOURCES, i % 997};

    if (i % 3 == 1) {
        envelope.tag = -2 - envelope.tag;
    }
    if (wildcards && i % 5 == 1 && (0 == promised || envelope.tag < 0)) {
        envelope.source = MCA_MQ_ANY_SOURCE;
    }
    if (wildcards && i % 7 == 1 && 0 == promised) {
        envelope.tag = MCA_MQ_ANY_TAG;
    }
    return envelope;
}

static void prepare(int i, bool wildcards)
{
    mca_mq_envelope_t envelope = envelope_of(i, wildcards);

    mq_failing_set(&entries[i], i, envelope.source, envelope.tag);
}

/* The oldest that matches, searched for in the plainest way. */
static mca_mq_entry_t *expected(const bool *queued,
                                const mca_mq_envelope_t *envelope, bool posted)
{
    for (int i = 0; i < ENTRIES; ++i) {
        if (queued[i] &&
            (posted ? mca_mq_matches(&entries[i].envelope, envelope)
                    : mca_mq_matches(envelope, &entries[i].envelope))) {
            return &entries[i];
        }
    }
    return NULL;
}

static void run(unsigned allocations, bool posted,
                mca_mq_indexed_figures_t *figures)
{
    mca_mq_base_module_t *module = new_module(allocations);
    static bool queued[ENTRIES];
    mca_mq_envelope_t envelope;
    mca_mq_entry_t *found;

    if (module == NULL) {
        return;
    }
    for (int i = 0; i < ENTRIES; ++i) {
        prepare(i, posted);
        queued[i] = true;
        if (posted) {
            module->mq_insert_posted(module, &entries[i]);
        } else {
            module->mq_insert_unexpected(module, &entries[i]);
        }
    }
    for (int i = 0; i < ENTRIES; ++i) {
        int at = (i * 1009 + 17) % ENTRIES;

        envelope = envelope_of(at, !posted);
        found = posted ? module->mq_match_posted(module, &envelope)
                       : module->mq_match_unexpected(module, &envelope);
        assert_ptr_equal(expected(queued, &envelope, posted), found);
        if (found != NULL) {
            queued[found - entries] = false;
        }
        if (i == ENTRIES / 2) {
            mca_mq_indexed_figures(
                module, posted ? MCA_MQ_POSTED : MCA_MQ_UNEXPECTED, figures);
        }
    }
    for (int i = ENTRIES - 1; i >= 0; --i) {
        if (queued[i] && posted) {
            module->mq_withdraw_posted(module, &entries[i]);
        } else if (queued[i]) {
            module->mq_withdraw_unexpected(module, &entries[i]);
        }
    }
    envelope = envelope_of(1, !posted);
    assert_null(posted ? module->mq_match_posted(module, &envelope)
                       : module->mq_match_unexpected(module, &envelope));
    module->mq_destroy(module);
}

static void nothing_is_lost(bool posted)
{
    mca_mq_indexed_figures_t figures;
    bool was_a_list = false, was_half_hashed = false, was_hashed = false;

    mca_mq_indexed_params.small = 4;
    mca_mq_indexed_params.ordered = 0;
    for (unsigned allocations = 0; allocations < 100; ++allocations) {
        memset(&figures, 0, sizeof(figures));
        run(allocations, posted, &figures);
        was_a_list = was_a_list || !figures.hashed;
        was_half_hashed = was_half_hashed || figures.unhashed > 0;
        was_hashed = was_hashed || (figures.hashed && figures.unhashed == 0);
    }
    assert_true(was_a_list);
    assert_true(was_half_hashed);
    assert_true(was_hashed);
}

UNIT_TEST(no_receive_is_lost_when_memory_runs_out)
{
    nothing_is_lost(true);
}

UNIT_TEST(no_message_is_lost_when_memory_runs_out)
{
    nothing_is_lost(false);
}

UNIT_TEST(nothing_is_lost_without_wildcards)
{
    promised = MCA_MQ_ASSERT_EXACT;
    nothing_is_lost(true);
    nothing_is_lost(false);
    promised = 0;
}

/* Tables so large that they are mapped. */
UNIT_TEST(a_large_table_does_without_more_memory)
{
    const size_t many = 200000;
    mca_mq_entry_t *entry = realloc(NULL, many * sizeof(*entry));
    mca_mq_base_module_t *module = new_module(11);
    mca_mq_indexed_figures_t figures;

    assert_non_null(entry);
    assert_non_null(module);
    for (size_t i = 0; i < many; ++i) {
        entry[i].order = i;
        entry[i].envelope = (mca_mq_envelope_t){0, 1, (int32_t) i};
        module->mq_insert_unexpected(module, &entry[i]);
    }
    mca_mq_indexed_figures(module, MCA_MQ_UNEXPECTED, &figures);
    assert_int_equal(0, mq_test_allocations_left);
    assert_true(figures.unhashed > 0);
    assert_true(figures.keys > 65536);
    assert_int_equal(many, figures.unhashed + figures.keys);
    /* The first ones were hashed, so they are found at once. */
    for (size_t i = 0; i < many; ++i) {
        if (i % 3 == 0) {
            module->mq_withdraw_unexpected(module, &entry[i]);
        }
    }
    mca_mq_indexed_figures(module, MCA_MQ_UNEXPECTED, &figures);
    for (size_t i = many; i-- > 0;) {
        if (i % 3 != 0) {
            module->mq_withdraw_unexpected(module, &entry[i]);
        }
    }
    mca_mq_indexed_figures(module, MCA_MQ_UNEXPECTED, &figures);
    assert_false(figures.hashed);
    module->mq_destroy(module);
    free(entry);
}

UNIT_MAIN(NULL, NULL)
