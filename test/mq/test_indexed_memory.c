/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * indexed when memory runs out, at every allocation it makes. In this program
 * malloc, calloc and mmap are the functions below.
 */

#include "ompi_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/indexed/mq_indexed.h"

#define ENTRIES 3000
#define SOURCES 37

void *mq_test_malloc(size_t size);
void *mq_test_calloc(size_t count, size_t size);
void *mq_test_mmap(void *address, size_t length, int protection, int flags,
                   int file, off_t offset);

/* Allocations that still succeed. */
static unsigned allocations_left;

static bool allocation_fails(void)
{
    if (allocations_left == 0) {
        return true;
    }
    --allocations_left;
    return false;
}

/* realloc is the real one. */
void *mq_test_malloc(size_t size)
{
    return allocation_fails() ? NULL : realloc(NULL, size);
}

void *mq_test_calloc(size_t count, size_t size)
{
    void *memory = mq_test_malloc(count * size);

    return memory == NULL ? NULL : memset(memory, 0, count * size);
}

void *mq_test_mmap(void *address, size_t length, int protection, int flags,
                   int file, off_t offset)
{
    if (allocation_fails()) {
        return MAP_FAILED;
    }
    return (void *) syscall(SYS_mmap, address, length, protection, flags, file,
                            offset);
}

static mca_mq_entry_t entries[ENTRIES];

/* What the user promised for the modules to come. */
static uint32_t promised;

static mca_mq_base_module_t *new_module(unsigned allocations)
{
    mca_mq_domain_info_t info = {
        .size = 100, .context = 0, .assertions = promised};
    mca_mq_base_module_t *module;

    allocations_left = allocations;
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
    memset(&entries[i], 0xa5, sizeof(entries[i]));
    entries[i].order = (uint64_t) i;
    entries[i].envelope = envelope_of(i, wildcards);
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

static void no_receive_is_lost_when_memory_runs_out(void **state)
{
    (void) state;
    nothing_is_lost(true);
}

static void no_message_is_lost_when_memory_runs_out(void **state)
{
    (void) state;
    nothing_is_lost(false);
}

static void nothing_is_lost_without_wildcards(void **state)
{
    (void) state;
    promised = MCA_MQ_ASSERT_EXACT;
    nothing_is_lost(true);
    nothing_is_lost(false);
    promised = 0;
}

/* Tables so large that they are mapped. */
static void a_large_table_does_without_more_memory(void **state)
{
    const size_t many = 200000;
    mca_mq_entry_t *entry = realloc(NULL, many * sizeof(*entry));
    mca_mq_base_module_t *module = new_module(11);
    mca_mq_indexed_figures_t figures;

    (void) state;
    assert_non_null(entry);
    assert_non_null(module);
    for (size_t i = 0; i < many; ++i) {
        entry[i].order = i;
        entry[i].envelope = (mca_mq_envelope_t){0, 1, (int32_t) i};
        module->mq_insert_unexpected(module, &entry[i]);
    }
    mca_mq_indexed_figures(module, MCA_MQ_UNEXPECTED, &figures);
    assert_int_equal(0, allocations_left);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_receive_is_lost_when_memory_runs_out),
        cmocka_unit_test(no_message_is_lost_when_memory_runs_out),
        cmocka_unit_test(nothing_is_lost_without_wildcards),
        cmocka_unit_test(a_large_table_does_without_more_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
