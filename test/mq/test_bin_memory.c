/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * bin when memory runs out and when it comes back: by mq_failing.h.
 */

#include "mq_failing.h"

#include "ompi/mca/mq/bin/mq_bin.h"

#define ENTRIES 200

static mca_mq_entry_t receives[ENTRIES], messages[ENTRIES];

static void fill(mca_mq_entry_t *entries, int order, bool wildcards)
{
    for (int i = 0; i < ENTRIES; ++i) {
        mq_failing_set(&entries[i], order + i,
                       wildcards && i % 10 == 0 ? MCA_MQ_ANY_SOURCE : i % 7,
                       i % 5);
    }
}

/* The first of these entries still there that a message matches. */
static mca_mq_entry_t *oldest(mca_mq_entry_t *entries, const bool *gone,
                              const mca_mq_envelope_t *message)
{
    for (int i = 0; i < ENTRIES; ++i) {
        if (!gone[i] && mca_mq_matches(&entries[i].envelope, message)) {
            return &entries[i];
        }
    }
    return NULL;
}

/* All receives are matched by messages, in an order of their own. */
static void match_receives(mca_mq_base_module_t *module)
{
    bool gone[ENTRIES] = {false};
    mca_mq_entry_t *found, *expected;

    for (int i = 0; i < 2 * ENTRIES; ++i) {
        mca_mq_envelope_t message = {0, (i * 3) % 7, (i * 2) % 5};

        expected = oldest(receives, gone, &message);
        found = module->mq_match_posted(module, &message);
        assert_ptr_equal(expected, found);
        if (found != NULL) {
            gone[found - receives] = true;
        }
    }
    for (int i = 0; i < ENTRIES; ++i) {
        if (!gone[i]) {
            module->mq_withdraw_posted(module, &receives[i]);
        }
    }
}

/* All messages are taken, the last envelope first: 7 * 5 there are. */
static void match_messages(mca_mq_base_module_t *module)
{
    for (int first = 34; first >= 0; --first) {
        mca_mq_envelope_t receive = {0, first % 7, first % 5};

        for (int i = first; i < ENTRIES; i += 35) {
            assert_ptr_equal(&messages[i],
                             module->mq_match_unexpected(module, &receive));
        }
        assert_null(module->mq_match_unexpected(module, &receive));
    }
}

static size_t run(mca_mq_base_module_t *module)
{
    mca_mq_envelope_t any = {0, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG};
    mca_mq_envelope_t exact = {0, 3, 3};
    size_t bytes;

    fill(receives, 1, true);
    fill(messages, 1000, false);
    for (int i = 0; i < ENTRIES; ++i) {
        module->mq_insert_posted(module, &receives[i]);
        module->mq_insert_unexpected(module, &messages[i]);
    }
    bytes = module->mq_footprint(module);
    assert_ptr_equal(&messages[0], module->mq_probe(module, &any));
    assert_ptr_equal(&messages[3], module->mq_probe(module, &exact));
    match_receives(module);
    match_messages(module);
    assert_null(module->mq_probe(module, &any));
    return bytes;
}

UNIT_TEST(nothing_is_lost_when_memory_runs_out)
{
    mca_mq_domain_info_t info = {.size = 100, .context = 0, .stats = NULL};
    const size_t array = 10 * sizeof(mca_mq_base_fifo_t);
    mca_mq_base_module_t *module;

    mca_mq_bin_params.count = 10;
    mq_test_allocations_left = 0;
    assert_int_equal(OMPI_ERR_OUT_OF_RESOURCE,
                     mca_mq_bin_create(&info, &module));
    assert_null(module);
    for (unsigned arrays = 0; arrays <= 2; ++arrays) {
        mq_test_allocations_left = 1 + arrays;
        assert_int_equal(OMPI_SUCCESS, mca_mq_bin_create(&info, &module));
        assert_int_equal(sizeof(mca_mq_bin_module_t) + arrays * array,
                         run(module));
        /* The queues are empty, so bins are tried again. */
        mq_test_allocations_left = 2;
        assert_int_equal(sizeof(mca_mq_bin_module_t) + 2 * array, run(module));
        module->mq_destroy(module);
    }
}

UNIT_MAIN(NULL, NULL)
