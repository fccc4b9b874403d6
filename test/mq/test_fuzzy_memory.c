/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzzy when memory runs out at a block, for good or for a while; and on a
 * processor that has neither AVX-512 nor AVX2: __builtin_cpu_supports knows
 * nothing here.
 */

#include "mq_test.h"

#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/fuzzy/mq_fuzzy.h"
#include "mq_failing.h"

#define ENTRIES 1000
#define SOURCES 37

static mca_mq_entry_t entries[ENTRIES];

static void run(mca_mq_queue_t queue)
{
    mca_mq_domain_info_t info = {.size = 100, .context = 0, .stats = NULL};
    mca_mq_base_module_t *module;
    mca_mq_module_match_fn_t match;

    assert_int_equal(OMPI_SUCCESS, mca_mq_fuzzy_create(&info, &module));
    match = mq_failing_match(module, queue);
    for (int i = 0; i < ENTRIES; ++i) {
        mq_failing_set(&entries[i], i, i % SOURCES, 5);
        mq_failing_add(module, queue, &entries[i]);
    }
    for (int source = SOURCES - 1; source >= 0; --source) {
        mca_mq_envelope_t envelope = {0, source, 5};

        for (int i = source; i < ENTRIES; i += SOURCES) {
            assert_ptr_equal(&entries[i], match(module, &envelope));
        }
        assert_null(match(module, &envelope));
    }
    module->mq_destroy(module);
}

/* What registering the parameters complains of, with this value. */
static unsigned complaints(const char *value)
{
    unsigned before = mca_mq_base_param_invalid;

    mq_test_parameter("mq_fuzzy_width", value);
    assert_int_equal(
        OMPI_SUCCESS,
        mca_mq_fuzzy_component.mqm_version.mca_register_component_params());
    assert_ptr_equal(&mca_mq_fuzzy_scalar, mca_mq_fuzzy_search());
    return mca_mq_base_param_invalid - before;
}

UNIT_TEST(nothing_is_lost_when_memory_runs_out)
{
    assert_int_equal(0, complaints("auto"));
    for (unsigned first = 0; first < 20; ++first) {
        for (unsigned fails = 1; fails < 10000; fails *= 10) {
            for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
                mq_test_allocations_left = first;
                mq_test_allocations_failing = fails;
                run(queue);
            }
        }
    }
}

UNIT_TEST(instructions_that_are_not_there_are_refused)
{
    assert_int_equal(0, complaints("auto"));
    assert_int_equal(0, complaints("scalar"));
    assert_int_equal(1, complaints("avx2"));
    assert_int_equal(1, complaints("avx512"));
}

UNIT_MAIN(mq_test_start, mq_test_stop)
