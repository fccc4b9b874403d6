/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzzy when memory runs out at a block, for good or for a while; and on a
 * processor that has neither AVX-512 nor AVX2. In this program blocks come from
 * the function below, and __builtin_cpu_supports knows nothing.
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/fuzzy/mq_fuzzy.h"
#include "mq_test.h"

#define ENTRIES 1000
#define SOURCES 37

void *mq_test_aligned_alloc(size_t alignment, size_t size);

/* Blocks that are still to be had, and times that none is then. */
static unsigned good, bad;

void *mq_test_aligned_alloc(size_t alignment, size_t size)
{
    void *memory;

    if (good > 0) {
        --good;
    } else if (bad > 0) {
        --bad;
        return NULL;
    }
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

static mca_mq_entry_t entries[ENTRIES];

static mca_mq_entry_t *make(void *arg)
{
    return arg;
}

static void insert(mca_mq_base_module_t *module, mca_mq_queue_t queue, int i)
{
    memset(&entries[i], 0xa5, sizeof(entries[i]));
    entries[i].order = (uint64_t) i;
    entries[i].envelope = (mca_mq_envelope_t){0, i % SOURCES, 5};
    if (queue == MCA_MQ_POSTED) {
        assert_null(module->mq_post(module, &entries[i]));
    } else {
        assert_null(
            module->mq_arrive(module, &entries[i].envelope, make, &entries[i]));
    }
}

static void run(mca_mq_queue_t queue)
{
    mca_mq_domain_info_t info = {.size = 100, .context = 0, .stats = NULL};
    mca_mq_base_module_t *module;
    mca_mq_module_match_fn_t match;

    assert_int_equal(OMPI_SUCCESS, mca_mq_fuzzy_create(&info, &module));
    match = queue == MCA_MQ_POSTED ? module->mq_match_posted
                                   : module->mq_match_unexpected;
    for (int i = 0; i < ENTRIES; ++i) {
        insert(module, queue, i);
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

static void nothing_is_lost_when_memory_runs_out(void **state)
{
    (void) state;
    assert_int_equal(0, complaints("auto"));
    for (unsigned first = 0; first < 20; ++first) {
        for (unsigned fails = 1; fails < 10000; fails *= 10) {
            good = first;
            bad = fails;
            run(MCA_MQ_POSTED);
            good = first;
            bad = fails;
            run(MCA_MQ_UNEXPECTED);
        }
    }
}

static void instructions_that_are_not_there_are_refused(void **state)
{
    (void) state;
    assert_int_equal(0, complaints("auto"));
    assert_int_equal(0, complaints("scalar"));
    assert_int_equal(1, complaints("avx2"));
    assert_int_equal(1, complaints("avx512"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_when_memory_runs_out),
        cmocka_unit_test(instructions_that_are_not_there_are_refused),
    };

    return cmocka_run_group_tests(tests, mq_test_start, mq_test_stop);
}
