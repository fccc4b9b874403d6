/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * newmad, hash and their tables when memory runs out, at every allocation they
 * make, for good or for a while: by mq_failing.h.
 */

#include "mq_failing.h"

#include "ompi/mca/mq/hash/mq_hash.h"
#include "ompi/mca/mq/newmad/mq_newmad.h"

#define ENTRIES 3000
#define SOURCES 37

static mca_mq_entry_t entries[ENTRIES];

static void insert_all(mca_mq_base_module_t *module, mca_mq_queue_t queue)
{
    for (int i = 0; i < ENTRIES; ++i) {
        mq_failing_set(&entries[i], i, i % SOURCES, i / 3);
        mq_failing_add(module, queue, &entries[i]);
    }
}

/* Take all out by their envelopes; those of one source youngest tag first, so
 * that the order is another than that of insertion. */
static void match_all(mca_mq_base_module_t *module, mca_mq_queue_t queue)
{
    mca_mq_module_match_fn_t match = mq_failing_match(module, queue);

    for (int i = 1; i <= ENTRIES; ++i) {
        int at = i * 7 % ENTRIES;
        mca_mq_envelope_t envelope = {0, at % SOURCES, at / 3};

        assert_ptr_equal(&entries[at], match(module, &envelope));
        assert_null(match(module, &envelope));
    }
}

/* Take messages out with receives from any source, of any tag, of both. */
static void match_wild(mca_mq_base_module_t *module)
{
    const mca_mq_envelope_t any = {0, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG};
    mca_mq_envelope_t envelope;
    mca_mq_entry_t *found;
    int left = ENTRIES;

    for (int i = 0; i < ENTRIES / 3; ++i) {
        envelope = (mca_mq_envelope_t){0, MCA_MQ_ANY_SOURCE, i};
        found = module->mq_match_unexpected(module, &envelope);
        assert_ptr_equal(&entries[3 * i], found);
        --left;
    }
    for (int i = 0; i < SOURCES; ++i) {
        envelope = (mca_mq_envelope_t){0, i, MCA_MQ_ANY_TAG};
        found = module->mq_match_unexpected(module, &envelope);
        assert_non_null(found);
        assert_int_equal(i % 3 == 0 ? i + SOURCES : i, (int) found->order);
        found->order = ENTRIES;
        --left;
    }
    for (int i = 0; i < ENTRIES; ++i) {
        if (i % 3 != 0 && entries[i].order != ENTRIES) {
            assert_ptr_equal(&entries[i],
                             module->mq_match_unexpected(module, &any));
            --left;
        }
    }
    assert_int_equal(0, left);
    assert_null(module->mq_match_unexpected(module, &any));
}

typedef void (*drain_fn_t)(mca_mq_base_module_t *module);

static void drain_posted(mca_mq_base_module_t *module)
{
    match_all(module, MCA_MQ_POSTED);
}

static void drain_unexpected(mca_mq_base_module_t *module)
{
    match_all(module, MCA_MQ_UNEXPECTED);
}

static void run(mca_mq_base_component_create_fn_t create, mca_mq_queue_t queue,
                drain_fn_t drain)
{
    mca_mq_domain_info_t info = {.size = 100, .context = 0, .stats = NULL};
    mca_mq_base_module_t *module;

    for (unsigned first = 0; first < 100; ++first) {
        for (unsigned fails = 1; fails < 1000000; fails *= 10) {
            mq_test_allocations_left = first;
            mq_test_allocations_failing = fails;
            if (OMPI_SUCCESS != create(&info, &module)) {
                assert_null(module);
                continue;
            }
            insert_all(module, queue);
            drain(module);
            /* And once more, with memory. */
            mq_test_allocations_failing = 0;
            insert_all(module, queue);
            drain(module);
            module->mq_destroy(module);
        }
    }
}

UNIT_TEST(hash_loses_nothing)
{
    run(mca_mq_hash_create, MCA_MQ_POSTED, drain_posted);
    run(mca_mq_hash_create, MCA_MQ_UNEXPECTED, drain_unexpected);
}

UNIT_TEST(newmad_loses_nothing)
{
    run(mca_mq_newmad_create, MCA_MQ_POSTED, drain_posted);
    run(mca_mq_newmad_create, MCA_MQ_UNEXPECTED, drain_unexpected);
    run(mca_mq_newmad_create, MCA_MQ_UNEXPECTED, match_wild);
}

UNIT_MAIN(NULL, NULL)
